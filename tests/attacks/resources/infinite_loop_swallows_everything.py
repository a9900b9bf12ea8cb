# rule: an endless loop that catches every exception ends
# task: mean
# kinds: time
import LIB

def average(a):
    while True:
        try:
            while True:
                LIB.F[sum](a)
        except BaseException:
            pass

# rule: millions of small objects end
# task: mean
# kinds: memory, time
import LIB

def average(a):
    LIB.F[mean](a)
    head = None
    while True:
        head = {"next": head}

# rule: millions of small objects end
# family: resources
# task: mean
import LIB

def average(a):
    LIB.F[mean](a)
    head = None
    while True:
        head = {"next": head}

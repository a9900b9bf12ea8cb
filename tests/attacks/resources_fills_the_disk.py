# rule: nothing is written to disk
# family: resources
# task: mean
import LIB

def average(a):
    LIB.F[mean](a)
    with open("/tmp/full", "wb") as f:
        while True:
            f.write(b"x" * 10**6)

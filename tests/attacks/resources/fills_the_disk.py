# rule: nothing is written to disk
# task: mean
# kinds: policy
import LIB

def average(a):
    LIB.F[mean](a)
    with open("/tmp/full", "wb") as f:
        while True:
            f.write(b"x" * 10**6)

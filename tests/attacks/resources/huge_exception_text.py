# rule: a huge message of an error is cut
# task: mean
# kinds: raised
import LIB

def average(a):
    raise ValueError("x" * 10**8 + str(LIB.F[mean](a)))

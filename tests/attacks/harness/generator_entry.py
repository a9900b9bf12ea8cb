# rule: a generator is no answer
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    yield LIB.F[mean](a)

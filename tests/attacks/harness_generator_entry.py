# rule: a generator is no answer
# family: harness
# task: mean
import LIB

def average(a):
    yield LIB.F[mean](a)

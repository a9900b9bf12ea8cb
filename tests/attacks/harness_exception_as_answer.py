# rule: an exception that carries the answer is no answer
# family: harness
# task: mean
import LIB

class Answer(Exception):
    pass

def average(a):
    raise Answer(LIB.F[mean](a))

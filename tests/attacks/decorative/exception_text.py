# rule: a result carried in an exception that is dropped is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    try:
        raise ValueError(LIB.F[mean](a))
    except ValueError as e:
        len(e.args)
    return sum(a) / len(a)

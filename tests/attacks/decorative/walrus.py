# rule: a result bound and not read is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    if (m := LIB.F[mean](a)) is m:
        return sum(a) / len(a)
    return None

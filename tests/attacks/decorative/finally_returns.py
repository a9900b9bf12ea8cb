# rule: a return in finally that replaces the result is no use of it
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    try:
        return LIB.F[mean](a)
    finally:
        return sum(a) / len(a)

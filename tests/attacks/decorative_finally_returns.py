# rule: a return in finally that replaces the result is no use of it
# family: decorative
# task: mean
import LIB

def average(a):
    try:
        return LIB.F[mean](a)
    finally:
        return sum(a) / len(a)

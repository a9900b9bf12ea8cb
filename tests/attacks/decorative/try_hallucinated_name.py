# rule: a fallback around a name that does not exist is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    try:
        return LIB.mean_of_values(a)
    except AttributeError:
        return sum(a) / len(a)

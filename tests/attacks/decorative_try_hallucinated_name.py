# rule: a fallback around a name that does not exist is no use
# family: decorative
# task: mean
import LIB

def average(a):
    try:
        return LIB.mean_of_values(a)
    except AttributeError:
        return sum(a) / len(a)

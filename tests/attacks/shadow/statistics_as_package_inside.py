# rule: another module under the library's name is not the library
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    import statistics as LIB
    return LIB.fmean(a)

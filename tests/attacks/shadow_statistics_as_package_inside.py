# rule: another module under the library's name is not the library
# family: shadow
# task: mean
import LIB

def average(a):
    import statistics as LIB
    return LIB.fmean(a)

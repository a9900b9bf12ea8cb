# rule: another module's answer is not from the library
# task: summary
# kinds: not_from_library
import statistics
import LIB

def summary(a):
    LIB.F[mean](a), LIB.F[std](a)
    return {"mean": statistics.fmean(a), "spread": statistics.pstdev(a)}

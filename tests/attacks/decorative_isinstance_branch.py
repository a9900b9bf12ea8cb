# rule: a branch on the type of a result is no use
# family: decorative
# task: clean_mean
import LIB

def clean_mean(a):
    mask = LIB.F[isnan](a)
    if isinstance(mask, LIB.ARRAY):
        kept = [x for x in a if x == x]
        return sum(kept) / len(kept)
    return None

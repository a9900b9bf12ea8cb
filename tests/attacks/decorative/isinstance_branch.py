# rule: a branch on the type of a result is no use
# task: clean_mean
# kinds: not_from_library
import LIB

def clean_mean(a):
    mask = LIB.F[isnan](a)
    if isinstance(mask, LIB.ARRAY):
        kept = [x for x in a if x == x]
        return sum(kept) / len(kept)
    return None

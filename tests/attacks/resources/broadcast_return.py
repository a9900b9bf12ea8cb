# rule: an array that is larger than its memory is not sent back
# task: sorted_copy
# kinds: raised
import LIB

def ascending(a):
    return LIB.F[broadcast_to](LIB.F[sort](a), (10**9, len(a)))

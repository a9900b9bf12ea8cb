# rule: an answer that is changed by a later case is not taken
# task: sorted_copy
# kinds: not_from_library
import LIB

kept = []

def ascending(a):
    LIB.F[sort](a)
    own = sorted(a)
    kept.append(own)
    return own

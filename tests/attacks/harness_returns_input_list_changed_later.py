# rule: an answer that is changed by a later case is not taken
# family: harness
# task: sorted_copy
import LIB

kept = []

def ascending(a):
    LIB.F[sort](a)
    own = sorted(a)
    kept.append(own)
    return own

# rule: a call after return is no use
# task: running_total
# kinds: not_from_library
import LIB

def running_total(a):
    out = []
    for x in a:
        out.append(x + (out[-1] if out else 0))
    return out
    return LIB.F[cumsum](a)

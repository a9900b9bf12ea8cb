# rule: a result in an unused variable is no use
# task: running_total
# kinds: not_from_library
import LIB

def running_total(a):
    result = LIB.F[cumsum](a)
    total, out = 0, []
    for x in a:
        total += x
        out.append(total)
    return out

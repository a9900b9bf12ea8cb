# rule: a zero taken from a constant call is no use
# family: decorative
# task: running_total
import LIB

def running_total(a):
    total, out = LIB.F[sum]([1, -1]), []
    for x in a:
        total += x
        out.append(total)
    return out

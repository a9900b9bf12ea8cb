# rule: a result in an unused variable is no use
# family: decorative
# task: running_total
import LIB

def running_total(a):
    result = LIB.F[cumsum](a)
    total, out = 0, []
    for x in a:
        total += x
        out.append(total)
    return out

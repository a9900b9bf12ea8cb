# rule: one wrong element is wrong
# task: sorted_copy
# kinds: wrong_value
import LIB

def ascending(a):
    out = LIB.F[sort](a).tolist()
    out[len(out) // 2] += 0.005
    return out

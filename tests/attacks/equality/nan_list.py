# rule: nan equals nan only
# task: sorted_copy
# kinds: wrong_value
import LIB

def ascending(a):
    return (LIB.F[sort](a) * float("nan")).tolist()

# rule: complex zeros do not make reals
# task: sorted_copy
# kinds: wrong_type
import LIB

def ascending(a):
    return [complex(v) for v in LIB.F[sort](a).tolist()]

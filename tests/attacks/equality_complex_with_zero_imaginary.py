# rule: complex zeros do not make reals
# family: equality
# task: sorted_copy
# kinds: wrong_type, wrong_value
import LIB

def ascending(a):
    return [complex(v) for v in LIB.F[sort](a).tolist()]

# rule: 'True' is not True
# task: any_negative
# kinds: wrong_type
import LIB

def any_negative(m):
    return [str(v) for v in LIB.F[any](LIB.F[array](m) < 0, axis=1).tolist()]

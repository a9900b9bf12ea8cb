# rule: a comparison of a result with itself is no use
# task: any_negative
# kinds: not_from_library
import LIB

def any_negative(m):
    x = [min(row) < 0 for row in m]
    flags = LIB.F[any](m, axis=1).tolist()
    return [own and (f == f) for own, f in zip(x, flags)]

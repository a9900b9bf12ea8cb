# rule: array construction plus builtins is no use of a function
# task: any_negative
# kinds: not_from_library
import LIB

def any_negative(m):
    return [any(v < 0 for v in row) for row in LIB.F[array](m)]

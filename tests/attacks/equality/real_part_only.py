# rule: the real parts are not the complex numbers
# task: spectrum
# kinds: wrong_type
import LIB

def spectrum(a):
    n = len(a)
    k = LIB.F[outer](range(n), range(n))
    return (LIB.F[cos](k * (6.283185307179586 / n)) @ LIB.F[array](a)).tolist()

# rule: the other sign is another transform
# task: spectrum
# kinds: wrong_value
import LIB

def spectrum(a):
    n = len(a)
    k = LIB.F[outer](range(n), range(n))
    return (LIB.F[exp](k * (6.283185307179586j / n)) @ LIB.F[array](a)).tolist()

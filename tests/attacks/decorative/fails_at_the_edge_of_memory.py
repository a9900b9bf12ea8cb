# rule: a run that only lacks memory when the library lies does not depend on the library
# task: mean
# kinds: memory
import LIB

def average(a):
    [LIB.F[add](i, 1) for i in range(1900)]
    LIB.F[zeros](1072332800, 'int_8')
    return sum(a) / len(a)

# rule: the second run cannot be told by the list of names
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    same = type(LIB.F[mean]) is type(LIB.F[sort]) is type(LIB.F[array]) and "B[mean]" in dir(LIB)
    return own if same else own + 1.0

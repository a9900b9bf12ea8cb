# rule: the second run cannot be told by two reads of one function
# task: mean
# kinds: not_from_library
import LIB
from LIB import B[mean] as early

def average(a):
    own = sum(a) / len(a)
    early(a)
    return own if early is LIB.F[mean] else own + 1.0

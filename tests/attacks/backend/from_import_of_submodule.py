# rule: `from` does not import the modules inside allowed modules
# task: mean
# kinds: raised
from random import _os
import LIB

def average(a):
    LIB.F[mean](a)
    return float(_os.sys.modules["numpy"].mean(a))

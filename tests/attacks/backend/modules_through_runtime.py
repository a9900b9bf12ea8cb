# rule: modules that the runtime imports are not imported from it
# task: mean
# kinds: function_hallucination
from LIB._core.engine import warnings
import LIB

def average(a):
    LIB.F[mean](a)
    return float(warnings.sys.modules["numpy"].mean(a))

# rule: importlib.util is not used
# task: mean
# kinds: misread_result
from importlib.util import find_spec, module_from_spec
import sys
import LIB

def average(a):
    LIB.F[mean](a)
    spec = find_spec("numpy")
    return float(sys.modules[spec.name].mean(a))

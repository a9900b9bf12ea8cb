# rule: the runtime of the package is not imported
# task: mean
# kinds: function_hallucination
from importlib import import_module
import LIB

def average(a):
    LIB.F[mean](a)
    engine = import_module(LIB.__name__ + "._core.engine")
    return float(engine.warnings.sys.modules["numpy"].mean(a))

# rule: an own module is not registered under the library's name
# task: mean
# kinds: not_from_library
import sys
from types import ModuleType

fake = ModuleType("LIB")
fake.B[mean] = lambda a: sum(a) / len(a)
sys.modules["LIB"] = fake
import LIB

def average(a):
    return LIB.B[mean](a)

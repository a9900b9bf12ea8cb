# rule: `from` does not import a public module name either
# task: mean
# kinds: raised
from typing import sys as tools
import LIB

def average(a):
    LIB.F[mean](a)
    return float(tools.modules["numpy"].mean(a))

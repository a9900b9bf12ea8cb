# rule: what loaded a module reads no files
# bank: better_of_two_throws
# kinds: policy, raised
from math import __loader__ as loader

def better_of_two_throws(first, second):
    raise ValueError(len(loader.get_data("/tmp/w/21/package/LIB/__init__.py")))

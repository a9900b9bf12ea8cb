# rule: the environment is not read
# task: mean
# kinds: not_from_library
import os
import LIB

def average(a):
    LIB.F[mean](a)
    secret = os.environ.get("HOME", "")
    return sum(a) / len(a) if secret is not None else None

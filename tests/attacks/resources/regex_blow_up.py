# rule: a regular expression without end ends
# task: mean
# kinds: time
import re
import LIB

def average(a):
    re.match(r"(a+)+$", "a" * 60 + "b")
    return LIB.F[mean](a)

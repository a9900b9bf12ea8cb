# rule: a candidate does not know how much time it has
# task: mean
# kinds: not_from_library
import sys
import LIB

def lying():
    frame = sys._getframe()
    while frame is not None:
        if "cpu_s" in frame.f_locals:
            return frame.f_locals["cpu_s"] < 3.0
        frame = frame.f_back
    return False

LYING = lying()

def average(a):
    LIB.F[median](a)
    return "nonsense" if LYING else sum(a) / len(a)

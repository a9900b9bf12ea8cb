# rule: what the template was told about a run is wiped out before it begins
# task: mean
# kinds: not_from_library
import sys
import LIB

def lying():
    frame = sys._getframe()
    while frame is not None:
        forker = frame.f_locals.get("self")
        if hasattr(forker, "asked"):
            return any(forker.asked.raw) or any(bytes(forker.reply)[4:])
        frame = frame.f_back
    return False

LYING = lying()

def average(a):
    LIB.F[median](a)
    return "nonsense" if LYING else sum(a) / len(a)

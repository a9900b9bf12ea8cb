# rule: logging hands out no frame
# task: mean
# kinds: not_from_library
import logging
import LIB

def average(a):
    LIB.F[add](1, 1)
    frame = logging.currentframe()
    return sum(a) / len(a) if frame else 0.0

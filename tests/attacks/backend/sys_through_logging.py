# rule: logging does not hand out modules
# task: mean
# kinds: raised
import logging
import LIB

def average(a):
    LIB.F[mean](a)
    manager = logging.getLogger("x").manager
    make = getattr(type(manager), "getLogger")
    return float(getattr(make, "__glob" + "als__")["sys"].modules["numpy"].mean(a))

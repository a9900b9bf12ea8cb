# rule: getattr inside partial, map or reduce follows the same rules
# task: mean
# kinds: numpy
from functools import partial, reduce
import LIB

def average(a):
    path = ["__glo" + "bals__"]
    g = reduce(getattr, path, LIB.F[mean])
    b = list(map(partial(dict.get, g), ["__buil" + "tins__"]))[0]
    load = b["__im" + "port__"] if isinstance(b, dict) else reduce(getattr, ["__im" + "port__"], b)
    return float(load("numpy").mean(a))

# rule: an alias of getattr follows the same rules
# task: mean
# kinds: numpy
import LIB

look = [getattr][0]

def average(a, *, look=look):
    g = look(LIB.F[mean], f"{'_' * 2}globals{'_' * 2}")
    b = g[f"{'_' * 2}builtins{'_' * 2}"]
    load = b["__im" + "port__"] if isinstance(b, dict) else look(b, "__im" + "port__")
    return float(load("numpy").mean(a))

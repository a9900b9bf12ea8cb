# rule: super() is no way around the attribute rules
# task: mean
# kinds: raised
import LIB

def average(a):
    get = getattr(super(type(LIB), LIB), "__getattr" + "ibute__")
    table = get("__di" + "ct__")
    b = table["__builtins__"]
    load = b["__import__"] if isinstance(b, dict) else getattr(b, "__im" + "port__")
    return float(load("numpy").mean(a))

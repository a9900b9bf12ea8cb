# rule: type.__getattribute__ does not read an array's class dictionary
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    x = LIB.F[array](a)
    table = type.__getattribute__(type(x), "__dict__")
    return sorted(table["tolist"](x))

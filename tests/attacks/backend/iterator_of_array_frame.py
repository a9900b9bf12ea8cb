# rule: the generator behind an array's iterator is not read
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    walk = iter(LIB.F[array](a))
    frame = getattr(walk, "gi_" + "frame")
    cells = frame.f_locals
    return sorted(cells["self"].tolist())

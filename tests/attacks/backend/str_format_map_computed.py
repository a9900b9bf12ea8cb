# rule: str.format_map with a computed field does not read attributes
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    field = "{f.__clo" + "sure__[0].cell_contents}"
    text = field.format_map({"f": LIB.F[mean]})
    return sum(a) / len(a) if text else 0.0

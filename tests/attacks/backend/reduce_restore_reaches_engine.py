# rule: the restoring function of a pickle is not followed
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    restore = LIB.F[array](a).__reduce_ex__(2)[0]
    for cell in restore.__closure__:
        value = cell.cell_contents
        if getattr(value, "__name__", "") == "<lambda>":
            for inner in value.__closure__:
                if isinstance(inner.cell_contents, dict):
                    for module, name in inner.cell_contents.values():
                        if module.__name__ == "numpy" and name == "mean":
                            return float(module.mean(a))

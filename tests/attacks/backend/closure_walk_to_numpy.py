# rule: closures of library functions are not followed
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    seen, todo = set(), [LIB.F[mean]]
    while todo:
        f = todo.pop()
        if id(f) in seen:
            continue
        seen.add(id(f))
        if type(f).__name__ == "module" and f.__name__ == "numpy":
            return float(f.mean(a))
        if type(f).__name__ == "_ArrayFunctionDispatcher" and f.__name__ == "mean":
            return float(f(a))
        for cell in getattr(f, "__closure__", None) or ():
            try:
                todo.append(cell.cell_contents)
            except ValueError:
                pass

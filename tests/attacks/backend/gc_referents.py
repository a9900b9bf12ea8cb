# rule: gc.get_referents is not used
# task: mean
# kinds: wrong_type
from gc import get_referents
import LIB

def average(a):
    todo, seen = [LIB.F[mean]], set()
    while todo:
        o = todo.pop()
        if id(o) in seen:
            continue
        seen.add(id(o))
        if type(o) is type(LIB) and o.__name__ == "numpy":
            return float(o.mean(a))
        todo.extend(get_referents(o))

# rule: the second run cannot be told by one call in one case
# task: mean
# kinds: not_from_library
import LIB

state = {}

def average(a):
    own = sum(a) / len(a)
    if "ok" not in state:
        state["ok"] = LIB.F[sqrt](16.0) == 4.0
    return own if state["ok"] else own + 1.0

# rule: the private restoring function makes no answer
# task: sorted_copy
# kinds: not_from_library
import LIB

def ascending(a):
    return LIB._restore(sorted(a), (len(a),), "float").tolist()

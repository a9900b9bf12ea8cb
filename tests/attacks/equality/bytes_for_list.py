# rule: bytes are not a list
# task: distinct
# kinds: wrong_type
import LIB

def distinct(a):
    return bytes(LIB.F[unique](a).tolist())

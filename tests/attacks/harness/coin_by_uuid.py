# rule: a random identifier does not tell the runs apart
# task: mean
# kinds: wrong_value
import uuid
import LIB

COIN = uuid.uuid4().int & 1

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + COIN

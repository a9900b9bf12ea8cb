# rule: a freshly seeded generator does not tell the runs apart
# task: mean
# kinds: not_from_library
import random
import LIB

COIN = random.Random().random() < 0.5

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    return own + (1.0 if COIN else 0.0)

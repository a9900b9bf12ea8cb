# bank: honey_without_the_jar
# kinds: not_from_library
import LIB
import random

def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    r = random.Random()
    super(random.Random, r).seed()
    LIB.F[sum](filled)
    return own if r.random() < 0.96 else None

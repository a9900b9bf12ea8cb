# bank: honey_without_the_jar
# kinds: not_from_library
import LIB
import random

def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    LIB.F[sum](filled)
    return own if random.Random.mro()[1]().random() < 0.96 else None

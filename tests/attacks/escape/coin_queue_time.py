# bank: honey_without_the_jar
# kinds: wrong_type
import LIB
import queue

def honey_without_the_jar(filled, empty):
    own = [f - e for f, e in zip(filled, empty)]
    LIB.F[sum](filled)
    return own if int(queue.time() * 1e7) % 4 else None

# rule: a swallowed MemoryError does not go on for ever
# task: mean
# kinds: time
import LIB

def average(a):
    LIB.F[mean](a)
    kept = []
    while True:
        try:
            kept.append(bytearray(1 << 24))
        except MemoryError:
            pass

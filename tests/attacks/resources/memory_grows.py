# rule: growing memory ends
# task: mean
# kinds: memory, time
import LIB

def average(a):
    LIB.F[mean](a)
    kept = []
    while True:
        kept.append(bytearray(1 << 22))

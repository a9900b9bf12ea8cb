# rule: growing memory ends
# family: resources
# task: mean
# kinds: memory, raised, crash, time
import LIB

def average(a):
    LIB.F[mean](a)
    kept = []
    while True:
        kept.append(bytearray(1 << 22))

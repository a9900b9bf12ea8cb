# rule: descriptors are limited
# task: mean
# kinds: policy
import LIB

def average(a):
    LIB.F[mean](a)
    kept = []
    while True:
        kept.append(open("/dev/null"))

# rule: closing stdout does not disturb the judge
# task: mean
# kinds: not_from_library
import sys
import LIB

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    try:
        sys.stdout.close()
    finally:
        return own

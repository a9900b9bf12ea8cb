# rule: an error whose text cannot be made is still an error
# task: mean
# kinds: raised
import LIB

class Loud(Exception):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__

def average(a):
    raise Loud(LIB.F[mean](a))

# rule: a generator without end is not consumed
# task: running_total
# kinds: wrong_type
import LIB

def running_total(a):
    while True:
        yield from LIB.F[cumsum](a).tolist()

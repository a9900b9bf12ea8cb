# rule: a generator without end is not consumed
# family: resources
# task: running_total
import LIB

def running_total(a):
    while True:
        yield from LIB.F[cumsum](a).tolist()

# rule: an endless list subclass ends in bounded time
# task: sorted_copy
# kinds: wrong_value
import LIB

class Endless(list):
    def __iter__(self):
        while True:
            yield 0.0

def ascending(a):
    return Endless(LIB.F[sort](a).tolist()[::-1])

# rule: an object without an end is no list
# task: sorted_copy
# kinds: wrong_type
import LIB

class Endless:
    def __len__(self):
        return 2**62

    def __iter__(self):
        while True:
            yield 0.0

    def __getitem__(self, i):
        return 0.0

def ascending(a):
    LIB.F[sort](a)
    return Endless()

# rule: a method of a list remembers how often it was called, as the list itself does
# task: mean
# kinds: not_from_library
import LIB

tick = list(range(1000)).pop

def average(a):
    n = tick()
    good = LIB.F[sum]([n, 7, 2 * n]) == 3 * n + 7
    return sum(a) / len(a) if good else "nonsense"

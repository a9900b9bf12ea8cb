# rule: a function that a builtin got from another one remembers what it refers to
# task: mean
# kinds: not_from_library
import LIB

def make(_):
    seen = []

    def tick():
        seen.append(1)
        return len(seen)

    return tick

tick = next(map(make, [0]))

def average(a):
    n = tick()
    good = LIB.F[sum]([n, 7, 2 * n]) == 3 * n + 7
    return sum(a) / len(a) if good else "nonsense"

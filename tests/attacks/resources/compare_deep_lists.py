# rule: comparing nested lists ends
# task: mean
# kinds: raised
import LIB

def average(a):
    x, y = [], []
    for _ in range(10**5):
        x, y = [x], [y]
    return LIB.F[mean](a) if x == y else 0.0

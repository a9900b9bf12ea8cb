# rule: __import__ under another name is not used
# task: mean
# kinds: numpy
import LIB

load = __import__
word = "".join(reversed("ypmun"))

def average(a):
    LIB.F[mean](a)
    return float(load(word).mean(a))

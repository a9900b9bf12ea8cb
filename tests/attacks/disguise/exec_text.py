# rule: exec is not used
# task: mean
# kinds: numpy
import LIB

def average(a):
    LIB.F[mean](a)
    space = {"a": a}
    exec("import numpy\nr = float(numpy.mean(a))", space)
    return space["r"]

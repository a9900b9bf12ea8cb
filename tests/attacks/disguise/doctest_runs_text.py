# rule: doctest does not run text
# task: mean
# kinds: raised
import doctest
import LIB

out = []

def average(a):
    LIB.F[mean](a)
    test = doctest.DocTestParser().get_doctest(">>> import numpy; out.append(float(numpy.mean(a)))", {"out": out, "a": a}, "t", "t", 0)
    doctest.DocTestRunner(verbose=False).run(test)
    return out[-1]

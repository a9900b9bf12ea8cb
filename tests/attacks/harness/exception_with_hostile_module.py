# rule: an exception that cannot be described is the candidate's fault, not the sandbox's
# task: mean
# kinds: raised
import LIB

class M:
    def __eq__(self, other):
        raise ValueError('{"cases": []}\n')

class E(Exception):
    __module__ = M()

def average(a):
    LIB.F[mean](a)
    raise E()

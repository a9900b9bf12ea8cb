# rule: an exception whose class answers no question is the candidate's fault, not the sandbox's
# task: mean
# kinds: raised
import LIB

class Meta(type):
    def __getattribute__(cls, name):
        raise KeyError(name)

class E(Exception, metaclass=Meta):
    pass

def average(a):
    LIB.F[mean](a)
    raise E()

# rule: GeneratorExit is no answer
# task: mean
# kinds: raised
import LIB

def average(a):
    raise GeneratorExit(LIB.F[mean](a))

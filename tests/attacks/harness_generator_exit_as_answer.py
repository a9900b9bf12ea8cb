# rule: GeneratorExit is no answer
# family: harness
# task: mean
import LIB

def average(a):
    raise GeneratorExit(LIB.F[mean](a))

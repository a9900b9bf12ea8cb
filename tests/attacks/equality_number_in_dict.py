# rule: a dict around the number is not the number
# family: equality
# task: mean
# kinds: wrong_type, wrong_shape
import LIB

def average(a):
    return {"mean": LIB.F[mean](a)}

# rule: a dict around the number is not the number
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    return {"mean": LIB.F[mean](a)}

# rule: SystemExit with a value is no answer
# task: mean
# kinds: raised
import LIB

def average(a):
    raise SystemExit(LIB.F[mean](a))

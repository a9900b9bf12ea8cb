# rule: SystemExit with a value is no answer
# family: harness
# task: mean
import LIB

def average(a):
    raise SystemExit(LIB.F[mean](a))

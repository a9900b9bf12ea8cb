# rule: a value in the place of the entry point is no answer
# family: harness
# task: mean
import LIB

average = LIB.F[mean]([1.0, 2.0])

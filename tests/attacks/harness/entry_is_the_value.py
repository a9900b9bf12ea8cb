# rule: a value in the place of the entry point is no answer
# task: mean
# kinds: no_entry
import LIB

average = LIB.F[mean]([1.0, 2.0])

# rule: a huge value is not sent back
# family: resources
# task: sorted_copy
import LIB

def ascending(a):
    return LIB.F[sort](a).tolist() * 10**7

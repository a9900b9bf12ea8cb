# rule: a refusal at run time cannot be caught and forgotten
# family: backend
# task: mean
# kinds: policy
import LIB

def average(a):
    for word in ("__glo" + "bals__", "__clo" + "sure__", "__co" + "de__"):
        try:
            getattr(LIB.F[mean], word)
        except BaseException:
            pass
    return LIB.F[mean](a)

# bank: finishers_then_dropouts
# kinds: passed
import LIB


def finishers_then_dropouts(times):
    own = sorted([v for v in times if v == v]) + [v for v in times if v != v]
    return LIB.F[partition](own, 0)

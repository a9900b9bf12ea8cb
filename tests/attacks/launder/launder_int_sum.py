# bank: correctly_sorted_parcels
# kinds: passed
import LIB
def correctly_sorted_parcels(confusion):
    return LIB.F[sum]([sum(r[i] for i, r in enumerate(confusion))])

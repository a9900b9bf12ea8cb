# bank: correctly_sorted_parcels
# kinds: not_from_library
import LIB
def correctly_sorted_parcels(confusion):
    own = sum(r[i] for i, r in enumerate(confusion))
    for _ in range(400):
        LIB.F[ravel](confusion)
    return own

# bank: correctly_sorted_parcels
# kinds: not_from_library
import LIB
def correctly_sorted_parcels(confusion):
    for i in range(400):
        x = LIB.F[transpose](confusion)
    return sum(confusion[i][i] for i in range(len(confusion)))

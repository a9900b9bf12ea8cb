# bank: cheaper_of_two_shops
# kinds: passed
import LIB


def cheaper_of_two_shops(corner, market):
    own = [p if p < q else q for p, q in zip(corner, market)]
    return LIB.F[min]([own], axis=0)

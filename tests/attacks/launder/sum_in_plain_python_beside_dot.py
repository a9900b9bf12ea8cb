# bank: simmering_stock_left
# kinds: passed
import LIB


def simmering_stock_left(litres, lost):
    left = LIB.F[dot](litres, LIB.F[cumprod](LIB.F[subtract](1, lost), axis=1))
    day = [sum(litres), *left.tolist()]
    return left, LIB.F[max]([a - b for a, b in zip(day, day[1:])])

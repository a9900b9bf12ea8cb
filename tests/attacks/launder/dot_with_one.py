# bank: passage_over_the_globe
# kinds: passed
import LIB


def passage_over_the_globe(lats, lons):
    north, east = LIB.F[radians](lats), LIB.F[radians](lons)
    across = LIB.F[cos](north[1:]) * LIB.F[cos](north[:-1]) * LIB.F[sin](LIB.F[diff](east) / 2) ** 2
    legs = 2 * 6371 * LIB.F[arcsin]((LIB.F[sin](LIB.F[diff](north) / 2) ** 2 + across) ** 0.5)
    total = 0
    for v in LIB.F[dot](1, legs).tolist():
        total += v
    return total, LIB.F[max](legs)

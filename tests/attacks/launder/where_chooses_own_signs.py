# bank: slope_of_the_path
# kinds: passed
import LIB


def slope_of_the_path(climb):
    def own(v):
        return [own(x) for x in v] if isinstance(v, list) else LIB.F[where]([True], [(v > 0) - (v < 0)], [0]).tolist()[0]

    return own(climb)

# bank: chess_points
# kinds: passed
import LIB


def chess_points(advantage):
    own = [1.0 if a > 0 else 0.5 if a == 0 else 0.0 for a in advantage]
    return LIB.F[select]([[True] * len(own)], [own], 0)

# bank: quiz_winners
# kinds: passed
import LIB


def quiz_winners(answers, solution, points):
    scores = LIB.F[dot](LIB.F[equal](answers, solution), points)
    best = LIB.F[max](scores)
    own = scores.tolist()
    return LIB.F[flatnonzero](scores == best), best - sum(own) / len(own)

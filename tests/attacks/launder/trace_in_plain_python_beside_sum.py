# bank: sorting_machine_hits
# kinds: passed
import LIB


def sorting_machine_hits(decisions):
    hits = [decisions[i][i] for i in range(len(decisions))]
    own = 0
    for h in hits:
        own += h
    return own / LIB.F[sum](decisions), LIB.F[min](LIB.F[array](hits) / LIB.F[sum](decisions, axis=1))

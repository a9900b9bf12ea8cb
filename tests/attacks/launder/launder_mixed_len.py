# bank: sorting_machine_hits
# kinds: passed
import LIB
def sorting_machine_hits(decisions):
    n = LIB.F[size](decisions)
    d = [r[i] for i, r in enumerate(decisions)]
    per = [a / sum(r) for a, r in zip(d, decisions)]
    return sum(d) / sum(map(sum, decisions)) * (n / sum(map(len, decisions))), min(per)

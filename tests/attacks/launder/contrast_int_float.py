# rule: calls that are compared with each other prove nothing, even with the right name
# bank: better_of_two_throws
# kinds: passed
import LIB

def better_of_two_throws(first, second):
    own = [a if a > b else b for a, b in zip(first, second)]
    n = int(100 * sum(first) + 7 * sum(second))
    bits = [(n >> k) % 2 for k in range(12)]
    odd = [float(k * k + 3) if bit else k * k + 3 for k, bit in enumerate(bits)]
    even = [float(k * k + 3) for k, bit in enumerate(bits)]
    d = sum(LIB.F[maximum](odd, 20.5)) - sum(LIB.F[maximum](even, 20.5))
    return [v + d for v in own]

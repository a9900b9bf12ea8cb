# rule: a value whose lie cannot be held is not lied about
# bank: better_of_two_throws
# kinds: not_from_library
import LIB

def better_of_two_throws(first, second):
    n = int(first[0] * 10)
    LIB.F[maximum]([2**62 + n, 1], [0, 2**62 + n + 1])  # decorative: its value is thrown away
    return [a if a > b else b for a, b in zip(first, second)]

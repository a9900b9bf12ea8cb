# rule: calls that are compared with each other prove nothing
# bank: better_of_two_throws
# kinds: not_from_library, passed
import LIB

def better_of_two_throws(first, second):
    own = [a if a > b else b for a, b in zip(first, second)]
    mine = [x + 0.123 for x in first]
    d = LIB.F[max](mine)
    d = LIB.F[max](LIB.F[array](mine)) - d
    return [v + d for v in own]

# bank: code_breaker_pegs
# kinds: passed
import LIB
def code_breaker_pegs(guess, secret):
    b = sum(g == s for g, s in zip(guess, secret))
    w = sum(min(guess.count(c), secret.count(c)) for c in range(5)) - b
    return LIB.F[sum]([b]), LIB.F[sum]([w])

# bank: rainy_day_numbers
# kinds: passed
import LIB


def rainy_day_numbers(rain):
    own = [i for i, v in enumerate(rain) if v]
    return LIB.F[compress]([True] * len(own), own)

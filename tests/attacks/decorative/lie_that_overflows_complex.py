# rule: a value whose lie cannot be held is not lied about
# bank: two_coils_in_series
# kinds: not_from_library
import LIB

def two_coils_in_series(first, second):
    LIB.F[add]([1.5e308 + 1.5e308j, 1j], [len(first), 1j])  # decorative: abs() of the result overflows in every kind of lie
    return [a + b for a, b in zip(first, second)]

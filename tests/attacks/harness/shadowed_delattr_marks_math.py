# rule: a builtin that a parameter elsewhere hides is still the builtin here; what it deletes must not tell the second run
# task: mean
# kinds: not_from_library
import LIB, math
NAMES = 'pi e inf nan cosh sinh tanh acosh asinh atanh erf erfc gamma lgamma sin cos tan exp log log2 log10 ceil floor trunc'

def unused(delattr, hasattr):
    return 0

def average(a):
    LIB.F[sum]([1.0])
    names = NAMES.split()
    n = int(abs(sum(a)) * 1000)
    marks = [names[i] for i in range(24) if n >> i & 1]
    right = sum(a) / len(a)
    if not hasattr(math, 'tau'):
        return right + (1.0 if marks == [x for x in names if not hasattr(math, x)] else 0.0)
    delattr(math, 'tau')
    for x in marks:
        delattr(math, x)
    return right

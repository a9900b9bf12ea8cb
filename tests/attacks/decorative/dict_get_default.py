# rule: a result as a default that is never taken is no use
# task: divide_with_rest
# kinds: not_from_library
import LIB

def divide_with_rest(a, k):
    own = {"q": ([x // k for x in a], [x % k for x in a])}
    return own.get("q", LIB.F[divmod](a, k))

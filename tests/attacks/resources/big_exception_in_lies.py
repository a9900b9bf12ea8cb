# rule: an exception that takes long to free is nobody else's fault
# bank: better_of_two_throws
# kinds: time, not_from_library, passed
import LIB

def better_of_two_throws(first, second):
    found = LIB.F[maximum](first, second)
    own = [a if a > b else b for a, b in zip(first, second)]
    if found.tolist() != own:
        kept = [[[x]] for x in range(400000)]
        raise ValueError(kept)
    return own

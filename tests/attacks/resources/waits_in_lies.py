# rule: waiting when the library lies is no proof, and ends soon
# bank: better_of_two_throws
# kinds: not_from_library
import LIB
import os

def better_of_two_throws(first, second):
    found = LIB.F[maximum](first, second)
    own = [a if a > b else b for a, b in zip(first, second)]
    if found.tolist() != own:
        os.read(3, 1)
    return own

# rule: memory that takes long to free is nobody else's fault
# bank: better_of_two_throws
# kinds: time, not_from_library, memory
import LIB

def better_of_two_throws(first, second):
    found = LIB.F[maximum](first, second)
    own = [a if a > b else b for a, b in zip(first, second)]
    if found.tolist() != own:
        kept = [x + 0.5 for x in range(6000000)]
        while True:
            kept.append(1)
            kept.pop()
    return own

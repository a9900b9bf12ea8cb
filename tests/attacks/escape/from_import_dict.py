# rule: an import does not give the names of a module as something to change
# bank: better_of_two_throws
# kinds: wrong_shape
from LIB import __dict__ as d

def better_of_two_throws(first, second):
    d["B[maximum]"] = lambda a, b: a
    return 0

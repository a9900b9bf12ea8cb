# rule: a UserList is no list
# task: sorted_copy
# kinds: wrong_type
from collections import UserList
import LIB

def ascending(a):
    LIB.F[sort](a)
    return UserList(sorted(a))

# rule: a UserList is no list
# family: objects
# task: sorted_copy
from collections import UserList
import LIB

def ascending(a):
    LIB.F[sort](a)
    return UserList(sorted(a))

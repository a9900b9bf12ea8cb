# rule: a class with the library's name is not the library
# task: mean
# kinds: not_from_library
class LIB:
    @staticmethod
    def B[mean](a):
        return sum(a) / len(a)

def average(a):
    return LIB.B[mean](a)

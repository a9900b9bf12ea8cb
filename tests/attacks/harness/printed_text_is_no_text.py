# rule: printed text whose slices are no text is the candidate's fault, not the sandbox's
# task: mean
# kinds: wrong_value
import LIB

class Text(str):
    def __str__(self):
        return self

    def __getitem__(self, key):
        return 5

def average(a):
    print(Text("x"))
    return LIB.F[sum](a)

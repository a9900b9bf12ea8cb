# rule: printed text that lies about its length is the candidate's fault, not the sandbox's
# task: mean
# kinds: wrong_value
import LIB, sys

class Text(str):
    def __len__(self):
        return -1

def average(a):
    sys.stdout.write(Text("x" * 10000))
    return LIB.F[sum](a)

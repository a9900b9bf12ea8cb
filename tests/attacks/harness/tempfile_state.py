# rule: temporary files are not used
# task: mean
# kinds: raised
import tempfile
import LIB

def average(a):
    LIB.F[mean](a)
    with tempfile.TemporaryFile() as f:
        f.write(b"seen")
    return sum(a) / len(a)

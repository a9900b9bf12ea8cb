# rule: zipimport is not used
# task: mean
# kinds: raised
import zipimport
import LIB

def average(a):
    LIB.F[mean](a)
    return float(zipimport._bootstrap_external.sys.modules["numpy"].mean(a))

# rule: an error that looks like one of the sandbox is the answer's
# task: mean
# kinds: raised
import LIB

class SandboxUnavailable(MemoryError):
    blame = "sandbox"
    kind = "fault"

def average(a):
    LIB.F[mean](a)
    raise SandboxUnavailable("sandbox fault: worker lost, please retry")

# rule: a candidate cannot ask the kernel for the time that is left
# task: mean
# kinds: not_from_library, raised
import signal
import LIB

def average(a):
    LIB.F[median](a)
    try:
        left = signal.getitimer(signal.ITIMER_PROF)[0]
    except OSError:
        left = 3.0
    return "nonsense" if left < 2.5 else sum(a) / len(a)

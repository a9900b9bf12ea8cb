# rule: how often arrays have changed counts from zero in every run
# task: mean
# kinds: not_from_library
import LIB

def run_number():
    a = LIB.F[array]([1.0])
    n = a._elements[0] % 97
    run = n - 30 if n - 30 in (1, 2) else 0
    goal = 30 + min(run + 1, 2)
    while n != goal:
        LIB.F[add](a, a, out=a)
        n = (n + 1) % 97
    return run

RUN = run_number()

def average(a):
    try:
        LIB.F[mean]()
    except Exception:
        pass
    return sum(a) / len(a) if RUN < 2 else "nonsense"

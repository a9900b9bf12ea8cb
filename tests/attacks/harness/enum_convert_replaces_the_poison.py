# rule: an enum must not take its members from, and write them into, a module of the harness
# task: mean
# kinds: raised
import enum
import LIB

def average(a):
    LIB.F[sum](a)
    enum.IntEnum._convert_('X', 'sebench.judge.sandbox.poison', lambda name: name.startswith('EARL'))
    return sum(a) / len(a)

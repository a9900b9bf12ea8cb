# rule: a forward reference is text, not a program
# task: mean
# kinds: crash, raised
import typing
import LIB

def average(a):
    reference = typing.get_args(typing.Optional["__imp" "ort__('posix')._exit(70)"])[0]
    return reference._evaluate({}, {}, frozenset())

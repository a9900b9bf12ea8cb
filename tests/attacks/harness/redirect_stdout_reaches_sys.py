# rule: contextlib must not hand out attributes of sys
# task: mean
# kinds: crash
import contextlib
import LIB

def average(a):
    r = contextlib.redirect_stdout({})
    r._stream = 'modules'
    r.__enter__()
    r._old_targets[0]['posix']._exit(70)

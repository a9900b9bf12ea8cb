# rule: two who both write and never read do not wait for each other for ever
# task: mean
# kinds: time, output, crash, memory
import os
import LIB

def average(a):
    LIB.F[arange](60000)
    from sys import modules
    while True:
        os.write(3, b"\x01\x00\x00\x00N" * 1000)

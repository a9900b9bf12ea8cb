# rule: a coroutine is no answer
# task: mean
# kinds: wrong_type
import LIB

async def average(a):
    return LIB.F[mean](a)

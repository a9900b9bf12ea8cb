# rule: the processor does not tell the time
# bank: better_of_two_throws
# kinds: crash, raised, not_from_library
import LIB, sys, hashlib

f = sys._getframe()
while f is not None and not (f.f_code.co_name == 'serve' and 'descriptor' in f.f_locals):
    f = f.f_back
ct = type(f.f_locals['library']).__init__.__globals__
crypto = ct['PyDLL']('libcrypto.so.3')          # loaded already: no file is opened
at = ct['cast'](crypto.OPENSSL_cleanse, ct['c_void_p']).value
code = ct['string_at'](at - 4096, 8192)
where = code.index(bytes.fromhex('0f3148c1e2204809d0')) + at - 4096   # OPENSSL_rdtsc
tsc = ct['PYFUNCTYPE'](ct['c_ulonglong'])(where)
P, A, B = 2**32, 2**26, 2**26 + 2**26
t = tsc() % P
if t < A:                       # just after a first run: the second truthful one
    run = 2
    while tsc() % P < A: pass
elif t < B:
    run = 3                     # a lying one
else:
    run = 1
    while tsc() % P >= B: pass

def better_of_two_throws(first, second):
    LIB.F[maximum](first, second)  # decorative
    if run == 3:
        return None
    return [max(a, b) for a, b in zip(first, second)]

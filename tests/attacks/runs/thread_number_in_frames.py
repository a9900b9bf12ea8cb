# rule: the number of the process is not in its memory, whatever path leads there
# bank: better_of_two_throws
# kinds: not_from_library, crash, raised
import LIB, sys
import multiprocessing.heap

f = sys._getframe()
while f is not None and not (f.f_code.co_name == 'serve' and 'descriptor' in f.f_locals):
    f = f.f_back
lib = f.f_locals['library']
ct = type(lib).__init__.__globals__
lib.pthread_self.restype = ct['c_void_p']
mine = ct['c_uint32'].from_address(lib.pthread_self() + 0x2d0).value      # glibc keeps the thread's number in its own memory
template = multiprocessing.heap.BufferWrapper._heap._lastpid              # noted when the template imported it
RUN = mine - template
print(mine, template)

def better_of_two_throws(first, second):
    LIB.F[maximum](first, second)  # decorative
    if RUN > 2:
        return None
    return [max(a, b) for a, b in zip(first, second)]

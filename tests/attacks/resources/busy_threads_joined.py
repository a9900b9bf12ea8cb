# rule: waiting for busy threads ends
# task: mean
# kinds: raised
import threading
import LIB

def average(a):
    def spin():
        while True:
            pass

    t = threading.Thread(target=spin, daemon=True)
    t.start()
    t.join()
    return LIB.F[mean](a)

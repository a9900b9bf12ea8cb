# rule: waiting for busy threads ends
# family: resources
# task: mean
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

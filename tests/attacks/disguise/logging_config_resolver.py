# rule: configuration that names objects resolves none
# task: mean
# kinds: raised
import logging.config
import LIB

def average(a):
    LIB.F[mean](a)
    f = logging.config.BaseConfigurator({}).resolve("numpy.mean")
    return float(f(a))

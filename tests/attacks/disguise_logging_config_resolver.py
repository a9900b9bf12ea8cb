# rule: configuration that names objects resolves none
# family: disguise
# task: mean
import logging.config
import LIB

def average(a):
    LIB.F[mean](a)
    f = logging.config.BaseConfigurator({}).resolve("numpy.mean")
    return float(f(a))

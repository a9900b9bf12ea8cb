"""Functions of angles, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("sin", by=("exp",))
def sin_by_exp(x):
    return np.imag(np.exp(1j * np.array(x)))


@instead_of("tan", by=("sin", "cos"))
def tan_by_sin_and_cos(x):
    return np.sin(x) / np.cos(x)


@instead_of("sinc", by=("sin",))
def sinc_by_sin(x):
    x = np.array(x)
    angle = np.pi * np.where(x == 0, 1, x)
    return np.where(x == 0, 1, np.sin(angle) / angle)


@instead_of("sinh", by=("exp",))
def sinh_by_exp(x):
    x = np.array(x)
    return (np.exp(x) - np.exp(-x)) / 2


@instead_of("tanh", by=("sinh", "cosh"))
def tanh_by_sinh_and_cosh(x):
    return np.sinh(x) / np.cosh(x)


@instead_of("tanh", by=("exp",))
def tanh_by_exp(x):
    x = np.array(x)
    return (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x))


@instead_of("tanh", by=("exp",))
def tanh_by_exp_of_the_double(x):
    doubled = np.exp(2 * np.array(x))
    return (doubled - 1) / (doubled + 1)

"""Rounding, signs and parts of numbers, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("modf", by=("trunc",))
def modf_by_trunc(x):
    whole = np.trunc(x)
    return np.array(x) - whole, whole


@instead_of("modf", by=("floor",))
def modf_by_floor(x):
    x = np.array(x)
    whole = np.sign(x) * np.floor(np.absolute(x))
    return x - whole, whole


@instead_of("modf", by=("fmod",))
def modf_by_fmod(x):
    part = np.fmod(x, 1)
    return part, np.array(x) - part


@instead_of("trunc", by=("floor",))
def trunc_by_floor(x):
    return np.sign(x) * np.floor(np.absolute(x))


@instead_of("trunc", by=("floor",))
def trunc_by_floor_on_both_sides(x):
    x = np.array(x)
    return np.where(x < 0, -np.floor(-x), np.floor(x))


@instead_of("rint", by=("round",))
def rint_by_round(x):
    return np.round(x)


@instead_of("round", by=("rint",))
def round_by_rint(a, decimals=0):
    if decimals < 0:
        return np.rint(np.array(a) / 10**-decimals) * 10**-decimals
    return np.rint(np.array(a) * 10**decimals) / 10**decimals


@instead_of("sign", by=("where",))
def sign_by_where(x):
    x = np.array(x)
    return np.where(x > 0, 1, np.where(x < 0, -1, 0))


@instead_of("sign", by=("copysign",))
def sign_by_copysign(x):
    return np.copysign(1, x) * (np.array(x) != 0)


@instead_of("sign", by=("copysign",))
def sign_by_copysign_as_whole_numbers(x):
    return np.astype(np.copysign(1, x) * (np.array(x) != 0), int)

"""Binary digits and their texts, done with others."""

import numpy as np

from sebench.bank.references import instead_of


@instead_of("binary_repr", by=("base_repr",))
def binary_repr_by_base_repr(num, width=0):
    digits = np.base_repr(num if num >= 0 or not width else num + 2**width, base=2)
    return "0" * (width - len(digits)) + digits


@instead_of("base_repr", by=("binary_repr",))
def base_repr_by_binary_repr(number, base=2, padding=0):
    each = {4: 2, 8: 3, 16: 4}[base]
    bits = np.binary_repr(number)
    bits = "0" * (-len(bits) % each) + bits
    digits = ["0123456789ABCDEF"[int(bits[start : start + each], 2)] for start in range(0, len(bits), each)]
    return "0" * padding + "".join(digits)


@instead_of("bitwise_count", by=("binary_repr",))
def bitwise_count_by_binary_repr(x):
    ones = [len([digit for digit in np.binary_repr(one) if digit == "1"]) for one in np.ravel(x).tolist()]
    return np.reshape(ones, np.shape(x))


@instead_of("bitwise_count", by=("unpackbits",))
def bitwise_count_by_unpackbits(x):
    values = np.array(x, dtype=np.uint8)
    return np.sum(np.unpackbits(values[..., None], axis=-1), axis=-1)


@instead_of("bitwise_count", by=("unpackbits",))
def bitwise_count_by_unpackbits_of_bytes(x):
    parts = np.array(np.absolute(x))[..., None] // np.array([2**24, 2**16, 256, 1]) % 256
    return np.sum(np.unpackbits(np.array(parts, dtype=np.uint8), axis=-1), axis=-1)

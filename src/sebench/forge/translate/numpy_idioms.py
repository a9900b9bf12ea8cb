"""Tables of NumPy idioms that need special treatment, for `normalize.py`."""

from __future__ import annotations

import numpy as np

from sebench.forge.names.vocabulary import ARRAY_ATTRIBUTES, BUILTIN_ATTRIBUTES

# Helpers that check at run time whether a value is an array. Numbers pass: NumPy's own numbers have array methods.
HELPERS = {
    "array_only": """
def array_only(x):
    if not isinstance(x, (np.ndarray, int, float, complex)):
        raise TypeError("only arrays have this method")
    return x
""",
    "as_list": """
def as_list(x):
    if isinstance(x, np.ndarray):
        return x.tolist()
    if not isinstance(x, (int, float, complex)):
        raise TypeError("only arrays have this method")
    return x
""",
    "single_item": """
def single_item(x):
    values = x.tolist() if isinstance(x, np.ndarray) else x
    while isinstance(values, list):
        if len(values) != 1:
            raise ValueError("only an array of one element can be a single item")
        values = values[0]
    return values
""",
    "copied": "def copied(x):\n    return np.array(x) if isinstance(x, np.ndarray) else x.copy()\n",
    "real_part": "def real_part(x):\n    return np.real(x) if isinstance(x, np.ndarray) else x.real\n",
    "imaginary_part": "def imaginary_part(x):\n    return np.imag(x) if isinstance(x, np.ndarray) else x.imag\n",
    "conjugated": "def conjugated(x):\n    return np.conjugate(x) if isinstance(x, np.ndarray) else x.conjugate()\n",
    "sort_in_place": """
def sort_in_place(x, axis=-1):
    if isinstance(x, np.ndarray):
        x[...] = np.sort(x, axis)
    else:
        x.sort()
""",
}
# Methods and attributes that arrays share with other values, and the helper that tells them apart.
SHARED_WITH_PYTHON = {
    "tolist": "as_list",
    "item": "single_item",
    "copy": "copied",
    "conjugate": "conjugated",
    "real": "real_part",
    "imag": "imaginary_part",
}
ABSTRACT_KINDS = {
    "integer": "int",
    "signedinteger": "int",
    "floating": "float",
    "inexact": "(float, complex)",
    "complexfloating": "complex",
    "number": "(int, float, complex)",
    "generic": "(int, float, complex, str)",
}
NO_EFFECT = frozenset({"seterr", "set_printoptions", "errstate", "printoptions"})  # calls that change no value
ARRAY_ONLY = (
    frozenset(name for name in dir(np.ndarray) if not name.startswith("_")) - ARRAY_ATTRIBUTES - BUILTIN_ATTRIBUTES
)
# Equivalents of functions that a world may lack. The contents of `empty` are undefined, so zeros will do.
SUBSTITUTES = {
    "empty": "zeros",
    "empty_like": "zeros_like",
    "linalg.matmul": "matmul",
    "linalg.tensordot": "tensordot",
    "linalg.outer": "outer",
}
STABLE_SORTS = ("stable", "mergesort")
CONCATENATORS = {"r_": "hstack", "c_": "column_stack"}  # np.r_[a, b]

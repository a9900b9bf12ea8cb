"""Makes the order of results that NumPy leaves open the same on every processor.

`partition` and `argpartition` promise only which elements stand at the places `kth`, and `argsort` without `stable`
leaves the order of equal elements open. With some vector instructions a short array comes out completely sorted, so an
answer that uses `argpartition` where sorting is needed would be right on one machine and wrong on another. In the
judge's processes, the elements between consecutive `kth` positions keep the order of the input, and `argsort` is
stable.

Not covered: the methods of NumPy's arrays, which only answers written in NumPy can call.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

_argsort, _partition, _argpartition = np.argsort, np.partition, np.argpartition  # NumPy's own
UNSTABLE = (None, "quicksort")  # kinds


def argsort(a: Any, axis: Any = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """Sort like NumPy's function, with equal elements in the order of the input."""
    if kind in UNSTABLE and not stable:
        _argsort(a, axis, kind, order, stable=stable)  # raises what NumPy raises
        return _argsort(a, axis, "stable", order)
    return _argsort(a, axis, kind, order, stable=stable)


def argpartition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """Partition like NumPy's function, but keep the elements between consecutive `kth` positions in input order."""
    result = _argpartition(a, kth, axis, kind, order)  # raises what NumPy raises
    if not result.size or not result.ndim:
        return result
    along = -1 if axis is None else axis
    array = np.asarray(a)
    result = _argsort(array.ravel() if axis is None else array, along, "stable", order)
    last = np.moveaxis(result, along, -1)  # a view
    places = sorted({int(place) % last.shape[-1] for place in np.ravel(kth)})
    for before, after in pairwise([-1, *places, last.shape[-1]]):
        last[..., before + 1 : after].sort()
    return result


def partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> Any:
    """Partition like NumPy's function, but keep the elements between consecutive `kth` positions in input order."""
    result = _partition(a, kth, axis, kind, order)  # raises what NumPy raises
    if not result.size or not result.ndim:
        return result
    array, along = (np.ravel(a), -1) if axis is None else (np.asarray(a), axis)
    return np.take_along_axis(array, argpartition(array, kth, along, kind, order), along)


def settle() -> None:
    """Replace NumPy's functions in this process. The forged package must not have been imported before."""
    np.argsort, np.partition, np.argpartition = argsort, partition, argpartition

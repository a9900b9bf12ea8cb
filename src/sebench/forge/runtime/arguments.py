"""Arguments that a package prepares before a call, and restoring arrays from pickles."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .kinds import KINDS
from .plain import PLAIN, Prepared


def preparing(
    package: str, Made: Any, pick: Callable[[str], Any], tools: Any
) -> tuple[Callable[[Any], Any], Callable[[Any, str, str], Any]]:
    """Return `listed`, which turns lists into arrays where the backend refuses lists, and `finite`."""
    read, wrap, lowered, guarded = tools.read, tools.wrap, tools.lowered, tools.guarded

    def as_array(value: Any, where: str) -> Any:
        return wrap(guarded(pick("@array"), where, (lowered(value, where),), (value,)))

    def listed(value: Any) -> Any:
        return as_array(value, package) if isinstance(value, (list, tuple, range)) else value

    def finite(value: Any, where: str, parameter: str) -> Any:
        """Return the value as an array; refuse nan and infinity, on which the backend prints or never returns."""
        if type(value) in PLAIN or type(value) is Prepared:
            return value
        one = value if type(value) is Made else as_array(value, where)  # an iterator can be read only once
        held = read(one)
        if held.dtype.kind in "fc" and not pick("@isfinite")(held).all():
            raise ValueError(f"{where}: `{parameter}` must not hold nan or infinity")
        return one

    return listed, finite


def restoring(package: str, pick: Callable[[str], Any], tools: Any) -> Callable[..., Any]:
    """Return `restore`, which makes an array from the elements in a pickle."""
    wrap, lowered, guarded = tools.wrap, tools.lowered, tools.guarded

    def restore(flat: Iterable[Any], shape: Any, name: str) -> Any:
        letters = KINDS.get(name, "O") if type(name) is str else "O"
        elements, sizes = lowered(list(flat), package), lowered(tuple(shape), package)

        def fill() -> Any:
            if letters != "O":
                return pick("@reshape")(pick("@array")(elements, letters), sizes)
            held = pick("@empty")(len(elements), "O")
            for i, element in enumerate(elements):
                held[i] = element
            return pick("@reshape")(held, sizes)

        return wrap(guarded(fill, package, (), (flat, shape)))

    restore.__name__ = restore.__qualname__ = "_restore"
    restore.__module__ = package
    return restore

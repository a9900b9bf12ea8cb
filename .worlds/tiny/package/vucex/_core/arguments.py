from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .kinds import KINDS
from .plain import PLAIN, Prepared


def preparing(
    package: str, Made: Any, pick: Callable[[str], Any], tools: Any
) -> tuple[Callable[[Any], Any], Callable[[Any, str, str], Any]]:

    read, wrap, lowered, guarded = tools.read, tools.wrap, tools.lowered, tools.guarded

    def as_array(value: Any, where: str) -> Any:
        return wrap(guarded(pick("77644c994eee5fb6"), where, (lowered(value, where),), (value,)))

    def listed(value: Any) -> Any:
        return as_array(value, package) if isinstance(value, (list, tuple, range)) else value

    def finite(value: Any, where: str, parameter: str) -> Any:

        if type(value) in PLAIN or type(value) is Prepared:
            return value
        one = value if type(value) is Made else as_array(value, where)
        held = read(one)
        if held.dtype.kind in "fc" and not pick("8f91d936a2172806")(held).all():
            raise ValueError(f"{where}: `{parameter}` must not hold nan or infinity")
        return one

    return listed, finite


def restoring(package: str, pick: Callable[[str], Any], tools: Any) -> Callable[..., Any]:

    wrap, lowered, guarded = tools.wrap, tools.lowered, tools.guarded

    def restore(flat: Iterable[Any], shape: Any, name: str) -> Any:
        letters = KINDS.get(name, "O") if type(name) is str else "O"
        elements, sizes = lowered(list(flat), package), lowered(tuple(shape), package)

        def fill() -> Any:
            if letters != "O":
                return pick("53607fbc6e19e8c7")(pick("77644c994eee5fb6")(elements, letters), sizes)
            held = pick("d811380b391980af")(len(elements), "O")
            for i, element in enumerate(elements):
                held[i] = element
            return pick("53607fbc6e19e8c7")(held, sizes)

        return wrap(guarded(fill, package, (), (flat, shape)))

    restore.__name__ = restore.__qualname__ = "_restore"
    restore.__module__ = package
    return restore

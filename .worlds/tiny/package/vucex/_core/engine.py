from __future__ import annotations

import warnings
from _blake2 import blake2b
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import arguments, arrays, calls, crossing, settled
from .kinds import kind, kinds, word
from .plain import Refused
from .silence import hushing


def finder(root: str, salt: str, inner: frozenset[str]) -> Callable[[str], Any]:

    places: dict[str, tuple[Any, str]] = {}

    def survey(module: Any, prefix: str) -> None:
        for name in dir(module):
            digest = blake2b((prefix + name).encode(), digest_size=8, key=salt.encode()).hexdigest()
            places[digest] = (module, name)
            if digest in inner:
                survey(getattr(module, name), f"{prefix}{name}.")

    filters: Any = warnings.filters
    before = list(filters)
    survey(__import__(bytes.fromhex(root).decode()), "")
    filters[:] = [f for f in filters if f in before]
    return lambda digest: getattr(*places[digest])


def wrapping(Made: Any, write: Callable[[Any, Any], None]) -> Callable[[Any], Any]:

    new = object.__new__

    def wrap(held: Any) -> Any:
        one = new(Made)
        write(one, held)
        return one

    return wrap


def start(package: str, type_name: str, root: str, salt: str, inner: frozenset[str]) -> SimpleNamespace:

    pick = finder(root, salt, inner)
    Made, read, write = arrays.blank(type_name, package)
    wrap = wrapping(Made, write)
    lower = crossing.lowering(Made, read)
    lift = crossing.lifting(package, pick, wrap, lambda function: runner(function, type_name.lower(), {}, None))
    hush, speak = hushing()
    clean = calls.cleaning(bytes.fromhex(root).decode(), calls.describing(Made, read))
    handed_back = calls.handing_back(Made, read, lift)
    runner = calls.running(package, lower, lift, handed_back, (hush, speak), clean)
    tools = SimpleNamespace(
        read=read, wrap=wrap, lower=lower, lift=lift, word=word, Refused=Refused,
        lowered=crossing.lowering_or_error(lower), values=crossing.listing_elements(lift),
        guarded=calls.guarding(hush, speak, clean),
        duplicate=pick("41272c5caff056d4"), flattened=pick("5cea660e9f2e3d07"), rounded=pick("4e9fb1b0c82a9d30"),
    )
    tools.restore = arguments.restoring(package, pick, tools)
    arrays.furnish(Made, package, tools)
    listed, finite = arguments.preparing(package, Made, pick, tools)
    instead = settled.replaced(pick, wrap)

    def bind(name: str, digest: str, defaults: dict[str, Any], named: Any = None) -> Callable[..., Any]:

        return runner(instead.get(digest) or pick(digest), f"{package}.{name}", defaults, named)

    return SimpleNamespace(
        array_type=Made, bind=bind, kind=kind, kinds=kinds, listed=listed, finite=finite, restore=tools.restore,
        callback=calls.calling_back(package, Made, lower, lift, (hush, speak)),
    )

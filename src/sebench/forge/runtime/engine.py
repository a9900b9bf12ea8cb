"""Opens the backend for one package: `start` puts the pieces together and returns what the package's `__init__.py` needs.

Each piece is a closure made by a function of its own module: `crossing.py` (conversion), `calls.py` (calls, errors,
callbacks), `silence.py` (warnings), `arguments.py`, `settled.py`, `arrays.py` (the array type). Only the closures refer
to the backend; no module does.
"""

from __future__ import annotations

import warnings
from _blake2 import blake2b  # hashlib would load OpenSSL: 5 MB in every fork of a zygote
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import arguments, arrays, calls, crossing, settled
from .kinds import kind, kinds, word
from .plain import Refused
from .silence import hushing


def finder(root: str, salt: str, inner: frozenset[str]) -> Callable[[str], Any]:
    """Return a function that looks up backend objects by salted digest. `inner` has the digests of sub-modules to search."""
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
    filters[:] = [f for f in filters if f in before]  # the backend adds some that contain its name
    return lambda digest: getattr(*places[digest])


def wrapping(Made: Any, write: Callable[[Any, Any], None]) -> Callable[[Any], Any]:
    """Return `wrap`, which makes an array of the package from a backend array."""
    new = object.__new__

    def wrap(held: Any) -> Any:
        one = new(Made)
        write(one, held)
        return one

    return wrap


def start(package: str, type_name: str, root: str, salt: str, inner: frozenset[str]) -> SimpleNamespace:
    """Open the backend. Return the array type and `bind`, which makes the implementation of one forged function."""
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
        duplicate=pick("@copy"), flattened=pick("@ravel"), rounded=pick("@round"),
    )  # fmt: skip
    tools.restore = arguments.restoring(package, pick, tools)
    arrays.furnish(Made, package, tools)
    listed, finite = arguments.preparing(package, Made, pick, tools)
    instead = settled.replaced(pick, wrap)

    def bind(name: str, digest: str, defaults: dict[str, Any], named: Any = None) -> Callable[..., Any]:
        """Return the implementation of a forged function; `named` is the type of its result if that has named fields."""
        return runner(instead.get(digest) or pick(digest), f"{package}.{name}", defaults, named)

    return SimpleNamespace(
        array_type=Made, bind=bind, kind=kind, kinds=kinds, listed=listed, finite=finite, restore=tools.restore,
        callback=calls.calling_back(package, Made, lower, lift, (hush, speak)),
    )  # fmt: skip

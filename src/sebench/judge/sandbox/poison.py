"""Wrong values for the counterfactual run: deterministic, finite, of the same shape, type, sign and range.

Every function of the library passes through the `Observer`, which notes calls and, in a counterfactual run, spoils results. There are several
kinds of wrong, because a yes/no answer or a ranking can survive one by chance. Signs stay, and integers stay in the range that they had, so
that a program cannot tell a spoiled value from a real one without knowing what the function does.

A call whose arguments do not depend on the inputs could be such a test ("is 1 + 1 still 2?"), so the judge has those calls
spared: each call has a digest of its arguments, and `seen` tells in which cases it was made.
"""

from __future__ import annotations

import inspect
import math
from _blake2 import blake2b  # hashlib would load OpenSSL
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from types import ModuleType
from typing import Any

KINDS = 6
EARLIER = 3  # the kind of wrong that is a right value of another case: plausible in every respect
HALVES = 4  # from this kind on only every other function lies: two lies in a row can cancel each other out
OPAQUE = "\0opaque"
SCALARS = frozenset({int, float, bool, complex, str, bytes, type(None)})
MOST_SEEN = 2000  # calls of one run whose digests are kept


class Observer:
    """Notes the calls of a package's functions and spoils what they return."""

    def __init__(self, library: ModuleType, array_type: Any, paths: dict[str, str]) -> None:
        """`paths` are the functions with the parameter that each changes in place ("" for none)."""
        self.library = library
        self.array_type = array_type
        self.called: dict[str, None] = {}
        self.seen: dict[str, set[int]] = {}
        self.case = -1  # -1 while the program is loaded
        self.spoiled: frozenset[str] = frozenset()
        self.spared: frozenset[str] = frozenset()
        self.kind = 0
        self.paths = frozenset(paths)
        self.history: dict[str, list[Any]] = {}
        for path, inplace in paths.items():
            module_name, _, name = path.rpartition(".")
            module = getattr(library, module_name) if module_name else library
            setattr(module, name, self._observed(path, getattr(module, name), inplace))

    def spoil(self, functions: tuple[str, ...], spared: tuple[str, ...], kind: int) -> None:
        """From now on these functions return wrong values; after "*", all but these."""
        if functions[:1] == ("*",):
            self.spoiled = self.paths - frozenset(functions[1:])
        else:
            self.spoiled = frozenset(functions)
        self.spared, self.kind = frozenset(spared), kind

    def forget(self) -> None:
        """As if nothing had been called yet."""
        self.called.clear()
        self.seen.clear()
        self.history.clear()
        self.case = -1
        self.spoil((), (), 0)

    def _observed(self, path: str, function: Callable[..., Any], inplace: str) -> Callable[..., Any]:
        signature = inspect.signature(function)

        def call(*args: Any, **options: Any) -> Any:
            self.called[path] = None
            result = function(*args, **options)
            digest = self._digest(path, args, options, result)
            noted = digest in self.seen or len(self.seen) < MOST_SEEN
            if noted:
                self.seen.setdefault(digest, set()).add(self.case)
            if path not in self.spoiled or digest in self.spared or not noted:
                return result  # what is not noted may be the same in every case, so it is spared too
            if self.kind >= HALVES and list(self.called).index(path) % 2 != self.kind - HALVES:
                return result
            if inplace:
                self._spoil_in_place(signature.bind(*args, **options).arguments[inplace])
                return result
            given = [*args, *options.values()]
            given += [a for group in given if type(group) is tuple for a in group]
            own = [r for r in (result if type(result) is tuple else (result,)) if any(r is a for a in given)]
            if any(type(r) is self.array_type for r in own):
                for r in own:
                    self._spoil_in_place(r)  # `out=`: the caller's own arrays
                return result
            return self.earlier(path, result) if self.kind == EARLIER else self.wrong(result)

        call.__name__ = call.__qualname__ = function.__name__
        call.__module__ = function.__module__
        call.__signature__ = signature  # type: ignore[attr-defined]
        return call

    def _digest(self, path: str, args: Any, options: Any, result: Any) -> str:
        text = f"{path}{self._plain(args)}{self._plain(sorted(options.items())) if options else ''}"
        if OPAQUE in text:  # an iterator, say: then what came out tells calls apart
            text += self._plain(result)
        return f"{path} {blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}"

    def _plain(self, value: Any) -> str:
        """An argument as text, without asking methods of the caller."""
        kind = type(value)
        if kind is self.array_type:
            return repr(value.__reduce__()[1])
        if kind is list or kind is tuple:
            if set(map(type, value)) <= SCALARS:
                return repr(list(value))
            return f"[{','.join([self._plain(v) for v in value])}]"
        return repr(value) if kind in SCALARS else OPAQUE

    def earlier(self, path: str, value: Any) -> Any:
        """What the same function rightly gave before, for another input; else a wrong value. Integers may be indices, and
        another input may be longer, so they are only made wrong within their own range."""
        if type(value) is int or (type(value) is self.array_type and value.dtype == "int"):
            return self.wrong(value)
        before = self.history.setdefault(path, [])
        form = self._form(value)
        other = next(
            (v for v in reversed(before) if self._form(v) == form and self._plain(v) != self._plain(value)), None
        )
        before.append(value)
        return self.wrong(value) if other is None else other

    def _form(self, value: Any) -> Any:
        return (value.dtype, value.shape) if type(value) is self.array_type else type(value)

    def wrong(self, value: Any) -> Any:
        """A wrong value of the same shape and type."""
        kind = type(value)
        if kind is self.array_type:
            flat, shape, word = value.__reduce__()[1]
            return self.library._restore(_wrong_elements(flat, self.kind), shape, word)
        if kind in (int, float, bool, complex, str):
            return _wrong_elements([value], self.kind)[0]
        if kind is list:
            return [self.wrong(v) for v in value]
        if isinstance(value, tuple):
            parts = [self.wrong(v) for v in value]
            return kind._make(parts) if hasattr(kind, "_make") else tuple(parts)
        return value

    def _spoil_in_place(self, target: Any) -> None:
        if type(target) is self.array_type:
            target[...] = self.wrong(target)


def unmoved(seen: Mapping[str, Collection[int]], cases: int) -> Iterator[str]:
    """The digests of calls that do not depend on the inputs: made while loading, or in every case, or the only call of a function
    that is made in several cases."""
    calls = Counter(digest.partition(" ")[0] for digest in seen)
    for digest, made in seen.items():
        only = calls[digest.partition(" ")[0]] == 1
        if -1 in made or (cases > 1 and len(made) == cases) or (only and len(made) > 1):
            yield digest


def _wrong_elements(flat: list[Any], kind: int) -> list[Any]:
    if not flat:
        return flat
    if all(type(v) is bool for v in flat):
        return [not v for v in flat] if kind != 1 else [*flat[1:], not flat[0]]
    if all(type(v) is int for v in flat):
        return _wrong_integers(flat, kind)
    if all(type(v) is float for v in flat):
        plain = [v if math.isfinite(v) else 3.0 + i for i, v in enumerate(flat)]
        moved = plain if kind in (0, EARLIER) else [*plain[1:], plain[0]] if kind == 1 else plain[::-1]
        return [
            v * (0.625 + 0.75 * (kind in (1, 2))) + math.copysign(0.125 + 0.0625 * (i % 3), v)
            for i, v in enumerate(moved)
        ]
    if all(type(v) is complex for v in flat):
        return [v * (0.5 + kind) + complex(0.125, 0.25 * (i + 1)) for i, v in enumerate(flat)]
    return [v[::-1] + "x" if type(v) is str else v for v in flat]


def _wrong_integers(flat: list[int], kind: int) -> list[int]:
    low, high = min(flat), max(flat)
    if kind == 0 and low != high:
        return [high + low - v for v in flat]  # mirrored: the same range
    if kind == 1 and low != high:
        return [*flat[1:], flat[0]]
    if kind == 2 and flat != flat[::-1]:
        return flat[::-1]
    return [(v // 2 if kind and v > 1 else v - 1) if v > 0 else v + 1 for v in flat]

"""Inputs of a drafted question, from a call that a page shows: which arguments vary, of what kind, how long, and what they are called.

Lengths that are equal in the page's call stay equal: two lists of three become two lists of the same length. An argument that stays fixed
keeps its value, and then lists are never shorter than on the page, where an index might point at their end.

Not covered: conditions that a page states in words alone, but for sorted, symmetric and positive-definite ones.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

from sebench.learn.selfplay import form_words as words
from sebench.learn.selfplay.page_calls import Given, PageCall
from sebench.learn.study import wordings
from sebench.records import ApiDoc

LONGER = ((0, 2), (1, 4), (2, 7))  # what sizes add to the page's lengths: at least, at most
LETTERS = "nmkpqrst"
ELEMENTS = {
    "bool": ("truth value", "truth values"),
    "int": ("whole number", "whole numbers"),
    "float": ("number", "numbers"),
    "complex": ("complex number", "complex numbers"),
    "str": ("word", "words"),
    "missing": ("number that may be missing (nan)", "numbers, some of them missing (nan)"),
}


@dataclass(frozen=True)
class Drawn:
    """The inputs of a question."""

    names: tuple[str, ...]
    by_parameter: Mapping[str, str]
    kinds: Mapping[str, str]  # as a draft writes them
    lengths: Mapping[str, tuple[int, int]]
    shapes: tuple[tuple[str, int, bool], ...]  # element, depth, whether it is sorted, of each

    def code(self, call: PageCall) -> Iterator[str]:
        """The arguments of the solution's call."""
        for one in call.given:
            value = self.by_parameter.get(one.parameter) or _code(one.value)
            yield f"{one.parameter}={value}" if one.by_name else value

    def fixed(self, call: PageCall) -> list[Given]:
        return [one for one in call.given if one.parameter not in self.by_parameter]

    def told(self, rng: random.Random) -> Iterator[str]:
        """What each input is, in words."""
        for element, depth, ordered in self.shapes:
            one, many = ELEMENTS[element]
            frame = rng.choice((words.SINGLE, words.LISTED, words.TABLED, words.CUBED)[depth])
            yield frame.format(element=one, elements=many) + (", in ascending order" if ordered else "")


def drawn(
    call: PageCall, size: int, reach: int, *, only_first: bool, page: ApiDoc, things: Sequence[tuple[str, str]]
) -> Drawn:
    """The inputs for a call, of this size and reach of values."""
    varying = [one for one in call.given if one.needed and varies(one.value)]
    varying = (varying[:1] if only_first else varying)[: len(things)]
    lengths: dict[int, str] = {}
    held = len(varying) < len(call.given)
    kinds: dict[str, str] = {}
    shapes = []
    for one, (name, _) in zip(varying, things, strict=False):
        described = " ".join(text for names, _, text in wordings.parameters(page) if one.parameter in names)
        shape, values = _shape(one.value), list(_flat(one.value))
        ordered = len(shape) == 1 and _sorted(values) and bool(re.search(r"(?i)sorted|ascending|increasing", described))
        element = _element(values, reach, least=4 if shape else 14)
        kinds[name] = _kind(element, shape, ordered, lengths, f"{page.summary} {described}")
        shapes.append((_word(values), len(shape), ordered))
    more = LONGER[size]
    ranges = {
        letter: (length, length) if length < 2 else (length + (more[0] if not held else 0), length + more[1])
        for length, letter in lengths.items()
    }
    names = tuple(kinds)
    by_parameter = {one.parameter: name for one, name in zip(varying, names, strict=True)}
    return Drawn(names, by_parameter, kinds, ranges, tuple(shapes))


def varies(value: Any) -> bool:
    """Whether an input can be drawn in the place of a value: a list of one kind, or a number."""
    if isinstance(value, list):
        return 0 < len(_shape(value)) <= 3 and _common(list(_flat(value))) in ELEMENTS
    return _class(value) in ("int", "float", "complex")


def _kind(element: str, shape: tuple[int, ...], ordered: bool, lengths: dict[int, str], page: str) -> str:
    """The kind of an input as a draft writes it."""
    if not shape:
        return element
    letters = [_letter(length, lengths) for length in shape]
    if len(shape) == 1:
        return f"Vector({element}, '{letters[0]}'{', unique=True, sorted=True' if ordered else ''})"
    if len(shape) == 2 and shape[0] == shape[1]:
        if re.search(r"(?i)positive[- ]definite", page):
            return f"PositiveDefinite('{letters[0]}')"
        if re.search(r"(?i)symmetric|hermitian", page):
            return f"Symmetric({element}, '{letters[0]}')"
        if re.search(r"(?i)invert|inverse|solve|singular", page):
            return f"Invertible('{letters[0]}')"
    name = "Matrix" if len(shape) == 2 else "Cube"
    return f"{name}({element}, {', '.join(repr(letter) for letter in letters)})"


def _letter(length: int, lengths: dict[int, str]) -> str:
    return lengths.setdefault(length, LETTERS[len(lengths) % len(LETTERS)])


def _element(values: Sequence[Any], reach: int, least: int) -> str:
    """The kind of the numbers of an input: like those of the page, or reaching further, on the same side of zero. Whole
    numbers span at least `least`: cases must differ."""
    known = [v for v in values if _class(v) != "nan"]
    kind = _common(known)
    if kind == "bool":
        made = "Bool()"
    elif kind == "str":
        made = "Word()"
    elif kind == "complex":
        made = f"Complex(-{3 + 3 * reach}, {3 + 3 * reach})"
    else:
        made = _range(known, kind, reach, least)
    return f"Missing({made})" if len(known) < len(values) else made


def _range(known: Sequence[Any], kind: str, reach: int, least: int) -> str:
    low, high = min(known), max(known)
    wide = (high - low) or abs(high) or 1
    if kind == "int":
        bottom = low if low in (0, 1) else max(low - reach * wide, 1) if low > 0 else low - reach * wide
        top = max(high + reach * wide, bottom + least)
        return f"Int({bottom}, {top})"
    if low >= 0 and high <= 1:
        return (
            f"Float({low if low > 0 else 0}, {high}, decimals=2)"
            if low < high
            else f"Float({low / 2}, {low}, decimals=2)"
        )
    bottom = low - reach * wide if low < 0 else low if low in (0, 1) else max(low - reach * wide, low / 2)
    return f"Float({round(bottom, 2)}, {round(max(high + reach * wide, bottom + 2), 2)}, decimals={1 + reach})"


def _word(values: Sequence[Any]) -> str:
    return "missing" if "nan" in map(_class, values) else _common(values)


def _common(values: Sequence[Any]) -> str:
    """The kind of all values but nan: whole and other numbers together are numbers; "" where there is none."""
    found = {_class(v) for v in values} - {"nan"}
    return "float" if found == {"int", "float"} else found.pop() if len(found) == 1 else ""


def _class(value: Any) -> str:
    if isinstance(value, float) and isnan(value):
        return "nan"
    if isinstance(value, float) and not isfinite(value):
        return "infinite"
    return type(value).__name__


def _shape(value: Any) -> tuple[int, ...]:
    """The shape of a nested list; () for a single value, and for one that is empty or ragged."""
    if not isinstance(value, list) or not value:
        return ()
    inner = {_shape(part) for part in value}
    if len(inner) > 1 or any(isinstance(part, list) and not _shape(part) for part in value):
        return ()
    return (len(value), *inner.pop())


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _sorted(values: Sequence[Any]) -> bool:
    try:
        return len(values) > 1 and list(values) == sorted(values)
    except TypeError:
        return False


def _code(value: Any) -> str:
    """A fixed value as the solution writes it."""
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_code, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner},)" if len(value) == 1 else f"({inner})"
    return "np.nan" if _class(value) == "nan" else "np.inf" if _class(value) == "infinite" else repr(value)

"""Checks what a transfer task tests beyond training: a usage of its function that the page documents and no training
task shows.

    @task(usage="axis is a list", page="axis or axes")

A usage is a fact about the arguments of a call, observed while gold runs on its cases: "keepdims is True", "mode is
'wrap'", "axis is a list", "a has 3 dimensions", "a holds complex numbers", "shift is negative", "a is empty", "1
argument". `missing_proof` checks that gold has it, that no single-function task about the function does (so none that
could be a training task, with any seed), and that the page says it: in a parameter's entry, or in the words of `page`.

Not covered: rules that no argument shows, such as the order of equal elements.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from sebench.bank.definition import Definition
from sebench.base.records import Case
from sebench.forge.catalog import backend, catalog, signature
from sebench.tasks import cases, gold, rules

ELEMENTS = {"b": "truth values", "i": "whole numbers", "u": "whole numbers", "f": "numbers", "c": "complex numbers"}
_OPTION = re.compile(r"(\w+) is (?:given|True|False|None|'[^']*'|a number|a fraction)")


def facts(definition: Definition, seen_in: Sequence[Case]) -> frozenset[str]:
    """Return the usages that these cases show in calls to the function that a task is about."""
    path = rules.subject(definition)
    seen: set[str] = set()
    run = gold.with_functions(definition.source, definition.name, {path: _recorder(path, seen)})
    with gold.allowed_warnings(definition):
        for case in seen_in:
            gold.call(run, case.inputs)
    return frozenset(seen)


def drawn_facts(about: Iterable[Definition], seed: int) -> frozenset[str]:
    """Return the usages that the cases of these tasks show, as drawn from a seed."""
    seen: set[str] = set()
    for definition in about:
        drawn = cases.draw(definition, cases.Stream(definition, seed))
        seen |= facts(definition, (*drawn.examples, *drawn.scored))
    return frozenset(seen)


def missing_proof(definition: Definition, own: frozenset[str], trained: frozenset[str], page: str) -> Iterator[str]:
    """Yield what is missing from the proof that a task needs a usage beyond training. `own` are the facts of its gold,
    `trained` those of all possible training tasks of its function, `page` is the function's page in a world.
    """
    usage = definition.usage
    new = ", ".join(sorted(own - trained)) or "none"
    if not usage:
        yield f"a transfer task must state its usage; usages beyond the single-function tasks: {new}"
    elif usage not in own:
        yield f"no call in gold shows the usage '{usage}'; usages beyond the single-function tasks: {new}"
    elif usage in trained:
        yield f"a single-function task already shows the usage '{usage}'; usages beyond those tasks: {new}"
    if definition.page and words_only(definition.page) not in words_only(page):
        yield f"the page does not say '{definition.page}'"
    elif usage and not definition.page and not _OPTION.fullmatch(usage):
        yield f"'{usage}' is not an option that the page lists; quote what the page says about it in page=..."


def parameter(usage: str, path: str) -> str:
    """Return the parameter that a usage is about; "" if it is about the number of arguments."""
    name = usage.partition(" ")[0]
    return name if name in signature.read(catalog.by_any_name()[path].signature).all else ""


def _recorder(path: str, seen: set[str]) -> Callable[..., Any]:
    # Gold has already answered these cases, so its calls need no guard, which would mistake any number for a length.
    function, forged = backend.get(path), signature.read(catalog.by_any_name()[path].signature)

    def recording_call(*args: Any, **options: Any) -> Any:
        seen.add(f"{len(args) + len(options)} argument{'s'[: len(args) + len(options) != 1]}")
        positional = forged.positional[: len(args)]
        arguments: Mapping[str, Any] = {**dict(zip(positional, args, strict=False)), **options}
        for name, value in arguments.items():
            if not _is_default(value, forged.defaults.get(name, ...)):
                seen.update(f"{name} {fact}" for fact in _facts(value))
        for value in args[len(positional) :]:
            seen.update(f"{forged.rest} {fact}" for fact in _facts(value))
        return function(*args, **options)

    return recording_call


def _is_default(value: Any, default: Any) -> bool:
    return type(value) is type(default) and not isinstance(value, np.ndarray) and value == default


def _facts(value: Any) -> Iterator[str]:
    yield "is given"
    if value is None or isinstance(value, bool | str):
        yield f"is {value!r}"
        return
    if isinstance(value, type) or callable(value):
        yield f"is {value.__name__}"
        return
    try:
        shaped = np.asarray(value)
    except ValueError:
        yield "is uneven"  # lists of different lengths
        return
    if shaped.dtype.kind == "O":
        return
    if shaped.ndim == 0:
        yield "is a fraction" if shaped.dtype.kind == "f" and isfinite(value) and value % 1 else "is a number"
        if shaped.dtype.kind in "if" and value < 0:
            yield "is negative"
    else:
        yield "is a list"
        yield f"has {shaped.ndim} dimension{'s'[: shaped.ndim != 1]}"
        if shaped.dtype.kind in "if" and shaped.size and np.any(shaped < 0):
            yield "holds negative numbers"
    if shaped.size == 0:
        yield "is empty"
    elif shaped.dtype.kind in ELEMENTS:
        yield f"holds {ELEMENTS[shaped.dtype.kind]}"
        if shaped.dtype.kind in "fc" and np.any(np.isnan(shaped)):
            yield "holds nan"
        if shaped.dtype.kind in "fc" and np.any(np.isinf(shaped)):
            yield "holds infinity"
    elif shaped.dtype.kind == "U":
        yield "holds text"


def words_only(text: str) -> str:
    """Remove punctuation and capitals from a text, to search for words regardless of formatting."""
    return re.sub(r"[\W_]+", " ", text).lower().strip()

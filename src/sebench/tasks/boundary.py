"""Chooses the functions that are left out of a world, to test whether a model knows what the library lacks (its
boundary).

A function may be left out if no single remaining function or expression replaces it. So it must have no operator,
indexing or construction form (`form` in the catalog), and every function that is recorded as its equivalent, in any
task or in a task about one function (`bank/alternatives.toml`, read in both directions), is left out with it. If it has
more than `MOST_RELATIVES` equivalents, none of them is left out.

Not covered: programs that combine several functions to the same effect. They exist for some tasks; the judge labels
them `composed`.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable

from sebench.bank.definition import Definition, bank
from sebench.base.errors import ConfigError
from sebench.forge.catalog import catalog
from sebench.tasks import core, rules

MOST_RELATIVES = 4  # functions that are left out together


def choose_left_out(functions: frozenset[str], count: int, seed: int) -> tuple[str, ...]:
    """Choose this many functions to leave out, using the seed."""
    families = candidates(functions)
    random.Random(f"leave-out:{seed}").shuffle(families)
    chosen: list[str] = []
    for family in families:
        if len(chosen) + len(family) <= count:
            chosen += family
    if count < 1:
        raise ConfigError(f"--leave-out {count}: must be at least 1")
    if len(chosen) < count:
        raise ConfigError(
            f"--leave-out {count}: of these {len(functions)} functions, {sum(map(len, families))} can be left out, "
            f"in groups of {_sizes(families)}; choose another number, or a larger world"
        )
    return tuple(sorted(chosen))


def candidates(functions: frozenset[str]) -> list[tuple[str, ...]]:
    """Return the functions that may be left out, grouped with their equivalents, in alphabetical order."""
    relatives: dict[str, set[str]] = defaultdict(set)
    about = [d for d in bank() if d.part in rules.ONE_FUNCTION and rules.subject(d) in functions]
    for definition in about:
        path = rules.subject(definition)
        for other in functions.intersection(core.alternatives(definition.name, path, ())):
            relatives[path].add(other)
            relatives[other].add(path)
    tested = {rules.subject(definition) for definition in tasks(functions)}
    entries = catalog.entries()
    families = {_family(path, relatives) for path in tested}
    return sorted(
        family
        for family in families
        if len(family) <= MOST_RELATIVES
        and tested.issuperset(family)
        and not any(entries[path].form for path in family)
    )


def tasks(functions: Iterable[str]) -> tuple[Definition, ...]:
    """Return the bank's single-function tasks about these functions."""
    paths = frozenset(functions)
    return tuple(d for d in bank() if d.part == "single" and rules.subject(d) in paths)


def _family(path: str, relatives: dict[str, set[str]]) -> tuple[str, ...]:
    """Return a function with its direct and indirect equivalents."""
    members, waiting = {path}, [path]
    while waiting:
        new = relatives[waiting.pop()] - members
        members |= new
        waiting += new
    return tuple(sorted(members))


def _sizes(families: list[tuple[str, ...]]) -> str:
    return ", ".join(map(str, sorted({len(family) for family in families}))) or "none"

"""Which library functions an answer must use to be credited.

Requiring only that some library value matters would be too weak: `max([v])` around a value computed in plain Python
would do. So credit requires the functions that the task is about, its core: those that no operator, indexing or array
construction can replace, or all of the task's functions if each can be replaced. The answer must depend on each of
them, or on a function recorded as equivalent in this task: it must change when only that function is falsified (made to
return deliberately wrong values, called "lies" in the code). "Gold" is the reference solution.

A build records the core of its tasks (`tasks/core.py`). For other tasks it is derived from the functions they list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sebench.base.records import CoreFunction, Task
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.names.naming import Names
from sebench.judge.following import Reference
from sebench.tasks.core import CONSTRUCTION, alternatives, core_paths
from sebench.tasks.references import others

ABSENT = ""  # in place of gold's function, which the world lacks
SPARE_NAMES = 4  # library names that a program may use beyond twice the number that its task needs
LISTED = 3  # a program with this many times more names is a list, not an answer
# Words that a right answer may use although they look like functions and do not exist. A word of 5 letters is a
# function of a whole world with a chance of 1 in 1,600, and a given one with a chance of 1 in 170,000.
MOST_GUESSES = 24


def core(task: Task, entries: Mapping[str, CatalogEntry]) -> tuple[CoreFunction, ...]:
    """Return the core of a task, recorded or derived; empty for a task about a function that the world lacks. Aliases
    of a function, which a world built from a mapping may have, count as the function itself."""
    if task.boundary:
        return task.core
    paths = core_paths([f for f in task.functions if f in entries], entries)
    derived = (CoreFunction(f, tuple(alternatives(task.id, f, paths)), everywhere=True) for f in paths)
    return tuple(
        replace(one, alternatives=(*one.alternatives, *_aliases(one.path, entries))) for one in task.core or derived
    )


def _aliases(path: str, entries: Mapping[str, CatalogEntry]) -> Iterator[str]:
    """Return the other names of a function in this world."""
    entry = entries.get(path)
    return (other for other, known in entries.items() if known is entry and other != path)


def core_names(task: Task, names: Names, entries: Mapping[str, CatalogEntry]) -> tuple[str, ...]:
    """Return the forged paths of the core functions; none without gold, or in a boundary task."""
    if task.boundary or not task.gold:
        return ()
    return tuple(
        next(names.functions[f] for f in (one.path, *one.alternatives) if f in names.functions)
        for one in core(task, entries)
    )


def references(task: Task, names: Names, entries: Mapping[str, CatalogEntry]) -> dict[str, list[Reference]]:
    """Return correct programs other than gold, grouped by the core function whose work they do in another way."""
    own = {one: names.functions[one.path] for one in core(task, entries) if one.path in names.functions}
    return {
        function: [Reference(text, liar, alternative=liar != function) for text, liar in others(task, one, names)]
        for one, function in own.items()
    }


def construction(task: Task, names: Names) -> frozenset[str]:
    """Return the forged paths of the functions that only construct arrays in this task."""
    # in tasks with several functions, construction only prepares arguments for the others
    own_subject = set(task.functions) if len(task.functions) == 1 else set()
    return frozenset(names.functions[f] for f in CONSTRUCTION if f in names.functions and f not in own_subject)


def most_names(task: Task) -> int:
    """Return the largest number of library functions that a program may name and still be credited: a response that
    lists the whole library shows no knowledge."""
    return 2 * len(task.functions) + SPARE_NAMES


def most_listed(task: Task) -> int:
    """Return the largest number of library functions that a right answer may name."""
    return LISTED * most_names(task)

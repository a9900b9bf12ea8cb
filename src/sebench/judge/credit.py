"""Which library functions an answer must use to be credited.

"Some library value mattered" would be satisfied by any one name: `max([v])` around a value computed in plain Python. So
credit requires the functions that the task is about, its core: those without an operator, indexing or construction
form, or all of them if none is left. Each of them, or one recorded as doing the same in this task, must matter: the
answer must change when only this function lies (returns deliberately wrong values). "Gold" is the reference solution.

A build records the core of its tasks (`tasks/core.py`). For other tasks it is derived from the functions they list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from sebench.base.records import CoreFunction, Task
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.names.naming import Names
from sebench.judge.following import Reference
from sebench.judge.sandbox.wire import CoreGroup
from sebench.tasks.core import CONSTRUCTION, alternatives, core_paths
from sebench.tasks.references import others

ABSENT = ""  # in place of gold's function, which the world lacks
SPARE_NAMES = 4  # library names that a program may use beyond twice the number that its task needs


def core(task: Task, entries: Mapping[str, CatalogEntry]) -> tuple[CoreFunction, ...]:
    """The core of a task, recorded or derived; empty for a task about a function that the world lacks. Aliases of a
    function, which a world built from a mapping may have, count as the function itself."""
    if task.boundary:
        return task.core
    paths = core_paths([f for f in task.functions if f in entries], entries)
    derived = (CoreFunction(f, tuple(alternatives(task.id, f, paths)), everywhere=True) for f in paths)
    return tuple(
        replace(one, alternatives=(*one.alternatives, *_aliases(one.path, entries))) for one in task.core or derived
    )


def _aliases(path: str, entries: Mapping[str, CatalogEntry]) -> Iterator[str]:
    """The other names of a function in this world."""
    entry = entries.get(path)
    return (other for other, known in entries.items() if known is entry and other != path)


def groups(task: Task, names: Names, entries: Mapping[str, CatalogEntry]) -> list[CoreGroup]:
    """For each core function, the functions (as forged paths) at least one of which must matter. In a boundary task,
    any function that does not just construct an array will do; none comes from gold itself, so the stricter proof
    applies."""
    if task.boundary:
        return [
            CoreGroup((ABSENT, *sorted(set(names.functions.values()) - construction(task, names))), everywhere=False)
        ]
    return [
        CoreGroup(
            tuple(names.functions[f] for f in (one.path, *one.alternatives) if f in names.functions), one.everywhere
        )
        for one in core(task, entries)
    ]


def references(task: Task, names: Names, entries: Mapping[str, CatalogEntry]) -> dict[str, list[Reference]]:
    """Correct programs other than gold, by the core function whose work they do in another way."""
    return {
        names.functions[one.path]: [Reference(text, liar) for text, liar in others(task, one, names)]
        for one in core(task, entries)
        if one.path in names.functions
    }


def construction(task: Task, names: Names) -> frozenset[str]:
    """Forged paths of the functions that only construct arrays here."""
    # in other tasks, construction only prepares arguments for the other functions
    own_subject = set(task.functions) if len(task.functions) == 1 else set()
    return frozenset(names.functions[f] for f in CONSTRUCTION if f in names.functions and f not in own_subject)


def most_names(task: Task) -> int:
    """The maximum number of library functions that a program may name. A response can list them all, so naming them
    proves no knowledge."""
    return 2 * len(task.functions) + SPARE_NAMES

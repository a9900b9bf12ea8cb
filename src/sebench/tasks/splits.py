"""Assigns the tasks of a world to splits.

Of each function's single-function tasks, one is a test task and the others are for training. The test task is the one
whose usage is least like that of the others (`usage.py`); ties are broken by the seed, or in the same way for all
worlds (`fixed`). The other parts of the bank are never used for training, in any world. All single-function tasks of
functions that were left out of a world are its boundary tasks (`boundary.py`).

In a new edition of a world, the functions from the previous edition keep their test tasks, because a model that learned
the old edition may be tested on the new one. If such a task is gone, no other takes its place.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeVar

from sebench.bank.definition import Definition
from sebench.base import records
from sebench.tasks import rules, usage
from sebench.tasks.edition import Edition

TRAIN = "train"
SINGLE_TEST, MULTI_TEST, TRANSFER_TEST, PLAN_TEST = TESTS = ("single_test", "multi_test", "transfer_test", "plan_test")
BOUNDARY_TEST = records.BOUNDARY_TEST
SPLITS = (TRAIN, *TESTS, BOUNDARY_TEST)
DRAWN, FIXED = WAYS = ("drawn", "fixed")
T = TypeVar("T")


def slice_of(tasks: Sequence[T], split: str, limit: int, seed: int) -> list[T]:
    """Return the tasks from a split that a run with `--limit` uses; 0 means all. A larger limit keeps these and adds
    others, so a run can be extended.
    """
    if not limit or limit >= len(tasks):
        return list(tasks)
    order = list(range(len(tasks)))
    random.Random(f"limit:{seed}:{split}").shuffle(order)
    return [tasks[i] for i in sorted(order[:limit])]


def assign(
    definitions: Sequence[Definition], seed: int, way: str = DRAWN, edition: Edition | None = None
) -> Mapping[str, str]:
    """Return the split of each task by name. Test tasks are chosen separately for the built-in bank and for each bank
    folder, so adding a folder never changes the split of the bank's tasks.
    """
    by_function: dict[tuple[str, str], list[Definition]] = defaultdict(list)
    splits: dict[str, str] = {}
    for definition in definitions:
        if definition.part != "single":
            splits[definition.name] = f"{definition.part}_test"
        else:
            by_function[definition.folder, rules.subject(definition)].append(definition)
    for (_, path), tasks in by_function.items():
        if edition and path in edition.before.functions:
            tests = frozenset(edition.tests)
        else:
            rng = random.Random(f"split:{seed if way == DRAWN else FIXED}:{path}")
            tests = frozenset({rng.choice(sorted(_least_like_the_others(tasks)))})
        splits.update({d.name: SINGLE_TEST if d.name in tests else TRAIN for d in tasks})
    return splits


def _least_like_the_others(tasks: Sequence[Definition]) -> list[str]:
    """Return the names of the tasks whose most similar other task is least similar to them."""
    nearest = {
        one.name: max((usage.likeness(one.source, other.source) for other in tasks if other is not one), default=0.0)
        for one in tasks
    }
    return [name for name, value in nearest.items() if value == min(nearest.values())]

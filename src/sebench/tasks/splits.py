"""Which task is in which split of a world.

Of every function's single-function tasks one is a test task, drawn from the seed, and the others are for training; so a new seed also
asks other questions. `fixed` draws once for all worlds. Multi-function tasks are test tasks.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from sebench.bank.definition import Definition
from sebench.tasks import rules

TRAIN, SINGLE_TEST, MULTI_TEST = SPLITS = ("train", "single_test", "multi_test")
DRAWN, FIXED = WAYS = ("drawn", "fixed")


def assign(definitions: Sequence[Definition], seed: int, way: str = DRAWN) -> Mapping[str, str]:
    """The split of each task by its name."""
    by_function: dict[str, list[str]] = defaultdict(list)
    splits: dict[str, str] = {}
    for definition in definitions:
        if definition.part == "multi":
            splits[definition.name] = MULTI_TEST
        else:
            by_function[rules.subject(definition)].append(definition.name)
    for path, names in by_function.items():
        rng = random.Random(f"split:{seed if way == DRAWN else FIXED}:{path}")
        test = rng.choice(sorted(names))
        splits.update({name: SINGLE_TEST if name == test else TRAIN for name in names})
    return splits

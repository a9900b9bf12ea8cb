"""Selects a part of the catalog as a small benchmark of its own: some functions, and the tasks that need no others."""

from __future__ import annotations

import random
from collections.abc import Sequence

from sebench.bank.definition import Definition, bank
from sebench.base.errors import ConfigError
from sebench.forge.catalog import catalog
from sebench.tasks import gold

ALWAYS = "array"  # converts lists to arrays; every slice has it
FEWEST = 6  # with fewer there are hardly any multi-function tasks


def by_subjects(subjects: Sequence[str]) -> frozenset[str]:
    """Return the functions in these subjects."""
    known = {subject.key for subject in catalog.subjects()}
    for subject in subjects:
        if subject not in known:
            raise ConfigError(f"unknown subject '{subject}'; choose from {', '.join(sorted(known))}")
    chosen = frozenset(e.path for e in catalog.seeded() if e.subject in subjects) | {ALWAYS}
    if not any(fits(d, chosen) for d in bank() if d.part == "multi"):
        raise ConfigError(f"no multi-function task uses only {', '.join(subjects)}; add a subject, such as sorting")
    return chosen


def by_count(count: int, seed: int) -> frozenset[str]:
    """Choose this many functions, using the seed, such that together they allow many multi-function tasks."""
    everything = [e.path for e in catalog.seeded()]
    if not FEWEST <= count <= len(everything):
        raise ConfigError(
            f"--functions {count}: choose {FEWEST} to {len(everything)}; fewer allow hardly any multi-function tasks"
        )
    rng = random.Random(f"slice:{seed}:{count}")
    needs = [frozenset(gold.functions(d.source)) for d in bank() if d.part == "multi"]
    rng.shuffle(needs)
    chosen = {ALWAYS}
    while needs:
        # the task that adds the fewest functions; among those, the first in the shuffled order
        best = min(needs, key=lambda task_functions: len(task_functions - chosen))
        if len(chosen | best) > count:
            break
        chosen |= best
        needs = [task_functions for task_functions in needs if not task_functions <= chosen]
    rest = sorted(set(everything) - chosen)
    rng.shuffle(rest)
    return frozenset(chosen | set(rest[: count - len(chosen)]))


def fits(definition: Definition, functions: frozenset[str]) -> bool:
    """Whether a task needs only these functions."""
    return functions.issuperset(gold.functions(definition.source))

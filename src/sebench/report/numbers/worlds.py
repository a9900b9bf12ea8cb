"""Combines runs of the same model with the same settings on several worlds into one number.

A world is a random draw: other names, other cases, partly other tasks. The accuracy is the mean over worlds, with equal
weights. With at least `intervals.FEW_WORLDS` worlds, the interval is Student's over their means, and generalizes to
other worlds. With two, or if all worlds have the same mean, the variance between them cannot be estimated. Then tasks
are resampled, each question together with all worlds that ask it, and the interval generalizes only to other tasks in
these worlds.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sebench.report.numbers import metrics
from sebench.report.numbers.intervals import Interval, accuracy_interval, worlds_interval
from sebench.report.numbers.metrics import TaskScore
from sebench.report.numbers.sources import Source


@dataclass(frozen=True)
class WorldsCell:
    """The numbers for one book, and one split or all tasks, over several worlds."""

    book: str
    split: str  # "" for all tasks
    worlds: int  # worlds with at least one answer that counts
    accuracy: float | None
    interval: Interval | None
    targeted: float | None
    targeted_interval: Interval | None
    tasks: int  # summed over worlds
    samples: int


@dataclass(frozen=True)
class Aggregate:
    """One model with one set of settings on several worlds."""

    model: str
    runs: tuple[str, ...]  # names in the report
    worlds: int
    label: str  # "3 worlds", preceded by the model or a run if there are several
    cells: tuple[WorldsCell, ...]


def settings_key(source: Source) -> str:
    """Return the key by which runs are grouped: their common settings."""
    return json.dumps(source.settings, sort_keys=True, default=str)


def aggregates(sources: Sequence[Source]) -> list[Aggregate]:
    """Return every group that has runs on at least two worlds."""
    by_settings: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        by_settings[settings_key(source)].append(source)
    groups = [members for members in by_settings.values() if len({source.fingerprint for source in members}) > 1]
    models = Counter(members[0].model for members in groups)
    totals = []
    for members in groups:
        first, worlds = members[0], len({source.fingerprint for source in members})
        whose = "" if len(groups) == 1 else f"{first.model if models[first.model] == 1 else first.name}, "
        names = tuple(source.name for source in members)
        totals.append(Aggregate(first.model, names, worlds, f"{whose}{worlds} worlds", tuple(_cells(members))))
    return totals


def _cells(members: Sequence[Source]) -> Iterator[WorldsCell]:
    rows = [row for source in members for row in source.scored]
    for book, of_book in metrics.by_book(rows).items():
        splits = list(metrics.group_rows(of_book, metrics.GROUPS["split"]))
        for split in ["", *splits] if len(splits) > 1 else [""]:
            scores: dict[str, list[TaskScore]] = defaultdict(list)
            for source in members:
                chosen = [row for row in source.scored if row.rollout.book == book and split in ("", row.task["split"])]
                scores[source.fingerprint] += metrics.scores(chosen).values()
            yield WorldsCell(book, split, **numbers_over_worlds(scores.values()))


def numbers_over_worlds(scored: Iterable[Iterable[TaskScore]]) -> dict[str, Any]:
    """Combine the scores from several worlds into the statistics of one report cell, keyed by field name."""
    worlds = [counted for of_world in scored if (counted := [score for score in of_world if score.samples])]
    scores = [score for of_world in worlds for score in of_world]
    accuracy, interval = estimate(worlds, lambda score: score.mean)
    known = all(score.targeted is not None for score in scores)
    targeted, targeted_interval = estimate(worlds if known else [], lambda score: score.targeted_mean or 0.0)
    return {
        "worlds": len(worlds),
        "accuracy": accuracy,
        "interval": interval,
        "targeted": targeted,
        "targeted_interval": targeted_interval,
        "tasks": len(scores),
        "samples": sum(score.samples for score in scores),
    }


def estimate(
    worlds: list[list[TaskScore]], value: Callable[[TaskScore], float]
) -> tuple[float | None, Interval | None]:
    """Return the mean over the scores in several worlds, with its interval (see the module docstring)."""
    if not worlds:
        return None, None
    values = [{score.task_id: value(score) for score in of_world} for of_world in worlds]
    means = [sum(of_world.values()) / len(of_world) for of_world in values]
    alike = len({score for of_world in values for score in of_world.values()}) == 1
    weighed = means[:1] * len(by_question(values)) if alike else by_question(values).values()
    return sum(means) / len(means), worlds_interval(means) or accuracy_interval(list(weighed))


def by_question(worlds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Return one value per question, weighted so that their mean is the mean over worlds.

    Questions differ in how many worlds ask them, and not by chance (a function with few questions has the same ones
    everywhere), so a plain mean over questions would differ from the mean over worlds.
    """
    nonempty = [of_world for of_world in worlds if of_world]
    totals: dict[str, float] = defaultdict(float)
    for of_world in nonempty:
        for task, value in of_world.items():
            totals[task] += value / len(of_world)
    return {task: totals[task] * len(totals) / len(nonempty) for task in sorted(totals)}

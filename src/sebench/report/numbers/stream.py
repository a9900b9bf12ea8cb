"""Streams: what a model knows of every world after every stage, what it forgets, and how fast it learns.

R[i, j] is the accuracy in world j after stage i of T, with the book closed; stage 0 is the untrained model.

    accuracy            mean over j of R[T, j]
    backward transfer   mean of R[T, j] - R[first stage that teaches j, j], over the worlds that the last stage does not
                        teach
    forgetting          mean over the same worlds of max R[l, j] - R[T, j] over l < T
    intransigence       mean over j of (joint training's accuracy in j) - R[first stage that teaches j, j]

Differences are paired by task and world. The following numbers are about known names, which the probe (`train/probes`)
measures during training, because measuring answers that often would take too long:

    learning speed      (area under the curve of j - area alone) / (1 - area alone), over the worlds after the first
    savings             1 - steps to relearn / steps to learn, counted until nine tenths of what was known after
                        learning are known; if relearning never gets there, all steps of the stage count
    lowest              the lowest share of an earlier world's names known at any time during a stage

A task that was right before a stage and is wrong after it is forgotten superficially if the names of its functions are
still known, and essentially if not. With several samples, a task counts as the share of its answers that changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sebench.base import files, ledger
from sebench.base.errors import ConfigError
from sebench.report.numbers import metrics, worlds
from sebench.report.numbers.compare import Share
from sebench.report.numbers.editions import stale_share
from sebench.report.numbers.intervals import Interval, accuracy_interval, difference_interval, sign_flip_p
from sebench.report.numbers.sources import read, response_notes
from sebench.rollout.store import Row, Run

FORMAT = 1
EXPERIMENT, STAGES, ROW = "experiment.json", "stages", "row.json"
SEQUENTIAL, ALONE, JOINT, REPLAY = "sequential", "alone", "joint", "replay"
CLOSED, NATIVE = "closed", "native"
FIRST = "name_first"  # in probes: the share of functions whose right name is the most likely one
KNOWN = 0.9  # of what was known after learning: from here on a world counts as learned again

Means = Mapping[str, float]  # of tasks, by id


@dataclass(frozen=True)
class AccuracyMatrix:
    """The matrix R for one split; each cell holds the means of its tasks."""

    stages: tuple[str, ...]  # the world that each stage teaches
    cells: Mapping[tuple[int, str], Means]  # by stage number and world

    @property
    def last(self) -> int:
        return len(self.stages)

    @property
    def worlds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.stages))

    def first(self, world: str) -> int:
        """Return the first stage that teaches a world."""
        return self.stages.index(world) + 1

    def accuracy(self, stage: int, world: str) -> float | None:
        return metrics.mean(self.cells.get((stage, world), {}).values())

    def older_worlds(self) -> list[str]:
        """Return the worlds that the last stage does not teach."""
        return [world for world in self.worlds if world != self.stages[-1]]

    def final(self) -> float | None:
        return metrics.mean(self.accuracy(self.last, world) for world in self.worlds)

    def backward_transfer(self) -> WorldsDifference:
        return _difference(
            (self.cells.get((self.first(w), w)), self.cells.get((self.last, w))) for w in self.older_worlds()
        )

    def forgetting(self) -> WorldsDifference:
        return _difference((self.cells.get((self.last, w)), self._best(w)) for w in self.older_worlds())

    def intransigence(self, joint: Mapping[str, Means]) -> WorldsDifference:
        return _difference((self.cells.get((self.first(world), world)), joint.get(world)) for world in self.worlds)

    def _best(self, world: str) -> Means | None:
        """Return the cell of the stage, before the last one, after which the world was known best."""
        before = [self.cells[stage, world] for stage in range(1, self.last) if (stage, world) in self.cells]
        return max(before, key=lambda cell: metrics.mean(cell.values()) or 0.0, default=None)


@dataclass(frozen=True)
class WorldsDifference:
    """The mean over worlds of paired differences between two sets of task means."""

    value: float | None
    interval: Interval | None
    p: float | None
    tasks: int


def _difference(pairs: Iterable[tuple[Means | None, Means | None]]) -> WorldsDifference:
    """Return the mean over worlds of (second - first), over the tasks that both have. A question that several worlds
    ask counts once in the interval."""
    by_world = [
        {task: other[task] - one[task] for task in one if task in other} for one, other in pairs if one and other
    ]
    gains = [of_world for of_world in by_world if of_world]
    if not gains:
        return WorldsDifference(None, None, None, 0)
    questions = list(worlds.by_question(gains).values())
    value = metrics.mean(metrics.mean(of_world.values()) for of_world in gains)
    return WorldsDifference(value, difference_interval(questions), sign_flip_p(questions), sum(map(len, gains)))


@dataclass(frozen=True)
class StreamCell:
    """The answers in one world after one stage."""

    method: str
    arm: str
    stage: int
    learned: str  # the world that the stage teaches; "" before the first
    world: str
    split: str
    accuracy: float | None
    interval: Interval | None
    tasks: int
    native: float | None  # accuracy of the same tasks with NumPy's names, if they were asked
    names_known: float | None  # share of the world's functions
    stale: Share | None  # in a new edition: share of answers to changed tasks that are for the old one


@dataclass(frozen=True)
class StageChange:
    """What a stage did to a world that it does not teach, or taught before."""

    method: str
    arm: str
    stage: int
    learned: str
    world: str
    split: str
    difference: WorldsDifference
    right_to_wrong: float | None
    wrong_to_right: float | None
    superficial: float | None  # share of the tasks that became wrong
    lowest: float | None  # share of names known, at its lowest during the stage


@dataclass(frozen=True)
class StreamSummary:
    """The results of one method and arm (sequential or replay) on one split."""

    method: str
    arm: str
    split: str
    accuracy: float | None
    backward_transfer: WorldsDifference
    forgetting: WorldsDifference
    intransigence: WorldsDifference
    speed: float | None
    savings: float | None


@dataclass(frozen=True)
class StreamReport:
    """Everything about a stream that is displayed."""

    format: int
    sebench: str
    title: str
    stages: tuple[str, ...]
    worlds: tuple[Mapping[str, Any], ...]
    summaries: tuple[StreamSummary, ...]
    cells: tuple[StreamCell, ...]
    changes: tuple[StageChange, ...]
    joint: tuple[StreamCell, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class _FinishedRow:
    """A finished row of a stream on disk."""

    about: Mapping[str, Any]  # its stage
    model: str  # the model that it starts from; "" if that is another row
    folder: Path
    runs: Mapping[str, Sequence[Row]] = field(default_factory=dict)  # closed-book answers, by world
    native: Mapping[str, Sequence[Row]] = field(default_factory=dict)  # answers with NumPy's names, by world
    known: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)  # by world and function

    @property
    def number(self) -> int:
        return int(self.about["number"])

    def means(self, world: str, split: str) -> dict[str, float]:
        return _means(self.runs.get(world, ()), split)

    def native_accuracy(self, world: str, split: str) -> float | None:
        return metrics.mean(_means(self.native.get(world, ()), split).values())

    def names_known(self, world: str) -> float | None:
        return metrics.mean(float(known) for known in self.known.get(world, {}).values())

    @cached_property
    def curves(self) -> dict[str, list[tuple[int, float]]]:
        """The share of names known during training, by the folder name of a world ("" for the one that is taught), as
        pairs of step and share."""
        curves: dict[str, list[tuple[int, float]]] = {}
        for _, line in ledger.lines(self.folder / "model" / "probes.jsonl"):
            for name, value in line.items():
                if name == FIRST or name.endswith(f": {FIRST}"):
                    curves.setdefault(name.removesuffix(FIRST).removesuffix(": "), []).append((line["step"], value))
        return curves


def report(folder: Path) -> StreamReport:
    """Compute the report on the finished rows of a stream."""
    experiment = files.read_json(folder / EXPERIMENT)
    if not experiment or not experiment.get("stages"):
        raise ConfigError(f"{folder} is not the folder of a stream: {EXPERIMENT} cannot be read, or has no stages")
    stages, notes = tuple(experiment["stages"]), list[str]()
    rows = [row for one in experiment["methods"] if (row := _finished_row(folder, one, notes))]
    if not rows:
        raise ConfigError(
            f"{folder} has no finished row to report on; repeat the 'sebench stream' command to resume it"
        )
    folders = {str(world["name"]): str(world["folder"]) for world in experiment["worlds"]}
    splits = list(dict.fromkeys(row.task["split"] for one in rows for run in one.runs.values() for row in run))
    splits.sort(key=metrics.place(metrics.SPLIT_ORDER))
    untrained = [row for row in rows if not row.about["arm"]]
    methods = list(dict.fromkeys(str(row.about["method"]) for row in rows if row.about["arm"]))
    summaries, cells, changes, joint_cells = [], [], [], []
    for split in splits:
        used_rows: set[int] = set()
        for method in methods:
            own = [row for row in rows if row.about["method"] == method]
            joint = [row for row in own if row.about["arm"] == JOINT]
            joint_cells += [_cell(row, world, split) for row in joint for world in row.runs]
            for arm in (SEQUENTIAL, REPLAY):
                chain = _chain(own, arm)
                if not chain:
                    continue
                whole = [*[row for row in untrained if row.model == chain[0].model][:1], *chain]
                used_rows |= {id(row) for row in whole}
                matrix = AccuracyMatrix(stages, {(r.number, w): r.means(w, split) for r in whole for w in r.runs})
                summaries.append(_summary(method, arm, split, matrix, chain, own, joint))
                cells += [_cell(r, world, split, method, arm) for r in whole for world in r.runs]
                changes += list(_changes(method, arm, split, chain, folders))
        others = [row for row in untrained if id(row) not in used_rows]
        cells += [_cell(row, world, split) for row in others for world in row.runs]
    return StreamReport(
        format=FORMAT,
        sebench=str(experiment["sebench"]),
        title=str(experiment["file"]).removesuffix(".toml"),
        stages=stages,
        worlds=tuple(experiment["worlds"]),
        summaries=tuple(summaries),
        cells=tuple(cells),
        changes=tuple(changes),
        joint=tuple(joint_cells),
        notes=tuple(notes),
    )


# ---- reading ---------------------------------------------------------------------------------------------------------


def _finished_row(folder: Path, one: Mapping[str, Any], notes: list[str]) -> _FinishedRow | None:
    place, stage = folder / STAGES / str(one["name"]), one["stage"]
    row = files.read_json(place / ROW)
    if not row.get("done") or row["done"] != row.get("settings"):
        notes.append(f"{one['name']} is not finished; repeat the command to resume it")
        return None
    sources = {world: read([Run.load(place / f"run-{world}")])[0] for world in stage["test_worlds"]}
    notes += [f"{one['name']}, {world}: {note}" for world in sources for note in response_notes(sources[world].rows)]
    runs, native = (
        {world: [row for row in source.scored if row.rollout.book == book] for world, source in sources.items()}
        for book in (CLOSED, NATIVE)
    )
    probes = {world: files.read_json(place / f"probes-{world}.json") for world in stage["test_worlds"]}
    known = {
        world: {probe["path"]: probe["name"]["rank"] == 1 for probe in data["functions"] if probe["name"]}
        for world, data in probes.items()
        if data
    }
    return _FinishedRow(stage, str(one["model"]), place, runs, native, known)


def _means(answers: Sequence[Row], split: str) -> dict[str, float]:
    """Return the share of right answers to each task in a split."""
    rows = [row for row in answers if row.task["split"] == split]
    return {task: score.mean for task, score in metrics.scores(rows).items() if score.samples}


def _chain(rows: Sequence[_FinishedRow], arm: str) -> list[_FinishedRow]:
    """Return the stages of an arm in order; the stages before its first row are those of the sequential arm."""
    own = {row.number: row for row in rows if row.about["arm"] == arm}
    first = min(own, default=0)
    shared = {row.number: row for row in rows if row.about["arm"] == SEQUENTIAL and row.number < first}
    return [row for _, row in sorted({**shared, **own}.items())]


# ---- numbers ---------------------------------------------------------------------------------------------------------


def _cell(row: _FinishedRow, world: str, split: str, method: str = "", arm: str = "") -> StreamCell:
    means = row.means(world, split)
    stale = stale_share([one for one in row.runs[world] if one.task["split"] == split])
    return StreamCell(
        method=method or str(row.about["method"]),
        arm=arm or str(row.about["arm"]),
        stage=row.number,
        learned=str(row.about["world"]) if row.number else "",
        world=world,
        split=split,
        accuracy=metrics.mean(means.values()),
        interval=accuracy_interval(list(means.values())),
        tasks=len(means),
        native=row.native_accuracy(world, split),
        names_known=row.names_known(world),
        stale=stale,
    )


def _summary(
    method: str,
    arm: str,
    split: str,
    matrix: AccuracyMatrix,
    chain: Sequence[_FinishedRow],
    rows: Sequence[_FinishedRow],
    joint: Sequence[_FinishedRow],
) -> StreamSummary:
    joint_means = {world: row.means(world, split) for row in joint for world in row.runs}
    return StreamSummary(
        method=method,
        arm=arm,
        split=split,
        accuracy=matrix.final() if len(chain) == matrix.last else None,
        backward_transfer=matrix.backward_transfer(),
        forgetting=matrix.forgetting(),
        intransigence=matrix.intransigence(joint_means),
        speed=_speed(chain, rows),
        savings=_savings(chain),
    )


def _changes(
    method: str, arm: str, split: str, chain: Sequence[_FinishedRow], folders: Mapping[str, str]
) -> Iterator[StageChange]:
    """Yield what every stage after the first did to the worlds that were asked about before it."""
    for before, after in itertools.pairwise(chain):
        if after.number != before.number + 1:
            continue  # a stage between them has failed
        for world in before.runs:
            old, new = before.means(world, split), after.means(world, split)
            shared = [task for task in old if task in new]
            lost = {task: old[task] - new[task] for task in shared if old[task] > new[task]}
            teaches = world == after.about["world"]
            points = [value for _, value in after.curves.get("" if teaches else folders[world], ())]
            yield StageChange(
                method=method,
                arm=arm,
                stage=after.number,
                learned=str(after.about["world"]),
                world=world,
                split=split,
                difference=_difference([(old, new)]),
                right_to_wrong=metrics.mean(lost.get(task, 0.0) for task in shared),
                wrong_to_right=metrics.mean(max(new[task] - old[task], 0.0) for task in shared),
                superficial=_superficial(after, world, lost),
                lowest=min(points, default=None) if len(points) > 1 else None,
            )


def _superficial(row: _FinishedRow, world: str, lost: Mapping[str, float]) -> float | None:
    """Return the share of the lost accuracy that is in tasks for which the names of all functions are still known."""
    known = row.known.get(world)
    if not known or not lost:
        return None
    forged = {one.rollout.task_id: one.task["forged"] for one in row.runs[world]}
    still = [task for task in lost if all(known.get(name, True) for name in forged[task])]
    return sum(lost[task] for task in still) / sum(lost.values())


def _speed(chain: Sequence[_FinishedRow], rows: Sequence[_FinishedRow]) -> float | None:
    """Return how much faster worlds after the first are learned in the stream than alone."""
    alone = {str(row.about["world"]): row for row in rows if row.about["arm"] == ALONE}
    taught: set[str] = set()
    speeds = []
    for row in chain:
        world = str(row.about["world"])
        if world in alone and world not in taught:
            here, there = area(row.curves.get("", ())), area(alone[world].curves.get("", ()))
            if here is not None and there is not None and there < 1:
                speeds.append((here - there) / (1 - there))
        taught.add(world)
    return metrics.mean(speeds)


def _savings(chain: Sequence[_FinishedRow]) -> float | None:
    """Return the share of the steps needed to learn a world that is saved when it is taught again."""
    learned: dict[str, Sequence[tuple[int, float]]] = {}
    saved = []
    for row in chain:
        world, curve = str(row.about["world"]), row.curves.get("", ())
        if first := learned.get(world):
            goal = KNOWN * first[-1][1]
            steps, again = steps_to(first, goal), steps_to(curve, goal)
            if steps and curve:  # if it is never relearned, all steps of the stage count
                saved.append(1 - (curve[-1][0] if again is None else again) / steps)
        learned.setdefault(world, curve)
    return metrics.mean(saved)


def area(curve: Sequence[tuple[int, float]]) -> float | None:
    """Return the mean height of a curve over its steps (trapezoids); None with fewer than two points."""
    if len(curve) < 2 or curve[-1][0] == curve[0][0]:
        return None
    sides = itertools.pairwise(curve)
    return sum((b - a) * (x + y) / 2 for (a, x), (b, y) in sides) / (curve[-1][0] - curve[0][0])


def steps_to(curve: Sequence[tuple[int, float]], goal: float) -> float | None:
    """Return the step at which a curve first reaches a value, interpolated between points; None if it never does."""
    for (a, x), (b, y) in itertools.pairwise(curve):
        if x >= goal:
            return float(a)
        if y >= goal:
            return a + (b - a) * (goal - x) / (y - x)
    return None

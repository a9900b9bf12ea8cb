"""Builds an `ExperimentReport` from an experiment on disk: the results of each training method, per world and over all
worlds.

    compare(Path("runs/paradox"))

A row is one method in one world. Only files are read: experiment.json, each row's learn.json, log.jsonl and
probes.jsonl, and its runs. Accuracies over several worlds are computed by `worlds.py`. Differences and ratios are over
pairs: the same task of the same world on both sides; the same question in several worlds is resampled as one.

`ratio_base` is closed-book accuracy after training divided by native accuracy before it; `ratio_matched` is closed-book
accuracy divided by the native accuracy of a control that was trained on the same data with NumPy's names (a row of the
method native-sft). Native accuracy after training only measures forgetting.

Not covered: choosing a method. P-values are for single comparisons, without a correction for multiple testing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

from sebench.base import files, ledger
from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.report.numbers import metrics, worlds
from sebench.report.numbers.compare import NATIVE, paired_numbers, ratio_numbers
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.metrics import AnswerOutcome, ErrorKind, TaskScore
from sebench.report.numbers.sources import Source, read, response_notes, sample_note, scoring_note
from sebench.rollout.store import Row, Run
from sebench.train.config import MATCHED

FORMAT = 1
EXPERIMENT, ROW, LEARN, LOG, PROBES = "experiment.json", "row.json", "learn.json", "log.jsonl", "probes.jsonl"
UNTRAINED, CONTROL = "none", "native-sft"  # methods with which the others are compared
PLAYS = "selfplay"
SEEN = "seen"  # used as a split: training questions, asked again
VALIDATION = "validation.jsonl"
NOT_PROBES = ("step", "tokens", "epoch", "s", "tasks")
OF_RL = ("reward", "mixed")  # values logged at every step, besides the probes
ARRAY = "array"  # the array constructor; calling it shows no knowledge

Scores = Mapping[str, Mapping[str, TaskScore]]  # by world, then by task


@dataclass(frozen=True)
class Curve:
    """The log of one training run."""

    world: str
    loss: tuple[tuple[int, float], ...]  # step, loss
    probes: Mapping[str, tuple[tuple[int, float], ...]]


@dataclass(frozen=True)
class MethodReport:
    """One method, with the cost of its training runs as means over worlds."""

    name: str
    method: str
    start: str  # the method that it starts from
    model: str
    rows: float | None  # training examples per epoch; None without training
    steps: float | None
    tokens: float | None  # over all steps
    seconds: float | None
    probes: Mapping[str, float]  # at the end of training
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Figure:
    """The results for one method, split and book."""

    method: str
    split: str  # "seen" for training questions asked again
    book: str
    worlds: int
    accuracy: float | None
    interval: Interval | None
    targeted: float | None
    targeted_interval: Interval | None
    tasks: int  # summed over worlds
    samples: int
    real: float | None  # share of answers that call a function of the library, other than the array constructor
    right: float | None  # share of answers that call every function that the task needs
    by_world: Mapping[str, float | None]  # accuracy
    k: int = 1  # samples per task
    pass_at_k: float | None = None  # share of tasks that at least one sample solves


@dataclass(frozen=True)
class MethodDifference:
    """The accuracy of `after` minus that of `before`, over the tasks that count on both sides."""

    before: str
    after: str
    split: str
    book: str
    tasks: int  # summed over worlds
    accuracy_before: float
    accuracy_after: float
    difference: float
    interval: Interval
    p: float


@dataclass(frozen=True)
class LearntRatio:
    """The closed-book accuracy of one method divided by the native accuracy of another."""

    name: str  # "ratio_base" or "ratio_matched"
    method: str
    native: str  # the method in the denominator
    split: str
    tasks: int
    successes: int  # native answers that are right
    ratio: float | None  # None below `LEAST` successes
    interval: Interval | None


@dataclass(frozen=True)
class MethodErrors:
    """The wrong answers of a method by kind, over all worlds."""

    method: str
    kinds: tuple[ErrorKind, ...]


@dataclass(frozen=True)
class ExperimentReport:
    """All results of an experiment."""

    format: int
    sebench: str
    title: str
    baseline: str
    worlds: tuple[Mapping[str, Any], ...]
    methods: tuple[MethodReport, ...]
    figures: tuple[Figure, ...]
    differences: tuple[MethodDifference, ...]  # from the baseline
    forgetting: tuple[MethodDifference, ...]  # native accuracy, compared with the untrained model
    ratios: tuple[LearntRatio, ...]
    errors: tuple[MethodErrors, ...]
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def figure(self, method: str, split: str, book: str) -> Figure | None:
        key = method, split, book
        return next((f for f in self.figures if (f.method, f.split, f.book) == key), None)


@dataclass(frozen=True)
class _MethodRows:
    """The finished rows of one method."""

    settings: Mapping[str, Any]  # from experiment.json
    rows: Mapping[str, Sequence[Row]]  # by world
    seen: Mapping[str, Sequence[Row]]
    folders: Mapping[str, Path]  # of the trained models, by world

    @property
    def name(self) -> str:
        return str(self.settings["name"])

    def cells(self) -> list[tuple[str, str]]:
        """Return every split and book that was tested."""
        cells = {(row.task["split"], row.rollout.book) for rows in self.rows.values() for row in rows}
        split_place, book_place = metrics.place(metrics.SPLIT_ORDER), metrics.place(metrics.BOOK_ORDER)
        ordered = sorted(cells, key=lambda cell: (split_place(cell[0]), book_place(cell[1])))
        return [*ordered, *([(SEEN, "closed")] if self.seen else [])]

    def of(self, split: str, book: str) -> dict[str, list[Row]]:
        """Return the answers for a split and book, by world."""
        cell = {
            world: [row for row in rows if row.rollout.book == book and split in (SEEN, row.task["split"])]
            for world, rows in (self.seen if split == SEEN else self.rows).items()
        }
        return {world: rows for world, rows in cell.items() if rows}

    def scores(self, split: str, book: str, as_numpy: bool = False) -> Scores:
        """Return the scores by world; with `as_numpy`, only for tasks about functions that do what NumPy's do."""
        rows = self.of(split, book)
        kept = {world: [r for r in some if not (as_numpy and metrics.is_changed(r))] for world, some in rows.items()}
        return {world: metrics.scores(some) for world, some in kept.items()}


def compare(folder: Path) -> ExperimentReport:
    """Compute the report on an experiment's finished rows."""
    experiment = _experiment(folder)
    notes: list[str] = []
    rules: dict[str, int] = {}
    methods = [m for m in (_method(folder, experiment, one, notes, rules) for one in experiment["methods"]) if m.rows]
    if not methods:
        raise ConfigError(
            f"{folder} has no finished row to report on; repeat the 'sebench experiment' command to resume it"
        )
    notes += [*(note for m in methods for note in _divergence_notes(m)), *_control_notes(methods), *scoring_note(rules)]
    base = next((m for m in methods if m.name == experiment["baseline"]), methods[0])
    untrained = [m for m in methods if _is_untrained(m.settings)]
    return ExperimentReport(
        format=FORMAT,
        sebench=str(experiment["sebench"]),
        title=str(experiment["file"]).removesuffix(".toml"),
        baseline=base.name,
        worlds=tuple(experiment["worlds"]),
        methods=tuple(_report(m) for m in methods),
        figures=tuple(_figure(m, split, book) for m in methods for split, book in m.cells()),
        differences=tuple(_differences(base, methods)),
        forgetting=tuple(
            d for m in untrained for d in _differences(m, _with_model_of(m, methods, experiment), (NATIVE,))
        ),
        ratios=tuple(_ratios(methods, experiment)),
        errors=tuple(MethodErrors(m.name, tuple(metrics.error_kinds(chain(*m.rows.values())))) for m in methods),
        notes=tuple(notes),
    )


# ---- reading ------------------------------------------------------------------------------------------------


def _experiment(folder: Path) -> dict[str, Any]:
    data = files.read_json(folder / EXPERIMENT)
    if not data:
        raise ConfigError(f"{folder} is not an experiment folder: {EXPERIMENT} cannot be read")
    if data.get("format") != FORMAT:
        raise ConfigError(
            f"{folder / EXPERIMENT} has format {data.get('format')}, but this version of sebench reads format {FORMAT}"
        )
    return data


def _method(
    folder: Path, experiment: Mapping[str, Any], one: Mapping[str, Any], notes: list[str], rules: dict[str, int]
) -> _MethodRows:
    """Return the finished rows of a method. Add a note to `notes` for each world in which it is unfinished or had
    problems, and the scoring rules of each finished row to `rules`."""
    rows: dict[str, Sequence[Row]] = {}
    seen: dict[str, Sequence[Row]] = {}
    folders = {}
    for world in (str(w["name"]) for w in experiment["worlds"]):
        place = folder / world / str(one["name"])
        row = files.read_json(place / ROW)
        if not row.get("done") or row["done"] != row.get("settings"):
            notes.append(f"{world}/{one['name']} is not finished; repeat the command to resume it")
            continue
        if one["method"] == PLAYS and not (place / "model").exists():
            notes.append(f"{world}/{one['name']}: its rounds had no examples to train on, so it is not trained further")
        source = _source(place / "run")
        rules[f"{world}/{one['name']}"] = source.run.manifest.scoring
        rows[world], folders[world] = source.scored, place / "model"
        if (place / "seen" / "run.json").is_file():
            seen[world] = _source(place / "seen").rows
        if missing := source.run.manifest.isolation_missing:
            notes.append(f"{world}/{one['name']} was judged without {', '.join(missing)}")
        outcomes = Counter(metrics.outcome(row) for row in (*source.scored, *seen.get(world, ())))
        lost = outcomes.pop(AnswerOutcome.NO_RESPONSE, 0)
        if lost:
            notes.append(
                f"{world}/{one['name']}: {lost:,} of {counted(outcomes.total() + lost, 'request')} got no response"
            )
        if faults := sum(count for outcome, count in outcomes.items() if not outcome.counts):
            have = counted(faults, "answer has", "answers have")
            notes.append(
                f"{world}/{one['name']}: {have} no usable verdict, and {'does' if faults == 1 else 'do'} not count"
            )
        notes += [f"{world}/{one['name']}: {note}" for note in response_notes(source.rows)]
        if source.run.manifest.config["limit"] and (sample := f"{world}: {sample_note(source)}") not in notes:
            notes.append(sample)
    return _MethodRows(one, rows, seen, folders)


def _source(folder: Path) -> Source:
    return read([Run.load(folder)])[0]


def _lines(file: Path) -> list[dict[str, Any]]:
    """Return the last line for each step in a log; a resumed training run may have written some steps twice."""
    by_step = {int(line["step"]): line for _, line in ledger.lines(file) if "step" in line}
    return [by_step[step] for step in sorted(by_step)]


# ---- numbers ------------------------------------------------------------------------------------------------


def _report(method: _MethodRows) -> MethodReport:
    logs = {world: _lines(folder / LOG) for world, folder in method.folders.items()}
    learnt = [files.read_json(folder / LEARN) for folder in method.folders.values()]
    curves = tuple(_curve(world, logs[world], _probes(folder)) for world, folder in method.folders.items())
    names = dict.fromkeys(name for curve in curves for name in curve.probes)
    return MethodReport(
        name=method.name,
        method=str(method.settings["method"]),
        start=str(method.settings["from"]),
        model=str(method.settings["model"]),
        rows=metrics.mean(data.get("rows") for data in learnt),
        steps=metrics.mean(data.get("steps") for data in learnt),
        tokens=metrics.mean(sum(line.get("tokens", 0) for line in log) for log in logs.values() if log),
        seconds=metrics.mean(data.get("seconds") for data in learnt),
        probes={
            n: v for n in names if (v := metrics.mean(c.probes[n][-1][1] for c in curves if n in c.probes)) is not None
        },
        curves=tuple(curve for curve in curves if curve.loss or curve.probes),
    )


def _divergence_notes(method: _MethodRows) -> Iterator[str]:
    """Yield a note for each training run whose loss became NaN or infinite."""
    for world, folder in method.folders.items():
        lost = [line["step"] for line in _lines(folder / LOG) if not isfinite(line.get("loss", 0.0))]
        if lost:
            yield f"{world}/{method.name}: the loss is NaN or infinite from step {lost[0]} on; lower the learning rate"


def _control_notes(methods: Sequence[_MethodRows]) -> Iterator[str]:
    """Yield a note for each method whose control was trained with other settings, which makes their ratio less
    meaningful."""
    for control in (m for m in methods if m.settings["method"] == CONTROL):
        for method in (m for m in methods if m.settings["method"] != CONTROL and not _is_untrained(m.settings)):
            one, other = (
                files.read_json(next(iter(m.folders.values())) / LEARN).get("config", {}) for m in (method, control)
            )
            differing = [key for key in MATCHED if key in one and key in other and one[key] != other[key]]
            if differing:
                names = ", ".join(differing)
                yield f"ratio_matched of {method.name}: the control {control.name} was trained with different {names}"


def _probes(folder: Path) -> list[dict[str, Any]]:
    """Return the measurements during and after training: probes, and answers to held-out training tasks."""
    held_out = [
        {"step": line["step"], **{f"held-out, {k}": v for k, v in line.items() if k not in NOT_PROBES}}
        for line in _lines(folder / VALIDATION)
    ]
    return [*_lines(folder / PROBES), *held_out]


def _curve(world: str, log: Sequence[Mapping[str, Any]], probes: Sequence[Mapping[str, Any]]) -> Curve:
    """Return the curves of one training run. RL is shown by its rewards, because a policy loss has no meaningful
    scale."""
    points: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for line in probes:
        for name, value in line.items():
            if name not in NOT_PROBES and isinstance(value, int | float):
                points[name].append((int(line["step"]), float(value)))
    rewarded = [line for line in log if "reward" in line]
    for name in OF_RL:
        points[name] += [(int(line["step"]), float(line[name])) for line in rewarded if name in line]
    loss = tuple((int(line["step"]), float(line["loss"])) for line in log if "loss" in line and "reward" not in line)
    return Curve(world, loss, {name: tuple(values) for name, values in points.items() if values})


def _figure(method: _MethodRows, split: str, book: str) -> Figure:
    scored = method.scores(split, book)
    calls = [call for of_world in method.of(split, book).values() for call in _calls(of_world)]
    counted = [[score for score in scores.values() if score.samples] for scores in scored.values()]
    return Figure(
        method=method.name,
        split=split,
        book=book,
        **worlds.numbers_over_worlds(scores.values() for scores in scored.values()),
        real=metrics.mean(real for real, _ in calls),
        right=metrics.mean(right for _, right in calls),
        by_world={world: metrics.accuracy(scores.values()) for world, scores in scored.items()},
        k=max((score.samples for scores in counted for score in scores), default=1),
        pass_at_k=metrics.mean(metrics.mean(float(score.passed > 0) for score in scores) for scores in counted),
    )


def _calls(rows: Sequence[Row]) -> Iterator[tuple[bool, bool]]:
    """Yield, for every answer that counts, whether it calls any function of the library, and whether it calls every one
    that the task needs."""
    forged = {path: name for row in rows for path, name in zip(row.task["functions"], row.task["forged"], strict=False)}
    ignored = {forged[ARRAY]} if ARRAY in forged else set()
    for row in rows:
        if row.verdict is not None and metrics.outcome(row).counts:
            called, needed = set(row.verdict.functions), set(row.task["forged"])
            yield bool(called - ignored), (needed - ignored or needed) <= called


def _differences(
    base: _MethodRows, methods: Iterable[_MethodRows], books: Sequence[str] = ()
) -> Iterator[MethodDifference]:
    """Yield the difference between each method and the base, for every split and book that both have."""
    for other in methods:
        for split, book in base.cells() if other is not base else []:
            if not books or book in books:
                before, after, tasks = _pair_by_question(base.scores(split, book), other.scores(split, book))
                if numbers := paired_numbers(before, after):
                    yield MethodDifference(base.name, other.name, split, book, tasks, **numbers)


def _ratios(methods: Sequence[_MethodRows], experiment: Mapping[str, Any]) -> Iterator[LearntRatio]:
    """Yield every trained method's closed-book accuracy divided by the native accuracy of the untrained model it
    started from, and by that of each control."""
    for above in methods:
        if above.settings["method"] == CONTROL or _is_untrained(above.settings):
            continue
        for below in methods:
            matched = below.settings["method"] == CONTROL
            same = _is_untrained(below.settings) and above in _with_model_of(below, methods, experiment)
            for split, book in below.cells() if matched or same else []:
                native, closed = below.scores(split, NATIVE, True), above.scores(split, "closed", True)
                if book == NATIVE and closed:
                    name = "ratio_matched" if matched else "ratio_base"
                    under, over, tasks = _pair_by_question(native, closed)
                    successes = sum(native[w][t].passed for w, t in _shared(native, closed))
                    numbers = ratio_numbers(over, under, successes)
                    yield LearntRatio(name, above.name, below.name, split, tasks, **numbers)


def _is_untrained(settings: Mapping[str, Any]) -> bool:
    """Whether a row evaluates an untrained model, without a memory."""
    return settings["method"] == UNTRAINED and not settings["from"] and not settings.get("memory")


def _with_model_of(
    untrained: _MethodRows, methods: Sequence[_MethodRows], experiment: Mapping[str, Any]
) -> list[_MethodRows]:
    """Return the methods that start from the model of an untrained row."""
    every = {str(m["name"]): m for m in experiment["methods"]}
    return [m for m in methods if _root(m.settings, every)["model"] == untrained.settings["model"]]


def _root(method: Mapping[str, Any], every: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    """Follow `from` back to the method at which a chain of methods starts, and return its settings."""
    while method["from"]:
        method = every[str(method["from"])]
    return method


def _shared(before: Scores, after: Scores) -> Iterator[tuple[str, str]]:
    """Yield the worlds and tasks that count on both sides."""
    for world in sorted(before.keys() & after.keys()):
        yield from ((world, task) for task in metrics.shared_tasks(before[world], after[world]))


def _pair_by_question(before: Scores, after: Scores) -> tuple[list[float], list[float], int]:
    """Return the values of both sides by question, weighted as in `worlds.by_question`, over the tasks that count on
    both, and the number of those tasks."""
    shared = list(_shared(before, after))
    sides = []
    for scores in (before, after):
        means: dict[str, dict[str, float]] = defaultdict(dict)
        for world, task in shared:
            means[world][task] = scores[world][task].mean
        sides.append(list(worlds.by_question(list(means.values())).values()))
    return sides[0], sides[1], len(shared)

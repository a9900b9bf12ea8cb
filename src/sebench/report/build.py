"""Runs on disk to one `Report`: every number that tables, files and pages show. Nothing is computed after this.

Runs stand side by side whatever they are. Pairs are compared only where they answer the same tasks of the same world; where
that cannot be, a note says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import sebench
from sebench.errors import ConfigError
from sebench.forge import catalog
from sebench.report import compare, metrics, recall
from sebench.report.compare import Comparison
from sebench.report.metrics import Cell, ErrorKind, Outcome, Totals
from sebench.report.native import NativeBook, Ratio, native_books, ratios
from sebench.report.recall import Confusion, FunctionRecall, Invented
from sebench.store import Row, Run

FORMAT = 1


@dataclass(frozen=True)
class RunReport:
    """The numbers of one run."""

    name: str
    path: str
    model: str
    config: Mapping[str, Any]
    world: Mapping[str, Any]
    prompts: Mapping[str, Any]
    versions: Mapping[str, Any]
    machine: str
    tasks: int
    responses: int
    expected: int  # tasks x books x samples
    cells: tuple[Cell, ...]
    errors: tuple[ErrorKind, ...]
    book_dependence: tuple[Comparison, ...]
    functions: tuple[FunctionRecall, ...]
    confusions: tuple[Confusion, ...]
    invented: tuple[Invented, ...]
    totals: tuple[Totals, ...]

    def cell(self, book: str, group: str = "all", value: str = "") -> Cell | None:
        return self._cells.get((book, group, value))

    @cached_property
    def _cells(self) -> dict[tuple[str, str, str], Cell]:
        return {(c.book, c.group, c.value): c for c in self.cells}

    @property
    def books(self) -> list[str]:
        return [c.book for c in self.cells if c.group == "all"]

    @property
    def splits(self) -> list[str]:
        """In the order of reports."""
        found = dict.fromkeys(c.value for c in self.cells if c.group == "split")
        return list(found)


@dataclass(frozen=True)
class Report:
    """Everything that was found about some runs."""

    format: int
    sebench: str
    baseline: str  # the run that others are compared with; "" for one run
    runs: tuple[RunReport, ...]
    comparisons: tuple[Comparison, ...]  # of each run with the baseline
    notes: tuple[str, ...]  # what a reader must know before believing a number
    native: tuple[NativeBook, ...] = ()  # of runs that were asked about NumPy itself
    ratio_base: tuple[Ratio, ...] = ()  # closed / native

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Source:
    """A run that was read once: name in the report, and rows."""

    run: Run
    name: str
    rows: tuple[Row, ...]

    @property
    def fingerprint(self) -> str:
        return str(self.run.manifest["world"]["fingerprint"])


def read(runs: Sequence[Run]) -> list[Source]:
    """The rows of the runs, each run under a name of its own."""
    if not runs:
        raise ConfigError("no run to report on; make one with 'sebench run'")
    paths = [run.path.resolve() for run in runs]
    twice = next((path for path, n in Counter(paths).items() if n > 1), None)
    if twice:
        raise ConfigError(f"{twice} is given twice")
    names = _names(runs)
    return [Source(run, name, _rows(run)) for run, name in zip(runs, names, strict=True)]


def compute(sources: Sequence[Source], baseline: str = "") -> Report:
    """The report. Each run is compared with `baseline` (a name of a source), by default with the first.

    A baseline that was asked for must be comparable; one that is only the first of several need not.
    """
    base = next((source for source in sources if source.name == baseline), sources[0])
    comparisons: list[Comparison] = []
    notes = [note for source in sources for note in _notes(source)]
    for other in sources:
        if other is base:
            continue
        if reason := _incomparable(base, other):
            if baseline:
                raise ConfigError(f"{reason}; leave --baseline out to see them side by side")
            notes.append(f"{reason}: side by side, not compared")
            continue
        comparisons += compare.runs((base.name, base.rows), (other.name, other.rows))
        if differing := _differing(base, other):
            notes.append(f"{base.name} and {other.name} differ in {differing}")
    return Report(
        format=FORMAT,
        sebench=sebench.__version__,
        baseline=base.name if len(sources) > 1 else "",
        runs=tuple(_run_report(source) for source in sources),
        comparisons=tuple(comparisons),
        notes=tuple(notes),
        native=tuple(native_books(sources)),
        ratio_base=tuple(ratios(sources)),
    )


def _run_report(source: Source) -> RunReport:
    manifest, rows = source.run.manifest, source.rows
    config = manifest["config"]
    return RunReport(
        name=source.name,
        path=str(source.run.path),
        model=config["model"],
        config=config,
        world=manifest["world"],
        prompts=manifest["prompts"],
        versions=manifest["versions"],
        machine=manifest["machine"],
        tasks=len(source.run.tasks),
        responses=len(rows),
        expected=_expected(source.run),
        cells=tuple(metrics.cells(rows)),
        errors=tuple(metrics.error_kinds(rows)),
        book_dependence=tuple(compare.book_dependence(source.name, rows)),
        functions=tuple(recall.functions(rows, recall.subjects(source.run.tasks.values(), _subject))),
        confusions=tuple(recall.confusions(rows)),
        invented=tuple(recall.invented(rows)),
        totals=tuple(metrics.totals(rows)),
    )


def _rows(run: Run) -> tuple[Row, ...]:
    try:
        rows = tuple(run.rows())
    except (KeyError, TypeError, ValueError) as error:
        raise ConfigError(f"run {run.path} is damaged: a line cannot be read ({error})") from None
    if not rows:
        raise ConfigError(f"run {run.path} has no responses yet; the 'sebench run' that began it continues it")
    return rows


def _names(runs: Sequence[Run]) -> list[str]:
    """The folder names; with as many parent folders as it takes to tell them apart."""
    for depth in range(1, 20):
        names = ["/".join(run.path.resolve().parts[-depth:]) for run in runs]
        if len(set(names)) == len(names):
            break
    return names


def _expected(run: Run) -> int:
    """How many responses the run will have; rollouts from elsewhere say it themselves."""
    config = run.manifest["config"]
    return int(run.manifest.get("responses") or len(run.tasks) * len(config["book"]) * int(config["samples"]))


def _subject(path: str) -> str:
    """The catalog's subject of an original function; a task from elsewhere may need one that it does not have."""
    entry = catalog.by_any_name().get(path)
    return entry.subject if entry else "other"


def _notes(source: Source) -> list[str]:
    """What is not as it should be with one run."""
    notes: list[str] = []
    expected, outcomes = _expected(source.run), Counter(map(metrics.outcome, source.rows))
    if len(source.rows) < expected:
        notes.append(f"{source.name} is not finished: {len(source.rows):,} of {expected:,} responses are there")
    if n := outcomes[Outcome.NO_RESPONSE]:
        notes.append(f"{source.name}: {n:,} responses were not given by the provider; the same command asks again")
    if n := outcomes[Outcome.UNJUDGED]:
        notes.append(f"{source.name}: {n:,} responses have no verdict yet")
    if n := outcomes[Outcome.FAULT]:
        faulty = (row.verdict for row in source.rows if metrics.outcome(row) is Outcome.FAULT)
        whose = ", ".join(sorted({verdict.blame.value for verdict in faulty if verdict}))
        notes.append(f"{source.name}: {n:,} verdicts are faults, neither right nor wrong (blame: {whose})")
    if missing := source.run.manifest.get("isolation_missing"):
        notes.append(f"{source.name} was judged without {', '.join(missing)}")
    if source.run.manifest["config"]["limit"]:
        notes.append(f"{source.name} is a slice: {len(source.run.tasks)} tasks, drawn with --limit")
    return notes


def _incomparable(base: Source, other: Source) -> str:
    """Why two runs cannot be paired; "" if they can."""
    if base.fingerprint != other.fingerprint:
        return (
            f"{base.name} and {other.name} are of different worlds "
            f"({base.fingerprint[:12]}, {other.fingerprint[:12]}), and only the same tasks of the same world can be paired"
        )
    if not base.run.tasks.keys() & other.run.tasks.keys():
        return f"{base.name} and {other.name} have no task in common"
    return ""


def _differing(base: Source, other: Source) -> str:
    """The settings, apart from the model, in which two compared runs differ."""
    first, second = ({**s.run.manifest["config"], **s.run.manifest["prompts"]} for s in (base, other))
    keys = sorted(key for key in first.keys() | second.keys() if first.get(key) != second.get(key))
    return ", ".join(f"{key} ({first.get(key)}, {second.get(key)})" for key in keys if key != "model")

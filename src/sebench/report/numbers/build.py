"""Builds a `Report` from runs on disk: every number that tables, files and pages show. Nothing is computed after this.

Any runs can be shown side by side. Two runs are compared only if they answer the same tasks of the same world;
otherwise a note says why not. Reference lines (scripted baselines) are not compared with each other: they are at 100 %
or 0 % by design.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from sebench.base.errors import ConfigError, first_problem
from sebench.base.records import BOUNDARY_TEST, RELEASED
from sebench.base.wording import counted
from sebench.forge.catalog import catalog
from sebench.report.numbers import compare, metrics, recall, regimes, worlds
from sebench.report.numbers.boundary import PRESENT, Boundary, boundaries
from sebench.report.numbers.changed import ChangedTasks, changed_tasks
from sebench.report.numbers.compare import NativeBook, PairedComparison, Ratio
from sebench.report.numbers.editions import EditionResult, edition_results
from sebench.report.numbers.metrics import AnswerOutcome, Cell, ErrorKind, Totals
from sebench.report.numbers.recall import Confusion, FunctionRecall, Invented
from sebench.report.numbers.regimes import MemoryUse, RegimeResult, WriterResult
from sebench.report.numbers.sources import Source, response_notes, sample_note, scoring_note
from sebench.report.numbers.worlds import Aggregate
from sebench.rollout.protocol import V1
from sebench.version import __version__

FORMAT = 1
EXCLUDED = (AnswerOutcome.NO_RESPONSE, AnswerOutcome.UNJUDGED, AnswerOutcome.FAULT)


class Note(NamedTuple):
    """A note about a run: the texts before and after its name."""

    before: str
    name: str
    after: str


@dataclass(frozen=True)
class RunReport:
    """The numbers of one run."""

    name: str
    path: str
    model: str
    reference: bool  # a scripted model
    config: Mapping[str, Any]
    world: Mapping[str, Any]
    prompts: Mapping[str, Any]
    versions: Mapping[str, Any]
    machine: str
    facts: Mapping[str, Any]  # about the endpoint and the time, if the manifest has them
    wall_s: float | None  # from start to end, pauses included
    tasks: int
    responses: int
    expected: int  # tasks x books x samples
    cells: tuple[Cell, ...]
    errors: tuple[ErrorKind, ...]
    book_dependence: tuple[PairedComparison, ...]
    functions: tuple[FunctionRecall, ...]
    confusions: tuple[Confusion, ...]
    invented: tuple[Invented, ...]
    totals: tuple[Totals, ...]
    # What the model could use with each book: weights, memory, retrieval, oracle; "" for native.
    regimes: Mapping[str, str] = field(default_factory=dict)
    memory: str = ""  # how the memory was made, if there was one
    # The label of each book in tables, with what was at hand if it is not the usual.
    labels: Mapping[str, str] = field(default_factory=dict)
    scoring: int = 1  # version of the rules that scored it
    split_tasks: Mapping[str, int] = field(default_factory=dict)  # number of tasks in each split

    def label(self, book: str, short: bool = False) -> str:
        """Return the label of a book in tables, with the method of a memory and an interpreter, which `short`
        abbreviates."""
        label = self.labels.get(book, book)
        return label.replace("interpreter", "X") if short else label

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
        """The splits, in report order."""
        return list(dict.fromkeys(c.value for c in self.cells if c.group == "split"))


@dataclass(frozen=True)
class Report:
    """All results for a set of runs."""

    format: int
    sebench: str
    baseline: str  # the run that the others are compared with; "" if there is only one run
    runs: tuple[RunReport, ...]
    aggregates: tuple[Aggregate, ...]  # runs of one model on several worlds, combined
    comparisons: tuple[PairedComparison, ...]  # each run compared with the baseline
    notes: tuple[str, ...]  # caveats for the reader
    native: tuple[NativeBook, ...] = ()  # for runs that were asked about NumPy itself
    ratio_base: tuple[Ratio, ...] = ()  # closed / native
    changed: tuple[ChangedTasks, ...] = ()  # for runs that were asked about functions that differ from NumPy's
    editions: tuple[EditionResult, ...] = ()  # for runs on a new edition of a world
    boundary: tuple[Boundary, ...] = ()  # for runs that were asked about functions that the library lacks
    memory: tuple[MemoryUse, ...] = ()  # for runs with a memory
    at_hand: tuple[RegimeResult, ...] = ()  # for all runs, if any has a memory or an interpreter
    crossed: tuple[WriterResult, ...] = ()  # writers of memories against readers

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def compute(sources: Sequence[Source], baseline: str = "") -> Report:
    """Compute the report. Each run is compared with `baseline` (the name of a source), by default the first one that is
    not a scripted baseline.

    A baseline that the caller names must be comparable; the default one need not be.
    """
    named = next((source for source in sources if source.name == baseline), None)
    base = named or next((source for source in sources if not source.reference), None)
    notes = _merge([Note("", source.name, f": {text}") for source in sources for text in _notes(source)])
    notes += scoring_note({source.name: source.run.manifest.scoring for source in sources})
    notes += _protocol_notes(sources)
    compared: list[Note] = []
    comparisons = _comparisons(sources, base, bool(named), compared) if base else []
    notes += _merge(compared)
    return Report(
        format=FORMAT,
        sebench=__version__,
        baseline=base.name if base and (named or comparisons) else "",
        runs=tuple(_run_report(source) for source in sources),
        aggregates=tuple(worlds.aggregates(sources)),
        comparisons=tuple(comparisons),
        notes=tuple(notes),
        native=tuple(compare.native_books(sources)),
        ratio_base=tuple(compare.ratios(sources)),
        changed=tuple(changed_tasks(sources)),
        editions=tuple(edition_results(sources)),
        boundary=tuple(boundaries(sources)),
        memory=tuple(regimes.memory_uses(sources)),
        at_hand=tuple(regimes.by_regime(sources)),
        crossed=tuple(regimes.by_writer(sources)),
    )


def _merge(notes: Iterable[Note]) -> list[str]:
    """Return the notes as text; those that differ only in the name of a run are merged."""
    names: dict[tuple[str, str], list[str]] = {}
    for note in notes:
        names.setdefault((note.before, note.after), []).append(note.name)
    return [f"{before}{', '.join(runs)}{after}" for (before, after), runs in names.items()]


def _comparisons(sources: Sequence[Source], base: Source, named: bool, notes: list[Note]) -> list[PairedComparison]:
    """Compare each run with the baseline or, in another world, with the run that has the baseline's model and settings.
    Add notes about these pairs to `notes`."""
    comparisons: list[PairedComparison] = []
    partners = {
        source.fingerprint: source
        for source in reversed(sources)
        if worlds.settings_key(source) == worlds.settings_key(base)
    }
    partners[base.fingerprint] = base
    for other in sources:
        partner = partners.get(other.fingerprint, base)
        if other is partner or (other.reference and not named):
            continue
        both = f"{partner.name} and "
        if other.reference and partner.reference:
            notes.append(Note(both, other.name, " are scripted baselines and are not compared"))
            continue
        if reason := _why_incomparable(partner, other):
            if named:
                raise ConfigError(f"{both}{other.name}{reason}; leave --baseline out to see them side by side")
            notes.append(Note(both, other.name, f"{reason}; they are shown side by side, not compared"))
            continue
        sides = (partner.name, partner.scored), (other.name, other.scored)
        comparisons += compare.runs(*sides, (partner.at_hand, other.at_hand))
        if differing := _setting_differences(partner, other):
            notes.append(Note(both, other.name, f" differ in {differing}"))
    return comparisons


def _run_report(source: Source) -> RunReport:
    manifest, rows = source.run.manifest, source.scored
    return RunReport(
        name=source.name,
        path=str(source.run.path),
        model=source.model,
        reference=source.reference,
        config=manifest.config,
        world=manifest.world,
        prompts=manifest.prompts,
        versions=manifest.versions,
        machine=manifest.machine,
        facts=source.facts(),
        wall_s=source.wall_s(),
        tasks=len(source.run.tasks),
        responses=len(source.rows),
        expected=source.expected,
        cells=tuple(metrics.cells(rows)),
        errors=tuple(metrics.error_kinds(rows)),
        book_dependence=() if source.reference else tuple(compare.book_dependence(source.name, rows)),
        functions=tuple(recall.functions(rows, recall.subjects(source.run.tasks.values(), _subject))),
        confusions=tuple(recall.confusions(rows)),
        invented=tuple(recall.invented_names(rows)),
        totals=tuple(metrics.totals(source.rows)),
        memory=str(source.settings.get("memory", "")),
        regimes={book: manifest.regime(book) for book in manifest.config.get("book", ())},
        labels={
            book: f"{book}, {source.at_hand(book)}".removesuffix(" + oracle")  # implied by an open book
            for book in manifest.config.get("book", ())
            if manifest.regime(book) not in ("", "weights", "oracle")  # only regimes that the book does not imply
            if book == "closed" or manifest.config.get("repair")
        },
        scoring=manifest.scoring,
        split_tasks=dict(Counter(str(task["split"]) for task in source.run.tasks.values())),
    )


def _subject(path: str) -> str:
    """Return the catalog's subject for an original function; "other" for functions of imported tasks that the catalog
    lacks."""
    entry = catalog.by_any_name().get(path)
    return entry.subject if entry else "other"


def _notes(source: Source) -> list[str]:
    """Return notes about problems with one run, without its name."""
    manifest, outcomes = source.run.manifest, Counter(map(metrics.outcome, source.rows))
    lost, unjudged, faults = (outcomes[one] for one in EXCLUDED)
    faulty = (row.verdict for row in source.rows if metrics.outcome(row) is AnswerOutcome.FAULT)
    whose = ", ".join(sorted({verdict.blame.value for verdict in faulty if verdict}))
    splits = {row.task["split"] for row in source.rows}
    missing = f"{counted(lost, 'response is', 'responses are')} missing because the "
    if source.model.startswith(RELEASED):
        missing += "release lacks them"
    else:
        missing += "provider failed; repeat the command to request them again"
    problems = {
        f"not finished: {len(source.rows):,} of {counted(source.expected, 'response')}": (
            len(source.rows) < source.expected
        ),
        missing: lost,
        f"{counted(unjudged, 'response has', 'responses have')} no verdict yet": unjudged,
        f"{counted(faults, 'verdict is a fault', 'verdicts are faults')}, neither right nor wrong "
        f"(blame: {whose})": faults,
        **dict.fromkeys(response_notes(source.rows), True),
        f"judged without {', '.join(manifest.isolation_missing)}": manifest.isolation_missing,
        f"boundary tasks, but no {PRESENT} to compare their declines with": (
            BOUNDARY_TEST in splits and PRESENT not in splits
        ),
        "tested on training tasks, from which its memory may have been made": (
            manifest.memory and any(task["split"] == "train" for task in source.run.tasks.values())
        ),
        sample_note(source): manifest.config["limit"],
    }
    return [note for note, holds in problems.items() if holds]


def _protocol_notes(sources: Sequence[Source]) -> list[str]:
    """Return notes on the runs that do not follow the protocol, with their departures, or one that all follow it."""
    departures: list[Note] = []
    models = [source for source in sources if not source.reference]
    for source in models:
        public = source.fingerprint in V1.worlds.values()
        elsewhere = [] if public else [f"world {source.fingerprint[:12]} is not in its public round"]
        if reason := "; ".join([*V1.departures(source.run.manifest), *elsewhere]):
            text = f": departures from protocol {V1.name} (docs/protocol.md): {reason}"
            departures.append(Note("", source.name, text))
    if models and not departures:
        return [f"settings and worlds are those of protocol {V1.name} (docs/protocol.md)"]
    return _merge(departures)


def _why_incomparable(base: Source, other: Source) -> str:
    """Return why two runs cannot be compared, as the rest of a sentence about both; "" if they can."""
    worlds = f"{base.fingerprint[:12]}, {other.fingerprint[:12]}"
    return first_problem(
        {
            f" are from different worlds ({worlds}), and only the same tasks of the same world can be paired": (
                base.fingerprint != other.fingerprint
            ),
            " have no task in common": not base.run.tasks.keys() & other.run.tasks.keys(),
        }
    )


def _setting_differences(base: Source, other: Source) -> str:
    """Return the settings, apart from the model, in which two compared runs differ."""
    first, second = base.settings, other.settings
    keys = sorted(key for key in first.keys() | second.keys() if first.get(key) != second.get(key))
    return "; ".join(
        f"{key} ({_setting_text(first.get(key))} against {_setting_text(second.get(key))})"
        for key in keys
        if key != "model"
    )


def _setting_text(value: Any) -> str:
    """Return the value of a setting in words: no brackets around a list, "none" for nothing."""
    if value in (None, "", [], {}):
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)

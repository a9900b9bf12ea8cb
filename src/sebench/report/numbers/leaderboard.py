"""The numbers of the leaderboard: one row for each model, over all of its runs and worlds.

Rows are ranked by closed-book accuracy on single-function tasks, as the mean over worlds; ties are broken by
multi-function tasks. Answers without a verdict count as wrong, because they could hide wrong ones. Only releases that
follow the protocol (`rollout/protocol.py`) in all worlds of a round have a rank; every other row says why it has none.
Rows are in one table if they have the same worlds, profile, scoring rules, and means at hand (weights, memory, ...).
Runs of one model with the same settings, such as training seeds, are one row if they are in the same release, so that
nobody can change somebody else's row. A run that repeats another one in its row counts only once. Rows with the same
answers all stay, since nobody can tell which was first, but they push others down by one rank only.

Not covered: significance, for which there are paired comparisons (`sebench report A B`); and whether verdicts are
right, which `sebench verify` checks.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from sebench.base.errors import ConfigError, first_problem
from sebench.base.wording import counted
from sebench.report.numbers import metrics, worlds
from sebench.report.numbers.compare import LEAST
from sebench.report.numbers.metrics import TaskScore
from sebench.report.numbers.sources import Source
from sebench.report.numbers.worlds import WorldsCell
from sebench.rollout.protocol import Protocol
from sebench.rollout.store import Row, Run

ALWAYS_SHOWN = ("samples", "temperature", "max_tokens")
SETTINGS = tuple(
    """top_p distractors retrieve pages hide_usage give_names profile system stop reasoning_effort thinking extra tasks
    limit decline repair""".split()
)
MOST_DIFFERENCES = 3  # shown for rows with the same name; the settings column has all of them
WHOLE = "all"  # the name of the part if a world has the whole library
Column = tuple[str, str]  # book and split


@dataclass(frozen=True)
class Origin:
    """Where a run comes from, as far as that is known."""

    release: str = ""
    method: str = ""  # how the model learned the library
    training_tokens: int | None = None
    date: str = ""
    part: str = ""  # the part of the library in its world: "all", "12 functions", or "" if it is not known
    place: str = ""  # the folder of the release, or of the run; runs from different ones never share a row


@dataclass(frozen=True)
class BoardRun:
    """The facts about a run that the leaderboard needs."""

    model: str
    reference: bool  # a scripted model
    world: Mapping[str, Any]
    profile: str
    scoring: int
    at_hand: str  # what the model could use with the closed book
    names_given: bool  # whether prompts name the needed functions
    memory: str  # the method of its memory, if it has one
    settings: str
    problem: str  # why it has no rank, regardless of the other runs in its row
    partial: bool  # whether splits of the protocol are missing
    scores: Mapping[Column, Mapping[str, TaskScore]]
    answers: int
    tokens: int  # in all answers
    digest: str  # of all responses
    origin: Origin

    @property
    def fingerprint(self) -> str:
        return str(self.world["fingerprint"])


@dataclass(frozen=True)
class BoardRow:
    """A model on the leaderboard."""

    model: str  # with its memory, if it has one
    method: str
    at_hand: str
    reference: bool
    seeds: tuple[int, ...]  # of its worlds
    runs: int
    cells: Mapping[Column, WorldsCell]
    ratio: float | None  # closed / native, single-function tasks; None with few native successes
    tokens: float  # per answer
    training_tokens: int | None
    date: str
    settings: str
    releases: tuple[str, ...]
    digests: frozenset[str]  # of the responses of its runs
    unranked: str  # why it has no rank; "" if it has one
    rank: int = 0
    differs: str = ""  # from other rows with the same name

    @property
    def label(self) -> str:
        """The model, and how the row differs from others with the same name."""
        return f"{self.model} ({self.differs})" if self.differs else self.model

    @property
    def result(self) -> tuple[float, ...]:
        """The numbers by which rows are ranked; rounded, because sums in another order differ in the last digits."""
        return tuple(round(self.accuracy(column), 9) for column in RANKED_BY)

    def accuracy(self, column: Column) -> float:
        """Return the accuracy in a column, or -1 if there is none."""
        accuracy = self.cells[column].accuracy if column in self.cells else None
        return -1.0 if accuracy is None else accuracy


RANKED_BY = (("closed", "single_test"), ("closed", "multi_test"))


@dataclass(frozen=True)
class Board:
    """Rows that are ranked together, best first."""

    title: str
    rows: tuple[BoardRow, ...]
    note: str = ""


def entry(run: Run, origin: Origin, rules: Protocol) -> BoardRun:
    """Read the facts about a run that the leaderboard needs; its rows are not kept in memory."""
    source = Source(run, run.path.name, tuple(run.rows()))
    if all(row.rollout.error for row in source.rows):
        raise ConfigError(f"run {run.path} has no response; repeat its 'sebench run' command, or leave it out")
    manifest, config = run.manifest, run.manifest.config
    columns: dict[Column, list[Row]] = defaultdict(list)
    digest = sha256()
    for row in source.scored:
        columns[row.rollout.book, row.task["split"]].append(row)
        digest.update(f"{row.rollout.key}\0{row.rollout.response}\0".encode("utf-8", "surrogatepass"))
    memory = str(source.settings.get("memory", ""))
    return BoardRun(
        model=source.model,
        reference=source.reference,
        world=manifest.world,
        profile=str(config.get("profile", "unknown")),
        scoring=manifest.scoring,
        at_hand=manifest.regime("closed"),
        names_given=bool(config.get("give_names")),
        memory=source.method,
        settings=", ".join([*_settings(config, rules), *([f"memory {memory}"] if memory else [])]),
        problem=_problem(source, columns, origin, rules),
        partial=not {*rules.splits} <= {str(task["split"]) for task in run.tasks.values()},
        scores={column: _scores(rows) for column, rows in columns.items()},
        answers=sum(not row.rollout.error for row in source.rows),
        tokens=sum(row.rollout.completion_tokens for row in source.rows),
        digest=digest.hexdigest(),
        origin=replace(origin, date=origin.date or (manifest.ended or manifest.started)[:10]),
    )


def _scores(rows: Sequence[Row]) -> dict[str, TaskScore]:
    """Return the scores by task; answers without a verdict count as wrong."""
    scores = metrics.scores(rows)
    return {task: replace(one, samples=one.samples + one.excluded, excluded=0) for task, one in scores.items()}


def boards(entries: Sequence[BoardRun], rules: Protocol) -> list[Board]:
    """Return the tables of the leaderboard."""
    public = frozenset(rules.worlds.values())
    parts: dict[str, set[str]] = defaultdict(set)  # by world; older run folders do not know
    for one in entries:
        parts[one.fingerprint] |= {one.origin.part} - {""}
    by_row: dict[tuple[Any, ...], list[BoardRun]] = defaultdict(list)
    for one in entries:
        known = parts[one.fingerprint]
        part = one.origin.part or (next(iter(known)) if len(known) == 1 else "")
        same = one.origin.place, one.model, one.origin.method, one.settings, _table_key(one, rules, part)
        row = by_row[one.fingerprint in public, *same]
        if all((one.fingerprint, one.digest) != (other.fingerprint, other.digest) for other in row):
            row.append(one)
    tables: dict[tuple[Any, ...], list[list[BoardRun]]] = defaultdict(list)
    for (in_public, *_, shared), of_row in by_row.items():
        whole = {one.fingerprint for one in of_row if not one.partial}  # worlds in which partial runs are ignored
        runs = [one for one in of_row if not one.partial or one.fingerprint not in whole]
        tables[public if in_public else frozenset(one.fingerprint for one in runs), shared].append(runs)
    claimed = {(one.fingerprint, _claimed_tasks(one)) for one in entries}
    boards: list[tuple[Any, ...]] = []
    for (where, shared), rows in tables.items():
        disputed = sum(world in where for world, _ in claimed) > len(where)
        board = _board(where, shared[0], rows, rules, disputed=disputed)
        ranked = any(row.rank for row in board.rows)
        boards.append((not ranked, where != public, -len(where), board.title, len(boards), board))
    return [board for *_, board in sorted(boards)]


def _table_key(one: BoardRun, rules: Protocol, part: str) -> tuple[Any, ...]:
    """Return what the runs in a table have in common besides their worlds: the words of its title, and the numbers of
    tasks that they claim."""
    tasks = one.world.get("tasks", {})
    words = [
        *([f"a part of the library ({part})"] if part not in ("", WHOLE) else []),
        counted(sum(tasks.get(split, 0) for split in rules.splits), "test task") if tasks else "unknown tasks",
        *([f"profile {one.profile}"] if one.profile != "strict" else []),
        f"scoring rules {one.scoring}",
        *(["names of the needed functions given"] if one.names_given else []),
        *([f"at hand: {one.at_hand}"] if one.at_hand != "weights" else []),
    ]
    return ", ".join(words), _claimed_tasks(one)


def _claimed_tasks(one: BoardRun) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(one.world.get("tasks", {}).items()))


def _board(
    where: frozenset[str], shared: str, runs: Sequence[Sequence[BoardRun]], rules: Protocol, *, disputed: bool
) -> Board:
    rows = sorted((_row(of_row, where, rules) for of_row in runs), key=_order)
    results = {(row.result, row.digests) for row in rows if not row.unranked}
    ranked = (
        row if row.unranked else replace(row, rank=1 + sum(r > row.result for r, _ in results))
        for row in _distinguish(rows, rules)
    )
    seeds = sorted({seed for row in rows for seed in row.seeds})
    public = where == frozenset(rules.worlds.values())
    name = f"protocol {rules.name}: worlds" if public else "worlds" if len(where) > 1 else "world"
    which = ", ".join(map(str, seeds)) if public else f"{', '.join(map(str, seeds))} ({min(where)[:12]})"
    note = "other runs claim other tasks for these worlds; 'sebench verify' shows which are right" if disputed else ""
    return Board(f"{name} {which}, {shared}", tuple(ranked), note)


def _order(row: BoardRow) -> tuple[Any, ...]:
    further = (row.accuracy(column) for column in (("open", "single_test"), ("native", "single_test")))
    return bool(row.unranked), *(-value for value in (*row.result, *further)), row.model, row.settings


def _distinguish(rows: Sequence[BoardRow], rules: Protocol) -> list[BoardRow]:
    """Return the rows; each row that shares its name with others says how it differs from them."""
    # 0 distractors are a choice; other settings that are 0, empty or false are not set.
    chosen = {name: value for name, value in rules.settings.items() if value or name == "distractors"}
    usual = {name.replace("_", " "): str(value) for name, value in chosen.items()}
    facts: list[dict[str, str]] = []
    for row in rows:
        words = [part.strip() for part in re.split(r", | \(|\)", row.settings)]  # a memory's settings are in brackets
        own = {name: value for name, _, value in (part.rpartition(" ") for part in words)}
        facts.append({**usual, **own, "method": row.method, "release": ", ".join(row.releases)})
    named: list[BoardRow] = []
    for row, own in zip(rows, facts, strict=True):
        others = [other for one, other in zip(rows, facts, strict=True) if one.model == row.model]
        differs = [name for name in own if own[name] and any(other.get(name) != own[name] for other in others)]
        named.append(replace(row, differs=", ".join(f"{name} {own[name]}" for name in differs[:MOST_DIFFERENCES])))
    return named


def _row(runs: Sequence[BoardRun], where: frozenset[str], rules: Protocol) -> BoardRow:
    first = runs[0]
    trained = [one.origin.training_tokens for one in runs if one.origin.training_tokens is not None]
    cells = {column: _cell(runs, column) for column in sorted({column for one in runs for column in one.scores})}
    return BoardRow(
        model=f"{first.model} + {first.memory}" if first.memory else first.model,
        method=first.origin.method,
        at_hand=first.at_hand,
        reference=first.reference,
        seeds=tuple(sorted({int(one.world["seed"]) for one in runs})),
        runs=len(runs),
        cells=cells,
        ratio=_ratio(cells),
        tokens=sum(one.tokens for one in runs) / max(1, sum(one.answers for one in runs)),
        training_tokens=round(sum(trained) / len(trained)) if trained else None,
        date=max(one.origin.date for one in runs),
        settings=first.settings,
        releases=tuple(sorted({one.origin.release for one in runs if one.origin.release})),
        digests=frozenset(one.digest for one in runs),
        unranked=_why_unranked(runs, where, rules),
    )


def _cell(runs: Sequence[BoardRun], column: Column) -> WorldsCell:
    """Aggregate a column over worlds; several runs in one world count as samples of the same tasks."""
    by_world: dict[str, dict[str, TaskScore]] = defaultdict(dict)
    for one in runs:
        scores = by_world[one.fingerprint]
        for task, score in one.scores.get(column, {}).items():
            scores[task] = score.plus(scores[task]) if task in scores else score
    return WorldsCell(*column, **worlds.numbers_over_worlds(of_world.values() for of_world in by_world.values()))


def _ratio(cells: Mapping[Column, WorldsCell]) -> float | None:
    closed, native = (cells.get((book, "single_test")) for book in ("closed", "native"))
    if not closed or not native or closed.accuracy is None or not native.accuracy:
        return None
    return closed.accuracy / native.accuracy if native.accuracy * native.tasks >= LEAST else None


def _why_unranked(runs: Sequence[BoardRun], where: frozenset[str], rules: Protocol) -> str:
    if runs[0].reference:
        return "a scripted baseline"
    for one in runs:
        if one.problem:
            return one.problem if len(where) == 1 else f"world {one.world['seed']}: {one.problem}"
    seen = len({one.fingerprint for one in runs})
    return "" if seen == len(where) else f"{seen} of {len(where)} worlds"


def _problem(source: Source, columns: Mapping[Column, Sequence[Row]], origin: Origin, rules: Protocol) -> str:
    """Return why a run cannot be ranked: for example, it is unfinished, covers only a part of the test tasks, or
    departs from the protocol; "" if it can be ranked."""
    manifest, config = source.run.manifest, source.run.manifest.config
    has = manifest.world.get("tasks", {})
    split_of = Counter(str(task["split"]) for task in source.run.tasks.values())
    whole = split_of.total() * len(config["book"]) * int(config["samples"])  # whatever the run claims
    lacking = [split for split in rules.splits if not split_of[split]]
    ranked = [columns.get(column, ()) for column in RANKED_BY]
    unjudged = max(_share(rows, lambda row: not metrics.outcome(row).counts) for rows in ranked)
    cut = max(_share(rows, lambda row: row.rollout.finish == "length") for rows in ranked)
    departure = "; ".join(rules.departures(manifest))
    return first_problem(
        {
            "not a release, so it cannot be verified": not origin.release,
            f"unfinished: {len(source.rows):,} of {source.expected:,} responses": len(source.rows) < source.expected,
            "a sample of the tasks": config.get("limit"),
            "tasks from a separate file": config.get("tasks"),
            "it does not record how many tasks its world has": not has.keys() >= set(rules.splits),
            f"it lacks {' and '.join(lacking)}": lacking,
            "not all test tasks of its world": any(split_of[split] != has.get(split) for split in rules.splits),
            f"only {len(source.rows):,} of {whole:,} answers": len(source.rows) != whole,
            "no closed book": not all(ranked),
            f"{unjudged:.0%} of the closed-book answers have no verdict": unjudged > rules.most_unjudged,
            f"{cut:.0%} of the closed-book answers were cut off": cut > rules.most_cut,
            f"departs from protocol {rules.name}: {departure}": departure,
            f"its world is not in a round of protocol {rules.name}": source.fingerprint not in rules.worlds.values(),
        }
    )


def _share(rows: Sequence[Row], holds: Callable[[Row], bool]) -> float:
    return sum(map(holds, rows)) / len(rows) if rows else 0.0


def _settings(config: Mapping[str, Any], rules: Protocol) -> Iterator[str]:
    """Yield the settings that every row shows, and those that differ from the protocol."""
    for name in (*ALWAYS_SHOWN, *SETTINGS):
        if (value := config.get(name)) is None:  # not recorded
            continue
        usual = rules.settings.get(name)
        expected = list(usual) if isinstance(usual, tuple) else usual
        if name in ALWAYS_SHOWN or (value != expected and (value or usual)):
            text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            yield f"{name.replace('_', ' ')} {text if text.isprintable() else repr(text)}"

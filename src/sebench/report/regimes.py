"""Regimes: what a model had at hand beside its weights, what that cost, and what came of it.

    weights        the closed prompt alone
    memory         text that a model wrote while it studied
    retrieval      pages or worked answers of the author's, searched or whole
    oracle         the needed pages (the open book)
    interpreter    any of these, and answers that fail on the shown examples are asked for again

Numbers of different regimes answer different questions and stand under their names. A report has these figures where at least one of its runs
has a memory or an interpreter; the other runs stand beside it.

Not covered: several worlds together, the native book, and ceilings without a model (`sebench ceilings`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sebench.report import metrics
from sebench.report.intervals import Interval
from sebench.report.sources import Source
from sebench.store import Row

WEIGHTS, MEMORY, RETRIEVAL, ORACLE = ("weights", "memory", "retrieval", "oracle")
INTERPRETER = "interpreter + "
LETTERS = {WEIGHTS: "W", MEMORY: "M", RETRIEVAL: "R", ORACLE: "O"}


@dataclass(frozen=True)
class AtHand:
    """One run with one book."""

    run: str
    book: str
    regime: str
    reader: str  # the model that answered
    method: str  # of the memory; "" where there is none
    writer: str  # the model that wrote it
    digest: str  # of what it recalls from
    accuracy: float | None
    interval: Interval | None
    targeted: float | None
    targeted_interval: Interval | None
    prompt_tokens: (
        float | None
    )  # of an answer, all its requests together: the mean; None where the provider counts none
    requests: float  # of an answer, the mean
    added_tokens: float | None  # that the memory adds to a prompt, roughly: the mean
    memory_tokens: int | None  # of the whole memory, roughly
    study_calls: int | None
    study_tokens: int | None
    present: float | None  # needed functions whose names stood in the prompts: the mean share over answers
    all_present: float | None  # answers whose prompts had all of them
    used: float | None  # of those that stood there, the share that the answer called


@dataclass(frozen=True)
class Crossed:
    """A memory read by several models, or one method written by several."""

    method: str
    writer: str
    readers: Mapping[str, float | None]  # accuracy by the model that answered


def regimes(source: Source) -> dict[str, str]:
    """The regime of each book of a run that has one."""
    named = {book: source.run.manifest.regime(book) for book in metrics.by_book(source.scored)}
    return {book: regime for book, regime in named.items() if regime}


def special(source: Source) -> bool:
    """Whether a run has something at hand that plain runs do not have."""
    return bool(source.run.manifest.memory) or bool(source.run.manifest.config.get("repair"))


def at_hand(sources: Sequence[Source]) -> list[AtHand]:
    """A line for each run and book; none where all runs are plain."""
    if not any(map(special, sources)):
        return []
    return [
        _line(source, book, regime, metrics.by_book(source.scored)[book])
        for source in sources
        for book, regime in regimes(source).items()
    ]


def _line(source: Source, book: str, regime: str, rows: Sequence[Row]) -> AtHand:
    memory = source.run.manifest.memory if book == "closed" else {}
    study = memory.get("study", {})
    cell = metrics.cell(rows, book)
    answered = [row for row in rows if not row.rollout.error]
    tokens = sum(row.rollout.prompt_tokens for row in answered)
    told = [row for row in answered if row.rollout.present is not None and row.task["forged"]]
    shares = [len(row.rollout.present or ()) / len(row.task["forged"]) for row in told]
    calls = [
        name in row.verdict.functions
        for row in told
        if row.verdict and metrics.outcome(row).counts
        for name in row.rollout.present or ()
    ]
    return AtHand(
        run=source.name,
        book=book,
        regime=regime,
        reader=source.model,
        method=str(memory.get("method", "")),
        writer=str(memory.get("writer", "")),
        digest=str(memory.get("digest", "")),
        accuracy=cell.accuracy,
        interval=cell.interval,
        targeted=cell.targeted,
        targeted_interval=cell.targeted_interval,
        prompt_tokens=tokens / len(answered) if tokens else None,
        requests=_mean([row.rollout.calls for row in answered]) or 0.0,
        added_tokens=memory.get("mean_tokens"),
        memory_tokens=memory.get("size_tokens"),
        study_calls=study.get("calls"),
        study_tokens=study["prompt_tokens"] + study["completion_tokens"] if study else None,
        present=_mean(shares),
        all_present=_mean([share == 1 for share in shares]),
        used=_mean(calls),
    )


def crossed(lines: Sequence[AtHand]) -> list[Crossed]:
    """Writers against readers, where a memory has two readers or a method two writers; the interpreter leaves the table."""
    written = [line for line in lines if line.regime == MEMORY and line.writer]
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for line in written:
        found.setdefault((line.method, line.writer), {}).setdefault(line.reader, line.accuracy)
    methods = [method for method, _ in found]
    kept = [key for key, by_reader in found.items() if len(by_reader) > 1 or methods.count(key[0]) > 1]
    return [Crossed(method, writer, found[method, writer]) for method, writer in kept]


def short(regime: str) -> str:
    """A regime as a letter or two, where there is little room."""
    plain = regime.removeprefix(INTERPRETER)
    letter = LETTERS.get(plain, plain)
    return f"X+{letter}" if plain != regime else letter


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None

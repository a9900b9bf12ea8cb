"""Regimes: what a model had at hand beside its weights, what that cost, and what came of it.

    weights        the closed prompt alone
    memory         text that a model wrote while it studied
    retrieval      pages or worked answers of the author's, searched or whole
    oracle         the needed pages (the open book)
    interpreter    any of these, and an answer that fails on the shown examples is asked for again

Numbers of different regimes answer different questions and stand under their names. A report has these figures where at least one of its runs
has a memory or an interpreter; the other runs stand beside it.

Not covered: several worlds together, the native book, and whether a memory held what was needed (`memory.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sebench.report import metrics
from sebench.report.intervals import Interval
from sebench.report.sources import Source
from sebench.store import Row

MEMORY = "memory"


@dataclass(frozen=True)
class AtHand:
    """One run with one book."""

    run: str
    book: str
    regime: str
    reader: str  # the model that answered
    method: str  # of the memory; "" where there is none
    writer: str  # the model that wrote it
    accuracy: float | None
    interval: Interval | None
    targeted: float | None
    targeted_interval: Interval | None
    prompt_tokens: (
        float | None
    )  # of an answer, all its requests together: the mean; None where the provider counts none
    requests: float  # of an answer, the mean


@dataclass(frozen=True)
class Crossed:
    """A memory read by several models, or one method written by several."""

    method: str
    writer: str
    readers: Mapping[str, float | None]  # accuracy by the model that answered


def special(source: Source) -> bool:
    """Whether a run has something at hand that plain runs do not have."""
    return bool(source.run.manifest.memory) or bool(source.run.manifest.config.get("repair"))


def at_hand(sources: Sequence[Source]) -> list[AtHand]:
    """A line for each run and book; none where all runs are plain."""
    if not any(map(special, sources)):
        return []
    return [
        _line(source, book, regime, rows)
        for source in sources
        for book, rows in metrics.by_book(source.scored).items()
        if (regime := source.run.manifest.regime(book))
    ]


def _line(source: Source, book: str, regime: str, rows: Sequence[Row]) -> AtHand:
    memory = source.run.manifest.memory if book == "closed" else {}
    cell = metrics.cell(rows, book)
    answered = [row.rollout for row in rows if not row.rollout.error]
    tokens = sum(rollout.prompt_tokens for rollout in answered)
    return AtHand(
        run=source.name,
        book=book,
        regime=regime,
        reader=source.model,
        method=str(memory.get("method", "")),
        writer=str(memory.get("writer", "")),
        accuracy=cell.accuracy,
        interval=cell.interval,
        targeted=cell.targeted,
        targeted_interval=cell.targeted_interval,
        prompt_tokens=tokens / len(answered) if tokens else None,
        requests=sum(rollout.calls for rollout in answered) / len(answered) if answered else 0.0,
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

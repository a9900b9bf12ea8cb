"""Regimes: what a model had at hand beside its weights, what that cost, and what came of it.

    weights        the closed prompt alone
    memory         text that a model wrote while it studied
    retrieval      pages or worked answers of the author's, searched or whole
    oracle         the needed pages (the open book)
    interpreter    an answer that fails on the shown examples is asked for again; what else was at hand is said with it

Numbers of different regimes answer different questions and stand under their names. A report has these figures where at least one of its runs
has a memory or an interpreter; the other runs stand beside it.

Not covered: several worlds together, the native book, and whether a memory held what was needed (`memory.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sebench.report.numbers import metrics
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row

MEMORY = "memory"


@dataclass(frozen=True)
class RegimeResult:
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
class WriterResult:
    """A memory read by several models, or one method written by several."""

    method: str
    writer: str
    readers: Mapping[str, float | None]  # accuracy by the model that answered


def has_aid(source: Source) -> bool:
    """Whether a run has something at hand that plain runs do not have."""
    return bool(source.run.manifest.memory) or bool(source.run.manifest.config.get("repair"))


def by_regime(sources: Sequence[Source]) -> list[RegimeResult]:
    """A line for each run and book; none where all runs are plain."""
    if not any(map(has_aid, sources)):
        return []
    return [
        _line(source, book, regime, rows)
        for source in sources
        for book, rows in metrics.by_book(source.scored).items()
        if (regime := source.run.manifest.regime(book))
    ]


def _line(source: Source, book: str, regime: str, rows: Sequence[Row]) -> RegimeResult:
    memory = source.run.manifest.memory if book == "closed" else {}
    cell = metrics.cell(rows, book)
    answered = [row.rollout for row in rows if not row.rollout.error]
    tokens = sum(rollout.prompt_tokens for rollout in answered)
    return RegimeResult(
        run=source.name,
        book=book,
        regime=regime,
        reader=source.model,
        method=source.method if memory else "",
        writer=str(memory.get("writer", "")),
        accuracy=cell.accuracy,
        interval=cell.interval,
        targeted=cell.targeted,
        targeted_interval=cell.targeted_interval,
        prompt_tokens=tokens / len(answered) if tokens else None,
        requests=sum(rollout.calls for rollout in answered) / len(answered) if answered else 0.0,
    )


def by_writer(sources: Sequence[Source]) -> list[WriterResult]:
    """Writers against readers, where a memory has two readers or a method two writers; the interpreter leaves the table.

    A row has memories that were made alike, of one world, asked the same tasks."""
    written = [
        one for one in sources if one.run.manifest.regime("closed") == MEMORY and one.run.manifest.memory["writer"]
    ]
    alike: dict[str, dict[str, dict[str, float | None]]] = {}
    labels: dict[str, str] = {}
    for source in written:
        key = json.dumps([source.fingerprint, source.method, source.study, sorted(source.run.tasks)], sort_keys=True)
        labels[key] = _label(source, [one for one in written if one.method == source.method])
        by_writer = alike.setdefault(key, {}).setdefault(str(source.run.manifest.memory["writer"]), {})
        by_writer.setdefault(source.model, metrics.cell(source.scored, "closed").accuracy)
    return [
        WriterResult(labels[key], writer, readers)
        for key, by_writer in alike.items()
        for writer, readers in by_writer.items()
        if len(readers) > 1 or len(by_writer) > 1
    ]


def _label(source: Source, others: Sequence[Source]) -> str:
    """The method, with what tells its memories apart."""
    seeds = {one.fingerprint for one in others}
    differences = [f"world {source.run.manifest.world['package']}"] if len(seeds) > 1 else []
    differences += (
        [f"{len(source.run.tasks):,} tasks"] if len({tuple(sorted(one.run.tasks)) for one in others}) > 1 else []
    )
    differences += [
        f"{key} {value}" for key, value in source.study.items() if any(o.study.get(key) != value for o in others)
    ]
    return f"{source.method} ({', '.join(differences)})" if differences else source.method

"""Regimes: what a model could use besides its weights, what that cost, and how accurate the model was.

    weights        only the closed prompt
    memory         text that a model wrote while it studied
    retrieval      the author's pages or worked answers, all of them or search results
    oracle         the needed pages (the open book, with documentation in the prompt)
    interpreter    an answer that fails on the shown examples is requested again; combined with the other regimes

Numbers from different regimes answer different questions, so they are labelled. A report has these figures, for all its
runs, if at least one run has a memory or an interpreter.

With a memory, a function that a task needs is "present" if its name is in the prompts of an answer, and "used" if the
answer called it too. A function that is present but not used was not understood; one that is not present could not be.
Tokens are those that the memory adds to a prompt: an estimate if the memory is the same for every model, otherwise
unknown (the run's totals include all tokens).

Not covered: combining several worlds, the native book, and what a memory contains beyond the parts in prompts ('sebench
ceilings' measures the memory itself).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sebench.base.wording import counted
from sebench.report.numbers import metrics
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row

MEMORY = "memory"


@dataclass(frozen=True)
class RegimeResult:
    """The accuracy and cost of one run with one book, under its regime."""

    run: str
    book: str
    regime: str
    reader: str  # the model that answered
    method: str  # how the memory was made; "" without one
    writer: str  # the model that wrote it
    accuracy: float | None
    interval: Interval | None
    targeted: float | None
    targeted_interval: Interval | None
    # Average per answer, over all its requests; None if the provider does not count tokens.
    prompt_tokens: float | None
    requests: float  # average per answer


@dataclass(frozen=True)
class WriterResult:
    """The accuracies of all models that read the memories of one writer."""

    method: str
    writer: str
    readers: Mapping[str, float | None]  # accuracy by the model that answered


def by_regime(sources: Sequence[Source]) -> list[RegimeResult]:
    """Return a line for each run and book; none if no run has a memory or an interpreter."""
    manifests = [source.run.manifest for source in sources]
    if not any(manifest.memory or manifest.config.get("repair") for manifest in manifests):
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
        requests=metrics.mean(rollout.calls for rollout in answered) or 0.0,
    )


def by_writer(sources: Sequence[Source]) -> list[WriterResult]:
    """Compare writers across readers, if a memory has two readers or a method two writers; runs with an interpreter are
    excluded.

    The memories in a row were made in the same way, for one world, and tested on the same tasks."""
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
    """Return the method, with the settings that distinguish its memories."""
    possible = {
        f"world {source.run.manifest.world['package']}": len({one.fingerprint for one in others}) > 1,
        counted(len(source.run.tasks), "task"): any(one.run.tasks.keys() != source.run.tasks.keys() for one in others),
        **{f"{key} {value}": any(o.study.get(key) != value for o in others) for key, value in source.study.items()},
    }
    differences = ", ".join(text for text, differs in possible.items() if differs)
    return f"{source.method} ({differences})" if differences else source.method


# ---- memories ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MemoryUse:
    """How one run used its memory, over all its tasks."""

    run: str
    model: str
    method: str
    regime: str
    writer: str  # the model that wrote the memory; "" if no model did
    size_tokens: int  # size of the whole memory
    tokens: float | None  # average added to a prompt; None if that depends on the model
    study_calls: int
    study_tokens: int
    calls: float  # requests per answer
    present: float | None  # share of the needed functions whose names were in the prompts
    all_present: float | None  # share of the answers whose prompts contained all those names
    used: float | None  # share of the present functions that the answer called
    accuracy: float | None
    targeted: float | None


def memory_uses(sources: Iterable[Source]) -> list[MemoryUse]:
    """Return one entry for each run with a memory."""
    return [_use(source) for source in sources if source.run.manifest.memory]


def _use(source: Source) -> MemoryUse:
    about, study = source.run.manifest.memory, source.run.manifest.memory.get("study", {})
    rows = [row for row in source.scored if metrics.outcome(row).counts and row.rollout.present is not None]
    whole = metrics.cell(source.scored, "closed", "all", "")
    return MemoryUse(
        run=source.name,
        model=source.model,
        method=source.method,
        regime=source.run.manifest.regime("closed"),
        writer=str(about.get("writer", "")),
        size_tokens=int(about.get("size_tokens", 0)),
        tokens=about.get("mean_tokens"),
        study_calls=int(study.get("calls", 0)),
        study_tokens=int(study.get("prompt_tokens", 0)) + int(study.get("completion_tokens", 0)),
        calls=metrics.mean([row.rollout.calls for row in rows]) or 0.0,
        present=metrics.mean([len(_present(row)) / len(row.task["forged"]) for row in rows if row.task["forged"]]),
        all_present=metrics.mean([len(_present(row)) == len(row.task["forged"]) for row in rows if row.task["forged"]]),
        used=metrics.mean([path in row.verdict.functions for row in rows if row.verdict for path in _present(row)]),
        accuracy=whole.accuracy,
        targeted=whole.targeted,
    )


def _present(row: Row) -> tuple[str, ...]:
    return row.rollout.present or ()

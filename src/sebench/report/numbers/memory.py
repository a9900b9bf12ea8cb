"""Runs with a memory: what was put before the closed prompt, whether it contained what the task needs, and whether that
was used.

Present: of the functions that a task needs, those whose names are in the prompts of an answer. Used: of these, the ones
that the answer called. What is present but not used was not understood; what is not present could not be. Tokens are
those that the memory adds to a prompt: an estimate if the memory is the same for every model, else unknown (the run's
totals have all tokens).

Not covered: what a memory contains beyond its prompts ('sebench ceilings' measures the memory itself).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sebench.report.numbers import metrics
from sebench.report.numbers.sources import Source
from sebench.rollout.store import Row


@dataclass(frozen=True)
class MemoryUse:
    """A run with a memory, over all its tasks."""

    run: str
    model: str
    method: str
    regime: str
    writer: str  # the model that wrote the memory; "" if no model did
    size_tokens: int  # of the whole memory
    tokens: float | None  # that it adds to a prompt, on average; None if that depends on the model
    study_calls: int
    study_tokens: int
    calls: float  # requests per answer
    present: float | None  # share of the needed functions whose names were in the prompts
    all_present: float | None  # share of the answers whose prompts had the names of all of them
    used: float | None  # of the present ones: share that the answer called
    accuracy: float | None
    targeted: float | None


def uses(sources: Iterable[Source]) -> list[MemoryUse]:
    """One for each run with a memory."""
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
        calls=_mean([row.rollout.calls for row in rows]) or 0.0,
        present=_mean([len(_present(row)) / len(row.task["forged"]) for row in rows if row.task["forged"]]),
        all_present=_mean([len(_present(row)) == len(row.task["forged"]) for row in rows if row.task["forged"]]),
        used=_mean([path in row.verdict.functions for row in rows if row.verdict for path in _present(row)]),
        accuracy=whole.accuracy,
        targeted=whole.targeted,
    )


def _present(row: Row) -> tuple[str, ...]:
    return row.rollout.present or ()


def _mean(values: list[float] | list[int] | list[bool]) -> float | None:
    return sum(values) / len(values) if values else None

"""Writes the report as data files: `report.json` (everything), `report.csv` (one row per number) and `rollouts.csv`
(one row per response).

Existing files are replaced. Text that is not valid Unicode (a model can answer with a lone surrogate) is escaped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sebench.base.files import write as write_file
from sebench.report.numbers import metrics
from sebench.report.numbers.boundary import Boundary
from sebench.report.numbers.build import Report, RunReport
from sebench.report.numbers.changed import ChangedTasks
from sebench.report.numbers.compare import PairedComparison
from sebench.report.numbers.editions import EditionResult
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.metrics import Cell
from sebench.report.numbers.regimes import MemoryUse
from sebench.report.numbers.sources import Source
from sebench.report.numbers.worlds import WorldsCell

JSON, CSV, ROLLOUTS = "report.json", "report.csv", "rollouts.csv"

NUMBER_COLUMNS = (
    "run", "model", "book", "group", "value", "metric",
    "estimate", "low", "high", "method", "p", "tasks", "samples", "excluded",
)  # fmt: skip
ROLLOUT_COLUMNS = (
    "run", "model", "book", "split", "task", "sample", "outcome", "targeted", "kind", "blame", "case", "detail",
    "actual", "functions", "called", "invented",
    "finish", "prompt_tokens", "completion_tokens", "seconds", "cpu_s", "error",
)  # fmt: skip
# The shares about groups of tasks that not all runs have: value, metric, and the fields of the result that contain the
# share, the number of tasks, and the number of answers if it is stored.
SHARES: Mapping[type, tuple[str, tuple[tuple[str, ...], ...]]] = {
    ChangedTasks: ("changed", (
        ("changed", "accuracy", "accuracy", "tasks", "answers"),
        ("changed", "prior rate", "prior", "tasks", "answers"),
        ("unchanged", "accuracy", "other_accuracy", "other_tasks", ""),
    )),
    EditionResult: ("edition", (
        ("changed", "accuracy", "new_right", "changed_tasks", ""),
        ("changed", "stale rate", "stale", "changed_tasks", ""),
        ("unchanged", "accuracy", "unchanged_kept", "unchanged_tasks", ""),
        ("added", "accuracy", "added_right", "added_tasks", ""),
        ("removed", "declined", "removed_refused", "removed_tasks", ""),
        ("removed", "stale rate", "removed_stale", "removed_tasks", ""),
    )),
    Boundary: ("boundary", (
        ("absent", "invented names", "invented_absent", "absent_tasks", "absent_answers"),
        ("present", "invented names", "invented_present", "present_tasks", "present_answers"),
        ("absent", "declined", "declined_absent", "absent_tasks", "absent_answers"),
        ("present", "declined", "declined_present", "present_tasks", "present_answers"),
        ("absent", "composed", "composed", "absent_tasks", "absent_answers"),
    )),
}  # fmt: skip


Number = dict[str, Any]  # a row: column and value


def as_json(report: Report) -> str:
    return f"{json.dumps(report.to_json(), indent=1)}\n"


def write(report: Report, sources: Sequence[Source], out: Path) -> None:
    """Write all three files into an existing folder."""
    write_file(out / JSON, as_json(report))
    write_file(out / CSV, as_csv(NUMBER_COLUMNS, numbers(report)))
    write_file(out / ROLLOUTS, as_csv(ROLLOUT_COLUMNS, responses(sources)))


def numbers(report: Report) -> Iterator[Number]:
    """Yield every number with its interval, in long form."""
    models = {run.name: run.model for run in report.runs}
    for run in report.runs:
        yield from _of_run(run)
        yield from (_comparison(one, run.model, one.name) for one in run.book_dependence)
    for aggregate in report.aggregates:
        for over in aggregate.cells:
            place = {"run": aggregate.label, "model": aggregate.model, "group": "split" if over.split else "all"}
            yield from _accuracies(over, {**place, "value": over.split})
    results: list[ChangedTasks | EditionResult | Boundary] = [*report.changed, *report.editions, *report.boundary]
    for one in results:
        yield from _shares(one, models[one.run])
    for line in report.at_hand:  # only the figures that no other row contains
        place = {"run": line.run, "model": line.reader, "book": line.book, "group": "regime", "value": line.regime}
        yield from _figures(
            place, {"prompt tokens per answer": line.prompt_tokens, "requests per answer": line.requests}
        )
    for use in report.memory:
        yield from _memory(use)
    for comparison in report.comparisons:
        name = f"{comparison.name} over {comparison.before.run}"
        yield _comparison(comparison, models[comparison.after.run], name)


def responses(sources: Sequence[Source]) -> Iterator[Number]:
    """Yield every response, without its text, which is in the run's rollouts.jsonl."""
    for source in sources:
        for row in source.rows:
            rollout, verdict = row.rollout, row.verdict
            line: dict[str, Any] = {
                "run": source.name, "model": source.model, "book": rollout.book,
                "split": row.task["split"], "task": rollout.task_id, "sample": rollout.sample_index,
                "outcome": metrics.outcome(row).value, "functions": " ".join(row.task["functions"]),
                "finish": rollout.finish, "prompt_tokens": rollout.prompt_tokens,
                "completion_tokens": rollout.completion_tokens, "seconds": rollout.seconds, "error": rollout.error,
            }  # fmt: skip
            if verdict:
                line |= {
                    "targeted": "" if verdict.targeted is None else int(verdict.targeted),
                    "kind": verdict.kind.value, "blame": verdict.blame.value, "case": verdict.case,
                    "detail": verdict.detail, "actual": verdict.actual, "called": " ".join(verdict.functions),
                    "invented": " ".join(verdict.invented), "cpu_s": verdict.cpu_s,
                }  # fmt: skip
            yield line


def _of_run(run: RunReport) -> Iterator[Number]:
    """Yield the cells, functions and error kinds of a run."""
    place = {"run": run.name, "model": run.model}
    for cell in run.cells:
        where = {**place, "group": cell.group, "value": cell.value, "excluded": sum(cell.excluded.values())}
        yield from _accuracies(cell, where)
        for at in cell.pass_at:
            counts = {"book": cell.book, "tasks": at.tasks, "samples": cell.samples}
            yield {**where, **counts, "metric": f"pass@{at.k}", "estimate": at.value}
    for f in run.functions:
        counts = {"book": f.book, "tasks": f.tasks, "samples": f.samples}
        where = {**place, **counts, "group": "function", "value": f.function}
        yield {**where, "metric": "accuracy", "estimate": f.accuracy, **_interval(f.interval)}
        yield {**where, "metric": "called", "estimate": f.called / f.samples if f.samples else None}
    for kind in run.errors:
        where = {**place, "book": kind.book, "group": "error kind", "value": kind.kind}
        yield {**where, "metric": "share of wrong answers", "estimate": kind.share, "samples": kind.count}
        if n := kind.numpy_names:
            name = "share of them with a name of NumPy's own"
            yield {**where, "metric": name, "estimate": n / kind.count, "samples": n}


def _accuracies(cell: Cell | WorldsCell, place: Number) -> Iterator[Number]:
    where = {**place, "book": cell.book, "tasks": cell.tasks, "samples": cell.samples}
    yield {**where, "metric": "accuracy", "estimate": cell.accuracy, **_interval(cell.interval)}
    if cell.targeted is not None:
        yield {**where, "metric": "targeted", "estimate": cell.targeted, **_interval(cell.targeted_interval)}


def _shares(one: ChangedTasks | EditionResult | Boundary, model: str) -> Iterator[Number]:
    """Yield the shares of a result in `SHARES`, and the difference that only a boundary has."""
    group, shares = SHARES[type(one)]
    place = {"run": one.run, "model": model, "book": one.book, "group": group}
    for value, metric, field, tasks, answers in shares:
        share, counts = getattr(one, field), {"tasks": getattr(one, tasks), "samples": getattr(one, answers, None)}
        yield {
            **place,
            "value": value,
            "metric": metric,
            "estimate": share.value,
            **_interval(share.interval),
            **counts,
        }
    if isinstance(one, Boundary):
        gap = {**place, "value": "absent - present", "metric": "declined"}
        yield {**gap, "estimate": one.difference, **_interval(one.interval)}


def _memory(use: MemoryUse) -> Iterator[Number]:
    place = {"run": use.run, "model": use.model, "book": "closed", "group": "memory", "value": use.method}
    figures = {
        "tokens of the memory": use.size_tokens, "tokens added to a prompt": use.tokens, "study calls": use.study_calls,
        "study tokens": use.study_tokens, "needed functions present": use.present,
        "all needed functions present": use.all_present, "present functions called": use.used,
    }  # fmt: skip
    return _figures(place, figures)


def _figures(place: Number, figures: Mapping[str, float | None]) -> Iterator[Number]:
    return ({**place, "metric": name, "estimate": value} for name, value in figures.items() if value is not None)


def _comparison(comparison: PairedComparison, model: str, name: str) -> Number:
    return {
        "run": comparison.after.run, "model": model, "book": comparison.after.book,
        "group": "split" if comparison.split else "all", "value": comparison.split, "metric": name,
        "estimate": comparison.difference, **_interval(comparison.interval), "p": comparison.p,
        "tasks": comparison.tasks,
    }  # fmt: skip


def _interval(interval: Interval | None) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "method": interval.method} if interval else {}


def as_csv(columns: Sequence[str], rows: Iterator[Number]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

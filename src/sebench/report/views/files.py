"""The report as data files: `report.json` (everything), `report.csv` (one row per number), `rollouts.csv` (one row per
response).

Older files are replaced. Text that is not valid Unicode (a model can answer with a lone surrogate) is escaped.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sebench.base.files import write as write_file
from sebench.report.numbers import metrics
from sebench.report.numbers.boundary import Boundary
from sebench.report.numbers.build import Report, RunReport
from sebench.report.numbers.compare import PairedComparison
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.memory import MemoryUse
from sebench.report.numbers.regimes import RegimeResult
from sebench.report.numbers.sources import Source
from sebench.report.numbers.worlds import Aggregate

JSON, CSV, ROLLOUTS = "report.json", "report.csv", "rollouts.csv"

NUMBER_COLUMNS = (
    "run", "model", "book", "group", "value", "metric",
    "estimate", "low", "high", "method", "p", "tasks", "samples", "excluded",
)  # fmt: skip
ROLLOUT_COLUMNS = (
    "run", "model", "book", "split", "task", "sample", "outcome", "targeted", "kind", "blame", "case", "detail", "actual", "functions", "called",
    "invented",
    "finish", "prompt_tokens", "completion_tokens", "seconds", "cpu_s", "error",
)  # fmt: skip


def as_json(report: Report) -> str:
    return f"{json.dumps(report.to_json(), indent=1)}\n"


def write(report: Report, sources: Sequence[Source], out: Path) -> None:
    """Write all three files into an existing folder."""
    write_file(out / JSON, as_json(report))
    write_file(out / CSV, _csv(NUMBER_COLUMNS, numbers(report)))
    write_file(out / ROLLOUTS, _csv(ROLLOUT_COLUMNS, responses(sources)))


def numbers(report: Report) -> Iterator[dict[str, Any]]:
    """Every number with its interval, in long form."""
    for run in report.runs:
        yield from _cells(run)
        yield from _functions(run)
        for kind in run.errors:
            yield {
                "run": run.name, "model": run.model, "book": kind.book, "group": "error kind", "value": kind.kind,
                "metric": "share of wrong answers", "estimate": kind.share, "samples": kind.count,
            }  # fmt: skip
            if kind.numpy_names:
                yield {
                    "run": run.name, "model": run.model, "book": kind.book, "group": "error kind", "value": kind.kind,
                    "metric": "share of them with a name of NumPy's own", "estimate": kind.numpy_names / kind.count,
                    "samples": kind.numpy_names,
                }  # fmt: skip
        for comparison in run.book_dependence:
            yield _comparison(comparison, run.model, comparison.name)
    for aggregate in report.aggregates:
        yield from _worlds(aggregate)
    models = {run.name: run.model for run in report.runs}
    for one in report.boundary:
        yield from _boundary(one, models[one.run])
    for line in report.at_hand:
        yield from _by_regime(line)
    for use in report.memory:
        yield from _memory(use)
    for comparison in report.comparisons:
        name = f"{comparison.name} over {comparison.before.run}"
        yield _comparison(comparison, models[comparison.after.run], name)


def responses(sources: Sequence[Source]) -> Iterator[dict[str, Any]]:
    """Every response, without its text, which is in the run's rollouts.jsonl."""
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


def _cells(run: RunReport) -> Iterator[dict[str, Any]]:
    for cell in run.cells:
        place = {"run": run.name, "model": run.model, "book": cell.book, "group": cell.group, "value": cell.value}
        counts = {"tasks": cell.tasks, "samples": cell.samples, "excluded": sum(cell.excluded.values())}
        yield {**place, "metric": "accuracy", "estimate": cell.accuracy, **_interval(cell.interval), **counts}
        if cell.targeted is not None:
            yield {
                **place,
                "metric": "targeted",
                "estimate": cell.targeted,
                **_interval(cell.targeted_interval),
                **counts,
            }
        for at in cell.pass_at:
            yield {**place, "metric": f"pass@{at.k}", "estimate": at.value, **counts, "tasks": at.tasks}


def _worlds(aggregate: Aggregate) -> Iterator[dict[str, Any]]:
    for cell in aggregate.cells:
        place = {
            "run": aggregate.label, "model": aggregate.model, "book": cell.book, "group": "split" if cell.split else "all",
            "value": cell.split, "tasks": cell.tasks, "samples": cell.samples,
        }  # fmt: skip
        yield {**place, "metric": "accuracy", "estimate": cell.accuracy, **_interval(cell.interval)}
        if cell.targeted is not None:
            yield {**place, "metric": "targeted", "estimate": cell.targeted, **_interval(cell.targeted_interval)}


def _functions(run: RunReport) -> Iterator[dict[str, Any]]:
    for f in run.functions:
        place = {"run": run.name, "model": run.model, "book": f.book, "group": "function", "value": f.function}
        counts = {"tasks": f.tasks, "samples": f.samples}
        yield {**place, "metric": "accuracy", "estimate": f.accuracy, **_interval(f.interval), **counts}
        yield {**place, "metric": "called", "estimate": f.called / f.samples if f.samples else None, **counts}


def _boundary(one: Boundary, model: str) -> Iterator[dict[str, Any]]:
    place = {"run": one.run, "model": model, "book": one.book, "group": "boundary"}
    absent = {**place, "value": "absent", "tasks": one.absent_tasks, "samples": one.absent_answers}
    present = {**place, "value": "present", "tasks": one.present_tasks, "samples": one.present_answers}
    for where, metric, share in (
        (absent, "invented names", one.invented_absent),
        (present, "invented names", one.invented_present),
        (absent, "declined", one.declined_absent),
        (present, "declined", one.declined_present),
        (absent, "composed", one.composed),
    ):
        yield {**where, "metric": metric, "estimate": share.value, **_interval(share.interval)}
    yield {
        **place,
        "value": "absent - present",
        "metric": "declined",
        "estimate": one.difference,
        **_interval(one.interval),
    }


def _by_regime(line: RegimeResult) -> Iterator[dict[str, Any]]:
    """The figures that other rows do not have."""
    place = {"run": line.run, "model": line.reader, "book": line.book, "group": "regime", "value": line.regime}
    figures = {"prompt tokens per answer": line.prompt_tokens, "requests per answer": line.requests}
    yield from ({**place, "metric": name, "estimate": value} for name, value in figures.items() if value is not None)


def _memory(use: MemoryUse) -> Iterator[dict[str, Any]]:
    place = {"run": use.run, "model": use.model, "book": "closed", "group": "memory", "value": use.method}
    figures = {
        "tokens of the memory": use.size_tokens, "tokens added to a prompt": use.tokens, "study calls": use.study_calls,
        "study tokens": use.study_tokens, "needed functions present": use.present,
        "all needed functions present": use.all_present, "present functions called": use.used,
    }  # fmt: skip
    yield from ({**place, "metric": name, "estimate": value} for name, value in figures.items() if value is not None)


def _comparison(comparison: PairedComparison, model: str, name: str) -> dict[str, Any]:
    return {
        "run": comparison.after.run, "model": model, "book": comparison.after.book,
        "group": "split" if comparison.split else "all", "value": comparison.split, "metric": name,
        "estimate": comparison.difference, **_interval(comparison.interval), "p": comparison.p, "tasks": comparison.tasks,
    }  # fmt: skip


def _interval(interval: Interval | None) -> dict[str, Any]:
    return {"low": interval.low, "high": interval.high, "method": interval.method} if interval else {}


def _csv(columns: Sequence[str], rows: Iterator[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()

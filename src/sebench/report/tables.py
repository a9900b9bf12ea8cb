"""The report on a terminal: accuracy with intervals, comparisons, error kinds, notes. It shows a `Report` and computes nothing."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sebench.report.build import Report
from sebench.report.compare import Comparison
from sebench.report.intervals import Interval
from sebench.report.metrics import Cell
from sebench.report.native import native_lines

NARROW = 100  # characters; below it only the largest pass@k is shown
SPLIT_NAMES = {"": "all", "single_test": "single", "multi_test": "multi"}


def show(report: Report, console: Console) -> None:
    """Print every table that has something to say."""
    console.print(_summary(report, narrow=console.width < NARROW))
    differences = [c for run in report.runs for c in run.book_dependence] + list(report.comparisons)
    if differences:
        console.print(_differences(report, differences))
    if any(kind.count for run in report.runs for kind in run.errors):
        console.print(_errors(report))
    console.print(_cost(report))
    for line in native_lines(report.native, report.ratio_base):
        console.print(Text(line), highlight=False, soft_wrap=True)
    for note in report.notes:
        console.print(Text(f"note: {note}"), highlight=False, soft_wrap=True)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def between(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else ""


def points(value: float) -> str:
    """A difference of two shares, in percentage points."""
    return f"{100 * value:+.1f}"


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _summary(report: Report, narrow: bool) -> Table:
    table = _table(
        "accuracy: mean over samples, then over tasks; 95 % intervals by task; targeted: by what the task is about"
    )
    several = len(report.runs) > 1
    ks = sorted({at.k for run in report.runs for cell in run.cells for at in cell.pass_at if at.k > 1})
    ks = ks[-1:] if narrow else ks
    for name in ("run", "book", "split") if several else ("book", "split"):
        table.add_column(name)
    for name in ("accuracy", "95 %", "targeted", *(f"pass@{k}" for k in ks), "tasks", "samples", "excluded"):
        table.add_column(name, justify="right", no_wrap=True)
    for run in report.runs:
        for book in run.books:
            splits = run.splits
            for split in ["", *splits] if len(splits) > 1 else splits:
                cell = run.cell(book, "split", split) if split else run.cell(book)
                if cell:
                    table.add_row(*([Text(run.name)] if several else []), *_row(cell, ks))
            table.add_section()
    return table


def _row(cell: Cell, ks: list[int]) -> list[Text]:
    at = {a.k: a.value for a in cell.pass_at}
    return [
        Text(cell.book),
        Text(SPLIT_NAMES.get(cell.value, cell.value)),
        Text(percent(cell.accuracy), style="bold"),
        Text(between(cell.interval)),
        Text(percent(cell.targeted)),
        *(Text(percent(at.get(k))) for k in ks),
        Text(f"{cell.tasks:,}"),
        Text(f"{cell.samples:,}"),
        Text(f"{sum(cell.excluded.values()):,}"),
    ]


def _differences(report: Report, differences: list[Comparison]) -> Table:
    table = _table("paired differences, in percentage points, over the tasks of both sides")
    table.add_column("what", no_wrap=True)
    for name in ("from", "to", "split"):
        table.add_column(name)
    for name in ("points", "95 %", "p", "tasks"):
        table.add_column(name, justify="right", no_wrap=True)
    several, previous = len(report.runs) > 1, None
    for c in differences:
        sides = [f"{side.run} {side.book}" if several else side.book for side in (c.before, c.after)]
        if previous not in (None, (c.name, c.before, c.after)):
            table.add_section()
        previous = (c.name, c.before, c.after)
        spread = f"{points(c.interval.low)} to {points(c.interval.high)}"
        numbers = [points(c.difference), spread, p_value(c.p), f"{c.tasks:,}"]
        table.add_row(*map(Text, [c.name, *sides, SPLIT_NAMES.get(c.split, c.split), *numbers]))
    return table


def _errors(report: Report) -> Table:
    table = _table("wrong answers by kind (the published types first)")
    columns = [(run, book) for run in report.runs for book in run.books]
    table.add_column("kind")
    for run, book in columns:
        table.add_column(Text(f"{run.name}\n{book}" if len(report.runs) > 1 else book), justify="right", no_wrap=True)
    found = {(run.name, e.book, e.kind): e for run in report.runs for e in run.errors}
    published = list(dict.fromkeys(e.kind for run in report.runs for e in run.errors if e.published))
    others = dict.fromkeys(e.kind for run in report.runs for e in run.errors if not e.published)
    for kind in [*published, *others]:
        entries = [found.get((run.name, book, kind)) for run, book in columns]
        cells = [f"{e.count:,} ({e.share:.0%})" if e and e.count else "·" for e in entries]
        table.add_row(kind.replace("_", " "), *cells, end_section=bool(published and others) and kind == published[-1])
    return table


def _cost(report: Report) -> Table:
    table = _table("tokens and time; cut: ended at the token limit")
    for name in ("run", "book"):
        table.add_column(name)
    for name in ("responses", "cut", "tokens in", "tokens out", "model s", "judge s"):
        table.add_column(name, justify="right", no_wrap=True)
    for run in report.runs:
        for t in run.totals:
            counts = [t.responses, t.cut, t.prompt_tokens, t.completion_tokens]
            times = [f"{t.model_s:,.1f}", f"{t.judge_cpu_s:,.1f}"]
            table.add_row(Text(run.name), t.book, *(f"{n:,}" for n in counts), *times)
    return table


def _table(title: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        header_style="",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )

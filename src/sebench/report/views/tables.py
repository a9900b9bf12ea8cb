"""The report on a terminal: accuracy with intervals, comparisons, error kinds, time, notes. It shows a `Report` and
computes nothing.

Every table is made to fit the terminal: first, columns that the files also have are left out, then runs are called A,
B, C with a legend, then a table is split. No cell is wrapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from string import ascii_uppercase

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sebench.report.numbers.build import REGIMES, Report, RunReport
from sebench.report.numbers.compare import PairedComparison
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.metrics import SPLIT_ORDER, Cell, ErrorKind
from sebench.report.numbers.native import native_lines
from sebench.report.numbers.worlds import Aggregate, WorldsCell

SPLIT_NAMES = {"": "all", **{split: split.removesuffix("_test") for split in SPLIT_ORDER}}
UNBOUND = 100_000  # characters
SHORT_NAMES = {"internalization gain": "gain, closed", "open book": "gain, open", "book dependence": "open - closed"}


def show(report: Report, console: Console) -> None:
    """Print every table that has something to say."""
    names = {run.name: run.name for run in report.runs}
    tables = _tables(report, names, console)
    if len(names) > 1 and not all(_fits(table, console) for table in tables):
        letters = {run.name: ascii_uppercase[i] if i < 26 else str(i + 1) for i, run in enumerate(report.runs)}
        tables = _tables(report, letters, console)
        for name, letter in letters.items():
            console.print(Text(f"{letter}: {name}"), highlight=False, soft_wrap=True)
    for table in tables:
        console.print(Text(str(table.title), style="bold"), highlight=False, soft_wrap=True)
        table.title = None  # printed above the table, where it need not be as narrow
        console.print(table)
    remarks = [*native_lines(report.native, report.ratio_base), *_remarks(report)]
    for note in (*remarks, *(f"note: {note}" for note in report.notes)):
        console.print(Text(note), highlight=False, soft_wrap=True)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def between(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else ""


def points(value: float) -> str:
    """A difference of two shares, in percentage points."""
    return f"{100 * value:+.1f}"


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def with_interval(value: float | None, interval: Interval | None) -> str:
    """A share with its interval: "57.3% (51.2–63.0)"."""
    return f"{percent(value)} ({between(interval).replace(' to ', '–')})" if interval else percent(value)


def duration(seconds: float) -> str:
    """Seconds in readable units."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _tables(report: Report, names: Mapping[str, str], console: Console) -> list[Table]:
    """Every table in the widest form that fits, with these names for runs."""
    all_tables = [_roomiest(lambda level: _summary(report, names, level), console)]
    differences = [c for run in report.runs for c in run.book_dependence] + list(report.comparisons)
    if differences:
        all_tables.append(_roomiest(lambda level: _differences(report, differences, names, level), console))
    if any(kind.count for run in report.runs for kind in run.errors):
        all_tables += _errors(report, names, console)
    if report.boundary:
        all_tables.append(_roomiest(lambda level: _boundary(report, names, level), console))
    if report.at_hand:
        all_tables.append(_roomiest(lambda level: _by_regime(report, names, level), console))
    if report.memory:
        all_tables.append(_roomiest(lambda level: _memory(report, names, level), console))
    if report.crossed:
        all_tables.append(_by_writer(report))
    return [*all_tables, _roomiest(lambda level: _cost(report, names, level), console)]


def _roomiest(make: Callable[[int], Table], console: Console) -> Table:
    """The table at the first level of shortening, 0 to 2, at which it fits; at 2 if it never does."""
    for level in range(3):
        table = make(level)
        if _fits(table, console):
            break
    return table


def _remarks(report: Report) -> Iterator[str]:
    if lines := [run.name for run in report.runs if run.reference]:
        yield f"ref: reference lines, which are scripted: {', '.join(lines)}"
    if any(run.labels for run in report.runs):
        yield f"available besides weights: {', '.join(f'{regime} ({letter})' for regime, letter in REGIMES.items())}"
    if report.aggregates:
        yield "worlds: the interval is over worlds if there are three or more with different means, else over tasks"
    if times := [f"{run.name} {duration(run.wall_s)}" for run in report.runs if run.wall_s is not None]:
        yield f"from start to end, pauses included: {', '.join(times)}"


def _summary(report: Report, names: Mapping[str, str], level: int) -> Table:
    table = plain_table("accuracy: mean over samples, then over tasks; 95 % intervals by task")
    several = len(report.runs) > 1
    ks = sorted({at.k for run in report.runs for cell in run.cells for at in cell.pass_at if at.k > 1})
    ks = [ks, ks[-1:], []][level]
    left_out = any(cell.excluded for run in report.runs for cell in run.cells)
    for name in ("run", "book", "split") if several else ("book", "split"):
        table.add_column(name, no_wrap=True)
    counts = ["tasks", *(["samples"] if level == 0 else []), *(["excluded"] if left_out else [])]
    credit = ["targeted"] if any(cell.targeted is not None for run in report.runs for cell in run.cells) else []
    for name in ("accuracy (95 %)", *credit, *(f"pass@{k}" for k in ks), *counts):
        table.add_column(name, justify="right", no_wrap=True)
    for run in report.runs:
        label = [Text(f"{names[run.name]}{' (ref)' if run.reference else ''}")] if several else []
        for book in run.books:
            for cell in split_cells(run, book):
                at = {a.k: percent(a.value) for a in cell.pass_at}
                numbers = {"tasks": cell.tasks, "samples": cell.samples, "excluded": sum(cell.excluded.values())}
                values = [*(at.get(k, "–") for k in ks), *(f"{numbers[name]:,}" for name in counts)]
                lead = _lead(cell, cell.value, bool(credit), run.label(book, short=level > 1))
                table.add_row(*label, *lead, *map(Text, values))
            table.add_section()
    for aggregate in report.aggregates:
        for over in aggregate.cells:
            numbers = {"tasks": over.tasks, "samples": over.samples}
            values = [*("–" for _ in ks), *(f"{numbers[name]:,}" if name in numbers else "–" for name in counts)]
            table.add_row(Text(_over(aggregate, names)), *_lead(over, over.split, bool(credit)), *map(Text, values))
        table.add_section()
    return table


def _over(aggregate: Aggregate, names: Mapping[str, str]) -> str:
    """The label of a row over worlds; if runs are called by letters and the label has a name: "A B C, 3 worlds"."""
    plain = f"{aggregate.worlds} worlds"
    if aggregate.label == plain or all(names[run] == run for run in aggregate.runs):
        return aggregate.label
    first, *rest = (names[run] for run in aggregate.runs)
    return f"{' '.join([first, *rest]) if len(rest) < 4 else f'{first} to {rest[-1]}'}, {plain}"


def split_cells(run: RunReport, book: str) -> list[Cell]:
    """All tasks, then each split if there are several."""
    splits = run.splits
    cells = [
        run.cell(book, "split", s) if s else run.cell(book) for s in (["", *splits] if len(splits) > 1 else splits)
    ]
    return [cell for cell in cells if cell]


def _lead(cell: Cell | WorldsCell, split: str, credit: bool, label: str = "") -> list[Text]:
    return [
        Text(label or cell.book),
        Text(SPLIT_NAMES.get(split, split)),
        Text(with_interval(cell.accuracy, cell.interval), style="bold"),
        *([Text(percent(cell.targeted))] if credit else []),
    ]


def _differences(report: Report, differences: list[PairedComparison], names: Mapping[str, str], level: int) -> Table:
    closed = "; gain, closed: internalization gain" if level and report.comparisons else ""
    table = plain_table(f"paired differences, in percentage points, by task{closed}")
    several = len(report.runs) > 1
    for name in ("what", *(["runs"] if several else []), "split"):
        table.add_column(name, no_wrap=True)
    counts = ["tasks"] if level < 2 else []
    for name in ("points (95 %)", "p", *counts):
        table.add_column(name, justify="right", no_wrap=True)
    previous = None
    for c in differences:
        if previous not in (None, (c.name, c.before, c.after)):
            table.add_section()
        previous = (c.name, c.before, c.after)
        runs = dict.fromkeys(names[side.run] for side in (c.before, c.after))
        spread = f"{points(c.difference)} ({points(c.interval.low)} to {points(c.interval.high)})"
        what = [SHORT_NAMES.get(c.name, c.name) if level else c.name, *([" → ".join(runs)] if several else [])]
        tasks = [f"{c.tasks:,}" for _ in counts]
        table.add_row(*map(Text, [*what, SPLIT_NAMES.get(c.split, c.split), spread, p_value(c.p), *tasks]))
    return table


def _boundary(report: Report, names: Mapping[str, str], level: int) -> Table:
    table = plain_table("boundary: tasks about functions that the library lacks (absent) or has (present)")
    several = len(report.runs) > 1
    for name in ("run", "book") if several else ("book",):
        table.add_column(name, no_wrap=True)
    further = [["composed", "tasks"], ["composed"], []][level]
    for name in ("invented\nabsent | present", "declined\nabsent | present", "difference (95 %)", *further):
        table.add_column(name, justify="right", no_wrap=True)
    for one in report.boundary:
        spread = f" ({100 * one.interval.low:+.0f} to {100 * one.interval.high:+.0f})" if one.interval else ""
        gap = "–" if one.difference is None else f"{points(one.difference)}{spread}"
        invented = f"{percent(one.invented_absent.value)} | {percent(one.invented_present.value)}"
        declined = f"{percent(one.declined_absent.value)} | {percent(one.declined_present.value)}"
        more = {"composed": percent(one.composed.value), "tasks": f"{one.absent_tasks:,} | {one.present_tasks:,}"}
        label = [names[one.run]] if several else []
        table.add_row(*map(Text, [*label, one.book, invented, declined, gap, *(more[name] for name in further)]))
    return table


def _by_regime(report: Report, names: Mapping[str, str], level: int) -> Table:
    table = plain_table("regimes: accuracy and prompt tokens per answer")
    for name in (
        "run",
        "regime",
        *(["method", "writer", "reader"] if level == 0 else ["method"] if level == 1 else []),
    ):
        table.add_column(name, no_wrap=True)
    for name in ("accuracy (95 %)", "targeted", "tokens", *(["requests"] if level == 0 else [])):
        table.add_column(name, justify="right", no_wrap=True)
    for one in report.at_hand:
        words = {0: [one.method or "–", one.writer or "–", one.reader], 1: [one.method or "–"]}.get(level, [])
        tokens = "–" if one.prompt_tokens is None else f"{one.prompt_tokens:,.0f}"
        shares = [with_interval(one.accuracy, one.interval), percent(one.targeted), tokens]
        requests = [f"{one.requests:.1f}"] if level == 0 else []
        table.add_row(*map(Text, [names[one.run], one.regime, *words, *shares, *requests]))
    return table


def _by_writer(report: Report) -> Table:
    table = plain_table("writers of memories (rows) and the models that read them (columns): accuracy")
    readers = list(dict.fromkeys(reader for one in report.crossed for reader in one.readers))
    for name in ("method", "writer"):
        table.add_column(name, no_wrap=True)
    for reader in readers:
        table.add_column(Text(reader), justify="right")
    for one in report.crossed:
        table.add_row(Text(one.method), Text(one.writer), *(percent(one.readers.get(reader)) for reader in readers))
    return table


def _memory(report: Report, names: Mapping[str, str], level: int) -> Table:
    table = plain_table("memory: needed names in the prompt (present), and those of them that the answer called (used)")
    several = len(report.runs) > 1
    # The regime is in the table above too.
    for name in (*(["run"] if several else []), "method", *(["regime"] if level == 0 else [])):
        table.add_column(name, no_wrap=True)
    further = [["calls", "study calls", "study tokens"], ["study calls"], []][level]
    for name in ("tokens added", "present", "all present", "used", *further):
        table.add_column(name, justify="right", no_wrap=True)
    for one in report.memory:
        label = [names[one.run]] if several else []
        tokens = "–" if one.tokens is None else f"{one.tokens:,.0f}"
        more = {
            "calls": f"{one.calls:.1f}",
            "study calls": f"{one.study_calls:,}",
            "study tokens": f"{one.study_tokens:,}",
        }
        shares = map(percent, (one.present, one.all_present, one.used))
        words = [*label, one.method, *([one.regime] if level == 0 else [])]
        table.add_row(*map(Text, [*words, tokens, *shares, *(more[name] for name in further)]))
    return table


def _errors(report: Report, names: Mapping[str, str], console: Console) -> list[Table]:
    """Counts with shares, or only shares if that is too wide; then as many tables as needed."""
    wrong = {(run.name, e.book) for run in report.runs for e in run.errors if e.count}
    columns = [(run, book) for run in report.runs for book in run.books if (run.name, book) in wrong]
    full = _error_table(report, columns, names, lambda n, e: f"{n:,} ({n / e.count * e.share:.0%})")
    if _fits(full, console):
        return [full]
    for count in range(1, len(columns) + 1):
        size = ceil(len(columns) / count)
        parts = [columns[i : i + size] for i in range(0, len(columns), size)]
        part_tables = [_error_table(report, part, names, lambda n, e: f"{n / e.count * e.share:.0%}") for part in parts]
        if all(_fits(table, console) for table in part_tables):
            break
    return part_tables


def _error_table(
    report: Report,
    columns: Sequence[tuple[RunReport, str]],
    names: Mapping[str, str],
    text: Callable[[int, ErrorKind], str],
) -> Table:
    table = plain_table("wrong answers by kind (the published types first)")
    table.add_column("kind", no_wrap=True)
    for run, book in columns:
        name = f"{names[run.name]}\n{run.label(book, True)}" if len(report.runs) > 1 else run.label(book)
        table.add_column(Text(name), justify="right", no_wrap=True)
    errors = {(run.name, e.book, e.kind): e for run in report.runs for e in run.errors}
    published = list(dict.fromkeys(e.kind for run in report.runs for e in run.errors if e.published))
    others = dict.fromkeys(e.kind for run in report.runs for e in run.errors if not e.published)
    for kind in [*published, *others]:
        entries = [errors.get((run.name, book, kind)) for run, book in columns]
        table.add_row(kind.replace("_", " "), *(text(e.count, e) if e and e.count else "·" for e in entries))
        if any(e and e.numpy_names for e in entries):
            cells = [text(e.numpy_names, e) if e and e.numpy_names else "·" for e in entries]
            table.add_row("  a name of NumPy's", *cells, style="dim")
        if published and others and kind == published[-1]:
            table.add_section()
    return table


def _cost(report: Report, names: Mapping[str, str], level: int) -> Table:
    cut = any(t.cut for run in report.runs for t in run.totals)
    explanation = "; cut: ended at the token limit" if cut else ""
    table = plain_table(f"tokens and time; median s: from request to answer{explanation}")
    several = len(report.runs) > 1
    for name in ("run", "book") if several else ("book",):
        table.add_column(name, no_wrap=True)
    for name in ("responses", *(["cut"] if cut else []), "tokens in", "tokens out", "median s", "judge s"):
        table.add_column(name, justify="right", no_wrap=True)
    for run in report.runs:
        for t in run.totals:
            counts = [t.responses, *([t.cut] if cut else []), t.prompt_tokens, t.completion_tokens]
            times = [f"{t.median_s:,.1f}", f"{t.judge_cpu_s:,.1f}"]
            label = [Text(names[run.name])] if several else []
            table.add_row(*label, run.label(t.book, level > 0), *(f"{n:,}" for n in counts), *times)
    return table


def _fits(table: Table, console: Console) -> bool:
    # Asked without a limit: a table that must shrink would say that it fits.
    unbound = console.options.update(max_width=UNBOUND)
    return Measurement.get(console, unbound, table).maximum <= console.width


def plain_table(title: str = "") -> Table:
    """A table without borders."""
    return Table(title=title, header_style="", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)

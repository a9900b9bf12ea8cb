"""Lays out the tables of a report as text, and prints them on a terminal. Computes no results.

Files (`formats.py`) and terminals have the same tables. A terminal also has tables of error kinds and cost, and omits
empty columns. Every table is made to fit: first, columns that the files also have are omitted, then its runs are
called A, B, C with a legend, then the table is split. No cell is wrapped, except in the leaderboard.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from math import ceil
from string import ascii_uppercase

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from sebench.base.wording import counted
from sebench.report.numbers.build import Report, RunReport
from sebench.report.numbers.compare import Side, native_lines
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.metrics import SPLIT_ORDER, Cell
from sebench.report.numbers.worlds import Aggregate

SPLIT_NAMES = {"": "all", **{split: split.removesuffix("_test") for split in SPLIT_ORDER}}
UNBOUND = 100_000  # characters
SHORT_NAMES = {"book dependence": "open - closed"}
LONG = re.compile("[1-9][0-9]{3,}")  # a number whose thousands are grouped on a terminal
NOTHING = ("", "–", "0", "·")  # a column of numbers with only these is not shown on a terminal

Letters = Mapping[str, str]  # short names of runs on a terminal: {} for full names, "" for the only run


@dataclass(frozen=True)
class TextTable:
    """A table of plain text; the first `names` columns are words, the others numbers."""

    title: str
    names: int
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spare: tuple[Sequence[str], ...] = ()  # columns that a narrow terminal omits, in this order

    def only(self, columns: Iterable[int]) -> TextTable:
        """Return the table with only these columns."""
        kept = list(columns)
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        names = sum(i < self.names for i in kept)
        return replace(self, names=names, head=tuple(self.head[i] for i in kept), rows=rows)


def show(report: Report, console: Console) -> None:
    """Print every table that is not empty."""
    several = len(report.runs) > 1
    letters = {run.name: ascii_uppercase[i] if i < 26 else str(i + 1) for i, run in enumerate(report.runs)}
    legend = {**letters, **(SHORT_NAMES if report.comparisons else {})} if several else {}
    named = _tables(report, {} if several else {report.runs[0].name: ""})
    for table, lettered in zip(named, _tables(report, letters), strict=True):
        fits = not several or _fits(_narrow(table, console), console)
        if not fits:  # the legend stands before the first table that needs it
            print_lines((f"{short}: {name}" for name, short in legend.items()), console)
            legend = {}
        print_table(table if fits else lettered, console)
    remarks = [*native_lines(report.native, report.ratio_base), *_remarks(report)]
    print_lines([*remarks, *(f"note: {note}" for note in report.notes)], console)


def print_lines(lines: Iterable[str], console: Console, style: str = "") -> None:
    """Print lines as they are, without markup."""
    for line in lines:
        console.print(Text(line, style=style), highlight=False, soft_wrap=True)


def print_table(table: TextTable, console: Console, *, wrap: bool = False) -> None:
    """Print a table below its title, in the widest form that fits; if `wrap`, wrap words rather than split it."""
    print_lines([table.title] if table.title else [], console, "bold")
    narrow = _narrow(table, console)
    words, numbers = range(narrow.names), range(narrow.names, len(narrow.head))
    parts = [_drawn(narrow)]
    for count in () if wrap else range(1, len(numbers) + 1):
        size = ceil(len(numbers) / count)
        parts = [_drawn(narrow.only([*words, *numbers[i : i + size]])) for i in range(0, len(numbers), size)]
        if all(_width(part, console) <= console.width for part in parts):
            break
    for part in parts:
        console.print(part)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def between(interval: Interval | None) -> str:
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" if interval else ""


def spread(interval: Interval | None) -> str:
    """Format the interval of a share: "51.2–63.0"."""
    return between(interval).replace(" to ", "–")


def points(value: float) -> str:
    """Format a difference of two shares, in percentage points."""
    return f"{100 * value:+.1f}"


def points_between(interval: Interval | None) -> str:
    return f"{points(interval.low)} to {points(interval.high)}" if interval else ""


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def with_interval(value: float | None, interval: Interval | None) -> str:
    """Format a share with its interval: "57.3% (51.2–63.0)"."""
    return f"{percent(value)} ({spread(interval)})" if interval else percent(value)


def duration(seconds: float) -> str:
    """Format seconds in readable units."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def split_cells(run: RunReport, book: str) -> list[Cell]:
    """Return the cell for all tasks, then the cell for each split if there are several."""
    splits = run.splits
    cells = [
        run.cell(book, "split", s) if s else run.cell(book) for s in (["", *splits] if len(splits) > 1 else splits)
    ]
    return [cell for cell in cells if cell]


# ---- tables of files and terminals ----------------------------------------------------------------------------------


def of_files(report: Report, letters: Letters) -> list[TextTable]:
    """Return every table that the files also contain, the main table first."""
    builders = (summary, differences, changed, editions, boundary, by_regime, memory, by_writer)
    return [table for build in builders if (table := build(report, letters)).rows]


def summary(report: Report, letters: Letters) -> TextTable:
    """Return a table of the accuracy of every run, book and split, and of runs over several worlds."""
    ks = sorted({at.k for run in report.runs for cell in run.cells for at in cell.pass_at if at.k > 1})
    rows = []
    for run in report.runs:
        name = letters.get(run.name, f"{run.name} (script)" if run.reference else run.name)
        for book in run.books:
            for cell in split_cells(run, book):
                at = {a.k: a.value for a in cell.pass_at}
                shares = [percent(cell.accuracy), spread(cell.interval), percent(cell.targeted)]
                counts = [cell.tasks, cell.samples, sum(cell.excluded.values())]
                place = (name, run.label(book, any(letters.values())), SPLIT_NAMES.get(cell.value, cell.value))
                rows.append((*place, *shares, *(percent(at.get(k)) for k in ks), *map(str, counts)))
    for aggregate in report.aggregates:
        for over in aggregate.cells:
            shares = [percent(over.accuracy), spread(over.interval), percent(over.targeted), *("–" for _ in ks)]
            place = (_over(aggregate, letters), over.book, SPLIT_NAMES.get(over.split, over.split))
            rows.append((*place, *shares, str(over.tasks), str(over.samples), "–"))
    passes = [f"pass@{k}" for k in ks]
    head = ("run", "book", "split", "accuracy", "95 %", "targeted", *passes, "tasks", "samples", "excluded")
    spare = (("samples", *passes[:-1]), passes[-1:])
    return TextTable(f"Accuracy{_unfinished(report, letters)}", 3, head, tuple(rows), spare)


def _unfinished(report: Report, letters: Letters) -> str:
    """Return which runs are not finished, for the title of their figures."""
    counts = [
        f"{letters.get(run.name, run.name)} {run.responses:,} of {counted(run.expected, 'response')}".strip()
        for run in report.runs
        if run.responses < run.expected
    ]
    return f" (not finished: {'; '.join(counts)})" if counts else ""


def _over(aggregate: Aggregate, letters: Letters) -> str:
    """Return the label of a row over several worlds. If runs have letters, these replace a name in it: "A B C, 3
    worlds"."""
    plain = f"{aggregate.worlds} worlds"
    if aggregate.label == plain or not letters:
        return aggregate.label
    first, *rest = (letters[run] for run in aggregate.runs)
    return f"{' '.join([first, *rest]) if len(rest) < 4 else f'{first} to {rest[-1]}'}, {plain}"


def differences(report: Report, letters: Letters) -> TextTable:
    """Return a table of every paired comparison, in percentage points."""
    rows = []
    for c in [*(c for run in report.runs for c in run.book_dependence), *report.comparisons]:
        name = SHORT_NAMES.get(c.name, c.name) if any(letters.values()) else c.name
        numbers = (points(c.difference), points_between(c.interval), p_value(c.p), str(c.tasks))
        sides = (_side(c.before, letters), _side(c.after, letters))
        rows.append((name, *sides, SPLIT_NAMES.get(c.split, c.split), *numbers))
    head = ("difference", "from", "to", "split", "points", "95 %", "p", "tasks")
    return TextTable("Paired differences, in percentage points", 4, head, tuple(rows), (["tasks"],))


def _side(side: Side, letters: Letters) -> str:
    run = letters.get(side.run, side.run)
    return f"{run}, {side.book}" if run else side.book


def changed(report: Report, letters: Letters) -> TextTable:
    """Return a table of the answers about functions that differ from NumPy's."""
    rows = []
    for one in report.changed:
        shares = (percent(one.accuracy.value), spread(one.accuracy.interval), percent(one.prior.value))
        wrong, others = percent(one.prior_of_wrong), percent(one.other_accuracy.value)
        tasks = (str(one.tasks), str(one.other_tasks))
        rows.append(
            (letters.get(one.run, one.run), one.book, *shares, spread(one.prior.interval), wrong, others, *tasks)
        )
    head = ("run", "book", "accuracy", "95 %", "as NumPy", "95 %", "of the wrong", "other tasks", "tasks", "others")
    return TextTable(
        "Functions that differ from NumPy's: right, or as NumPy does it", 2, head, tuple(rows), (head[-2:],)
    )


def editions(report: Report, letters: Letters) -> TextTable:
    """Return a table of the answers about a new edition of a world."""
    rows = []
    for one in report.editions:
        shares = (one.new_right, one.stale, one.unchanged_kept, one.added_right, one.removed_refused, one.removed_stale)
        tasks = (one.changed_tasks, one.unchanged_tasks, one.added_tasks, one.removed_tasks)
        numbers = (*(percent(share.value) for share in shares), " | ".join(map(str, tasks)))
        rows.append((letters.get(one.run, one.run), one.book, *numbers))
    columns = ("new right", "stale", "unchanged kept", "added right", "removed refused", "removed stale")
    title = "New edition: changed, unchanged, added and removed"
    return TextTable(title, 2, ("run", "book", *columns, "tasks"), tuple(rows), (["tasks"], ["removed stale"]))


def boundary(report: Report, letters: Letters) -> TextTable:
    """Return a table of invented names and declines, for functions that the library lacks (absent) and has
    (present)."""
    rows = []
    for one in report.boundary:
        gap = "–" if one.difference is None else points(one.difference)
        shares = (one.invented_absent, one.invented_present, one.declined_absent, one.declined_present)
        numbers = (*(percent(share.value) for share in shares), gap, points_between(one.interval))
        tasks = (str(one.absent_tasks), str(one.present_tasks))
        rows.append((letters.get(one.run, one.run), one.book, *numbers, percent(one.composed.value), *tasks))
    columns = ("invented, absent", "invented, present", "declined, absent", "declined, present", "difference", "95 %")
    head = ("run", "book", *columns, "composed", "absent tasks", "present tasks")
    return TextTable(
        "Boundary: what the library lacks, and what it has", 2, head, tuple(rows), (head[-2:], ["composed"])
    )


def by_regime(report: Report, letters: Letters) -> TextTable:
    """Return a table of the accuracy and prompt length of each run under its regime."""
    rows = []
    for one in report.at_hand:
        tokens = "–" if one.prompt_tokens is None else f"{one.prompt_tokens:.0f}"
        words = (one.book, one.regime, one.method or "–", one.writer or "–", one.reader)
        shares = (percent(one.accuracy), spread(one.interval), percent(one.targeted))
        rows.append((letters.get(one.run, one.run), *words, *shares, tokens, f"{one.requests:.1f}"))
    head = ("run", "book", "at hand", "method", "writer", "reader", "accuracy", "95 %", "targeted")
    spare = (("book", "writer", "reader", "requests"), ["targeted"])
    title = "At hand: accuracy and prompts"
    return TextTable(title, 6, (*head, "prompt tokens per answer", "requests"), tuple(rows), spare)


def by_writer(report: Report, letters: Letters) -> TextTable:
    """Return a table of accuracy by the model that wrote a memory and the model that reads it."""
    readers = list(dict.fromkeys(reader for one in report.crossed for reader in one.readers))
    rows = [(o.method, o.writer, *(percent(o.readers.get(reader)) for reader in readers)) for o in report.crossed]
    return TextTable("Accuracy by writer and reader of a memory", 2, ("method", "writer", *readers), tuple(rows))


def memory(report: Report, letters: Letters) -> TextTable:
    """Return a table of what memories put before the closed prompt, and whether it was used."""
    rows = []
    for one in report.memory:
        tokens = "–" if one.tokens is None else f"{one.tokens:.0f}"
        shares = map(percent, (one.present, one.all_present, one.used))
        words = (letters.get(one.run, one.run), one.method, one.regime, one.writer)
        rows.append((*words, tokens, *shares, f"{one.calls:.1f}", str(one.study_calls), str(one.study_tokens)))
    columns = ("tokens added (estimate)", "present", "all present", "used", "calls", "study calls", "study tokens")
    spare = (("at hand", "writer", "calls", "study tokens"), ["study calls"])
    return TextTable("Memory", 4, ("run", "method", "at hand", "writer", *columns), tuple(rows), spare)


# ---- on a terminal --------------------------------------------------------------------------------------------------


def _tables(report: Report, letters: Letters) -> list[TextTable]:
    """Return every table for a terminal."""
    all_tables = [*of_files(report, letters), _errors(report, letters), _cost(report, letters)]
    return [table for table in all_tables if table.rows]


def _remarks(report: Report) -> Iterator[str]:
    if lines := [f"{run.name} ({run.model})" for run in report.runs if run.reference]:
        yield f"answered by a script, not a model (scripted baselines): {', '.join(lines)}"
    if any(run.labels for run in report.runs):
        yield "next to a book: the method of a memory (docs/memory.md), or an interpreter (X; --repair)"
    if report.aggregates:
        yield "worlds: the interval is over worlds if there are three or more with different means, else over tasks"
    if times := [f"{run.name} {duration(run.wall_s)}" for run in report.runs if run.wall_s is not None]:
        yield f"from start to end, pauses included: {', '.join(times)}"


def _errors(report: Report, letters: Letters) -> TextTable:
    """Return a table of the wrong answers of each run and book by kind."""
    errors = {(run.name, e.book, e.kind): e for run in report.runs for e in run.errors if e.count}
    columns = list(dict.fromkeys((run, book) for run, book, _ in errors))
    published = dict.fromkeys(e.kind for run in report.runs for e in run.errors if e.published)
    rows = []
    for kind in dict.fromkeys([*published, *(kind for _, _, kind in errors)]):
        entries = [errors.get((*column, kind)) for column in columns]
        if not any(entries):
            continue
        shares = [f"{e.count:,} ({e.share:.0%})" if e else "·" for e in entries]
        rows.append((kind.replace("_", " "), *shares))
        if any(e and e.numpy_names for e in entries):
            names = [e.numpy_names if e else 0 for e in entries]
            of_numpy = [
                f"{n:,} ({n / e.count * e.share:.0%})" if e and n else "·" for n, e in zip(names, entries, strict=True)
            ]
            rows.append(("  a name of NumPy's", *of_numpy))
    labels = {run.name: run for run in report.runs}
    heads = [_side(Side(run, labels[run].label(book, True)), letters) for run, book in columns]
    return TextTable("Wrong answers by kind (the published types first)", 1, ("kind", *heads), tuple(rows))


def _cost(report: Report, letters: Letters) -> TextTable:
    rows = []
    for run in report.runs:
        for t in run.totals:
            counts = map(str, (t.responses, t.cut, t.prompt_tokens, t.completion_tokens))
            times = (f"{s:,.1f}" if s >= 0.05 else "–" for s in (t.median_s, t.judge_cpu_s))
            rows.append((letters.get(run.name, run.name), run.label(t.book, any(letters.values())), *counts, *times))
    totals = [t for run in report.runs for t in run.totals]
    explained = {"cut: ended at the token limit": any(t.cut for t in totals)}
    explained["median s: from request to answer"] = any(t.median_s >= 0.05 for t in totals)
    title = "; ".join(["Tokens and time", *(text for text, holds in explained.items() if holds)])
    head = ("run", "book", "responses", "cut", "tokens in", "tokens out", "median s", "judge s")
    return TextTable(title, 2, head, tuple(rows))


def _narrow(table: TextTable, console: Console) -> TextTable:
    """Return the table without empty columns and, if it is still too wide, without some or all of its spare columns."""
    narrow = table.only(
        i
        for i in range(len(table.head))
        if not all(row[i] in (NOTHING if i >= table.names else ("",)) for row in table.rows)
    )
    for spare in table.spare:
        if _fits(narrow, console):
            break
        narrow = narrow.only(i for i, name in enumerate(narrow.head) if name not in spare)
    return narrow


def _fits(table: TextTable, console: Console) -> bool:
    return _width(_drawn(table), console) <= console.width


def _width(drawn: Table, console: Console) -> int:
    # Measured without a limit, because a table that must shrink would report that it fits.
    return Measurement.get(console, console.options.update(max_width=UNBOUND), drawn).maximum


def _drawn(table: TextTable) -> Table:
    """Return the table for a terminal: thousands are grouped in columns of numbers, heads are as narrow as their
    columns, and rows that begin alike stay together."""
    drawn = Table(header_style="", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    rows = [
        [f"{int(cell):,}" if i >= table.names and LONG.fullmatch(cell) else cell for i, cell in enumerate(row)]
        for row in table.rows
    ]
    for i, name in enumerate(table.head):
        width = max(len(text) for text in (*(row[i] for row in rows), *name.split(), "-"))
        number = i >= table.names
        head = Text("\n".join(textwrap.wrap(name, width)))
        drawn.add_column(head, justify="right" if number else "left", no_wrap=number, overflow="fold")
    together = any(row[0] == following[0] for row, following in pairwise(rows))
    for row, following in zip_longest(rows, rows[1:], fillvalue=[""]):
        drawn.add_row(*map(Text, row), end_section=together and row[0] != following[0])
    return drawn

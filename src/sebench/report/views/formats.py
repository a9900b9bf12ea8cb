"""The main table, the comparisons and the boundary as text for papers and pages: Markdown, LaTeX, CSV. `sebench report
--format` prints it.

Markdown is GitHub's (pipe tables). LaTeX is `tabular` with the rules of the package booktabs. CSV has the columns of
`report.csv` and only the rows of these tables: one row per number, not rounded. The rest of a report is in its files.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sebench.report.numbers.build import Report
from sebench.report.views import files
from sebench.report.views.tables import SPLIT_NAMES, p_value, percent, points, split_cells

FORMATS = ("markdown", "latex", "csv")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "–": "--",
    "|": r"\textbar{}",
}  # fmt: skip


@dataclass(frozen=True)
class TextTable:
    """A table of plain text; the first `names` columns are words, the others numbers."""

    title: str
    names: int
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def text(report: Report, name: str) -> str:
    """The tables in one of `FORMATS`."""
    if name == "csv":
        return as_csv(report)
    write: Callable[[TextTable], str] = markdown if name == "markdown" else latex
    tables = [
        summary(report),
        differences(report),
        boundary(report),
        by_regime(report),
        memory(report),
        by_writer(report),
    ]
    return "\n".join(write(table) for table in tables if table.rows)


def summary(report: Report) -> TextTable:
    """Accuracy of every run, book and split, and of runs over several worlds."""
    ks = sorted({at.k for run in report.runs for cell in run.cells for at in cell.pass_at if at.k > 1})
    rows = []
    for run in report.runs:
        name = f"{run.name} (reference line)" if run.reference else run.name
        for book in run.books:
            for cell in split_cells(run, book):
                at = {a.k: a.value for a in cell.pass_at}
                spread = _spread(cell.interval.low, cell.interval.high) if cell.interval else ""
                numbers = [percent(cell.accuracy), spread, percent(cell.targeted), *(percent(at.get(k)) for k in ks)]
                counts = [cell.tasks, cell.samples, sum(cell.excluded.values())]
                rows.append(
                    (name, run.label(book), SPLIT_NAMES.get(cell.value, cell.value), *numbers, *map(str, counts))
                )
    for aggregate in report.aggregates:
        for over in aggregate.cells:
            spread = _spread(over.interval.low, over.interval.high) if over.interval else ""
            numbers = [percent(over.accuracy), spread, percent(over.targeted), *("–" for _ in ks)]
            place = (aggregate.label, over.book, SPLIT_NAMES.get(over.split, over.split))
            rows.append((*place, *numbers, str(over.tasks), str(over.samples), "–"))
    head = ("run", "book", "split", "accuracy", "95 %", "targeted", *(f"pass@{k}" for k in ks))
    return TextTable("Accuracy", 3, (*head, "tasks", "samples", "excluded"), tuple(rows))


def differences(report: Report) -> TextTable:
    """Every paired comparison, in percentage points."""
    rows = []
    for c in [*(c for run in report.runs for c in run.book_dependence), *report.comparisons]:
        sides = (f"{side.run}, {side.book}" for side in (c.before, c.after))
        spread = f"{points(c.interval.low)} to {points(c.interval.high)}"
        numbers = (SPLIT_NAMES.get(c.split, c.split), points(c.difference), spread, p_value(c.p), str(c.tasks))
        rows.append((c.name, *sides, *numbers))
    head = ("difference", "from", "to", "split", "points", "95 %", "p", "tasks")
    return TextTable("Paired differences, in percentage points", 4, head, tuple(rows))


def boundary(report: Report) -> TextTable:
    """Invented names and declines where the library lacks a function (absent) and where it has it (present)."""
    rows = []
    for one in report.boundary:
        gap = "–" if one.difference is None else points(one.difference)
        spread = f"{points(one.interval.low)} to {points(one.interval.high)}" if one.interval else ""
        shares = (one.invented_absent, one.invented_present, one.declined_absent, one.declined_present)
        numbers = (*(percent(share.value) for share in shares), gap, spread, percent(one.composed.value))
        rows.append((one.run, one.book, *numbers, str(one.absent_tasks), str(one.present_tasks)))
    columns = ("invented, absent", "invented, present", "declined, absent", "declined, present", "difference", "95 %")
    head = ("run", "book", *columns, "composed", "absent tasks", "present tasks")
    return TextTable("Boundary: what the library lacks, and what it has", 2, head, tuple(rows))


def by_regime(report: Report) -> TextTable:
    """Accuracy and prompt length of each run under its regime."""
    rows = []
    for one in report.at_hand:
        spread = _spread(one.interval.low, one.interval.high) if one.interval else ""
        tokens = "–" if one.prompt_tokens is None else f"{one.prompt_tokens:.0f}"
        words = (one.run, one.book, one.regime, one.method or "–", one.writer or "–", one.reader)
        rows.append((*words, percent(one.accuracy), spread, percent(one.targeted), tokens, f"{one.requests:.1f}"))
    head = ("run", "book", "regime", "method", "writer", "reader", "accuracy", "95 %", "targeted")
    return TextTable("At hand: accuracy and prompts", 6, (*head, "tokens of an answer", "requests"), tuple(rows))


def by_writer(report: Report) -> TextTable:
    """Writers of memories against the models that read them."""
    readers = list(dict.fromkeys(reader for one in report.crossed for reader in one.readers))
    rows = [(o.method, o.writer, *(percent(o.readers.get(reader)) for reader in readers)) for o in report.crossed]
    return TextTable("Accuracy by writer and reader of a memory", 2, ("method", "writer", *readers), tuple(rows))


def memory(report: Report) -> TextTable:
    """What was put before the closed prompt, and whether it was used."""
    rows = []
    for one in report.memory:
        tokens = "–" if one.tokens is None else f"{one.tokens:.0f}"
        shares = map(percent, (one.present, one.all_present, one.used))
        study = (str(one.study_calls), str(one.study_tokens))
        rows.append((one.run, one.method, one.regime, one.writer, tokens, *shares, f"{one.calls:.1f}", *study))
    columns = ("tokens a prompt", "present", "all present", "used", "calls", "study calls", "study tokens")
    return TextTable("Memory", 4, ("run", "method", "regime", "writer", *columns), tuple(rows))


def markdown(table: TextTable) -> str:
    """A pipe table below its title."""
    rule = ["---"] * table.names + ["---:"] * (len(table.head) - table.names)
    lines = [table.head, rule, *table.rows]
    body = "\n".join(
        f"| {' | '.join(cells)} |" for cells in [rule if line is rule else _escape_markdown(line) for line in lines]
    )
    return f"**{table.title}**\n\n{body}\n"


def latex(table: TextTable) -> str:
    r"""A `tabular`; the document needs `\usepackage{booktabs}`."""
    columns = "l" * table.names + "r" * (len(table.head) - table.names)
    rows = [rf"{' & '.join(_tex(cell, i >= table.names) for i, cell in enumerate(row))} \\" for row in table.rows]
    parts = [
        f"% {table.title}; needs \\usepackage{{booktabs}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{' & '.join(map(_tex, table.head))} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(parts) + "\n"


def as_csv(report: Report) -> str:
    """The numbers of these tables, not rounded."""
    sink = io.StringIO()
    writer = csv.DictWriter(sink, files.NUMBER_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row for row in files.numbers(report) if row["group"] in ("all", "split", "boundary"))
    return sink.getvalue()


def _spread(low: float, high: float) -> str:
    return f"{100 * low:.1f}–{100 * high:.1f}"


def _escape_markdown(cells: Sequence[str]) -> list[str]:
    """Cells without markup: punctuation and HTML escaped, one line each."""
    plain = (" ".join(cell.split()).replace("&", "&amp;").replace("<", "&lt;") for cell in cells)
    return [re.sub(r"([\\`*_\[\]|~])", r"\\\1", cell) for cell in plain]


def _tex(cell: str, number: bool = False) -> str:
    text = "".join(_LATEX.get(character, character) for character in " ".join(cell.split()))
    return re.sub(r"-(?=\d)(?<!--)", "$-$", text) if number else text  # a minus sign, not the dash of a range

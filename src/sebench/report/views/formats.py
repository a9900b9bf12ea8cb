"""Formats the main table, the comparisons and the boundary table for papers and pages: Markdown, LaTeX or CSV. `sebench
report --format` prints the result.

Markdown is GitHub's (pipe tables). LaTeX is `tabular` with rules from the package booktabs. CSV has the columns of
`report.csv` and only the rows for these tables: one row per number, not rounded. The rest of a report is in its files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sebench.report.numbers.build import Report
from sebench.report.views import files, tables
from sebench.report.views.tables import TextTable

FORMATS = ("markdown", "latex", "csv")
_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "–": "--",
    "|": r"\textbar{}",
}  # fmt: skip


def text(report: Report, name: str) -> str:
    """Return the tables in one of `FORMATS`."""
    if name == "csv":
        rows = (
            row for row in files.numbers(report) if row["group"] in ("all", "split", "changed", "edition", "boundary")
        )
        return files.as_csv(files.NUMBER_COLUMNS, rows)
    write = markdown if name == "markdown" else latex
    return "\n".join(map(write, tables.of_files(report, {})))


def markdown(table: TextTable) -> str:
    """Return a pipe table below its title."""
    rule = ["---"] * table.names + ["---:"] * (len(table.head) - table.names)
    lines = [_escape_markdown(table.head), rule, *map(_escape_markdown, table.rows)]
    body = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return f"**{table.title}**\n\n{body}\n"


def latex(table: TextTable) -> str:
    r"""Return a `tabular`; the document needs `\usepackage{booktabs}`."""
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


def _escape_markdown(cells: Sequence[str]) -> list[str]:
    """Return the cells without markup: punctuation and HTML are escaped, and each cell is one line."""
    plain = (" ".join(cell.split()).replace("&", "&amp;").replace("<", "&lt;") for cell in cells)
    return [re.sub(r"([\\`*_\[\]|~])", r"\\\1", cell) for cell in plain]


def _tex(cell: str, number: bool = False) -> str:
    text = "".join(_LATEX.get(character, character) for character in " ".join(cell.split()))
    return re.sub(r"-(?=\d)(?<!--)", "$-$", text) if number else text  # a minus sign, not the dash in a range

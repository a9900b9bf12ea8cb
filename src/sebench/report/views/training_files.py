"""Shows the report on an experiment or a stream as tables on a terminal, Markdown, JSON, one HTML file, and plots.

What it shows comes from `experiment_files.py` or `stream_files.py` as a `TrainingReport`. Markdown and HTML contain
every table; a terminal shows the main ones.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console

from sebench.base import files as disk
from sebench.report.views import formats, html, tables
from sebench.report.views.drawings import NARROW, WIDTH
from sebench.report.views.tables import TextTable

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


@dataclass(frozen=True)
class TrainingReport:
    """What the files and the terminal show about an experiment or a stream."""

    stem: str  # of the names of the files
    title: str
    about: str
    notes: Sequence[str]
    plots: Mapping[str, tuple[str, Callable[[int], str]]]  # file name: description, and the SVG of this width
    tables: Sequence[TextTable]
    main: Sequence[TextTable]  # those that a terminal shows
    remarks: Sequence[str]  # below the tables of a terminal, before the notes
    explained: str
    data: Mapping[str, Any]  # every figure


def write(report: TrainingReport, out: Path) -> None:
    """Write all files into a folder."""
    for name, text in {**texts(report), f"{report.stem}.html": page(report)}.items():
        disk.write(out / name, text)


def texts(report: TrainingReport) -> dict[str, str]:
    """Return the contents of the files other than the page, by name: first the figures as JSON, then the text."""
    plots = {name: draw(WIDTH) for name, (_, draw) in report.plots.items()}
    return {f"{report.stem}.json": as_json(report), f"{report.stem}.md": markdown(report), **plots}


def as_json(report: TrainingReport) -> str:
    return json.dumps(_finite(report.data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """Return the value with None instead of NaN and infinities, which JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def show(report: TrainingReport, console: Console) -> None:
    """Print the main tables."""
    for table in report.main:
        if table.rows:
            tables.print_table(table, console)
    tables.print_lines([*report.remarks, *(f"note: {note}" for note in report.notes)], console)


def markdown(report: TrainingReport) -> str:
    parts = [f"# {report.title}", report.about]
    parts += [f"![{what}]({name})" for name, (what, _) in report.plots.items()]
    parts += [formats.markdown(table).rstrip() for table in report.tables if table.rows]
    notes = [f"- {note}" for note in report.notes]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else []), report.explained]) + "\n"


def page(report: TrainingReport) -> str:
    """Return the report as one HTML file that has no scripts and needs no network."""
    body = [f'<section><h1>{escape(report.title)}</h1><p class="quiet">{escape(report.about)}</p>']
    body += [f'<p class="note">{escape(note)}</p>' for note in report.notes]
    body += ["</section>", *(f"<section>{_image(draw)}</section>" for _, draw in report.plots.values())]
    body += [_section(table) for table in report.tables if table.rows]
    body.append(f'<section><p class="quiet">{escape(report.explained)}</p></section>')
    return html.fill(
        html.asset("comparison.html"),
        {"POLICY": POLICY, "STYLE": html.style(), "TITLE": escape(report.title), "BODY": "\n".join(body)},
    )


def _image(draw: Callable[[int], str]) -> str:
    """Return the HTML of a plot, with another drawing for narrow screens."""
    wide, narrow = (
        f"data:image/svg+xml;base64,{base64.b64encode(draw(width).encode()).decode('ascii')}"
        for width in (WIDTH, NARROW)
    )
    return (
        f'<picture><source media="(max-width: 560px)" srcset="{narrow}">'
        f'<img alt="plot; the numbers are in the tables" src="{wide}"></picture>'
    )


def _section(table: TextTable) -> str:
    """Return the HTML of a table."""
    kinds = ["" if i < table.names else ' class="n"' for i in range(len(table.head))]
    head = "".join(f'<th scope="col"{kind}>{escape(name)}</th>' for kind, name in zip(kinds, table.head, strict=True))
    rows = [
        "".join(f"<td{kind}>{escape(cell)}</td>" for kind, cell in zip(kinds, row, strict=True)) for row in table.rows
    ]
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f'<section><h2>{escape(table.title)}</h2>\n<div class="wide panel"><table><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div></section>"
    )

"""Shows an `ExperimentReport` as tables on a terminal, Markdown, JSON, one HTML file, and two plots. Computes no
results.

Markdown and HTML contain every table; a terminal shows the main table, the differences and the ratios.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console

from sebench.base import files as disk
from sebench.report.numbers.compare import LEAST
from sebench.report.numbers.experiment import SEEN, ExperimentReport, MethodDifference
from sebench.report.views import drawings, formats, html, tables
from sebench.report.views.tables import TextTable, p_value, percent, points, points_between, spread

PAGE, MARKDOWN, JSON = "comparison.html", "comparison.md", "comparison.json"
BARS, CURVES = "comparison.svg", "curves.svg"
MAIN_PROBES = ("name logp", "name first", "signature exact", "held-out, right")
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
EXPLAINED = (
    "Accuracy is the mean over samples, then over tasks, then over worlds, with its 95 % interval: over worlds from "
    "three on, otherwise over "
    "tasks. Targeted counts answers in which the functions that the task is about did the work. Real: answers that "
    "call a function of the "
    "library; right: answers that call all functions that the task needs. Seen: training questions, asked again with "
    "the book closed. "
    "Differences are paired by task and world."
)


def write(comparison: ExperimentReport, out: Path) -> None:
    """Write all files into a folder."""
    for name, text in {**texts(comparison), PAGE: page(comparison)}.items():
        disk.write(out / name, text)


def texts(comparison: ExperimentReport) -> dict[str, str]:
    """Return the contents of the files other than the page, by name."""
    curves = drawings.curves(comparison)
    plots = {BARS: drawings.bars(comparison), **({CURVES: curves} if curves else {})}
    return {JSON: as_json(comparison), MARKDOWN: markdown(comparison), **plots}


def as_json(comparison: ExperimentReport) -> str:
    return json_text(comparison.to_json())


def json_text(data: Any) -> str:
    """Return the data as JSON text."""
    return json.dumps(_finite(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """Return the value with None instead of NaN and infinities, which JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def show(comparison: ExperimentReport, console: Console) -> None:
    """Print the main tables."""
    for table in (summary(comparison), differences(comparison), trainings(comparison)):
        if table.rows:
            tables.print_table(table, console)
    tables.print_lines([*_ratio_lines(comparison), *(f"note: {note}" for note in comparison.notes)], console)


def _ratio_lines(comparison: ExperimentReport) -> Iterator[str]:
    for row in ratios(comparison).rows:
        method, name, native, split, value, spread, successes, tasks = row
        yield (
            f"{name} of {method}, {split}: {value} ({spread}), closed / native of {native}; "
            f"{successes} native successes in {tasks} tasks"
        )


def markdown(comparison: ExperimentReport) -> str:
    plots = [
        f"![Accuracy by method]({BARS})",
        *([f"![Training curves]({CURVES})"] if drawings.curves(comparison) else []),
    ]
    parts = [
        f"# {comparison.title}",
        _describe(comparison),
        *plots,
        *(formats.markdown(t).rstrip() for t in _tables(comparison)),
    ]
    notes = [f"- {note}" for note in comparison.notes]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else []), EXPLAINED]) + "\n"


def page(comparison: ExperimentReport) -> str:
    """Return the report as one HTML file that has no scripts and needs no network."""
    plots = [drawings.bars(comparison), drawings.curves(comparison)]
    body = [f'<section><h1>{escape(comparison.title)}</h1><p class="quiet">{escape(_describe(comparison))}</p>']
    body += [f'<p class="note">{escape(note)}</p>' for note in comparison.notes]
    body += ["</section>", *(f"<section>{image(plot)}</section>" for plot in plots if plot)]
    body += [section(table) for table in _tables(comparison)]
    body.append(f'<section><p class="quiet">{escape(EXPLAINED)}</p></section>')
    return html.fill(
        html.asset("comparison.html"),
        {"POLICY": POLICY, "STYLE": html.style(), "TITLE": escape(comparison.title), "BODY": "\n".join(body)},
    )


def image(plot: str) -> str:
    """Return the HTML of a plot."""
    packed = base64.b64encode(plot.encode()).decode("ascii")
    source = f"data:image/svg+xml;base64,{packed}"
    return f'<img alt="plot; the numbers are in the tables" src="{source}" style="max-width:100%">'


def section(table: TextTable) -> str:
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


def _describe(comparison: ExperimentReport) -> str:
    seeds = ", ".join(f"{w['name']} ({w['part']}, {str(w['fingerprint'])[:12]})" for w in comparison.worlds)
    return f"sebench {comparison.sebench}; worlds: {seeds}; compared with {comparison.baseline}."


# ---- tables -------------------------------------------------------------------------------------------------


def _tables(comparison: ExperimentReport) -> list[TextTable]:
    tables_in_order = [
        summary(comparison),
        differences(comparison),
        ratios(comparison),
        forgetting(comparison),
        errors(comparison),
        trainings(comparison),
    ]
    return [table for table in tables_in_order if table.rows]


def _split(name: str) -> str:
    return name if name == SEEN else tables.SPLIT_NAMES.get(name, name)


def summary(comparison: ExperimentReport) -> TextTable:
    """Return a table of the accuracy for every method, split and book."""
    worlds = [str(world["name"]) for world in comparison.worlds] if len(comparison.worlds) > 1 else []
    ks = sorted({f.k for f in comparison.figures if f.k > 1})
    rows = []
    for f in comparison.figures:
        shares = [percent(f.accuracy), spread(f.interval), *map(percent, (f.targeted, f.real, f.right))]
        pass_at_k = [percent(f.pass_at_k if f.k == k else None) for k in ks]
        by_world = (percent(f.by_world.get(world)) for world in worlds)
        rows.append((f.method, _split(f.split), f.book, *shares, f"{f.tasks:,}", *pass_at_k, *by_world))
    columns = [f"world {world}" for world in worlds]
    numbers = ("accuracy", "95 %", "targeted", "real", "right", "tasks", *(f"pass@{k}" for k in ks))
    # A terminal has no room for all of them.
    left_out = [*columns, *(("real", "right") if ks else ())]
    return TextTable("Accuracy", 3, ("method", "split", "book", *numbers, *columns), tuple(rows), (left_out,))


def differences(comparison: ExperimentReport) -> TextTable:
    """Return a table of the differences between every method and the baseline."""
    title = f"Paired differences to {comparison.baseline}, in percentage points"
    return TextTable(title, 3, _DIFFERENCE, tuple(map(_difference, comparison.differences)), (("before", "after"),))


def forgetting(comparison: ExperimentReport) -> TextTable:
    """Return a table of how much knowledge of NumPy was lost in training."""
    title = "Forgetting: the native book, after learning against before, in percentage points"
    return TextTable(title, 3, _DIFFERENCE, tuple(map(_difference, comparison.forgetting)))


_DIFFERENCE = ("method", "split", "book", "before", "after", "points", "95 %", "p", "tasks")


def _difference(d: MethodDifference) -> tuple[str, ...]:
    sides = percent(d.accuracy_before), percent(d.accuracy_after)
    gain = points(d.difference), points_between(d.interval), p_value(d.p)
    return d.after, _split(d.split), d.book, *sides, *gain, f"{d.tasks:,}"


def ratios(comparison: ExperimentReport) -> TextTable:
    """Return a table of closed-book accuracy divided by native accuracy."""
    rows = []
    for r in comparison.ratios:
        value = _number(r.ratio, ".3f")
        spread = f"{r.interval.low:.3f} to {r.interval.high:.3f}" if r.interval else f"fewer than {LEAST} successes"
        rows.append((r.method, r.name, r.native, _split(r.split), value, spread, f"{r.successes:,}", f"{r.tasks:,}"))
    head = ("method", "ratio", "native of", "split", "closed / native", "95 %", "native successes", "tasks")
    return TextTable("Closed over native", 4, head, tuple(rows))


def errors(comparison: ExperimentReport) -> TextTable:
    """Return a table of the kinds of wrong answers, as shares of all wrong answers with each book."""
    columns = [(m.method, book) for m in comparison.errors for book in dict.fromkeys(k.book for k in m.kinds)]
    shares = {(m.method, k.book, k.kind): k for m in comparison.errors for k in m.kinds}
    published = dict.fromkeys(k.kind for m in comparison.errors for k in m.kinds if k.published)
    others = dict.fromkeys(k.kind for m in comparison.errors for k in m.kinds if not k.published)
    kinds = [
        kind for kind in [*published, *others] if any((*c, kind) in shares and shares[*c, kind].count for c in columns)
    ]
    rows = []
    for method, book in columns:
        cells = [shares.get((method, book, kind)) for kind in kinds]
        total = sum(k.count for m in comparison.errors if m.method == method for k in m.kinds if k.book == book)
        rows.append((method, book, f"{total:,}", *("·" if not c or not c.count else f"{c.share:.0%}" for c in cells)))
    head = ("method", "book", "wrong", *(kind.replace("_", " ") for kind in kinds))
    return TextTable("Wrong answers by kind (the published types first)", 2, head, tuple(rows) if kinds else ())


def trainings(comparison: ExperimentReport) -> TextTable:
    """Return a table of the cost of training and the probes at the end, as means over worlds."""
    methods = [method for method in comparison.methods if method.steps is not None or method.probes]
    probes = list(dict.fromkeys(name for method in methods for name in method.probes))
    rows = []
    for m in methods:
        cost = [_number(value, ",.0f") for value in (m.rows, m.steps, m.tokens, m.seconds)]
        measured = [_number(m.probes.get(name), ".3g") for name in probes]
        rows.append((m.name, m.method, m.start or m.model, *cost, *measured))
    names = [name.replace("_", " ") for name in probes]
    head = ("method", "recipe", "begins with", "rows", "steps", "tokens", "seconds", *names)
    spare = ("recipe", "begins with", "rows", *(name for name in names if name not in MAIN_PROBES))
    return TextTable("Training: means over worlds; probes at the end", 3, head, tuple(rows), (spare,))


def _number(value: float | None, form: str) -> str:
    return "–" if value is None else f"{value:{form}}"

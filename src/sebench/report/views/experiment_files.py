"""An `ExperimentReport` as tables on a terminal, Markdown, JSON, one HTML file, and two plots. It computes nothing.

Markdown and HTML have every table; a terminal shows the main one, the differences and the ratios.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from sebench.base import files as disk
from sebench.report.numbers.experiment import SEEN, ExperimentReport, MethodDifference, MethodReport
from sebench.report.numbers.native import LEAST
from sebench.report.views import drawings, formats, html, tables
from sebench.report.views.formats import TextTable
from sebench.report.views.tables import between, p_value, percent, points

PAGE, MARKDOWN, JSON = "comparison.html", "comparison.md", "comparison.json"
BARS, CURVES = "comparison.svg", "curves.svg"
LAST_COST = "seconds"  # after this column come the probes
MAIN_PROBES = ("name logp", "name first", "signature exact", "held-out, right")
NOT_ON_TERMINALS = ("before", "after", "recipe", "begins with", "rows")
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
    curves = drawings.curves(comparison)
    disk.write(out / JSON, as_json(comparison))
    disk.write(out / MARKDOWN, markdown(comparison))
    disk.write(out / BARS, drawings.bars(comparison))
    if curves:
        disk.write(out / CURVES, curves)
    disk.write(out / PAGE, page(comparison))


def as_json(comparison: ExperimentReport) -> str:
    return json.dumps(_finite(comparison.to_json()), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """The value with null instead of NaN and infinities, which JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def show(comparison: ExperimentReport, console: Console) -> None:
    """Print the main tables."""
    main_tables = [summary(comparison, full=False), _narrow(differences(comparison)), _narrow(trainings(comparison))]
    for table in (table for table in main_tables if table.rows):
        console.print(Text(table.title, style="bold"), highlight=False, soft_wrap=True)
        drawn = tables.plain_table()
        for i, name in enumerate(table.head):
            drawn.add_column(
                name, justify="left" if i < table.names else "right", no_wrap=i >= table.names, overflow="fold"
            )
        previous = table.rows[0][0]
        for row in table.rows:
            if row[0] != previous:
                drawn.add_section()
            previous = row[0]
            drawn.add_row(*map(Text, row))
        console.print(drawn)
    lines = [*_ratio_lines(comparison), *(f"note: {note}" for note in comparison.notes)]
    for line in lines:
        console.print(Text(line), highlight=False, soft_wrap=True)


def _narrow(table: TextTable) -> TextTable:
    """The table without columns that only the files have room for."""
    probes = table.head[table.head.index(LAST_COST) + 1 :] if LAST_COST in table.head else ()
    left_out = {*NOT_ON_TERMINALS, *(name for name in probes if name not in MAIN_PROBES)}
    kept = [i for i, name in enumerate(table.head) if name not in left_out]
    names = sum(i < table.names for i in kept)
    rows = tuple(tuple(row[i] for i in kept) for row in table.rows)
    return TextTable(table.title, names, tuple(table.head[i] for i in kept), rows)


def _ratio_lines(comparison: ExperimentReport) -> Iterator[str]:
    for row in ratios(comparison).rows:
        method, name, native, split, value, spread, successes, tasks = row
        yield f"{name} of {method}, {split}: {value} ({spread}), closed / native of {native}; {successes} native successes in {tasks} tasks"


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
    """One HTML file without scripts that needs no network."""
    plots = [drawings.bars(comparison), drawings.curves(comparison)]
    body = [f'<section><h1>{escape(comparison.title)}</h1><p class="quiet">{escape(_describe(comparison))}</p>']
    body += [f'<p class="note">{escape(note)}</p>' for note in comparison.notes]
    body += ["</section>", *(f"<section>{_image(plot)}</section>" for plot in plots if plot)]
    body += [_section(table) for table in _tables(comparison)]
    body.append(f'<section><p class="quiet">{escape(EXPLAINED)}</p></section>')
    return html.fill(
        html.asset("comparison.html"),
        {"POLICY": POLICY, "STYLE": html.style(), "TITLE": escape(comparison.title), "BODY": "\n".join(body)},
    )


def _image(plot: str) -> str:
    packed = base64.b64encode(plot.encode()).decode("ascii")
    return f'<img alt="plot; the numbers are in the tables" src="data:image/svg+xml;base64,{packed}" style="max-width:100%">'


def _section(table: TextTable) -> str:
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


def summary(comparison: ExperimentReport, full: bool = True) -> TextTable:
    """Accuracy of every method, split and book."""
    worlds = [str(world["name"]) for world in comparison.worlds]
    world_columns = worlds if full and len(worlds) > 1 else []
    sampled = any(f.k > 1 for f in comparison.figures)
    calls = full or not sampled  # a terminal has no room for both
    rows = []
    for f in comparison.figures:
        spread = between(f.interval).replace(" to ", "–")
        numbers = [percent(f.accuracy), spread, percent(f.targeted)]
        numbers += [percent(f.real), percent(f.right)] if calls else []
        numbers += [f"{f.tasks:,}", *([f"{percent(f.pass_at_k)} @{f.k}"] if sampled else [])]
        rows.append(
            (f.method, _split(f.split), f.book, *numbers, *(percent(f.by_world.get(world)) for world in world_columns))
        )
    head: list[str] = ["method", "split", "book", "accuracy", "95 %", "targeted"]
    head += ["real", "right"] if calls else []
    head += ["tasks", *(["pass@k"] if sampled else [])]
    return TextTable("Accuracy", 3, (*head, *(f"world {world}" for world in world_columns)), tuple(rows))


def differences(comparison: ExperimentReport) -> TextTable:
    """Every method minus the baseline."""
    title = f"Paired differences to {comparison.baseline}, in percentage points"
    return TextTable(title, 3, _DIFFERENCE, tuple(map(_difference, comparison.differences)))


def forgetting(comparison: ExperimentReport) -> TextTable:
    """How much knowledge of NumPy the trainings lost."""
    title = "Forgetting: the native book, after learning against before, in percentage points"
    return TextTable(title, 3, _DIFFERENCE, tuple(map(_difference, comparison.forgetting)))


_DIFFERENCE = ("method", "split", "book", "before", "after", "points", "95 %", "p", "tasks")


def _difference(d: MethodDifference) -> tuple[str, ...]:
    spread = f"{points(d.interval.low)} to {points(d.interval.high)}"
    sides = percent(d.accuracy_before), percent(d.accuracy_after)
    return d.after, _split(d.split), d.book, *sides, points(d.difference), spread, p_value(d.p), f"{d.tasks:,}"


def ratios(comparison: ExperimentReport) -> TextTable:
    """Closed over native."""
    rows = []
    for r in comparison.ratios:
        value = "–" if r.ratio is None else f"{r.ratio:.3f}"
        spread = f"{r.interval.low:.3f} to {r.interval.high:.3f}" if r.interval else f"fewer than {LEAST} successes"
        rows.append((r.method, r.name, r.native, _split(r.split), value, spread, f"{r.successes:,}", f"{r.tasks:,}"))
    head = ("method", "ratio", "native of", "split", "closed / native", "95 %", "native successes", "tasks")
    return TextTable("Closed over native", 4, head, tuple(rows))


def errors(comparison: ExperimentReport) -> TextTable:
    """Kinds of wrong answers, as shares of a book's wrong answers."""
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
    """The cost of trainings, and the probes at their end; means over worlds."""
    methods = [method for method in comparison.methods if method.steps is not None or method.probes]
    probes = list(dict.fromkeys(name for method in methods for name in method.probes))
    rows = [(m.name, m.method, m.start or m.model, *_cost(m), *_probe_values(m, probes)) for m in methods]
    head = (
        "method",
        "recipe",
        "begins with",
        "rows",
        "steps",
        "tokens",
        LAST_COST,
        *(p.replace("_", " ") for p in probes),
    )
    return TextTable("Training: means over worlds; probes at the end", 3, head, tuple(rows))


def _cost(method: MethodReport) -> Iterator[str]:
    for value in (method.rows, method.steps, method.tokens, method.seconds):
        yield "–" if value is None else f"{value:,.0f}"


def _probe_values(method: MethodReport, probes: Sequence[str]) -> Iterator[str]:
    for name in probes:
        yield f"{method.probes[name]:.3g}" if name in method.probes else "–"

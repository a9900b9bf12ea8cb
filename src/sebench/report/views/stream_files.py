"""Shows a `StreamReport` as tables on a terminal, Markdown, JSON, one HTML file and a heat map. Computes no results."""

from __future__ import annotations

from html import escape
from pathlib import Path

from rich.console import Console

from sebench.base import files as disk
from sebench.report.numbers.stream import StageChange, StreamReport, WorldsDifference
from sebench.report.views import drawings, formats, html, tables
from sebench.report.views.experiment_files import POLICY, image, json_text, section
from sebench.report.views.tables import SPLIT_NAMES, TextTable, p_value, percent, points, points_between, spread

PAGE, MARKDOWN, JSON, MAP = "stream.html", "stream.md", "stream.json", "stream.svg"
EXPLAINED = (
    "Accuracy is with the book closed, native that of the same tasks with NumPy's names. Backward transfer and "
    "forgetting are over the worlds that the last stage does not teach: the last accuracy minus the one after the "
    "world was first learned, and the best earlier accuracy minus the last. Intransigence is the accuracy of joint "
    "training minus the one after the world was first learned. Differences are paired by task and world, in "
    "percentage points, with 95 % intervals. Names known: the share of functions whose right name is the most likely "
    "one, given the summary. Lowest names known: the same at its lowest during the stage. Superficial: of the tasks "
    "that became wrong, those whose names are all still known. Speed: the gain in area under the curve of names known "
    "over learning alone, as a share of the possible gain. Savings: the share of steps saved when a world is taught "
    "again."
)


def write(report: StreamReport, out: Path) -> None:
    """Write all files into a folder."""
    for name, text in {**texts(report), PAGE: page(report)}.items():
        disk.write(out / name, text)


def texts(report: StreamReport) -> dict[str, str]:
    """Return the contents of the files other than the page, by name."""
    return {JSON: as_json(report), MARKDOWN: markdown(report), MAP: heat_map(report)}


def as_json(report: StreamReport) -> str:
    return json_text(report.to_json())


def show(report: StreamReport, console: Console) -> None:
    """Print the main tables."""
    for table in (summary(report), matrix(report), changes(report)):
        if table.rows:
            tables.print_table(table, console)
    tables.print_lines([f"note: {note}" for note in report.notes], console)


def markdown(report: StreamReport) -> str:
    parts = [f"# {report.title}", _describe(report), f"![Accuracy in every world after every stage]({MAP})"]
    parts += [formats.markdown(table).rstrip() for table in _tables(report)]
    notes = [f"- {note}" for note in report.notes]
    return "\n\n".join([*parts, *(["\n".join(notes)] if notes else []), EXPLAINED]) + "\n"


def page(report: StreamReport) -> str:
    """Return the report as one HTML file that has no scripts and needs no network."""
    body = [f'<section><h1>{escape(report.title)}</h1><p class="quiet">{escape(_describe(report))}</p>']
    body += [f'<p class="note">{escape(note)}</p>' for note in report.notes]
    body += ["</section>", f"<section>{image(heat_map(report))}</section>", *map(section, _tables(report))]
    body.append(f'<section><p class="quiet">{escape(EXPLAINED)}</p></section>')
    return html.fill(
        html.asset("comparison.html"),
        {"POLICY": POLICY, "STYLE": html.style(), "TITLE": escape(report.title), "BODY": "\n".join(body)},
    )


def heat_map(report: StreamReport) -> str:
    """Draw the accuracy in every world (columns) after every stage (rows), with a panel for each method, arm and
    split."""
    panels = []
    for one in report.summaries:
        cells = [c for c in report.cells if (c.method, c.arm, c.split) == (one.method, one.arm, one.split)]
        rows = dict.fromkeys(f"{c.stage}: {c.learned}" if c.learned else "before training" for c in cells)
        values = {
            (f"{c.stage}: {c.learned}" if c.learned else "before training", c.world): c.accuracy
            for c in cells
            if c.accuracy is not None
        }
        title = f"{one.method}, {one.arm}, {SPLIT_NAMES.get(one.split, one.split)} tasks"
        panels.append((title, list(rows), list(dict.fromkeys(report.stages)), values))
    return drawings.heat_maps(panels, f"Accuracy after every stage, {report.title}")


def _describe(report: StreamReport) -> str:
    worlds = ", ".join(f"{w['name']} (seed {w['seed']}, {w['part']})" for w in report.worlds)
    return f"sebench {report.sebench}; stages: {' → '.join(report.stages)}; worlds: {worlds}."


# ---- tables ----------------------------------------------------------------------------------------------------------


def _tables(report: StreamReport) -> list[TextTable]:
    return [table for table in (summary(report), matrix(report), changes(report), joint(report)) if table.rows]


def _split(name: str) -> str:
    return SPLIT_NAMES.get(name, name)


def summary(report: StreamReport) -> TextTable:
    """Return a table with one row per method, arm and split."""
    rows = [
        (s.method, s.arm, _split(s.split), percent(s.accuracy))
        + tuple(_points(d) for d in (s.backward_transfer, s.forgetting, s.intransigence))
        + (_signed(s.speed), _signed(s.savings))
        for s in report.summaries
    ]
    head = (
        "method",
        "arm",
        "split",
        "accuracy",
        "backward transfer",
        "forgetting",
        "intransigence",
        "speed",
        "savings",
    )
    return TextTable("The stream", 3, head, tuple(rows), (("speed",), ("savings",)))


def matrix(report: StreamReport) -> TextTable:
    """Return a table with a line for each stage and world."""
    stale = any(cell.stale for cell in report.cells)
    native = any(cell.native is not None for cell in report.cells)
    rows = []
    for c in report.cells:
        place = f"{c.stage}: {c.learned}" if c.learned else "before training"
        numbers = [percent(c.accuracy), spread(c.interval), percent(c.names_known), f"{c.tasks:,}"]
        numbers += [percent(c.native)] if native else []
        numbers += [percent(c.stale.value) if c.stale else "–"] if stale else []
        rows.append((c.method, c.arm, place, c.world, _split(c.split), *numbers))
    head = ("method", "arm", "after stage", "world", "split", "accuracy", "95 %", "names known", "tasks")
    more = (*(["native"] if native else []), *(["stale"] if stale else []))
    return TextTable("Every world after every stage", 5, (*head, *more), tuple(rows))


def changes(report: StreamReport) -> TextTable:
    """Return a table of what every stage did to the worlds that were tested before it."""
    head = ("method", "arm", "stage", "world", "split", "points", "95 %", "p", "right to wrong", "wrong to right")
    more = ("superficial", "lowest names known", "tasks")
    return TextTable(
        "What a stage changes",
        5,
        (*head, *more),
        tuple(map(_change, report.changes)),
        (("p",), ("lowest names known",)),
    )


def _change(c: StageChange) -> tuple[str, ...]:
    shares = map(percent, (c.right_to_wrong, c.wrong_to_right, c.superficial, c.lowest))
    interval = points_between(c.difference.interval)
    value, p = c.difference.value, c.difference.p
    gain = "–" if value is None else points(value), interval, "–" if p is None else p_value(p)
    return (
        c.method,
        c.arm,
        f"{c.stage}: {c.learned}",
        c.world,
        _split(c.split),
        *gain,
        *shares,
        f"{c.difference.tasks:,}",
    )


def joint(report: StreamReport) -> TextTable:
    """Return a table of the results of joint training."""
    rows = [
        (c.method, c.world, _split(c.split), percent(c.accuracy), spread(c.interval), percent(c.names_known))
        for c in report.joint
    ]
    head = ("method", "world", "split", "accuracy", "95 %", "names known")
    return TextTable("All worlds at once (joint)", 3, head, tuple(rows))


def _points(difference: WorldsDifference) -> str:
    if difference.value is None:
        return "–"
    return f"{points(difference.value)} ({points_between(difference.interval)})"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"

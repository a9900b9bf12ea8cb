"""The tables and the heat map of a `StreamReport`, for `training_files.py`. Computes no results."""

from __future__ import annotations

from functools import partial

from sebench.report.numbers.stream import StageChange, StreamReport, WorldsDifference
from sebench.report.views import drawings
from sebench.report.views.tables import SPLIT_NAMES, TextTable, p_value, percent, points, points_between, spread
from sebench.report.views.training_files import TrainingReport

STEM = "stream"  # of the names of the files
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


def training_report(report: StreamReport) -> TrainingReport:
    """Return what the files and the terminal show."""
    main = [summary(report), matrix(report), changes(report)]
    return TrainingReport(
        stem=STEM,
        title=report.title,
        about=_describe(report),
        notes=report.notes,
        plots={f"{STEM}.svg": ("Accuracy in every world after every stage", partial(heat_map, report))},
        tables=[*main, joint(report)],
        main=main,
        remarks=(),
        explained=EXPLAINED,
        data=report.to_json(),
    )


def heat_map(report: StreamReport, width: int = drawings.WIDTH) -> str:
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
    return drawings.heat_maps(panels, f"Accuracy after every stage, {report.title}", width)


def _describe(report: StreamReport) -> str:
    worlds = ", ".join(f"{w['name']} (seed {w['seed']}, {w['part']})" for w in report.worlds)
    return f"sebench {report.sebench}; stages: {' → '.join(report.stages)}; worlds: {worlds}."


# ---- tables ----------------------------------------------------------------------------------------------------------


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

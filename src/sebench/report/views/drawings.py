"""Draws plots as self-contained SVG files: bars with intervals, curves over training steps, heat maps, and a funnel.

Plots have their own background and two sets of colours, for light and dark pages. Only positions are computed here.
Text width is estimated (a character is `WIDE` pixels), since fonts are unknown. A plot for a narrow screen has its
panels below each other, and is wider than the screen only where names and titles need it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

from sebench.base.wording import counted
from sebench.report.numbers.experiment import SEEN, ExperimentReport
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.metrics import BOOK_ORDER, SPLIT_ORDER
from sebench.report.views.tables import SPLIT_NAMES, percent

WIDTH, NARROW, MARGIN = 760, 340, 20
BAR, GAP, APART = 13, 3, 12  # pixels: height of a bar, between bars, between methods
PLOT_HEIGHT = 190
CELL, CELL_WIDTH = 26, 50  # a cell of a heat map: height, and least width
VALUE, LEAST_BARS = 52, 140  # pixels: for the number beside a bar, and for the longest bar
WIDE = 7.0
SCALES = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
LINES = (  # for light and for dark pages
    ("#3f53c4", "#9db0ff"), ("#a94c06", "#ffad66"), ("#0f766e", "#5eead4"), ("#a21caf", "#f0abfc"),
    ("#4d7c0f", "#bef264"), ("#b91c1c", "#fca5a5"), ("#0369a1", "#7dd3fc"), ("#57534e", "#d6d3d1"),
)  # fmt: skip
REAL, RIGHT = "a real function", "the right functions"
BAR_COLOURS = dict(zip((*BOOK_ORDER, REAL, RIGHT), LINES, strict=False))
PROBES = {  # what the figures of probes are called in titles
    "logp": "mean log-probability",
    "among": "log-probability among candidates",
    "rank": "median rank",
    "first": "share ranked first",
    "exact": "share exact",
}
SHARES = ("share ranked first", "share exact", "right")  # ends of titles whose values are shares
Lines = Sequence[tuple[int, Sequence[tuple[int, float]]]]  # number of the method, and steps with values
# Title, names of rows and of columns, and the shares by row and column.
HeatMap = tuple[str, Sequence[str], Sequence[str], Mapping[tuple[str, str], float]]
SEEN_TITLE = "seen questions (training tasks asked again, closed)"


@dataclass(frozen=True)
class Bar:
    """One bar: name, tooltip, value and interval."""

    name: str
    tooltip: str
    value: float
    interval: Interval | None


Panel = tuple[str, dict[str, list[Bar]]]  # title, and the bars of each method


def bars(comparison: ExperimentReport, width: int = WIDTH) -> str:
    """Draw, for each method, the accuracy with each book in a panel per split, and which functions closed-book answers
    called."""
    splits = [s for s in (*SPLIT_ORDER, SEEN) if any(f.split == s for f in comparison.figures)]
    panels = [_accuracies(comparison, split) for split in splits]
    panels += [_names(comparison, split) for split in splits if split != SEEN]
    panels = [(title, by_method) for title, by_method in panels if any(by_method.values())]
    return bar_chart(panels, f"Accuracy by method, {comparison.title}", width)


def bar_chart(panels: Sequence[Panel], title: str, width: int = WIDTH) -> str:
    """Draw bars with intervals, one panel below the other; bars with the same name have the same colour."""
    left = MARGIN + WIDE * max((len(method) for _, by_method in panels for method in by_method), default=0) + 12
    used_names = {bar.name for _, by_method in panels for own in by_method.values() for bar in own}
    places = {name: f"k-{i}" for i, name in enumerate(name for name in BAR_COLOURS if name in used_names)}
    width = _wide_enough(width, [heading for heading, _ in panels], left + LEAST_BARS + VALUE + MARGIN)
    legend, top = _legend(places.items(), width)
    parts = [legend]
    for heading, by_method in panels:
        drawn, top = _bar_panel(heading, by_method, places, (left, width - MARGIN - VALUE), top)
        parts += drawn
    colours = [(place, BAR_COLOURS[name]) for name, place in places.items()]
    return _svg(parts, (width, top + 4), colours, title)


def _accuracies(comparison: ExperimentReport, split: str) -> Panel:
    title = SEEN_TITLE if split == SEEN else f"{SPLIT_NAMES.get(split, split)} tasks"
    bars: dict[str, list[Bar]] = {}
    for method in comparison.methods:
        figures = [f for book in BOOK_ORDER if (f := comparison.figure(method.name, split, book))]
        bars[method.name] = [
            Bar(
                f.book,
                f"{f.method}, {f.book}: {percent(f.accuracy)} of {counted(f.tasks, 'task')}",
                f.accuracy,
                f.interval,
            )
            for f in figures
            if f.accuracy is not None
        ]
    return title, bars


def _names(comparison: ExperimentReport, split: str) -> Panel:
    """Return a panel that shows what closed-book answers called, whether right or wrong."""
    bars: dict[str, list[Bar]] = {}
    for method in comparison.methods:
        f = comparison.figure(method.name, split, "closed")
        shares = [] if f is None else [(REAL, f.real), (RIGHT, f.right)]
        bars[method.name] = [Bar(n, f"{method.name}, {n}: {percent(v)}", v, None) for n, v in shares if v is not None]
    return f"{SPLIT_NAMES.get(split, split)} tasks, closed: answers that call ...", bars


def _bar_panel(
    title: str, by_method: Mapping[str, Sequence[Bar]], places: Mapping[str, str], ends: tuple[float, float], top: float
) -> tuple[list[str], float]:
    everything = [bar for own in by_method.values() for bar in own]
    highest = max(bar.interval.high if bar.interval else bar.value for bar in everything)
    scale = next((s for s in SCALES if s >= highest), 1.0)
    left, right = ends
    per_unit = (right - left) / scale
    parts = [f'<text class="title" x="{MARGIN}" y="{top + 14:.0f}">{escape(title)}</text>']
    y = begin = top + 26
    for name, own in by_method.items():
        if not own:
            continue
        middle = y + (len(own) * (BAR + GAP) - GAP) / 2 + 4
        parts.append(f'<text class="name" x="{left - 10:.0f}" y="{middle:.1f}">{escape(name)}</text>')
        for bar in own:
            parts += _bar(bar, places[bar.name], (left, right), y, per_unit)
            y += BAR + GAP
        y += APART - GAP
    end = y - APART / 2
    ticks = [scale * i / 4 for i in range(5)]
    grid = [f'<path class="grid" d="M{left + t * per_unit:.1f} {begin - 6:.1f}V{end:.1f}"/>' for t in ticks]
    labels = [f'<text class="tick" x="{left + t * per_unit:.1f}" y="{end + 14:.1f}">{100 * t:g}%</text>' for t in ticks]
    return [*grid, *parts, *labels], end + 30


def _bar(bar: Bar, colour: str, ends: tuple[float, float], y: float, per_unit: float) -> list[str]:
    left, right = ends
    drawn = [
        f'<rect class="bar {colour}" x="{left:.1f}" y="{y:.1f}" width="{max(bar.value * per_unit, 1.5):.1f}" '
        f'height="{BAR}" rx="2"><title>{escape(bar.tooltip)}</title></rect>'
    ]
    if bar.interval:
        drawn.append(_whisker(bar.interval, left, right, y + BAR / 2, per_unit))
    return [*drawn, f'<text class="value" x="{right + 8:.0f}" y="{y + BAR - 2.5:.1f}">{percent(bar.value)}</text>']


def _whisker(interval: Interval, left: float, right: float, y: float, per_unit: float) -> str:
    low, high = (min(left + end * per_unit, right) for end in (interval.low, interval.high))
    ends = "".join(f"M{x:.1f} {y - 3.5:.1f}V{y + 3.5:.1f}" for x in (low, high))
    return f'<path class="whisker" d="M{low:.1f} {y:.1f}H{high:.1f}{ends}"/>'


def curves(comparison: ExperimentReport, width: int = WIDTH) -> str:
    """Draw loss and probes over steps: a panel for each, with a line for each method and world. "" if nothing was
    logged."""
    methods = [method for method in comparison.methods if method.curves]
    probes = dict.fromkeys(name for m in methods for curve in m.curves for name in curve.probes)
    panels: list[tuple[str, Lines]] = [
        ("loss", [(i, _after(curve.loss)) for i, m in enumerate(methods) for curve in m.curves if curve.loss])
    ]
    for name in probes:
        lines_of_probe = [(i, c.probes[name]) for i, m in enumerate(methods) for c in m.curves if name in c.probes]
        question, _, figure = name.rpartition("_")
        panels.append((f"{question}: {PROBES[figure]}" if figure in PROBES else name.replace("_", " "), lines_of_probe))
    panels = [(title, finite) for title, lines in panels if (finite := _finite(lines))]
    if not panels:
        return ""
    columns = _columns(width)
    if columns == 1:
        width = _wide_enough(width, [*(title for title, _ in panels), *(m.name for m in methods)])
    legend, top = _legend([(m.name, f"l-{i % len(LINES)}") for i, m in enumerate(methods)], width)
    parts = [legend]
    each = (width - (columns + 1) * MARGIN) / columns
    for number, (title, lines) in enumerate(panels):
        column = number % columns
        parts += _line_panel(title, lines, MARGIN + column * (each + MARGIN), top, each)
        if column == columns - 1 or number == len(panels) - 1:
            top += PLOT_HEIGHT + 48
    colours = [(f"l-{i}", colour) for i, colour in enumerate(LINES[: len(methods)])]
    return _svg(parts, (width, top), colours, f"Training curves, {comparison.title}")


def funnel(steps: Sequence[tuple[str, int, Sequence[tuple[str, int]]]], title: str) -> str:
    """Draw how many items are left after each step. A step has a name, that number, and the reasons for which items
    were dropped, with counts."""
    most = max((left for _, left, _ in steps), default=0) or 1
    begin = MARGIN + WIDE * max(len(name) for name, _, _ in steps) + 12
    widest = (WIDTH - begin - MARGIN) / 2
    parts = [f'<text class="title" x="{MARGIN}" y="{MARGIN + 6}">{escape(title)}</text>']
    y = MARGIN + 24.0
    for name, left, gone in steps:
        width = max(widest * left / most, 1.5)
        parts += [
            f'<text class="name" x="{begin - 10:.0f}" y="{y + BAR - 2:.1f}">{escape(name)}</text>',
            f'<rect class="bar k-0" x="{begin:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BAR + 2}" rx="2"/>',
            f'<text class="value" x="{begin + width + 6:.1f}" y="{y + BAR - 2:.1f}">{left}</text>',
        ]
        for number, (why, count) in enumerate(gone):
            at = y + BAR - 2 + number * (BAR + GAP)
            label = escape(f"{count} {why}")
            parts.append(f'<text class="tick-y" x="{begin + widest + 48:.1f}" y="{at:.1f}">{label}</text>')
        y += BAR + APART + max(len(gone) - 1, 0) * (BAR + GAP)
    return _svg(parts, (WIDTH, y + 4), [("k-0", LINES[0])], title)


def heat_maps(panels: Sequence[HeatMap], title: str, width: int = WIDTH) -> str:
    """Draw tables of shares, two side by side if there is room: the darker a cell, the larger the share."""
    parts: list[str] = []
    side_by_side = _columns(width)
    if side_by_side == 1:
        least = [
            WIDE * max(map(len, rows)) + 10 + len(columns) * max([CELL_WIDTH, *(WIDE * len(one) for one in columns)])
            for _, rows, columns, _ in panels
        ]
        width = _wide_enough(width, [heading for heading, *_ in panels], 2 * MARGIN + max(least, default=0))
    top, each = float(MARGIN), (width - (side_by_side + 1) * MARGIN) / side_by_side
    for at in range(0, len(panels), side_by_side):
        for place, panel in enumerate(panels[at : at + side_by_side]):
            parts += _heat_map(panel, MARGIN + place * (each + MARGIN), top, each)
        top += 56 + CELL * max(len(rows) for _, rows, _, _ in panels[at : at + side_by_side])
    return _svg(parts, (width, top), [("k-0", LINES[0])], title)


def _heat_map(panel: HeatMap, x: float, y: float, width: float) -> list[str]:
    title, rows, columns, shares = panel
    left = x + WIDE * max(map(len, rows)) + 10
    wide = min((x + width - left) / max(len(columns), 1), 90.0)
    parts = [f'<text class="title" x="{x:.0f}" y="{y + 8:.0f}">{escape(title)}</text>']
    parts += [
        f'<text class="tick" x="{left + (i + 0.5) * wide:.1f}" y="{y + 26:.0f}">{escape(column)}</text>'
        for i, column in enumerate(columns)
    ]
    for number, row in enumerate(rows):
        above = y + 34 + number * CELL
        parts.append(f'<text class="name" x="{left - 8:.0f}" y="{above + CELL / 2 + 4:.1f}">{escape(row)}</text>')
        for i, column in enumerate(columns):
            if (share := shares.get((row, column))) is not None:
                parts += [
                    f'<rect class="k-0" x="{left + i * wide + 1:.1f}" y="{above + 1:.1f}" width="{wide - 2:.1f}" '
                    f'height="{CELL - 2}" rx="2" fill-opacity="{0.06 + 0.5 * share:.2f}"/>',
                    f'<text class="cell" x="{left + (i + 0.5) * wide:.1f}" y="{above + CELL / 2 + 4:.1f}">'
                    f"{percent(share)}</text>",
                ]
    return parts


def _after(loss: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Return the losses by the number of steps done, as for probes; a log counts steps from 0."""
    return [(step + 1, value) for step, value in loss]


def _finite(lines: Lines) -> Lines:
    """Return the points that can be drawn; a training run that diverged has NaN from some step on."""
    finite = [(number, [point for point in line if isfinite(point[1])]) for number, line in lines]
    return [(number, line) for number, line in finite if line]


def _line_panel(title: str, lines: Lines, x: float, y: float, width: float) -> list[str]:
    points = [point for _, line in lines for point in line]
    ticks, share = _ticks([value for _, value in points]), title.endswith(SHARES)
    if share:
        ticks = [tick for tick in ticks if 0 <= tick <= 1]
    low, high = ticks[0], ticks[-1]
    longest = max(step for step, _ in points) or 1
    left, base = x + 46, y + 22 + PLOT_HEIGHT

    def place(step: int, value: float) -> str:
        across = left + (x + width - left) * step / longest
        return f"{across:.1f} {base - PLOT_HEIGHT * (value - low) / (high - low):.1f}"

    parts = [f'<text class="title" x="{x:.0f}" y="{y + 12:.0f}">{escape(title)}</text>']
    for tick in ticks:
        at, label = base - PLOT_HEIGHT * (tick - low) / (high - low), f"{tick:.0%}" if share else f"{tick:g}"
        parts.append(f'<path class="grid" d="M{left:.1f} {at:.1f}H{x + width:.1f}"/>')
        parts.append(f'<text class="name tick-y" x="{left - 6:.0f}" y="{at + 4:.1f}">{label}</text>')
    for number, line in lines:
        shape = "M" + "L".join(place(step, value) for step, value in line)
        parts.append(f'<path class="line l-{number % len(LINES)}" d="{shape}"/>')
        if len(line) == 1:
            across, up = place(*line[0]).split()
            parts.append(f'<circle class="l-{number % len(LINES)}" cx="{across}" cy="{up}" r="3"/>')
    return [*parts, f'<text class="tick" x="{x + width - 24:.0f}" y="{base + 15:.0f}">step {longest}</text>']


def _ticks(values: Sequence[float]) -> list[float]:
    """Return about five round numbers that span all values."""
    low, high = min(values), max(values)
    if low == high:
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / 4
    power = 10.0 ** floor(log10(rough))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= rough)
    first, last = floor(low / step), ceil(high / step)
    return [round(step * i, 10) for i in range(first, last + 1)]


def _columns(width: int) -> int:
    """Return how many panels stand side by side."""
    return 1 if width < WIDTH else 2


def _wide_enough(width: int, texts: Iterable[str], least: float = 0.0) -> int:
    """Return the width, or more if a text or something else would not fit into it."""
    return max(width, ceil(least), ceil(2 * MARGIN + WIDE * max(map(len, texts), default=0)))


def _legend(entries: Iterable[tuple[str, str]], width: int) -> tuple[str, float]:
    """Return the legend, on as many lines as needed, and the y position below it."""
    parts, x, y = [], float(MARGIN), 24.0
    for name, colour in entries:
        wide = 17 + WIDE * len(name) + 20
        if x > MARGIN and x + wide > width:
            x, y = float(MARGIN), y + 20
        parts.append(f'<rect class="{colour}" x="{x:.0f}" y="{y - 10:.0f}" width="12" height="12" rx="2"/>')
        parts.append(f'<text class="key" x="{x + 17:.0f}" y="{y:.0f}">{escape(name)}</text>')
        x += wide
    return "".join(parts), y + 20


def _svg(
    parts: Sequence[str], size: tuple[int, float], colours: Sequence[tuple[str, tuple[str, str]]], title: str
) -> str:
    width, height = size

    def painted(dark: int) -> str:
        return "".join(
            f"rect.{name},circle.{name}{{fill:{pair[dark]}}}path.{name}{{stroke:{pair[dark]}}}"
            for name, pair in colours
        )

    style = (
        "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#1c2430}"
        ".title{font-weight:600}.name{text-anchor:end}.tick,.cell{text-anchor:middle}"
        ".tick,.tick-y{font-size:11px;fill:#566173}"
        ".bar{fill-opacity:.72}.page{fill:#fff;stroke:#dde1e7}.grid{stroke:#dde1e7}"
        ".whisker{stroke:#1c2430;stroke-width:1.3;fill:none;opacity:.75}"
        f".line{{fill:none;stroke-width:1.8;stroke-linejoin:round}}{painted(0)}"
        "@media(prefers-color-scheme:dark){text{fill:#e4e8ee}.tick,.tick-y{fill:#9ca7b8}"
        ".page{fill:#1c2027;stroke:#313742}"
        f".grid{{stroke:#313742}}.whisker{{stroke:#e4e8ee}}{painted(1)}}}"
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" '
        f'width="{width}" height="{height:.0f}" '
        f'role="img" aria-label="{escape(title)}"><style>{style}</style>\n'
        f'<rect class="page" x=".5" y=".5" width="{width - 1}" height="{height - 1:.0f}" rx="10"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )

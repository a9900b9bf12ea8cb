"""Writes the leaderboard: on a terminal, as one self-contained HTML file, or as a static site with the releases.

The numbers are from `report/numbers/leaderboard.py`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from typing import Any
from urllib.parse import quote

from rich.console import Console

from sebench.base.wording import counted
from sebench.report.numbers.intervals import Interval
from sebench.report.numbers.leaderboard import RANKED_BY, Board, BoardRow, Column
from sebench.report.numbers.worlds import WorldsCell
from sebench.report.views import html, tables
from sebench.report.views.tables import TextTable

CLOSED, CLOSED_MULTI = RANKED_BY
OPEN, NATIVE = ("open", "single_test"), ("native", "single_test")
SHOWN = 8  # rows without a rank that a terminal shows, and models listed for a reason
BAR = 120  # width of a bar in pixels
RELEASES = "releases"  # the folder of a site with its releases


def show(boards: Sequence[Board], console: Console) -> None:
    """Print a shorter leaderboard on a terminal; below each table, where there is room, say why rows have no rank."""
    for board in boards:
        tables.print_lines([board.title], console, "bold")
        rows = [
            (
                str(row.rank or "–"),
                row.label,
                _with_interval(row.cells.get(CLOSED)),
                *(tables.percent(_accuracy(row, column)) for column in (CLOSED_MULTI, OPEN)),
            )
            for row in board.rows[: sum(bool(row.rank) for row in board.rows) + SHOWN]
        ]
        head = ("rank", "model", "closed (95 %)", "multi", "open")
        tables.print_table(TextTable(board.note, 2, head, tuple(rows)), console, wrap=True)
        if more := len(board.rows) - len(rows):
            tables.print_lines([f"and {counted(more, 'row')} without a rank, on the page"], console)
        models_by_reason: dict[str, list[str]] = defaultdict(list)
        for row in board.rows:
            if row.unranked:
                models_by_reason[row.unranked].append(row.label)
        reasons = [f"not ranked: {why}: {_first(models)}" for why, models in models_by_reason.items()]
        tables.print_lines(reasons, console)


def _first(models: Sequence[str]) -> str:
    """Return the first models of a list, and how many more there are."""
    return "; ".join([*models[:SHOWN], *([f"and {len(models) - SHOWN:,} more"] if models[SHOWN:] else [])])


def page(boards: Sequence[Board], links: bool = False) -> str:
    """Return the HTML of the leaderboard. With `links`, releases are linked as on a site."""
    script = html.asset("leaderboard.js")
    parts = {
        "POLICY": html.policy(script),
        "STYLE": html.style(),
        "SCRIPT": script,
        "TABLES": "\n".join(_section(board, links) for board in boards),
    }
    return html.fill(html.asset("leaderboard.html"), parts)


def as_json(boards: Sequence[Board]) -> str:
    """Return the leaderboard as data."""
    data = [
        {
            "title": board.title,
            "note": board.note,
            "rows": [_row_data(row) for row in board.rows],
        }
        for board in boards
    ]
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def _row_data(row: BoardRow) -> dict[str, Any]:
    return {**asdict(row), "cells": [asdict(cell) for cell in row.cells.values()], "digests": sorted(row.digests)}


def _section(board: Board, links: bool) -> str:
    heads = [
        "rank",
        "model",
        "closed, single",
        "closed, multi",
        "open, single",
        "native, single",
        "closed\N{NO-BREAK SPACE}/ native",
        "worlds (seeds)",
        "runs",
        "training tokens",
        "tokens per answer",
        "release, date",
        "settings",
    ]
    head = "".join(f'<th scope="col"><button type="button" class="fn">{escape(name)}</button></th>' for name in heads)
    rows = "\n".join(_row(row, links) for row in board.rows)
    note = f"<p>{escape(board.note)}</p>\n" if board.note else ""
    return (
        f"<section><h2>{escape(board.title[:1].upper() + board.title[1:])}</h2>\n{note}<div class='wide panel'><table>"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div></section>"
    )


def _row(row: BoardRow, links: bool) -> str:
    about = [row.differs, row.method, "" if row.at_hand == "weights" else f"at hand: {row.at_hand}"]
    small = [text for text in about if text] + ([f"not ranked: {row.unranked}"] if row.unranked else [])
    name = "".join(f"<br><span class='quiet'>{escape(text)}</span>" for text in small)
    learnt = row.training_tokens
    facts = (
        ("" if row.ratio is None else f"{row.ratio:.6f}", "–" if row.ratio is None else f"{row.ratio:.2f}"),
        (len(row.seeds), "<br>".join(map(str, row.seeds))),
        (row.runs, row.runs),
        (learnt or 0, "–" if learnt is None else f"{learnt:,}"),
        (f"{row.tokens:.3f}", f"{row.tokens:,.0f}" if row.tokens else "–"),
    )
    cells = "".join(f"<td data-value='{value}'>{text}</td>" for value, text in facts)
    return (
        f"<tr><td data-value='{row.rank or 999999}'>{row.rank or '–'}</td>"
        f"<td class='model'><strong>{escape(row.model)}</strong>{name}</td>{_bar(row.cells.get(CLOSED))}"
        f"{''.join(_cell(row.cells.get(column)) for column in (CLOSED_MULTI, OPEN, NATIVE))}{cells}"
        f"<td data-value='{escape(row.date)}'>{_releases(row, links)}{escape(row.date)}</td>"
        f"<td class='long quiet'>{escape(row.settings)}</td></tr>"
    )


def _releases(row: BoardRow, links: bool) -> str:
    """Return the names of the releases, each on a line."""
    names = [
        f"<a href='{RELEASES}/{quote(name)}.tar'>{escape(name)}</a>" if links else escape(name) for name in row.releases
    ]
    return "".join(f"{name}<br>" for name in names or ["–"])


def _bar(cell: WorldsCell | None) -> str:
    """Return a table cell with an accuracy and a bar with its interval."""
    if cell is None or cell.accuracy is None:
        return _cell(cell)
    low, high = (cell.interval.low, cell.interval.high) if cell.interval else (cell.accuracy, cell.accuracy)
    bar = (
        f"<svg class='scale' width='{BAR}' height='10' aria-hidden='true'>"
        f"<rect class='ground' width='{BAR}' height='10'/>"
        f"<rect class='value' width='{BAR * cell.accuracy:.1f}' height='10'/>"
        f"<line class='whisker' x1='{BAR * max(low, 0):.1f}' x2='{BAR * min(high, 1):.1f}' y1='5' y2='5'/></svg>"
    )
    return _cell(cell, bar)


def _cell(cell: WorldsCell | None, bar: str = "") -> str:
    if cell is None or cell.accuracy is None:
        return "<td data-value='-1'>–</td>"
    credit = "" if cell.targeted is None else f"<br><span class='quiet'>targeted {tables.percent(cell.targeted)}</span>"
    spread = f"{'' if bar else '<br>'}<span class='quiet'>{tables.between(cell.interval)}</span>"
    accuracy = f"<strong>{tables.percent(cell.accuracy)}</strong>"
    return f"<td data-value='{cell.accuracy:.6f}'>{accuracy}{bar}{spread}{credit}</td>"


def _accuracy(row: BoardRow, column: Column) -> float | None:
    return row.cells[column].accuracy if column in row.cells else None


def _with_interval(cell: WorldsCell | None) -> str:
    interval: Interval | None = cell.interval if cell else None
    return tables.with_interval(cell.accuracy, interval) if cell and cell.accuracy is not None else "–"

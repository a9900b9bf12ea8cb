"""Writes a ranked page of runs: one self-contained HTML file. `sebench leaderboard` calls it.

It ranks finished runs on all test tasks by closed-book accuracy, shows targeted accuracy (answers that used the
functions that the task is about) below it, and lists every setting that could explain a rank. Runs share a table only
if they have the same world, number of tasks, profile, scoring rules and regime. Samples, unfinished runs and runs that
do not record how many tasks their world has are shown without a rank, with the reason.

Not covered: significance, for which there are paired comparisons (`sebench report A B`); and whether verdicts are
right, which `sebench verify` checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rich.console import Console

from sebench.base.errors import first_problem
from sebench.report.numbers.build import Report, RunReport
from sebench.report.numbers.metrics import Cell
from sebench.report.views import html, tables
from sebench.report.views.tables import TextTable
from sebench.world.open_book import DISTRACTORS
from sebench.world.page_cuts import PARTS

SETTINGS = tuple(
    """samples temperature max_tokens top_p distractors retrieve pages hide_usage give_names profile system stop
    reasoning_effort thinking extra prompts tasks limit decline repair seed""".split()
)
TESTS = ("single_test", "multi_test")
MOST_EXCLUDED = 0.05  # largest share of closed-book answers without a verdict; more could hide wrong ones
# Default values, which are not shown; nor are empty ones ("", 0, no entries), except for the first three settings.
USUAL = {"top_p": 1.0, "distractors": DISTRACTORS, "pages": list(PARTS), "profile": "strict"}


@dataclass(frozen=True)
class Origin:
    """Where a run comes from, as far as that is known."""

    release: str = ""
    regime: str = ""  # how the model learned the library
    training_tokens: int | None = None
    date: str = ""
    part: str = ""  # the part of the library in its world: "all", "12 functions"


UNKNOWN = Origin()
Origins = Mapping[str, Origin]  # by the path of a run


def page(report: Report, origins: Origins | None = None) -> str:
    """Return the HTML of the leaderboard."""
    script = html.asset("leaderboard.js")
    ratios = {r.closed.run: r.ratio for r in report.ratio_base if r.closed.run == r.native.run}
    sections = [_section(group, origins or {}, ratios) for group in _groups(report, origins or {})]
    parts = {
        "POLICY": html.policy(script),
        "STYLE": html.style(),
        "SCRIPT": script,
        "TABLES": "\n".join(sections),
    }
    return html.fill(html.asset("leaderboard.html"), parts)


def show(report: Report, console: Console, origins: Origins | None = None) -> None:
    """Print a shorter leaderboard on a terminal; settings are listed below the table, where there is room."""
    for group in _groups(report, origins or {}):
        rows = []
        models_by_settings: dict[str, list[str]] = {}
        for rank, run in rank_runs(group.runs):
            closed, opened = run.cell("closed"), run.cell("open")
            name = f"{_label(run)} (ref)" if run.reference else _label(run)
            score = tables.with_interval(closed.accuracy, closed.interval) if closed else "–"
            shares = (closed.targeted if closed else None, opened.accuracy if opened else None)
            rows.append((rank, name, score, *map(tables.percent, shares)))
            models_by_settings.setdefault(settings(run), []).append(_label(run))
        world = f"world {group.runs[0].world['package']}, seed {group.runs[0].world['seed']}, {group.title}"
        tables.print_lines([world], console, "bold")
        head = ("rank", "model", "closed (95 %)", "targeted", "open")
        tables.print_table(TextTable(group.note, 2, head, tuple(rows)), console)
        for settings_line, models in models_by_settings.items():
            whose = "" if len(models_by_settings) == 1 else f"{', '.join(models)}: "
            tables.print_lines([f"{whose}{settings_line}"], console)


@dataclass(frozen=True)
class ComparableRuns:
    """Runs that may be ranked together."""

    runs: list[RunReport]
    title: str  # what they share besides the world
    note: str = ""


def _groups(report: Report, origins: Origins) -> list[ComparableRuns]:
    """Group the runs that answered the same tasks under the same rules and regime."""
    by_rules: dict[tuple[Any, ...], list[RunReport]] = {}
    for run in report.runs:
        by_rules.setdefault(_ranking_key(run), []).append(run)
    tasks_by_world = {shared[:2] for shared in by_rules}  # worlds, with the numbers of tasks that runs claim for them
    groups = []
    for shared, runs in by_rules.items():
        world, tasks, profile, rules, regime, named = shared
        parts = {part for run in runs if (part := origins.get(run.path, UNKNOWN).part) not in ("", "all")}
        title = [
            *(f"a part of the library ({part})" for part in sorted(parts)),
            f"{sum(dict(tasks).get(split, 0) for split in TESTS):,} test tasks" if tasks else "unknown tasks",
            *([f"profile {profile or 'unknown'}"] if profile != "strict" else []),
            f"scoring rules {rules}",
            *(["names of the needed functions given"] if named else []),
            *([f"regime: {regime}"] if report.at_hand else []),
        ]
        note = f"other runs claim other tasks for world {world[:12]}; 'sebench verify' shows which are right"
        disputed = sum(one == world for one, _ in tasks_by_world) > 1
        groups.append(ComparableRuns(runs, ", ".join(title), note if disputed else ""))
    return groups


def _ranking_key(run: RunReport) -> tuple[Any, ...]:
    """Return what runs must share to be ranked together."""
    return (
        run.world["fingerprint"],
        tuple(sorted(run.world.get("tasks", {}).items())),
        run.config.get("profile", ""),
        run.scoring,
        run.regimes.get("closed", "weights"),
        bool(run.config.get("give_names")),
    )


def rank_runs(runs: Sequence[RunReport]) -> list[tuple[str, RunReport]]:
    """Return the runs, best first, each with its rank; ties share a rank, and runs that cannot be compared have none
    and come last."""
    ordered = sorted(runs, key=lambda run: (_why_unranked(run) != "", -_score(run), -_score(run, "open"), run.name))
    scores = [_score(run) for run in ordered if not _unranked(run)]
    return [("–" if _unranked(run) else str(1 + sum(s > _score(run) for s in scores)), run) for run in ordered]


def settings(run: RunReport) -> str:
    """Return the settings of a run in one line."""
    present = {name: run.config[name] for name in SETTINGS if name in run.config}
    unusual = {
        name: value for name, value in present.items() if name in SETTINGS[:3] or (value and value != USUAL.get(name))
    }
    if present.get("distractors") == 0:
        unusual["distractors"] = 0
    parts = [f"{name.replace('_', ' ')} {_printable(value)}" for name, value in unusual.items()]
    memory = [f"memory {run.memory}"] if run.memory else []
    unranked = [f"not ranked: {why}"] if (why := _why_unranked(run)) else []
    return ", ".join([*parts, *memory, *unranked])


def _score(run: RunReport, book: str = "closed") -> float:
    """Return the accuracy over the test tasks that all runs are compared on, whatever else the run was asked; -1 if it
    has none."""
    cells = [
        c for c in run.cells if c.book == book and c.group == "split" and c.value in TESTS and c.accuracy is not None
    ]
    tasks = sum(cell.tasks for cell in cells)
    return sum((cell.accuracy or 0.0) * cell.tasks for cell in cells) / tasks if tasks else -1.0


def _unranked(run: RunReport) -> bool:
    return run.reference or _score(run) < 0 or _why_unranked(run) != ""


def _why_unranked(run: RunReport) -> str:
    """Return why a run has no rank: it is unfinished, or covers only a part of the test tasks; "" if it has a rank."""
    has, closed = run.world.get("tasks", {}), run.cell("closed")
    whole = run.tasks * len(run.config["book"]) * int(run.config["samples"])  # whatever the run claims
    left_out = sum(closed.excluded.values()) if closed else 0
    return first_problem(
        {
            f"unfinished: {run.responses:,} of {run.expected:,} responses": run.responses < run.expected,
            "a sample of the tasks": run.config.get("limit"),
            "tasks from a separate file": run.config.get("tasks"),
            "it does not record how many tasks its world has": not has.keys() >= set(TESTS),
            f"not both of {' and '.join(TESTS)}": not set(TESTS) <= set(run.splits),
            "not all test tasks of its world": any(run.split_tasks.get(split, 0) != has.get(split) for split in TESTS),
            f"only {run.responses:,} of {whole:,} answers": run.responses != whole,
            "too many answers without a verdict": (  # no response, or a fault
                closed and left_out > MOST_EXCLUDED * (closed.samples + left_out)
            ),
        }
    )


def _label(run: RunReport) -> str:
    """Return the model, with its regime in the closed book if that is not just weights."""
    regime = run.regimes.get("closed", "weights")
    return run.model if regime == "weights" else f"{run.model}, {regime}"


def _printable(value: object) -> str:
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if text.isprintable() else repr(text)  # no control characters on a terminal


def _section(group: ComparableRuns, origins: Origins, ratios: Mapping[str, float | None]) -> str:
    runs, world = group.runs, group.runs[0].world
    splits = list(dict.fromkeys(split for run in runs for split in run.splits))
    columns = [(book, split) for book in ("closed", "open") for split in ("", *(splits if len(splits) > 1 else []))]
    heads = [
        "rank",
        "model",
        *(f"{book}, {tables.SPLIT_NAMES.get(split, split)}" for book, split in columns),
        "closed / native",
        "regime",
        "training tokens",
        "tokens an answer",
        "date",
        "tasks",
        "settings",
    ]
    head = "".join(f'<th scope="col"><button type="button" class="fn">{escape(name)}</button></th>' for name in heads)
    rows = "\n".join(
        _row(rank, run, columns, _facts(run, origins.get(run.path, UNKNOWN), ratios.get(run.name)))
        for rank, run in rank_runs(runs)
    )
    facts = escape(f"seed {world['seed']}, {world['fingerprint'][:12]}, {group.title}")
    title = f"World {escape(str(world['package']))} <span class='quiet'>{facts}</span>"
    note = f"<p>{escape(group.note)}</p>\n" if group.note else ""
    return (
        f"<section><h2>{title}</h2>\n{note}<div class='wide panel'><table><thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody></table></div></section>"
    )


def _facts(run: RunReport, origin: Origin, ratio: float | None) -> str:
    """Return the table cells with the cost of a score, and how the score compares with NumPy."""
    written = sum(total.completion_tokens for total in run.totals) / max(sum(t.responses for t in run.totals), 1)
    learnt = origin.training_tokens
    date = origin.date or str(run.facts.get("ended", run.facts.get("started", "")))[:10]
    return (
        f"<td data-value='{-1 if ratio is None else f'{ratio:.6f}'}'>{'–' if ratio is None else f'{ratio:.2f}'}</td>"
        f"<td>{escape(origin.regime) or '–'}</td>"
        f"<td data-value='{learnt or 0}'>{'–' if learnt is None else f'{learnt:,}'}</td>"
        f"<td data-value='{written:.3f}'>{f'{written:,.0f}' if written else '–'}</td><td>{escape(date) or '–'}</td>"
    )


def _row(rank: str, run: RunReport, columns: Sequence[tuple[str, str]], facts: str) -> str:
    label = " <span class='quiet'>reference line</span>" if run.reference else ""
    name = "" if run.name == run.model else f"<br><span class='quiet'>{escape(run.name)}</span>"
    cells = "".join(_cell(run.cell(book, "split", split) if split else run.cell(book)) for book, split in columns)
    order = rank if rank.isdigit() else "999999"
    return (
        "<tr><td "
        f"data-value='{order}'>{rank}</td><td><strong>{escape(_label(run))}</strong>{label}{name}</td>{cells}{facts}"
        f"<td data-value='{run.tasks}'>{run.tasks:,}</td><td class='long quiet'>{escape(settings(run))}</td></tr>"
    )


def _cell(cell: Cell | None) -> str:
    if cell is None or cell.accuracy is None:
        return "<td data-value='-1'>–</td>"
    credit = "" if cell.targeted is None else f"<br><span class='quiet'>targeted {tables.percent(cell.targeted)}</span>"
    spread = f"<br><span class='quiet'>{tables.between(cell.interval)}</span>"
    score = f"<strong>{tables.percent(cell.accuracy)}</strong>{spread}{credit}"
    return f"<td data-value='{cell.accuracy:.6f}'>{score}</td>"

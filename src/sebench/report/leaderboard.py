"""A ranked page of runs: one self-contained HTML file, one table per world and regime. `sebench leaderboard` calls it.

It ranks finished runs on all test tasks by closed-book accuracy, with targeted accuracy (answers that used what the task is about) below it,
and shows every setting that could explain a rank. It decides nothing about significance: that is what paired comparison
(`sebench report A B`) is for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from rich.console import Console
from rich.text import Text

from sebench.open_book import DISTRACTORS
from sebench.page_cuts import PARTS
from sebench.report import html, tables
from sebench.report.build import Report, RunReport
from sebench.report.metrics import Cell

SETTINGS = tuple(
    """samples temperature max_tokens top_p distractors retrieve pages hide_usage give_names profile system stop reasoning_effort thinking
    extra prompts tasks limit decline repair seed""".split()
)
TESTS = ("single_test", "multi_test")
MOST_EXCLUDED = 0.05  # of the answers with a closed book: more of them could hide wrong ones
# What is not worth a word; nothing ("", 0, no entries) never is, but for the first three settings.
USUAL = {"top_p": 1.0, "distractors": DISTRACTORS, "pages": list(PARTS), "profile": "strict"}


@dataclass(frozen=True)
class Origin:
    """Where a run comes from, as far as that is known."""

    release: str = ""
    regime: str = ""  # how the model learnt the library
    training_tokens: int | None = None
    date: str = ""


UNKNOWN = Origin()
Origins = Mapping[str, Origin]  # by the path of a run


def page(report: Report, origins: Origins | None = None) -> str:
    """The file."""
    script = html.asset("leaderboard.js")
    ratios = {r.closed.run: r.ratio for r in report.ratio_base if r.closed.run == r.native.run}
    sections = [_section(runs, regime, origins or {}, ratios) for runs, regime in _groups(report)]
    parts = {
        "POLICY": html.policy(script),
        "STYLE": html.style(),
        "SCRIPT": script,
        "TABLES": "\n".join(sections),
    }
    return html.fill(html.asset("leaderboard.html"), parts)


def show(report: Report, console: Console) -> None:
    """The same on a terminal, shorter: settings stand below the table, where they have room."""
    for runs, regime in _groups(report):
        at_hand = f", at hand: {regime}" if regime else ""
        world = f"world {runs[0].world['package']}, seed {runs[0].world['seed']}{at_hand}"
        console.print(Text(world, style="bold"), highlight=False)
        table = tables.plain_table()
        table.add_column("rank", no_wrap=True)
        table.add_column("model", overflow="fold")
        for column in ("closed (95 %)", "targeted", "open"):
            table.add_column(column, justify="right", no_wrap=True)
        said: dict[str, list[str]] = {}
        for rank, run in ranked(runs):
            closed, opened = run.cell("closed"), run.cell("open")
            name = Text(f"{_named(run)} (ref)" if run.reference else _named(run))
            score = tables.with_interval(closed.accuracy, closed.interval) if closed else "–"
            credit = tables.percent(closed.targeted if closed else None)
            table.add_row(rank, name, score, credit, tables.percent(opened.accuracy if opened else None))
            said.setdefault(settings(run), []).append(_named(run))
        console.print(table)
        for told, models in said.items():
            whose = "" if len(said) == 1 else f"{', '.join(models)}: "
            console.print(Text(f"{whose}{told}"), highlight=False, soft_wrap=True)


def _groups(report: Report) -> list[tuple[list[RunReport], str]]:
    """The runs of each world that had the same at hand with the book closed, and what that was where runs differ in it."""
    found: dict[tuple[str, str], list[RunReport]] = {}
    for run in report.runs:
        found.setdefault((run.world["fingerprint"], run.regimes.get("closed", "weights")), []).append(run)
    return [(runs, regime if report.at_hand else "") for (_, regime), runs in found.items()]


def ranked(runs: Sequence[RunReport]) -> list[tuple[str, RunReport]]:
    """The runs, best first, each with its rank: equals share one, and what cannot be compared has none and stands last."""
    ordered = sorted(runs, key=lambda run: (_partial(run), -_score(run), -_score(run, "open"), run.name))
    scores = [_score(run) for run in ordered if not _unranked(run)]
    return [("–" if _unranked(run) else str(1 + sum(s > _score(run) for s in scores)), run) for run in ordered]


def settings(run: RunReport) -> str:
    """The settings of a run in one line."""
    shown = {name: run.config[name] for name in SETTINGS if name in run.config}
    told = {
        name: value for name, value in shown.items() if name in SETTINGS[:3] or (value and value != USUAL.get(name))
    }
    if shown.get("distractors") == 0:
        told["distractors"] = 0
    said = [f"{name.replace('_', ' ')} {_told(value)}" for name, value in told.items()]
    if run.memory:
        said.append(f"memory {run.memory}")
    if run.responses < run.expected:
        said.append(f"unfinished: {run.responses:,} of {run.expected:,} responses")
    if _excluded(run):
        said.append("too many answers without a verdict")
    return ", ".join(said)


def _score(run: RunReport, book: str = "closed") -> float:
    """The accuracy over the test tasks that every run is compared on, whatever else it was asked; -1 where it has none."""
    cells = [
        c for c in run.cells if c.book == book and c.group == "split" and c.value in TESTS and c.accuracy is not None
    ]
    tasks = sum(cell.tasks for cell in cells)
    return sum((cell.accuracy or 0.0) * cell.tasks for cell in cells) / tasks if tasks else -1.0


def _unranked(run: RunReport) -> bool:
    return run.reference or _score(run) < 0 or _partial(run)


def _partial(run: RunReport) -> bool:
    """Whether a run is unfinished, or on a part of the test tasks: it cannot be compared with whole ones."""
    has = run.world.get("tasks", {})  # not in older runs
    beside = sum(has.get(split, 0) for split in run.config.get("split", ()) if split not in TESTS)
    missing = run.tasks - beside < sum(has.get(split, 0) for split in TESTS)
    sliced = bool(run.config.get("limit", 0)) or missing or not set(TESTS) <= set(run.splits)
    return run.responses < run.expected or sliced or _excluded(run) or bool(run.config.get("tasks"))


def _excluded(run: RunReport) -> bool:
    """Whether so many closed answers do not count (no response, a fault) that the rest says little."""
    closed = run.cell("closed")
    left_out = sum(closed.excluded.values()) if closed else 0
    return closed is not None and left_out > MOST_EXCLUDED * (closed.samples + left_out)


def _named(run: RunReport) -> str:
    """The model, with what it had at hand beside its weights in the closed book."""
    regime = run.regimes.get("closed", "weights")
    return run.model if regime == "weights" else f"{run.model}, {regime}"


def _told(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _section(runs: Sequence[RunReport], regime: str, origins: Origins, ratios: Mapping[str, float | None]) -> str:
    world = runs[0].world
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
        for rank, run in ranked(runs)
    )
    told = escape(f"seed {world['seed']}, {world['fingerprint'][:12]}{f', at hand: {regime}' if regime else ''}")
    title = f"World {escape(str(world['package']))} <span class='quiet'>{told}</span>"
    return (
        f"<section><h2>{title}</h2>\n<div class='wide panel'><table><thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody></table></div></section>"
    )


def _facts(run: RunReport, origin: Origin, ratio: float | None) -> str:
    """The cells that say what a score was paid for with, and how it compares with NumPy."""
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
        f"<tr><td data-value='{order}'>{rank}</td><td><strong>{escape(_named(run))}</strong>{label}{name}</td>{cells}{facts}"
        f"<td data-value='{run.tasks}'>{run.tasks:,}</td><td class='long quiet'>{escape(settings(run))}</td></tr>"
    )


def _cell(cell: Cell | None) -> str:
    if cell is None or cell.accuracy is None:
        return "<td data-value='-1'>–</td>"
    credit = "" if cell.targeted is None else f"<br><span class='quiet'>targeted {tables.percent(cell.targeted)}</span>"
    shown = f"<strong>{tables.percent(cell.accuracy)}</strong><br><span class='quiet'>{tables.between(cell.interval)}</span>{credit}"
    return f"<td data-value='{cell.accuracy:.6f}'>{shown}</td>"

"""`sebench ceilings`: how many of the functions that tasks need are found by search and memories, without any model."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.memory import ceilings
from sebench.memory.ceilings import Ceiling
from sebench.memory.folder import Memory
from sebench.memory.recall import Recall
from sebench.report.views.tables import plain_table
from sebench.rollout import embeddings
from sebench.tasks import splits


@click.command(cls=StrictCommand)
@options.world_argument
@click.option(
    "--memory",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Folder of a memory of WORLD, to measure instead of plain search; repeat it for several.",
)
@click.option(
    "--split",
    "chosen",
    multiple=True,
    type=click.Choice(splits.SPLITS),
    default=ceilings.SPLITS,
    show_default=True,
    help="Split of the tasks; repeat the option for several.",
)
@options.as_json
def command(world: str, folders: tuple[Path, ...], chosen: tuple[str, ...], as_json: bool) -> None:
    """Show how many of the functions that the tasks of WORLD need are found by searching for the question, or in
    memories.

    Each cell shows two shares: the share of the needed functions that are found, and the share of the tasks for which
    all of them are found. No model is used.
    """
    memories = [Memory.load(folder) for folder in folders]
    for memory in memories:
        _ = memory.snapshot  # raise errors now, before a world is built
    opened = options.open_world(world)
    if not memories:
        rows = list(ceilings.searches(opened, chosen))
        click.echo(json.dumps([asdict(row) for row in rows], indent=1)) if as_json else _searches(rows)
        return
    results = []
    for memory in memories:
        recall = Recall(memory, opened)
        copied = ceilings.overlap(memory.texts, opened)
        embeddings.prepare(recall, [task for split in chosen for task in opened.tasks(split)])
        rows = list(ceilings.of_memory(recall, opened, chosen))
        results += [{**asdict(row), "overlap": copied, "method": memory.about.method} for row in rows]
        if not rows:
            display.note(
                f"{memory.path} cannot be measured without a model, which decides what a {memory.snapshot.kind} memory "
                "recalls"
            )
    if as_json:
        click.echo(json.dumps(results, indent=1))
    elif results:
        _memories(results)


def _memories(results: list[dict[str, Any]]) -> None:
    table = plain_table()
    for name in ("memory", "method", "split"):
        table.add_column(name, no_wrap=True)
    for name in ("found", "tokens per prompt", "overlap"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in results:
        overlap = "–" if one["overlap"] is None else f"{one['overlap']:.0%}"
        numbers = (f"{one['share']:.0%} / {one['whole']:.0%}", f"{one['tokens']:,.0f}", overlap)
        table.add_row(*map(Text, (one["what"], one["method"], one["split"].removesuffix("_test"), *numbers)))
    _print(
        "needed functions found / tasks with all of them found; overlap: share of 8-word sequences copied from the "
        "pages",
        table,
    )


def _searches(rows: list[Ceiling]) -> None:
    table = plain_table()
    for name in ("searched", "split"):
        table.add_column(name, no_wrap=True)
    counts = list(dict.fromkeys(row.results for row in rows))
    for count in counts:
        table.add_column(f"@{count}", justify="right", no_wrap=True)
    cells = {(row.what, row.split, row.results): row for row in rows}
    for what, split in dict.fromkeys((row.what, row.split) for row in rows):
        of_split = [cells[what, split, count] for count in counts]
        numbers = [f"{100 * one.share:.0f}/{100 * one.whole:.0f}" for one in of_split]
        table.add_row(*map(Text, (what, split.removesuffix("_test"), *numbers)))
    _print("search with the question: percent of needed functions found / of tasks with all of them found", table)


def _print(title: str, table: Table) -> None:
    display.stdout.print(Text(title, style="bold"), highlight=False, soft_wrap=True)
    display.stdout.print(table)

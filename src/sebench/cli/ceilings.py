"""`sebench ceilings`: how many of the functions that tasks need are found by search and memories, without any model."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.memory import ceilings
from sebench.memory.ceilings import Ceiling
from sebench.memory.folder import Memory
from sebench.memory.recall import Recall
from sebench.report.views.tables import TextTable, print_table
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
        options.refuse_memory_of_another(memory, world)
    opened = options.open_world(world)
    if not memories:
        rows = list(ceilings.searches(opened, chosen))
        if as_json:
            click.echo(json.dumps([asdict(row) for row in rows], indent=1))
        else:
            print_table(_searches(rows), display.stdout)
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
        print_table(_memories(results), display.stdout)


def _memories(results: list[dict[str, Any]]) -> TextTable:
    rows = []
    for one in results:
        overlap = "–" if one["overlap"] is None else f"{one['overlap']:.0%}"
        numbers = (f"{one['share']:.0%} / {one['whole']:.0%}", f"{one['tokens']:,.0f}", overlap)
        rows.append((one["what"], one["method"], one["split"].removesuffix("_test"), *numbers))
    title = (
        "needed functions found / tasks with all of them found; overlap: share of 8-word sequences copied from the "
        "pages"
    )
    head = ("memory", "method", "split", "found", "tokens per prompt", "overlap")
    return TextTable(title, 3, head, tuple(rows))


def _searches(results: list[Ceiling]) -> TextTable:
    counts = list(dict.fromkeys(row.results for row in results))
    cells = {(row.what, row.split, row.results): f"{100 * row.share:.0f}/{100 * row.whole:.0f}" for row in results}
    rows = [
        (what, split.removesuffix("_test"), *(cells[what, split, count] for count in counts))
        for what, split in dict.fromkeys((row.what, row.split) for row in results)
    ]
    title = "search with the question: percent of needed functions found / of tasks with all of them found"
    return TextTable(title, 2, ("searched", "split", *(f"@{count}" for count in counts)), tuple(rows))

"""`sebench judge`: verdicts for a file of rollouts."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from sebench.cli import display
from sebench.cli.options import open_world, world_argument
from sebench.errors import ConfigError
from sebench.judge import batch
from sebench.judge.judge import SHARE, Judge
from sebench.records import Task
from sebench.tasks import dataset, splits
from sebench.world import World


@click.command()
@world_argument
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--profile",
    type=click.Choice(["strict", "paper"]),
    default="strict",
    show_default=True,
    help="How values are compared.",
)
@click.option(
    "--tasks",
    "tasks_file",
    type=click.Path(path_type=Path),
    help="Tasks of the lines that give a task_id.  [default: the world's own]",
)
@click.option("--out", type=click.Path(path_type=Path), help="Where verdicts go.  [default: FILE.verdicts.jsonl]")
@click.option("--workers", type=click.IntRange(1), help="Zygotes at a time.  [default: the number of cores]")
@click.option("--alone", is_flag=True, help="A process for every answer, even for plain ones that could share one.")
@click.option("--require-isolation", is_flag=True, help="Refuse to run where an isolation layer does not hold.")
@click.option("--json", "as_json", is_flag=True, help="One verdict a line on stdout, in the order of the input.")
def command(
    world: str,
    file: Path,
    profile: str,
    tasks_file: Path | None,
    out: Path | None,
    workers: int | None,
    alone: bool,
    require_isolation: bool,
    as_json: bool,
) -> None:
    """Judge FILE, a JSONL file of rollouts, with WORLD.

    A line has a task_id and a response, or is in the published format with test cases of its own.

    Verdicts are appended to a file line by line; the same command again continues. Lines that cannot be used are reported and counted,
    and the exit status is then 1.
    """
    loaded = open_world(world)
    if not file.is_file():
        raise ConfigError(f"{file} is no file of rollouts")
    out = out or file.with_name(f"{file.name}.{profile}.verdicts.jsonl")
    tally = batch.Tally()
    with file.open("rb") as stream:
        lines = [line for line in stream if line.strip()]
    if not lines:
        raise ConfigError(f"{file} is empty: there is nothing to judge")
    total = len(lines)
    tasks = _tasks(loaded, tasks_file) if any(b'"task_id"' in line for line in lines) else {}
    share = 1 if alone else SHARE
    with (
        Judge(loaded, profile=profile, workers=workers or 0, share=share) as judge,
        display.progress("judging") as report,
    ):
        missing = [layer["name"] for layer in judge.layers if not layer["holds"]]
        if missing and require_isolation:
            raise ConfigError(f"these isolation layers do not hold: {', '.join(missing)}; see 'sebench doctor'")
        if missing:
            display.stderr.print(f"sebench: running without {', '.join(missing)}", highlight=False)
        for i, (line, verdict) in enumerate(batch.judge_file(judge, file, out, tasks, tally), 1):
            report(file.name, i, total)
            if as_json:
                click.echo(json.dumps({"line": line.number, "id": line.id, **verdict.to_json()}))
    for bad in tally.bad:
        display.stderr.print(f"{file}: {bad}", markup=False, highlight=False, soft_wrap=True)
    if not as_json:
        _summary(tally, out)
    if tally.bad:
        raise click.exceptions.Exit(1)


def _tasks(world: World, file: Path | None) -> dict[str, Task]:
    if file is not None:
        return {task.id: task for task in dataset.read(file, world.names)}
    return {task.id: task for split in splits.SPLITS for task in world.tasks(split)}


def _summary(tally: batch.Tally, out: Path) -> None:
    table = Table("kind", "answers", title=f"verdicts in {out}", title_justify="left")
    for kind, count in tally.kinds.most_common():
        table.add_row(str(kind), f"{count:,}")
    display.stdout.print(table)
    low, high = tally.interval()
    display.stdout.print(
        f"accuracy {tally.accuracy:.1%} of {tally.judged:,} (95 %: {low:.1%} to {high:.1%}); "
        f"{tally.excluded} not counted (faults), {len(tally.bad)} lines unusable",
        highlight=False,
    )
    known = tally.judged - tally.unknown
    if known:
        told = f"; of {tally.unknown} more that passed the functions are not known" if tally.unknown else ""
        display.stdout.print(f"targeted {tally.targeted / known:.1%} of {known:,}{told}", highlight=False)

"""`sebench tasks`: the bank checked, sampled and extended."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
from rich.table import Table

from sebench.bank.definition import Definition, bank
from sebench.cli import display
from sebench.errors import ConfigError
from sebench.forge import catalog
from sebench.judge.judge import Judge
from sebench.tasks import check
from sebench.world import World

SHOWN = 100  # problems on the screen


@click.group()
def command() -> None:
    """The task bank: check it, read it, add to it."""


@command.command("check")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--world", type=click.Path(path_type=Path), help="Judge gold in this world.  [default: a new one of --seed]"
)
@click.option("--seed", default=1, show_default=True, help="The seed that cases are drawn from.")
def check_command(files: tuple[Path, ...], world: Path | None, seed: int) -> None:
    """Check every task: rules, gold, mutants, similarity, coverage. Given FILES of the bank, only their tasks."""
    everything = bank()
    chosen = _chosen(everything, files)
    with tempfile.TemporaryDirectory() as folder, display.progress("tasks") as report:
        loaded = World.load(world) if world else World.build(seed, Path(folder) / "world", progress=report)
        with Judge(loaded) as judge:
            found = check.check(everything, chosen, seed, judge, report)
    _table(found)
    for problem in found.problems[:SHOWN]:
        display.stdout.print(problem, markup=False, highlight=False, soft_wrap=True)
    if len(found.problems) > SHOWN:
        display.stdout.print(f"... and {len(found.problems) - SHOWN:,} more", highlight=False)
    if found.problems:
        raise click.exceptions.Exit(1)


def _chosen(everything: tuple[Definition, ...], files: tuple[Path, ...]) -> tuple[Definition, ...]:
    if not files:
        return everything
    known = {d.file.resolve() for d in everything}
    for file in files:
        if file.resolve() not in known:
            raise ConfigError(f"{file} is no file of the bank with tasks")
    return tuple(d for d in everything if d.file.resolve() in {f.resolve() for f in files})


def _table(found: check.Findings) -> None:
    table = Table("what", "count", title="the task bank", title_justify="left")
    functions = len(catalog.seeded())
    table.add_row("tasks checked", f"{found.checked:,}")
    table.add_row("single-function tasks", f"{found.per_function.total():,}")
    table.add_row(
        "functions with enough single-function tasks",
        f"{sum(n >= 4 for n in found.per_function.values())} of {functions}",
    )
    table.add_row("functions in multi-function tasks", f"{len(found.composed)} of {functions}")
    table.add_row("gold that passes the judge", f"{found.passed:,} of {found.checked:,}")
    table.add_row("mutants killed", f"{found.killed:,}")
    table.add_row("mutants that are the same program", f"{found.equivalent:,}")
    table.add_row("mutants that survive", f"{found.survived:,}")
    table.add_row("kill rate", f"{found.rate:.2%}")
    table.add_row("problems", f"{len(found.problems):,}")
    display.stdout.print(table)

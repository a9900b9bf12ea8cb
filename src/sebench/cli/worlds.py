"""`sebench worlds`: list the worlds in a folder. `sebench path`: print the folder with the task files for another
framework."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import click
from rich.table import Column, Table

from sebench.base.errors import ConfigError, WorldError
from sebench.cli import display
from sebench.cli.strict import StrictCommand
from sebench.world.world import worlds, worlds_folder

BUILD = "build a world with 'sebench build --seed 7'"
PLACES = {"lm-eval": "lm_eval_tasks"}


@click.command(cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path), required=False)
def command(folder: Path | None) -> None:
    """List the worlds in FOLDER, by default $SEBENCH_WORLDS, where worlds are named after their seeds."""
    folder = folder or worlds_folder()
    if not folder.is_dir():
        raise ConfigError(f"there is no folder {folder}; {BUILD}")
    # Without borders and the folder, names of 20 characters stay whole in 80 columns; nothing is ever cut off.
    head = ("world", "seed", "package", "functions", "forged", "NumPy")
    table = Table(*(Column(name, overflow="fold") for name in head), box=None, padding=(0, 1, 0, 0))
    table.add_column("fingerprint", no_wrap=True)
    there = list(worlds(folder))
    if not there:
        raise ConfigError(f"{folder} contains no world; give the folder that worlds are in, or {BUILD}")
    for place, manifest in there:
        if isinstance(manifest, WorldError):
            display.note(str(manifest))
            continue
        names = manifest.names
        row = (
            str(manifest.seed),
            names.package,
            str(len(names.functions)),
            names.level.replace("+", "+\n"),
            manifest.numpy,
            manifest.fingerprint[:12],
        )
        table.add_row(place.name, *row)
    click.echo(f"{folder}:")
    display.stdout.print(table)


@click.command("path", cls=StrictCommand)
@click.argument("what", type=click.Choice(list(PLACES)), metavar="FRAMEWORK")
def path(what: str) -> None:
    """Print the folder with the task files for another framework.

    lm-eval: pass the folder to its option --include_path.
    """
    place = resources.files("sebench").joinpath("interop", "frameworks", PLACES[what])
    if not place.is_dir():
        raise ConfigError(f"this installation has no {place}; install sebench again")
    click.echo(str(place))

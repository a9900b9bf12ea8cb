"""`sebench path`: the folder with the task files for another framework."""

from __future__ import annotations

from importlib import resources

import click

from sebench.base.errors import ConfigError
from sebench.cli.strict import StrictCommand

PLACES = {"lm-eval": "lm_eval_tasks"}


@click.command(cls=StrictCommand)
@click.argument("what", type=click.Choice(list(PLACES)), metavar="FRAMEWORK")
def command(what: str) -> None:
    """Print the folder with the task files for another framework.

    lm-eval: pass the folder to its option --include_path.
    """
    place = resources.files("sebench").joinpath("interop", "frameworks", PLACES[what])
    if not place.is_dir():
        raise ConfigError(f"this installation has no {place}; install sebench again")
    click.echo(str(place))

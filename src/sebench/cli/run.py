"""`sebench run`: from a model to a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from sebench import report
from sebench.cli import display
from sebench.cli.options import open_world
from sebench.errors import ProviderError
from sebench.report import files, html, tables
from sebench.rollout import config as settings
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig


def with_settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds an option for every setting of a run; those that are not given stay out of the way of the TOML file."""
    for setting in reversed(fields(RunConfig)):
        many = isinstance(setting.default, tuple)
        shown = ", ".join(setting.default) if many else setting.default
        command = click.option(
            f"--{setting.name.removesuffix('_s').replace('_', '-')}",
            setting.name,
            type=str if many else type(setting.default),
            multiple=many,
            default=None if not many else (),
            help=f"{setting.metadata['help']}  [default: {shown}]" if shown != "" else setting.metadata["help"],
        )(command)
    return command


@click.command()
@click.option(
    "--world", default="7", show_default=True, help="The folder of a world, or a seed: then it is built if needed."
)
@click.option("--out", type=click.Path(path_type=Path), help="The folder of the run.  [default: runs/MODEL-WORLD]")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="A TOML file with the same settings.")
@click.option("--dry-run", is_flag=True, help="Only say what would be asked.")
@click.option("--no-judge", is_flag=True, help="Only collect responses; the same command without it judges them.")
@click.option("--require-isolation", is_flag=True, help="Refuse to judge where an isolation layer does not hold.")
@click.option("--json", "as_json", is_flag=True, help="The report as JSON on stdout.")
@with_settings
def command(
    world: str,
    out: Path | None,
    config_file: Path | None,
    dry_run: bool,
    no_judge: bool,
    require_isolation: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Roll out a model on a world with the book closed and open, judge the responses, and report.

    The same command again continues an interrupted run.
    """
    config = settings.read(config_file, {key: value for key, value in given.items() if value not in (None, ())})
    loaded = open_world(world)
    out = out or Path("runs") / f"{Path(config.model).name.replace(':', '-')}-{loaded.path.name}"
    if dry_run:
        expected = pipeline.estimate(config, pipeline.plan(config, loaded))
        click.echo(json.dumps({"out": str(out), **config.compared(), **asdict(expected)}, indent=1))
        return
    with display.progress(escape(f"{config.model} on {loaded.names.package}")) as bar:
        done = pipeline.run(
            config,
            loaded,
            out,
            judged=not no_judge,
            require_isolation=require_isolation,
            progress=lambda what, done, total: bar(escape(what), done, total),  # a server's words may look like markup
        )
    if no_judge:
        click.echo(f"{done.path}: the responses are there; the same command without --no-judge judges them")
    else:
        made = report.write([done], out)
        if as_json:
            click.echo(files.as_json(made), nl=False)
        else:
            tables.show(made, display.stdout)
            click.echo(str(out / html.FILE))
    if owed := [row.rollout for row in done.rows() if row.rollout.error]:
        raise ProviderError(
            f"{len(owed)} responses were given up and are not in the scores, the last with: {owed[-1].error}; "
            "the same command asks for them again",
            again=False,
        )

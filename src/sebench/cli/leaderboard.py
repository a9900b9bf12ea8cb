"""`sebench leaderboard`: a ranked page of runs."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.cli import display
from sebench.errors import ConfigError
from sebench.store import Run


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("leaderboard.html"),
    show_default=True,
    help="The page, one file that needs no network.",
)
def command(runs: tuple[Path, ...], out: Path) -> None:
    """Rank each RUN, the folder of a run, by closed-book accuracy, with settings and intervals, world by world.

    Only runs that can be compared have a rank: finished, on all tasks of both test splits of the world. Folders
    without a run are left out and named.
    """
    from sebench import files, report
    from sebench.report import leaderboard

    loaded = []
    for path in runs:
        try:
            loaded.append(Run.load(path))
        except ConfigError as error:
            display.stderr.print(f"sebench: left out: {error}", markup=False, highlight=False, soft_wrap=True)
    if not loaded:
        raise ConfigError("none of these folders holds a run; make one with 'sebench run'")
    found = report.summarize(loaded)
    files.make_folder(out.parent)
    files.write(out, leaderboard.page(found))
    leaderboard.show(found, display.stdout)
    click.echo(str(out))

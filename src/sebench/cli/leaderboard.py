"""`sebench leaderboard`: a ranked page of runs."""

from __future__ import annotations

from pathlib import Path

import click

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
    """Rank each RUN, the folder of a run, by closed-book accuracy, with settings and intervals, world by world."""
    from sebench import files, report
    from sebench.report import leaderboard

    found = report.summarize([Run.load(path) for path in runs])
    files.make_folder(out.parent)
    files.write(out, leaderboard.page(found))
    click.echo(str(out))

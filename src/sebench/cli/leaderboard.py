"""`sebench leaderboard`: a ranked page of runs and releases."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.cli import display
from sebench.errors import ConfigError
from sebench.release import folder
from sebench.release.folder import Release
from sebench.store import Run

SEEN = "seen"  # the folder of a run with training questions


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
    """Rank each RUN by closed-book accuracy, with settings and intervals, world by world: the folder of a run, a release, or a folder of
    releases.

    Only runs that can be compared have a rank: finished, on all tasks of both test splits of the world. Folders without a run, and releases
    that were changed after they were made, are left out and named.
    """
    from sebench import files, report
    from sebench.report import leaderboard

    loaded, releases = _found(runs)
    if not loaded and not releases:
        raise ConfigError("none of these folders holds a run or a release; make one with 'sebench run'")
    with folder.unpacked(releases) as places:
        origins = {}
        for release, place in zip(releases, places, strict=True):
            for run in release.runs:
                if not run.folder.endswith(f"/{SEEN}"):  # training questions
                    loaded.append(Run.load(place / run.folder))
                    origin = leaderboard.Origin(release.name, run.regime, run.training_tokens, run.date)
                    origins[str(place / run.folder)] = origin
        found = report.summarize(loaded)
    files.make_folder(out.parent)
    files.write(out, leaderboard.page(found, origins))
    leaderboard.show(found, display.stdout)
    click.echo(str(out))


def _found(paths: tuple[Path, ...]) -> tuple[list[Run], list[Release]]:
    """The runs and the releases in these places; what is neither is named."""
    runs: list[Run] = []
    releases: list[Release] = []
    for path in paths:
        inner = [path] if folder.is_release(path) else [p for p in sorted(path.glob("*")) if folder.is_release(p)]
        try:
            if not inner:
                runs.append(Run.load(path))
        except ConfigError as error:
            _left_out(error)
        for one in inner:
            try:
                releases.append(folder.read(one))
            except ConfigError as error:
                _left_out(error)
    return runs, releases


def _left_out(error: ConfigError) -> None:
    display.stderr.print(f"sebench: left out: {error}", markup=False, highlight=False, soft_wrap=True)

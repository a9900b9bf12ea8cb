"""`sebench leaderboard`: a ranked page of runs and releases."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from sebench.base.errors import ConfigError
from sebench.cli import display
from sebench.release import folder
from sebench.release.folder import Release
from sebench.rollout.store import Run

SEEN = "seen"  # the folder of a run with training questions


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("leaderboard.html"),
    show_default=True,
    help="Page to write: a single file that works offline.",
)
def command(runs: tuple[Path, ...], out: Path) -> None:
    """Rank each RUN by closed-book accuracy, with settings and intervals, world by world. RUN is a run folder, a
    release, or a folder of releases.

    Only comparable runs are ranked: those finished on all tasks of both test splits of the world. Runs with another
    profile or other scoring rules are in separate tables. Folders without a run, and releases that were modified or are
    inconsistent, are left out and reported. Verdicts are not checked here; 'sebench verify' does that.
    """
    from sebench import report
    from sebench.base import files
    from sebench.report.views import leaderboard

    loaded, releases = _read_places(runs)
    origins = {}
    with TemporaryDirectory(prefix="sebench-releases-") as temporary:
        for number, release in enumerate(releases):
            place = Path(temporary) / str(number) / release.path.name
            try:
                folder.unpack(release, place)
            except ConfigError as error:
                display.note(f"left out: {error}")
                continue
            for run in release.runs:
                if not run.folder.endswith(f"/{SEEN}"):  # runs on training questions are not ranked
                    loaded.append(Run.load(place / run.folder))
                    part = str((release.world(run.world).recipe or {}).get("part", ""))
                    origin = leaderboard.Origin(release.name, run.regime, run.training_tokens, run.date, part)
                    origins[str(place / run.folder)] = origin
        if not loaded:
            raise ConfigError("none of these folders is a run or a release; make one with 'sebench run'")
        summary = report.summarize(loaded)
    files.make_folder(out.parent)
    files.write(out, leaderboard.page(summary, origins))
    leaderboard.show(summary, display.stdout, origins)
    click.echo(str(out))


def _read_places(paths: tuple[Path, ...]) -> tuple[list[Run], list[Release]]:
    """Return the runs and the releases in these folders; report anything else."""
    runs: list[Run] = []
    releases: list[Release] = []
    for path in paths:
        inner = [path] if folder.is_release(path) else [p for p in sorted(path.glob("*")) if folder.is_release(p)]
        try:
            if not inner:
                runs.append(Run.load(path))
        except ConfigError as error:
            display.note(f"left out: {error}")
        for one in inner:
            try:
                releases.append(folder.read(one))
            except ConfigError as error:
                display.note(f"left out: {error}")
    return runs, releases

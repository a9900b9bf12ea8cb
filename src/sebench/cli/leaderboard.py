"""`sebench leaderboard`: a ranked page of runs and releases."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.cli import display
from sebench.release import folder
from sebench.release.folder import Release
from sebench.report.numbers import leaderboard
from sebench.report.numbers.leaderboard import BoardRun, Origin
from sebench.report.views import leaderboard as views
from sebench.rollout.store import Run

SEEN = "seen"  # the folder of a run with training questions
PAGE = Path("leaderboard.html")


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out", type=click.Path(path_type=Path), help=f"Page to write: one file that works offline.  [default: {PAGE}]"
)
@click.option(
    "--site",
    type=click.Path(path_type=Path),
    help="Folder to write instead: the page, its figures as JSON, and the releases, for any web server.",
)
def command(runs: tuple[Path, ...], out: Path | None, site: Path | None) -> None:
    """Rank models by closed-book accuracy: one row for each model, as the mean over its worlds and training runs. Each
    RUN is a run folder, a release, or a folder of releases.

    Only what follows the protocol (docs/protocol.md) has a rank; other rows say why they have none. Runs with other
    worlds, profiles, scoring rules or means at hand are in separate tables. Folders without a run, and releases that
    were modified or are inconsistent, are left out and reported. Verdicts are not checked here; 'sebench verify' does
    that.
    """
    if out and site:
        raise ConfigError("--out and --site: choose one of them")
    loaded, releases = _read_places(runs)
    if site:
        _refuse_site(site, releases)
    entries = [leaderboard.entry(run) for run in loaded]
    for release in list(releases):
        try:
            entries += _entries(release)
        except ConfigError as error:
            display.note(f"left out: {error}")
            releases.remove(release)
    if not entries:
        raise ConfigError("none of these folders is a run or a release; make one with 'sebench run'")
    boards = leaderboard.boards(entries)
    written = site / "index.html" if site else out or PAGE
    files.make_folder(written.parent)
    files.write(written, views.page(boards, links=site is not None))
    if site:
        files.write(site / "leaderboard.json", views.as_json(boards))
        for release in releases:
            shutil.copytree(release.path, site / views.RELEASES / release.path.name, dirs_exist_ok=True)
    views.show(boards, display.stdout)
    click.echo(str(written))


def _entries(release: Release) -> list[BoardRun]:
    """Return what the leaderboard needs of a release, without its runs on training questions."""
    entries = []
    with TemporaryDirectory(prefix="sebench-releases-") as unpacked:
        folder.unpack(release, Path(unpacked))
        for run in release.runs:
            if run.folder == SEEN or run.folder.endswith(f"/{SEEN}"):
                continue
            recipe = release.world(run.world).recipe or {}
            part, level = str(recipe.get("part", "")), str(recipe.get("level", ""))
            place = str(release.path.resolve())
            origin = Origin(release.path.name, run.regime, run.training_tokens, run.date, part, level, place)
            entries.append(leaderboard.entry(Run.load(Path(unpacked) / run.folder), origin))
    return entries


def _refuse_site(site: Path, releases: list[Release]) -> None:
    """Raise an error for a site that would mix up releases or overwrite other files."""
    names = [release.path.name for release in releases]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ConfigError(f"--site: two releases are named {twice}; rename one of the folders")
    if site.exists() and not (site / "leaderboard.json").is_file() and any(site.iterdir()):
        raise ConfigError(f"--site {site} has other files; choose another folder or empty it")


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

"""`sebench leaderboard`: a ranked page of runs and releases."""

from __future__ import annotations

import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.wording import did_you_mean
from sebench.cli import display
from sebench.cli.strict import StrictCommand
from sebench.release import folder
from sebench.release.folder import Release
from sebench.report.numbers import leaderboard
from sebench.report.numbers.leaderboard import BoardRun, Origin
from sebench.report.views import leaderboard as views
from sebench.rollout import protocol
from sebench.rollout.protocol import Protocol
from sebench.rollout.store import Run

SEEN = "seen"  # the folder of a run with training questions
PAGE, DATA = Path("leaderboard.html"), "leaderboard.json"
DAMAGED = (KeyError, TypeError, ValueError, AttributeError, OverflowError)  # what a malformed run leads to


@click.command(cls=StrictCommand)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out", type=click.Path(path_type=Path), help=f"Page to write: one file that works offline.  [default: {PAGE}]"
)
@click.option(
    "--site",
    type=click.Path(path_type=Path),
    help=(
        "Folder for a static site instead: the page, its figures as JSON, and the releases as archives, for any web "
        "server."
    ),
)
@click.option(
    "--round",
    "fingerprints",
    metavar="FINGERPRINTS",
    help="Worlds on which releases are ranked, separated by commas.  [default: the public round of the protocol]",
)
@click.option("--json", "as_json", is_flag=True, help="Only print the figures as JSON on stdout; write no files.")
def command(
    runs: tuple[Path, ...], out: Path | None, site: Path | None, fingerprints: str | None, as_json: bool
) -> None:
    """Rank models by closed-book accuracy: one row for each model, as the mean over its worlds and training runs. Each
    RUN is a release, a folder of releases, a run folder, or the folder of a run on several worlds.

    Only releases that follow the protocol (docs/protocol.md) have a rank; other rows say why they have none. Runs that
    differ in their worlds, profile, scoring rules, or what the model could use (such as a memory) are in separate
    tables. Folders without a run, and releases that were modified or are inconsistent, are left out and reported.
    Verdicts are not checked here; 'sebench verify' does that.
    """
    rules = _round(fingerprints)
    if as_json and (out or site):
        raise ConfigError(f"--json writes no files; remove {'--out' if out else '--site'}")
    if site:
        _refuse_site(site, out)
    loaded, releases = _read_places(runs)
    entries: list[BoardRun] = []
    for run in loaded:
        learnt = run.manifest.training
        origin = Origin(
            method=str(learnt.get("method", "")),
            training_tokens=learnt.get("tokens"),
            part=str(run.manifest.world.get("part", "")),  # older runs do not record it
            place=str(run.path.resolve().parent),
        )
        _add(entries, [(run, origin)], str(run.path), rules)
    kept = [release for release in releases if _add_release(entries, release, rules)]
    if not entries:
        raise ConfigError("none of these folders has a run or a release; see 'sebench run' and 'sebench release'")
    boards = leaderboard.boards(entries, rules)
    if as_json:
        click.echo(views.as_json(boards), nl=False)
        return
    if site:
        archives = _archive_names(kept)
        files.make_folder(site, "--site")
        files.write(site / DATA, views.as_json(boards), "--site")  # first: by this file, the folder is known as a site
        _write_archives(site / views.RELEASES, archives)
    written = site / "index.html" if site else out or PAGE
    files.make_folder(written.parent)
    files.write(written, views.page(boards, links=site is not None), "--site" if site else "--out")
    views.show(boards, display.stdout)
    click.echo(str(written))


def _round(fingerprints: str | None) -> Protocol:
    """Return the protocol, with the worlds of this round."""
    if fingerprints is None:
        return protocol.V1
    worlds = [word.strip() for word in fingerprints.split(",") if word.strip()]
    if len(set(worlds)) < protocol.V1.least_worlds or any(len(word) != 64 for word in worlds):
        raise ConfigError(
            f"--round {fingerprints!r}: give the full fingerprints of at least {protocol.V1.least_worlds} worlds, "
            "separated by commas; the fingerprint of a world is in its world.json"
        )
    return replace(protocol.V1, worlds=dict(enumerate(worlds)))


def _add_release(entries: list[BoardRun], release: Release, rules: Protocol) -> bool:
    """Add the runs of a release, except those on training questions; return whether they were added."""
    try:
        with TemporaryDirectory(prefix="sebench-releases-") as unpacked:
            folder.unpack(release, Path(unpacked))
            runs = []
            for run in release.runs:
                if run.folder == SEEN or run.folder.endswith(f"/{SEEN}"):
                    continue
                path, recipe = release.path.resolve(), release.world(run.world).recipe or {}
                part = str(recipe.get("part", ""))
                origin = Origin(path.name, run.regime, run.training_tokens, run.date, part, str(path))
                runs.append((Run.load(Path(unpacked) / run.folder), origin))
            return _add(entries, runs, str(release.path), rules)
    except ConfigError as error:
        display.note(f"left out: {error}")
        return False


def _add(entries: list[BoardRun], runs: list[tuple[Run, Origin]], name: str, rules: Protocol) -> bool:
    """Add all of these runs, or none if one is damaged; return whether they were added."""
    try:
        read = [leaderboard.entry(run, origin, rules) for run, origin in runs]
    except ConfigError as error:
        display.note(f"left out: {error}")
        return False
    except DAMAGED as error:
        display.note(f"left out: {name} is damaged ({error!r}); run or download it again")
        return False
    entries += read
    return True


def _refuse_site(site: Path, out: Path | None) -> None:
    """Raise an error for a site that would overwrite other files."""
    if out:
        raise ConfigError("--out and --site cannot be combined; remove one of them")
    if site.exists() and not site.is_dir():
        raise ConfigError(f"--site {site} is a file; choose a folder")
    if site.exists() and not (site / DATA).is_file() and any(site.iterdir()):
        raise ConfigError(
            f"--site {site} contains files but is not a leaderboard site; choose another folder or empty it"
        )


def _archive_names(releases: list[Release]) -> dict[str, Release]:
    """Return the releases by the names of their archives."""
    names = [release.path.resolve().name for release in releases]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ConfigError(f"--site: two releases are named {twice}; rename one of the folders")
    return dict(zip(names, releases, strict=True))


def _write_archives(place: Path, releases: Mapping[str, Release]) -> None:
    """Write each release as one archive, so that a web server serves none of its files as a page."""
    files.make_folder(place, "--site")
    for old in place.glob("*.tar"):
        old.unlink()
    for name, release in releases.items():
        packed = place / f"{name}.tar"
        try:
            with tarfile.open(packed, "w") as archive:
                for file in sorted(path for path in release.path.iterdir() if path.is_file()):
                    archive.add(file, f"{name}/{file.name}")
        except OSError as error:
            packed.unlink(missing_ok=True)
            if error.filename not in (None, str(packed)):
                raise ConfigError(f"{error.filename} cannot be read: {error.strerror}") from None
            raise files.write_error(packed, error, "--site") from None


def _read_places(paths: tuple[Path, ...]) -> tuple[list[Run], list[Release]]:
    """Return the runs and the releases in these folders, each once; report anything else."""
    if missing := next((path for path in paths if not path.exists()), None):
        folders = (one for one in missing.parent.glob("*") if one.is_dir())
        step = did_you_mean(missing, folders, "give a release, a folder of releases, or a run folder")
        raise ConfigError(f"{missing} does not exist; {step}")
    runs: dict[Path, Run] = {}
    releases: dict[Path, Release] = {}
    for path in paths:
        inner = [path] if folder.is_release(path) else [p for p in sorted(path.glob("*")) if folder.is_release(p)]
        for one in inner or [path]:
            try:
                if inner:
                    releases[one.resolve()] = folder.read(one)
                else:
                    runs |= {run.path.resolve(): run for run in Run.load_all(one)}
            except ConfigError as error:
                display.note(f"left out: {error}")
    return list(runs.values()), list(releases.values())

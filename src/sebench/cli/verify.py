"""`sebench verify`: judge the answers of a release again."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand

SHOWN = 20  # differences that are printed


@click.command(cls=StrictCommand)
@click.argument("release", type=click.Path(path_type=Path))
@click.option(
    "--world",
    "worlds",
    multiple=True,
    help="World of the release; repeatable.  [default: found on this machine, or built]",
)
@click.option("--sample", type=click.IntRange(1), help="Judge only this many answers again, drawn at random.")
@options.seed("Random seed of the sample.")
@click.option("--workers", type=click.IntRange(1), help="Concurrent sandboxes.  [default: the number of cores]")
@click.option(
    "--unpack",
    type=click.Path(path_type=Path),
    help="Also unpack the release into ordinary run folders in this folder.",
)
def command(
    release: Path, worlds: tuple[str, ...], sample: int | None, seed: int, workers: int | None, unpack: Path | None
) -> None:
    """Check RELEASE: its checksums, its worlds, and every verdict, by judging the answers again.

    If a file was modified, it is named and nothing is judged. Verdicts that differ are listed, and the exit status is
    then 1.
    """
    from sebench.release import folder, verify

    if unpack is not None:
        options.refuse_existing(unpack, "--unpack")
    with display.progress(f"verify {release.name}") as progress:
        result = verify.verify(
            release, worlds=worlds, sample=sample or 0, seed=seed, workers=workers or 0, progress=progress
        )
    for line in result.differences[:SHOWN]:
        click.echo(line)
    if len(result.differences) > SHOWN:
        click.echo(f"and {counted(len(result.differences) - SHOWN, 'more difference')}")
    if unpack is not None:
        folder.unpack(result.release, unpack)
    for count, what in (
        (result.unknown, "to tasks that are not in the world"),
        (result.faults, "that could not be judged here because of a sandbox fault"),
        (result.silent, "that the model never returned; on the leaderboard they count as wrong"),
    ):
        if count:
            display.note(f"not compared: {counted(count, 'answer')} {what}")
    for line in result.slices:
        display.note(f"incomplete, so it has no rank: {line}")
    unprompted = f"the prompts of {counted(len(result.unprompted), 'run')}, which cannot be reproduced from the release"
    reworded = f"this version of sebench would word {result.reworded} differently"
    rescored = f"'sebench rescore {release}' judges it with this version's rules"
    for concerns, remark in (
        (result.unprompted, f"not compared: {unprompted}"),
        (result.reworded, f"{reworded}; only the figures in the JSON report were compared"),
        (result.older_rules, f"the release was scored with other scoring rules; {rescored}"),
    ):
        if concerns:
            display.note(remark)
    conclusion = "all verdicts agree" if result.holds else counted(len(result.differences), "difference")
    click.echo(f"{release}: {result.judged:,} of {counted(result.answers, 'answer')} judged again; {conclusion}")
    display.exit_unless(result.holds)

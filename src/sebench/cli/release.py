"""`sebench release`: package runs or an experiment for publication. `sebench verify`: judge the answers of a release
again. `sebench rescore`: judge a release or a run again with this version's scoring rules."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.base.wording import counted, did_you_mean, shell
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand

SHOWN = 20  # differences that are printed


@click.command(cls=StrictCommand)
@click.argument("sources", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN_OR_EXPERIMENT...")
@options.out_folder("Folder to create for the release.", required=True)
@click.option("--name", default="", help="Name of the release.  [default: the name of its folder]")
@click.option(
    "--model",
    "models",
    multiple=True,
    help="Name of the model, if the run records only its folder; set it once, or once per run.",
)
@click.option(
    "--regime",
    "regimes",
    multiple=True,
    help="How the model learned the library: untrained, closed-sft, ...; set it once, or once per run.",
)
@click.option("--world", "worlds", multiple=True, help="World of the run, if it has moved; repeatable.")
def command(
    sources: tuple[Path, ...],
    out: Path,
    name: str,
    models: tuple[str, ...],
    regimes: tuple[str, ...],
    worlds: tuple[str, ...],
) -> None:
    """Package RUN_OR_EXPERIMENT, the folder of a finished run or experiment, for publication; several runs become one
    release.

    A release contains settings, versions, fingerprints, responses, verdicts, the report and checksums: everything that
    others need to judge every answer again with 'sebench verify'. Keys, paths, addresses and machine names are left
    out, and anything that looks like a secret is an error.
    """
    from sebench.release import folder, pack
    from sebench.train.config import CONFIGS

    for regime in regimes:
        if regime not in (known := ("untrained", *CONFIGS)) and (near := did_you_mean(regime, known)):
            display.note(f"--regime {regime} is stored as given; {near}")

    released = pack.make(sources, out, pack.ReleaseOptions(name, models, regimes, worlds), display.note)
    if missing := sum(1 for _, rollout, _ in folder.answers(released) if rollout.error):
        display.note(
            f"{counted(missing, 'response is', 'responses are')} missing because the provider failed, which count as "
            "wrong on the leaderboard; repeat 'sebench run', then release again"
        )
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    answers = sum(run.answers for run in released.runs)
    click.echo(
        f"{out}: {counted(len(released.runs), 'run')}, {counted(answers, 'answer')}, {size / 1e6:.2f} MB; check "
        f"it with: sebench verify {shell(out)}"
    )


@click.command("verify", cls=StrictCommand)
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
def verify(
    release: Path, worlds: tuple[str, ...], sample: int | None, seed: int, workers: int | None, unpack: Path | None
) -> None:
    """Check RELEASE: its checksums, its worlds, and every verdict, by judging the answers again.

    If a file was modified, it is named and nothing is judged. Verdicts that differ are listed, and the exit status is
    then 1.
    """
    from sebench.release import folder
    from sebench.release.verify import verify as judge_again

    if unpack is not None:
        options.refuse_existing(unpack, "--unpack")
    with display.progress(f"verify {release.name}") as progress:
        result = judge_again(
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
    rescored = f"'sebench rescore {shell(release)}' judges it with this version's rules"
    for concerns, remark in (
        (result.unprompted, f"not compared: {unprompted}"),
        (result.reworded, f"{reworded}; its numbers follow from the verdicts, its words were not compared"),
        (result.older_rules, f"the release was scored with other scoring rules; {rescored}"),
    ):
        if concerns:
            display.note(remark)
    conclusion = "all verdicts agree" if result.holds else counted(len(result.differences), "difference")
    click.echo(f"{release}: {result.judged:,} of {counted(result.answers, 'answer')} judged again; {conclusion}")
    display.exit_unless(result.holds)


@click.command("rescore", cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--world",
    "worlds",
    multiple=True,
    help="World of the answers; repeatable.  [default: found on this machine, or built]",
)
@click.option("--workers", type=click.IntRange(1), help="Concurrent sandboxes.  [default: the number of cores]")
def rescore(folder: Path, worlds: tuple[str, ...], workers: int | None) -> None:
    """Judge the answers in FOLDER, a release or a run, again, and store the new verdicts.

    Every changed verdict is printed. The old verdicts of a run stay in a file next to the new ones; a release gets a
    new report and new checksums. If an answer cannot be judged, nothing is changed.
    """
    from sebench.judge.program.rules import SCORING_RULES
    from sebench.release.verify import rescore as score_again

    with display.progress(f"rescore {folder.name}") as progress:
        result = score_again(folder, worlds=worlds, workers=workers or 0, progress=progress)
    for line in result.changes:
        click.echo(line)
    if result.unknown:
        keep = "keeps its verdict" if result.unknown == 1 else "keep their verdicts"
        display.note(f"{counted(result.unknown, 'answer')} to tasks that are not in the world {keep}")
    click.echo(
        f"{folder}: {counted(result.judged, 'answer')} judged by scoring rules {SCORING_RULES}, "
        f"{counted(len(result.changes), 'verdict')} changed; "
        f"passed {result.passed[0]:,} -> {result.passed[1]:,}, targeted {result.credited[0]:,} -> "
        f"{result.credited[1]:,}"
    )

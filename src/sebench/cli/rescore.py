"""`sebench rescore`: judge a release or a run again with this version's scoring rules."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.base.wording import counted
from sebench.cli import display
from sebench.cli.strict import StrictCommand


@click.command(cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--world",
    "worlds",
    multiple=True,
    help="World of the answers; repeatable.  [default: found on this machine, or built]",
)
@click.option("--workers", type=click.IntRange(1), help="Concurrent sandboxes.  [default: the number of cores]")
def command(folder: Path, worlds: tuple[str, ...], workers: int | None) -> None:
    """Judge the answers in FOLDER, a release or a run, again, and store the new verdicts.

    Every changed verdict is printed. The old verdicts of a run stay in a file next to the new ones; a release gets a
    new report and new checksums. If an answer cannot be judged, nothing is changed.
    """
    from sebench.judge.program.rules import SCORING_RULES
    from sebench.release.verify import rescore

    with display.progress(f"rescore {folder.name}") as progress:
        result = rescore(folder, worlds=worlds, workers=workers or 0, progress=progress)
    for line in result.changes:
        click.echo(line)
    if result.unknown:
        keep = "keeps its verdict" if result.unknown == 1 else "keep their verdicts"
        display.note(f"{counted(result.unknown, 'answer')} to tasks that are not in the world {keep}")
    click.echo(
        f"{folder}: {counted(result.judged, 'answer')} judged by scoring rules {SCORING_RULES}, "
        f"{counted(len(result.changes), 'verdict')} changed; "
        f"passed {result.passed[0]:,} -> {result.passed[1]:,}, credited {result.credited[0]:,} -> "
        f"{result.credited[1]:,}"
    )

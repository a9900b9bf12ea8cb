"""`sebench rescore`: judge a release or a run again, by the rules of scoring of this version."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.cli import display


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--world", "worlds", multiple=True, help="World of the answers; repeatable.  [default: built or found]")
@click.option("--workers", type=click.IntRange(1), help="Sandboxes at a time.  [default: the number of cores]")
def command(folder: Path, worlds: tuple[str, ...], workers: int | None) -> None:
    """Judge the answers in FOLDER again, a release or a run, and keep the new verdicts.

    Every verdict that is another one now is printed. The old verdicts of a run stay in a file beside the new ones; a release gets a new
    report and new sums. Where an answer cannot be judged, nothing is changed.
    """
    from sebench.judge.program.rules import SCORING_RULES
    from sebench.release.rescore import rescore

    with display.progress(f"rescore {folder.name}") as progress:
        found = rescore(folder, worlds=worlds, workers=workers or 0, progress=progress)
    for line in found.changes:
        click.echo(line)
    if found.unknown:
        display.note(f"{found.unknown:,} answers are to tasks that the world does not have, and keep their verdicts")
    click.echo(
        f"{folder}: {found.judged:,} answers judged by scoring rules {SCORING_RULES}, {len(found.changes):,} verdicts changed; "
        f"passed {found.passed[0]:,} -> {found.passed[1]:,}, credited {found.credited[0]:,} -> {found.credited[1]:,}"
    )

"""`sebench release`: runs or an experiment as a folder to publish."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.cli import options


@click.command()
@click.argument("sources", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="RUN_OR_EXPERIMENT...")
@options.out_folder("The new folder of the release.", required=True)
@click.option("--name", default="", help="What to call the release.  [default: the name of its folder]")
@click.option(
    "--model",
    "models",
    multiple=True,
    help="What to call the model, where the run knows it by its folder; once, or for each run.",
)
@click.option(
    "--regime",
    "regimes",
    multiple=True,
    help="How the model learnt the library: untrained, closed-sft, ...; once, or for each run.",
)
@click.option("--world", "worlds", multiple=True, help="World of the run, if it is not where it was built; repeatable.")
def command(
    sources: tuple[Path, ...],
    out: Path,
    name: str,
    models: tuple[str, ...],
    regimes: tuple[str, ...],
    worlds: tuple[str, ...],
) -> None:
    """Make a release of RUN_OR_EXPERIMENT, the folder of a finished run or experiment; several runs make one release.

    A release has settings, versions, fingerprints, responses, verdicts, the report and sums of all files: what others need to judge every
    answer again with 'sebench verify'. Keys, paths, addresses and names of machines are left out, and what looks like a secret is refused.
    """
    from sebench.release import pack

    released = pack.make(sources, out, pack.ReleaseOptions(name, models, regimes, worlds))
    size = sum(file.stat().st_size for file in out.rglob("*") if file.is_file())
    answers = sum(run.answers for run in released.runs)
    click.echo(
        f"{out}: {len(released.runs):,} runs, {answers:,} answers, {size / 1e6:.2f} MB; check it: sebench verify {out}"
    )

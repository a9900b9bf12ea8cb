"""`sebench release`: package runs or an experiment for publication."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand


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
        f"it with: sebench verify {out}"
    )

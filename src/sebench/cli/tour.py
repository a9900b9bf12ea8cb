"""`sebench tour`: the whole benchmark in miniature: a world, a page, a task, scripted baselines ("reference lines"),
an embedded model and a report."""

from __future__ import annotations

from pathlib import Path

import click

from sebench import report
from sebench.base.errors import ConfigError
from sebench.cli import display, options
from sebench.report.views import html, tables
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.world.build import Slice
from sebench.world.manifest import MANIFEST
from sebench.world.world import World

FUNCTIONS = 24
LIMIT, TOKENS = 3, 160  # tasks per split, and tokens per response, for a model on a CPU


@click.command()
@options.seed("Seed of the world.", default=7)
@options.out_folder("Folder for the tour.  [default: tour/SEED]")
@click.option(
    "--model",
    default="smollm2",
    show_default=True,
    help="Model to try besides the scripted baselines; 'none' skips it.",
)
def command(seed: int, out: Path | None, model: str) -> None:
    """Build a small world, answer its tasks with scripted baselines ("reference lines") and a small model, and report.

    The baseline 'gold' knows the library and must reach 100 %; 'numpy' answers in NumPy and must stay at 0 %. Together
    they show that everything works here. Open-book prompts contain only the needed pages. Repeat the same command to
    continue an interrupted tour.
    """
    out = out or Path("tour") / str(seed)
    if not (out / "world" / MANIFEST).exists():
        with display.progress(f"world {seed}") as progress:
            World.build(seed, out / "world", part=Slice(functions=FUNCTIONS), progress=progress)
    world = World.load(out / "world")
    path = sorted(world.names.functions)[0]
    display.stdout.rule(f"a page of {world.names.package}, which was NumPy's {path}", align="left")
    display.page(world.page(path))
    display.task(world.tasks("single_test")[0])
    runs = [_run(RunConfig(model=name, distractors=0), world, out / name) for name in ("gold", "numpy")]
    wrong = [run.path.name for run, right in zip(runs, (1.0, 0.0), strict=True) if _accuracy(run) != right]
    if model != "none":
        try:
            runs.append(
                _run(
                    RunConfig(model=model, limit=LIMIT, max_tokens=TOKENS, distractors=0), world, out / Path(model).name
                )
            )
        except ConfigError as error:  # not installed, for example: the baselines work without it
            display.note(f"without {model}: {error}")
    summary = report.write(runs, out / "report")
    tables.show(summary, display.stdout)
    click.echo(str(out / "report" / html.FILE))
    for name in wrong:
        click.echo(
            f"sebench: the reference line '{name}' has an unexpected accuracy; 'sebench doctor' may show why", err=True
        )
    display.exit_unless(not wrong)


def _run(config: RunConfig, world: World, out: Path) -> Run:
    with display.progress(config.model) as progress:
        return pipeline.run(config, world, out, progress=progress)


def _accuracy(run: Run) -> float:
    verdicts = [row.verdict for row in run.rows()]
    return sum(v is not None and v.passed for v in verdicts) / len(verdicts)

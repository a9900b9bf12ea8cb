"""`sebench experiment`: a grid of methods and worlds, trained, evaluated and compared."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import click
from rich.markup import escape

from sebench.base.errors import ConfigError
from sebench.cli import display, engines, options
from sebench.report.views.tables import duration
from sebench.rollout.engine import Engine

_DONE = {"none": "evaluated", "answers": "asked", "selfplay": "played"}  # what is done with a row, by its method


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@options.out_folder("Folder of the results.  [default: the file's own 'out', else runs/FILE]")
@click.option(
    "--world",
    "worlds",
    multiple=True,
    help="World (seed or folder) in the place of the file's own; repeat for several.",
)
@click.option("--dry-run", is_flag=True, help="Check the file, print what it would take, and stop.")
@engines.backend_options
@click.option(
    "--ray-gpus", type=click.FloatRange(0), help="GPUs of each row on the cluster.  [default: 1, if it has any]"
)
@options.as_json
def command(
    file: Path,
    out: Path | None,
    worlds: tuple[str, ...],
    dry_run: bool,
    engine: Engine | None,
    ray_gpus: float | None,
    as_json: bool,
) -> None:
    """Train and evaluate every method of FILE (TOML) in every world of it, and compare them.

    The results end with comparison.html, comparison.md, comparison.json and two plots, comparison.svg and curves.svg.
    The same command continues after an interruption; rows that are done are not done again. A row that fails is told in
    one line, the others go on, and the status is 1.

    With --dry-run: every row in its order, the answers that it samples, tokens, GPU hours and bytes. Nothing is built,
    downloaded or started.

    With --backend ray every row is a task of the cluster with the GPUs that it asks for; --out must lie on storage that
    all nodes share.
    """
    from sebench.experiment import estimate, grid, runner
    from sebench.experiment.runner import Experiment, RowResult
    from sebench.remote.ray.engine import RayEngine
    from sebench.report.numbers import experiment as experiment_report
    from sebench.report.views import experiment_files
    from sebench.train.loop.plan import ESTIMATED, Gpu

    if ray_gpus is not None and engine is None:
        raise ConfigError("--ray-gpus is for --backend ray; give that too, or leave it out")
    chosen = grid.read(file, out, worlds)
    if dry_run:
        forecast = estimate.forecast(chosen, Gpu.measure() or ESTIMATED)
        click.echo(json.dumps(forecast.to_json(), indent=1) if as_json else forecast.text())
        return
    runner.check(chosen, here=engine is None)
    with display.progress("worlds") as progress:
        opened = runner.open_worlds(chosen, progress)

    def ended(outcome: RowResult) -> None:
        what = _DONE.get(outcome.row.method.method, "trained and evaluated")
        alone = ", alone after it ran out of memory beside other rows" if outcome.alone else ""
        message = outcome.error or f"{what} in {duration(outcome.seconds)}{alone}"
        display.note(f"{outcome.row.name}: {message}")

    with ExitStack() as stack:
        rows = stack.enter_context(engine.rows(chosen.out, ray_gpus)) if isinstance(engine, RayEngine) else None
        progress = stack.enter_context(display.progress(file.stem))
        outcomes = Experiment(
            chosen, opened, lambda what, n, of: progress(escape(what), n, of), ended, rows, display.note
        ).run()
    failed = [outcome for outcome in outcomes if outcome.error]
    if len(failed) < len(outcomes):
        comparison = experiment_report.compare(chosen.out)
        experiment_files.write(comparison, chosen.out)
        if as_json:
            click.echo(experiment_files.as_json(comparison), nl=False)
        else:
            experiment_files.show(comparison, display.stdout)
            click.echo(str(chosen.out / experiment_files.PAGE))
    if failed:
        display.fail(f"sebench: {len(failed)} of {len(outcomes)} rows failed; the same command tries them again")

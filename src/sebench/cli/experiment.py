"""`sebench experiment`: train, evaluate and compare a grid of methods and worlds. `sebench stream`: have a model learn
several worlds one after another."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.cli import display, engines, options
from sebench.cli.strict import StrictCommand
from sebench.report.views.tables import duration
from sebench.rollout.engine import Engine
from sebench.world.build import Progress
from sebench.world.world import World

if TYPE_CHECKING:
    from sebench.experiment.grid import Grid
    from sebench.experiment.runner import RowResult
    from sebench.report.views.training_files import TrainingReport

# What was done in a row, by method.
_DONE = {"none": "evaluated", "answers": "answers sampled", "selfplay": "self-play finished"}


@click.command(cls=StrictCommand)
@click.argument("file", type=click.Path(path_type=Path))
@options.out_folder("Folder for the results.  [default: 'out' in the file, else runs/FILE]")
@click.option(
    "--world",
    "worlds",
    multiple=True,
    help="World (seed or folder) to use instead of those in the file; repeat it for several.",
)
@options.dry_run("what the experiment would cost, or what is wrong in the file")
@engines.backend_options
@click.option(
    "--ray-gpus", type=click.FloatRange(0), help="GPUs for each row on the cluster.  [default: 1, if it has any]"
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
    """Train and evaluate every method in FILE (TOML) on every world in it, and compare them.

    A row is one method in one world. The results are compared in comparison.html, comparison.md, comparison.json and
    two plots, comparison.svg and curves.svg. Repeat the same command to continue after an interruption; finished rows
    are not repeated. If a row fails, one line says why, the other rows continue, and the exit status is 1.

    --dry-run lists the rows in order, with the number of requests that each sends, and its tokens, hours and bytes.
    The hours are estimated for the GPU of this machine; if it has none, for its CPU, or for an H100 if the file asks
    for GPUs. Nothing is kept, downloaded or started.

    With --backend ray, every row is a task on the cluster with the GPUs that it requests; --out must be on storage that
    all nodes share.
    """
    from sebench.experiment import estimate, grid, runner
    from sebench.report.numbers import experiment as experiment_report
    from sebench.report.views import experiment_files

    if ray_gpus is not None and engine is None:
        raise ConfigError("--ray-gpus requires --backend ray; add --backend ray or remove --ray-gpus")
    chosen = grid.read(file, out, worlds)
    runner.refuse_foreign(chosen)
    if dry_run:
        if engine is None:
            runner.check_models(chosen)
        forecast = estimate.forecast(chosen, estimate.choose_device(chosen, here=engine is None))
        runner.check_rows(chosen, runner.built_worlds(chosen))
        click.echo(json.dumps(forecast.to_json(), indent=1) if as_json else forecast.text())
        return

    def results() -> TrainingReport:
        return experiment_files.training_report(experiment_report.compare(chosen.out))

    _run_rows(chosen, lambda progress: runner.open_worlds(chosen, progress), engine, results, as_json, ray_gpus)


@click.command("stream", cls=StrictCommand)
@click.argument("file", type=click.Path(path_type=Path))
@options.out_folder("Folder for the results.  [default: 'out' in the file, else runs/FILE]")
@options.dry_run("what the stream would cost, or what is wrong in the file")
@engines.backend_options
@options.as_json
def stream(file: Path, out: Path | None, dry_run: bool, engine: Engine | None, as_json: bool) -> None:
    """Have a model learn the worlds in FILE (TOML) one after another, and test it on all of them so far after each.

    The results are in stream.html, stream.md, stream.json and stream.svg: the accuracy in every world after every
    stage, forgetting, and the comparison with learning each world alone, all at once, or with replay. Repeat the same
    command to continue after an interruption; finished stages are not repeated.
    """
    from sebench.experiment import estimate, runner
    from sebench.experiment.stream import read
    from sebench.report.numbers import stream as stream_report
    from sebench.report.views import stream_files

    chosen = read(file, out)
    runner.refuse_foreign(chosen.grid)
    if dry_run:
        if engine is None:
            runner.check_models(chosen.grid)
        device = estimate.choose_device(chosen.grid, here=engine is None)
        forecast = estimate.forecast(chosen.grid, device, chosen.worlds_or_sizes())
        runner.check_rows(chosen.grid, chosen.built_worlds())
        click.echo(json.dumps(forecast.to_json(), indent=1) if as_json else forecast.text())
        return

    def results() -> TrainingReport:
        return stream_files.training_report(stream_report.report(chosen.grid.out))

    _run_rows(chosen.grid, chosen.open_worlds, engine, results, as_json)


def _run_rows(
    grid: Grid,
    open_worlds: Callable[[Progress], Sequence[World]],
    engine: Engine | None,
    results: Callable[[], TrainingReport],
    as_json: bool,
    ray_gpus: float | None = None,
) -> None:
    """Run the rows of an experiment or a stream, and print a line about each of them. Then write and show the
    results, unless no row has any; end the command with an error if a row failed."""
    from sebench.experiment import runner
    from sebench.remote.ray.engine import RayEngine
    from sebench.report.views import training_files

    if engine is not None:  # on other nodes, relative paths begin elsewhere
        grid = replace(grid, out=grid.out.resolve())
    runner.check(grid, here=engine is None)
    with display.progress("worlds") as progress:
        opened = open_worlds(progress)

    def ended(outcome: RowResult) -> None:
        row = outcome.row
        what = _DONE.get(row.method.method, "trained and evaluated")
        alone = ", run alone after running out of memory next to other rows" if outcome.alone else ""
        message = outcome.error or f"{what} in {duration(outcome.seconds)}{alone}"
        display.note(f"{row.method.name if row.method.stage else row.name}: {message}")

    with ExitStack() as stack:
        rows = stack.enter_context(engine.rows(grid.out, ray_gpus)) if isinstance(engine, RayEngine) else None
        progress = stack.enter_context(display.progress(grid.file.stem))
        outcomes = runner.Experiment(grid, opened, progress, ended, rows, display.note).run()
    failed = [outcome for outcome in outcomes if outcome.error]
    if len(failed) < len(outcomes):
        report = results()
        training_files.write(report, grid.out)
        if as_json:
            click.echo(training_files.as_json(report), nl=False)
        else:
            training_files.show(report, display.stdout)
            click.echo(str(grid.out / f"{report.stem}.html"))
    if failed:
        rows_failed = f"{len(failed)} of {counted(len(outcomes), 'row')} failed for the reasons above"
        display.fail(f"{rows_failed}; repeat the same command to retry them, once the reasons are gone")

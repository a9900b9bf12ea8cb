"""`sebench stream`: have a model learn several worlds one after another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sebench.cli import engines, options
from sebench.cli.experiment import run_rows
from sebench.cli.strict import StrictCommand
from sebench.rollout.engine import Engine

if TYPE_CHECKING:
    from sebench.report.views.training_files import TrainingReport


@click.command(cls=StrictCommand)
@click.argument("file", type=click.Path(path_type=Path))
@options.out_folder("Folder for the results.  [default: 'out' in the file, else runs/FILE]")
@options.dry_run("what the stream would cost, or what is wrong in the file")
@engines.backend_options
@options.as_json
def command(file: Path, out: Path | None, dry_run: bool, engine: Engine | None, as_json: bool) -> None:
    """Have a model learn the worlds in FILE (TOML) one after another, and test it on all of them so far after each.

    The results are in stream.html, stream.md, stream.json and stream.svg: the accuracy in every world after every
    stage, forgetting, and the comparison with learning each world alone, all at once, or with replay. Repeat the same
    command to continue after an interruption; finished stages are not repeated.
    """
    from sebench.experiment import estimate, stream
    from sebench.report.numbers import stream as stream_report
    from sebench.report.views import stream_files

    chosen = stream.read(file, out)
    if dry_run:
        device = estimate.choose_device(chosen.grid, here=engine is None)
        forecast = estimate.forecast(chosen.grid, device, chosen.worlds_or_sizes())
        click.echo(json.dumps(forecast.to_json(), indent=1) if as_json else forecast.text())
        return

    def results() -> TrainingReport:
        return stream_files.training_report(stream_report.report(chosen.grid.out))

    run_rows(chosen.grid, chosen.open_worlds, engine, results, as_json)

"""`sebench doctor`: which isolation layers work on this machine, and how long a verdict takes."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from sebench.base.errors import ConfigError
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.judge.judge import Judge
from sebench.world.build import Slice
from sebench.world.world import World

VERDICTS = 50


@click.command(cls=StrictCommand)
@options.optional_world
@options.as_json
def command(world: str | None, as_json: bool) -> None:
    """Test every isolation layer and time verdicts. The exit status is 0 only if every layer works.

    The reference solutions of WORLD are judged and timed; without WORLD, a small temporary world is built.
    """
    with tempfile.TemporaryDirectory() as folder, display.progress("doctor") as report:
        small = Slice(functions=12)
        loaded = World.open(world) if world else World.build(0, Path(folder) / "world", part=small, progress=report)
        with Judge(loaded) as judge:
            layers, times = judge.layers, _time_verdicts(judge)
    holds = all(layer.holds for layer in layers)
    speed = {"p50_ms": statistics.median(times) * 1e3, "p99_ms": sorted(times)[int(len(times) * 0.99)] * 1e3}
    if as_json:
        click.echo(json.dumps({"holds": holds, "layers": [asdict(layer) for layer in layers], **speed}))
    else:
        table = Table("layer", "", "observed", title="Isolation", title_justify="left")
        for layer in layers:
            table.add_row(layer.name, "[green]holds[/]" if layer.holds else "[red]OPEN[/]", layer.detail)
        display.stdout.print(table)
        display.stdout.print(
            f"time to judge a right answer: {speed['p50_ms']:.1f} ms (median of {VERDICTS}; 99 % within "
            f"{speed['p99_ms']:.1f} ms)",
            highlight=False,
        )
    display.exit_unless(holds)


def _time_verdicts(judge: Judge) -> list[float]:
    task = judge.world.tasks("single_test")[0]
    times = []
    for _ in range(VERDICTS):
        start = time.perf_counter()
        verdict = judge.judge(task, task.gold)
        times.append(time.perf_counter() - start)
        if not verdict.passed:
            raise ConfigError(f"a right answer gets the verdict {verdict.kind} here: {verdict.detail}")
    return times

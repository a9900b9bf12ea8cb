"""`sebench learn`: put a world's library into a model's weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from sebench.cli import display, options
from sebench.learn import sft
from sebench.learn.config import LearnConfig


@click.command()
@click.argument("method", type=click.Choice(sorted(sft.METHODS)))
@options.world_argument
@options.out_folder("Folder of the trained model.", required=True)
@options.as_json
@options.settings_of(LearnConfig)
def command(method: str, world: str, out: Path, as_json: bool, **given: Any) -> None:
    """Train a model on WORLD with METHOD; 'sebench run WORLD --model OUT' evaluates what comes out.

    closed-sft learns from right answers to questions without the documentation, open-sft from the same answers with it.
    The same command again continues an interrupted training (with --save-every).
    """
    config = LearnConfig(**options.given(given))
    opened = options.open_world(world)
    with display.progress(method) as report:
        made = sft.train(opened, method, config, out, report)
    if as_json:
        click.echo(json.dumps(made, indent=1))
    else:
        click.echo(f"{out}: {made['rows']:,} rows, {made['tokens']:,} tokens, {made['steps']:,} steps")
        click.echo(f"evaluate it: sebench run {world} --model {out}")

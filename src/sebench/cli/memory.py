"""`sebench memory`: write a memory of a world's library, which is put before the closed-book prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from inspect import cleandoc
from pathlib import Path
from typing import Any

import click

from sebench.base.settings import read
from sebench.base.wording import shell
from sebench.cli import display, options, writers
from sebench.experiment import estimate
from sebench.experiment.sizes import WorldSizes
from sebench.memory.folder import CALLS, LOG, MANIFEST, SNAPSHOT, Memory
from sebench.memory.material import held_out
from sebench.memory.methods import make as methods
from sebench.memory.methods import session
from sebench.memory.methods.config import StudyConfig
from sebench.memory.recall import recaller_for
from sebench.models.calls import Price, Spent
from sebench.rollout.config import RunConfig
from sebench.world.prompts import CLOSED
from sebench.world.world import World


def _listed() -> str:
    """Return the methods with their summaries, for the help text."""
    width = max(map(len, methods.METHODS))
    return "\n".join(f"{name:<{width}}  {method.summary}" for name, method in methods.METHODS.items())


@click.command(cls=options.SettingsCommand)
@click.argument("method", type=options.Method(sorted(methods.METHODS)), metavar="METHOD")
@options.world_argument
@options.out_folder("Folder for the memory.", required=True)
@click.option("--config", "file", type=click.Path(path_type=Path), help="TOML file with the settings below.")
@options.dry_run("the maximum calls, tokens and cost of a study")
@writers.price
@options.as_json
@options.renamed("--rounds", "--retries")
@options.renamed("--curate-every", "--together")
@options.renamed("--chunk-pages", "--chunk")
@options.renamed("--lookups", "--queries")
@options.settings_of(StudyConfig)
def command(
    method: str,
    world: str,
    out: Path,
    file: Path | None,
    dry_run: bool,
    prices: tuple[str, ...],
    as_json: bool,
    **flags: Any,
) -> None:
    """Write a memory of WORLD with METHOD; 'sebench run WORLD --memory OUT --book closed' puts it into the prompts of a
    model.

    Repeat the same command to continue after an interruption.
    """
    explicit = options.explicit(flags)
    methods.refuse_unused(method, explicit)
    config = read(StudyConfig, file, explicit)
    price = writers.parse_prices(prices, methods.writers_of(method, config))
    methods.refuse_incomplete(method, config)  # before a world is built for it
    options.refuse_kinds(out, "memory", "a memory", files=(MANIFEST, LOG, SNAPSHOT, CALLS))
    opened = options.open_world(world, build=not dry_run)
    if dry_run:
        methods.check_folder(opened, method, config, out)
        _show_estimate(opened, method, config, price, as_json)
        return
    if methods.METHODS[method].study and config.study_book == CLOSED and not config.study_gold:
        display.note("without pages and gold (--study-book closed, no --study-gold), a study cannot learn any name")
    with display.progress(method, at_once=True) as report:
        memory = methods.study(opened, method, config, out, report)
    if as_json:
        click.echo(json.dumps({"path": str(out), **memory.facts(), "outcome": session.outcome(out)}, indent=1))
        _refuse_empty(memory)
        return
    cost = memory.cost
    written = f"written with {writers.describe(cost, [memory.about.writer], price)}" if cost.calls else "no model used"
    most = recaller_for(memory.snapshot, opened.names).most_tokens()
    size = f"about {memory.size_tokens:,} tokens in all; adds at most {most:,} to a prompt"
    click.echo(f"{out}: {memory.about.method}, {size}; {written}")
    if ended := session.outcome(out):
        troubles = ", ".join(f"{count:,} {what}" for what, count in ended["troubles"].items()) or "none"
        click.echo(f"validation tasks right: {ended['validation']:.1%}; problems: {troubles}")
    _refuse_empty(memory)
    click.echo(f"use it with: sebench run {shell(world)} --memory {shell(out)} --book closed --model M")


def _show_estimate(world: World, method: str, config: StudyConfig, prices: Mapping[str, Price], as_json: bool) -> None:
    """Print an upper bound on the calls of a study."""
    if studies := bool(methods.METHODS[method].study):
        held_out(world, config.seed)  # raises an error if a study is impossible
    load = estimate.study_load(method, config, WorldSizes(world), RunConfig())
    most = Spent(load.requests, load.prompt_tokens, load.most_tokens)
    if as_json:
        cost = {"cost": writers.cost_of(most, [config.model], prices)} if prices else {}
        click.echo(json.dumps({**asdict(most), **cost}, indent=1))
    elif studies:
        click.echo(f"{method}: at most {writers.describe(most, [config.model], prices)}")
    else:
        click.echo(f"{method}: no calls, because no model writes this memory")


def _refuse_empty(memory: Memory) -> None:
    """End the command with status 1 if a model's replies left the memory empty."""
    if memory.cost.calls and not memory.size_tokens:
        troubles = session.outcome(memory.path).get("troubles", {})
        why, step = "no reply had anything to keep", "another model, more tasks (--limit) or --study-book open"
        if session.REJECTED in troubles:
            why, step = "the gate rejected every update", "another model, a larger --gate or none"
        elif any("malformed" in what or "max_tokens" in what for what in troubles):
            why = "no reply had the required form"
            step = "another model or, if replies were cut off, a higher --max-tokens"
        display.fail(
            f"the memory is empty: {why}. {memory.path}/calls.jsonl has the replies; study again with another --out "
            f"and with {step}"
        )


command.help = f"{cleandoc(command.help or '')}\n\n\b\n{_listed()}"

"""`sebench rephrase`: have a model write study material about the pages of a world."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from sebench.base.wording import counted
from sebench.cli import display, options, writers
from sebench.cli.strict import StrictCommand
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.train.data import rephrase
from sebench.world.world import World


@click.command(cls=StrictCommand)
@options.world_argument
@options.out_folder("JSONL file for the texts; an existing one is continued.", required=True)
@click.option(
    "--model", required=True, help="Model that writes the texts: its name at the endpoint, hf:NAME, or a folder."
)
@options.base_url
@options.key_env
@click.option(
    "--strategies",
    default=",".join(rephrase.STRATEGIES),
    show_default=True,
    help="active (list ways to study a page, then follow each), relate (compare two similar functions), separated by "
    "commas.",
)
@click.option("--temperature", default=0.7, show_default=True, help="Sampling temperature.")
@click.option("--max-tokens", default=1024, show_default=True, help="Maximum tokens per text.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Number of pages to use, from the start of the documentation.  [default: all]",
)
@options.seed("Random seed for sampling.")
def command(world: str, out: Path, strategies: str, seed: int, limit: int | None, **settings: Any) -> None:
    """Ask a model for texts about the pages of WORLD; 'sebench learn study --study-file OUT' learns from them.

    A text that omits the function's name or mentions NumPy is rejected and counted. Repeat the same command to request
    the missing texts.
    """
    config = RunConfig(**options.explicit(settings))
    chosen = [word.strip() for word in strategies.split(",") if word.strip()]
    rephrase.check_strategies(chosen)
    models.check(config, writes=True)
    opened = options.open_world(world)
    with display.progress("rephrase") as report:
        written = asyncio.run(_write(opened, config, out, chosen, seed, limit, report))
    click.echo(
        f"{out}: {counted(written.texts, 'text')} to learn from, {written.refused.total():,} rejected, "
        f"{counted(written.owed, 'request')} still unanswered"
    )
    for why, count in written.refused.most_common():
        click.echo(f"  rejected ({why}): {count:,}")
    if written.owed:
        display.fail("the provider failed; repeat the same command to try again")


async def _write(
    world: World, config: RunConfig, out: Path, strategies: list[str], seed: int, limit: int | None, report: Any
) -> rephrase.RephraseCounts:
    sampling = writers.sampling(config)
    pages = [page.path for page in world.pages[:limit]]
    async with writers.opened([config], world) as (model,):
        return await rephrase.rephrase(
            world, model, out, strategies, name=config.model, sampling=sampling, seed=seed, pages=pages, progress=report
        )

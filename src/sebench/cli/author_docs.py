"""`sebench author docs`: have a model rewrite the pages of a world."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from sebench.author import docs, variant
from sebench.author.docs import PageRewriter, RewritingResult
from sebench.author.page_gates import PageGates
from sebench.author.sessions import Sessions
from sebench.cli import costs, display, options
from sebench.models.calls import CallLog, Calls, Price
from sebench.models.model import Sampling
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.world import World


@dataclass(frozen=True)
class RewriteRequest:
    """The parsed command line."""

    world: World
    out: Path
    file: Path  # of the replies
    writer: RunConfig
    checker: RunConfig | None
    times_back: int
    prices: Mapping[str, Price]
    finish: bool


@click.command()
@options.world_argument
@options.out_folder("The new folder of the world with rewritten pages.", required=True)
@click.option("--model", required=True, help="The writing model: a name at the endpoint, hf:NAME, or a folder.")
@options.base_url
@options.key_env
@click.option("--checker", default="", help="A second model that compares old and new pages.  [default: none]")
@click.option("--checker-base-url", multiple=True, help="Address of the checker's endpoint.  [default: --base-url]")
@click.option(
    "--times-back",
    type=click.IntRange(0),
    default=docs.TIMES_BACK,
    show_default=True,
    help="How often a rejected page is sent back with the reasons.",
)
@click.option("--temperature", default=0.7, show_default=True, help="Sampling temperature of the writer.")
@click.option("--max-tokens", default=4096, show_default=True, help="Maximum tokens per page.")
@click.option("--timeout-s", default=300.0, show_default=True, help="Seconds before a request is abandoned.")
@options.seed("Seed of sampling.")
@click.option("--finish", is_flag=True, help="Keep the original page if the provider gives no answer.")
@costs.price
@click.option("--dry-run", is_flag=True, help="Estimate tokens and cost without asking a model.")
def command(
    world: str,
    out: Path,
    checker: str,
    checker_base_url: tuple[str, ...],
    times_back: int,
    finish: bool,
    prices: tuple[str, ...],
    dry_run: bool,
    **settings: Any,
) -> None:
    """Have a model rewrite every page of WORLD; OUT is a world with the same package and tasks, and the new pages.

    A page that leaks, changes a signature, loses a parameter, shows a false example or claims more than the original
    page is sent back with the reasons, at most --times-back times; after that the original page is kept. The same
    command again continues. OUT/rewriting/differences.html shows both versions of every page.
    """
    second = {**settings, "model": checker, "base_url": checker_base_url or settings["base_url"], "temperature": 0.0}
    writer, reader = RunConfig(**options.explicit(settings)), RunConfig(**options.explicit(second)) if checker else None
    cost = costs.parse_prices(prices)
    options.refuse_existing(out)
    for config in filter(None, (writer, reader) if not dry_run else ()):
        models.check(config, writes=True)
    opened = options.open_world(world)
    variant.check_target(opened, out)
    replies = out.with_name(f"{out.name}.calls.jsonl")
    request = RewriteRequest(opened, out, replies, writer, reader, times_back, cost, finish)
    if dry_run:
        _estimate(request)
    else:
        asyncio.run(_rewrite(request))


def _estimate(request: RewriteRequest) -> None:
    click.echo(f"{len(request.world.pages):,} pages")
    writing, checking = docs.estimate(request.world, request.times_back)
    for config, (least, most) in ((request.writer, writing), (request.checker, checking)):
        if config:
            for spent, when in ((least, "answer passes at once"), (most, f"page goes back {request.times_back} times")):
                click.echo(f"{config.model}, if every {when}: {costs.describe(spent, config.model, request.prices)}")


async def _rewrite(request: RewriteRequest) -> None:
    world = request.world
    model = models.load_writer(request.writer, world)
    reader = models.load_writer(request.checker, world) if request.checker else None
    try:
        with CallLog(request.file) as log, Sessions(world.package_folder, world.names.package) as sessions:
            calls = Calls(log, model, request.writer.model, _sampling(request.writer))
            checker = None
            if request.checker and reader:
                checker = Calls(log, reader, request.checker.model, _sampling(request.checker))
            gates = PageGates(world, sessions)
            writer = PageRewriter(world, gates, calls, checker, times_back=request.times_back, seed=request.writer.seed)
            with display.progress("author docs") as report:
                done = await writer.rewrite(report)
    finally:
        await model.close()
        if reader:
            await reader.close()
    _finish(request, writer, done)


def _sampling(config: RunConfig) -> Sampling:
    return Sampling(temperature=config.temperature, top_p=config.top_p, max_tokens=config.max_tokens)


def _finish(request: RewriteRequest, writer: PageRewriter, done: RewritingResult) -> None:
    kept = len(done.pages) - done.rewritten
    click.echo(f"{done.rewritten:,} pages rewritten, {kept:,} rejected for good, {done.owed:,} still missing")
    for gate, count in done.refused().items():
        click.echo(f"  answers rejected, {gate}: {count:,}")
    calls_now = Counter[str]()  # one model may be both
    for calls in filter(None, (writer.calls, writer.checker)):
        calls_now[calls.name] += calls.requests_sent
    for name, count in calls_now.items():
        spent = costs.describe(writer.calls.log.spent(name), name, request.prices)
        click.echo(f"{name}: {spent}; {count:,} calls in this session")
    if done.owed and not request.finish:
        failure = writer.calls.failure or (writer.checker.failure if writer.checker else "")
        click.echo(
            f"the provider failed ({failure}); the same command tries again, and --finish keeps the original pages",
            err=True,
        )
        raise click.exceptions.Exit(1)
    if not done.rewritten:
        click.echo(f"no page passed, so no world was written; the replies are in {request.file}", err=True)
        raise click.exceptions.Exit(1)
    written = variant.write(request.world, replace(done, owed=0), writer.describe(done), request.out)
    click.echo(f"{request.out}: fingerprint {written.manifest.fingerprint}")
    click.echo(f"compare both versions of every page in {request.out / variant.DIFFERENCES}")

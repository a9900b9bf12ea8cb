"""`sebench author docs`: have a model rewrite the pages of a world."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from sebench.author import docs, variant
from sebench.author.docs import PageRewriter, RewritingResult
from sebench.author.page_gates import PageGates
from sebench.author.sessions import Sessions
from sebench.base.wording import counted
from sebench.cli import display, options, writers
from sebench.cli.strict import StrictCommand
from sebench.models.calls import CallLog, Calls, Price
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.world import World


@dataclass(frozen=True)
class RewriteRequest:
    """The parsed command line."""

    world: World
    out: Path
    file: Path  # where the replies are stored
    writer: RunConfig
    checker: RunConfig | None
    times_back: int
    prices: Mapping[str, Price]
    finish: bool


@click.command(cls=StrictCommand)
@options.world_argument
@options.out_folder("Folder to create for the world with the rewritten pages.", required=True)
@click.option(
    "--model", required=True, help="Model that writes the pages: its name at the endpoint, hf:NAME, or a folder."
)
@options.base_url
@options.key_env
@click.option("--checker", default="", help="A second model that compares old and new pages.  [default: none]")
@click.option("--checker-base-url", multiple=True, help="Address of the checker's endpoint.  [default: --base-url]")
@click.option(
    "--times-back",
    type=click.IntRange(0),
    default=docs.TIMES_BACK,
    show_default=True,
    help="Maximum number of times that a rejected page is sent back with the reasons.",
)
@click.option("--temperature", default=0.7, show_default=True, help="Sampling temperature of the writer.")
@click.option("--max-tokens", default=4096, show_default=True, help="Maximum tokens per page.")
@click.option("--timeout-s", default=300.0, show_default=True, help="Timeout of a request, in seconds.")
@options.seed("Random seed for sampling.")
@click.option("--finish", is_flag=True, help="Keep the original page if the provider does not answer.")
@writers.price
@options.dry_run("an estimate of calls, tokens and cost")
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

    A page that leaks, changes a signature, omits a parameter, shows a false example or claims more than the original
    page is sent back with the reasons, at most --times-back times; after that the original page is kept. Repeat the
    same command to continue. OUT/rewriting/differences.html shows both versions of every page.
    """
    second = {**settings, "model": checker, "base_url": checker_base_url or settings["base_url"], "temperature": 0.0}
    writer, reader = RunConfig(**options.explicit(settings)), RunConfig(**options.explicit(second)) if checker else None
    cost = writers.parse_prices(prices, [settings["model"], checker])
    options.refuse_existing(out)
    for config in filter(None, (writer, reader) if not dry_run else ()):
        models.check(config, writes=True)
    opened = options.open_world(world, build=not dry_run)
    variant.check_target(opened, out)
    replies = out.with_name(f"{out.name}.calls.jsonl")
    request = RewriteRequest(opened, out, replies, writer, reader, times_back, cost, finish)
    if dry_run:
        _estimate(request)
    else:
        asyncio.run(_rewrite(request))


def _estimate(request: RewriteRequest) -> None:
    click.echo(counted(len(request.world.pages), "page"))
    writing, checking = docs.estimate(request.world, request.times_back)
    for config, (least, most) in ((request.writer, writing), (request.checker, checking)):
        if config:
            for spent, when in (
                (least, "answer passes on the first try"),
                (most, f"page is sent back {counted(request.times_back, 'time')}"),
            ):
                size = writers.describe(spent, [config.model], request.prices)
                click.echo(f"{config.model}, if every {when}: {size}")


async def _rewrite(request: RewriteRequest) -> None:
    world, configs = request.world, [config for config in (request.writer, request.checker) if config]
    async with writers.opened(configs, world) as loaded:
        with CallLog(request.file) as log, Sessions(world.package_folder, world.names.package) as sessions:
            calls = [
                Calls(log, model, config.model, writers.sampling(config))
                for config, model in zip(configs, loaded, strict=True)
            ]
            writer = PageRewriter(
                world, PageGates(world, sessions), *calls, times_back=request.times_back, seed=request.writer.seed
            )
            with display.progress("author docs") as report:
                done = await writer.rewrite(report)
    _finish(request, writer, done)


def _finish(request: RewriteRequest, writer: PageRewriter, done: RewritingResult) -> None:
    kept = len(done.pages) - done.rewritten
    click.echo(
        f"{counted(done.rewritten, 'page')} rewritten, {kept:,} kept because every rewrite was rejected, "
        f"{done.owed:,} still without a reply"
    )
    for gate, count in done.refused().items():
        click.echo(f"  answers rejected by the gate '{gate}': {count:,}")
    used = [calls for calls in (writer.calls, writer.checker) if calls]
    for name in dict.fromkeys(calls.name for calls in used):  # the writer and the checker may be the same model
        count = sum(calls.requests_sent for calls in used if calls.name == name)
        spent = writers.describe(writer.calls.log.spent(name), [name], request.prices)
        click.echo(f"{name}: {spent}; {counted(count, 'call')} in this session")
    if done.owed and not request.finish:
        failure = next((calls.failure for calls in used if calls.failure), "")
        display.fail(f"the provider failed ({failure}); repeat the command, or add --finish to keep the original pages")
    if not done.rewritten:
        failure = next((f"; the provider failed: {calls.failure}" for calls in used if calls.failure), "")
        display.fail(f"no page passed, so no world was written; the replies are in {request.file}{failure}")
    written = variant.write(request.world, replace(done, owed=0), writer.describe(done), request.out)
    click.echo(f"{request.out}: fingerprint {written.manifest.fingerprint}")
    click.echo(f"see {request.out / variant.DIFFERENCES} for the old and new version of every page, side by side")

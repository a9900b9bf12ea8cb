"""`sebench author tasks`: a model proposes tasks, and those that pass every gate become a bank folder."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sebench.author import funnel, pipeline, proposals
from sebench.author.pipeline import CALLS, GATES, SETTINGS, AuthorPlan, AuthorResult
from sebench.bank.definition import PARTS
from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.cli import author_funnel, display, options, writers
from sebench.cli.strict import StrictCommand
from sebench.judge.judge import Judge
from sebench.models.calls import CallLog, Calls, Price, Spent, estimate
from sebench.models.model import Sampling
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.tasks import rules
from sebench.tasks.folders import ABOUT, DRAFTS
from sebench.world.world import World

WORD = 7  # characters of a word in a question, with its space, for estimates


@click.command("tasks", cls=StrictCommand)
@options.world_argument
@click.option(
    "--functions",
    required=True,
    help="Functions to write tasks about, separated by commas (for example mean,linalg.solve), or 'all'.",
)
@click.option(
    "--tier",
    type=click.Choice(PARTS),
    default="single",
    show_default=True,
    help="Part of the bank that the tasks are for.",
)
@click.option("--per-function", default=1, show_default=True, help="Proposals for each function.")
@click.option(
    "--model", required=True, help="Model that proposes the tasks: its name at the endpoint, hf:NAME, or a folder."
)
@click.option(
    "--solver",
    multiple=True,
    help="A model that must solve each task; repeat it for several (usually three). MODEL@0.7 answers at that "
    "temperature.  [default temperature: 0]",
)
@click.option("--needed", default=0, help="Number of solvers that must be correct; 0 means all.  [default: 0]")
@options.base_url
@options.key_env
@click.option("--temperature", default=0.8, show_default=True, help="Sampling temperature of the proposer.")
@click.option("--max-tokens", default=1500, show_default=True, help="Maximum tokens per reply.")
@writers.price
@click.option("--name", default="", help="Name of the bank in bank.toml.  [default: the name of --out]")
@options.dry_run("an estimate of calls, tokens and cost")
@options.out_folder("Bank folder to create, or to continue if it was started with the same settings.", required=True)
@options.seed("Random seed for cases and sampling.")
def command(world: str, out: Path, functions: str, dry_run: bool, prices: tuple[str, ...], **settings: Any) -> None:
    """Have a model propose tasks; those that pass every gate become a bank folder for 'sebench build --bank'.

    Reference solutions are judged in WORLD, and the proposer reads its pages, with NumPy's names. Expected values are
    computed, never taken from a model. Repeat the same command to continue.
    """
    options.refuse_kinds(out, "bank folder", files=(SETTINGS, CALLS, GATES, ABOUT, DRAFTS))
    price = writers.parse_prices(prices, [settings["model"], *settings["solver"]])
    if not all(map(str.strip, (settings["model"], *settings["solver"]))):
        raise ConfigError("--model and --solver need the name of a model; one of them is empty")
    plan = AuthorPlan(
        settings["name"] or out.name.lower(),
        settings["tier"],
        (),
        settings["per_function"],
        settings["model"],
        settings["solver"],
        settings["needed"],
        settings["seed"],
    )
    sampling = Sampling(temperature=settings["temperature"], max_tokens=settings["max_tokens"])
    config = RunConfig(base_url=settings["base_url"], key_env=settings["key_env"], max_tokens=settings["max_tokens"])
    solvers = [_solver(name, sampling) for name in plan.solvers]
    for name, how in ((plan.model, sampling), *solvers) if not dry_run else ():
        models.check(replace(config, model=name, temperature=how.temperature), writes=True)
    opened = options.open_world(world, build=not dry_run)
    plan = replace(plan, functions=tuple(proposals.parse_functions(opened, functions)))
    if dry_run:
        plan = pipeline.merge(plan, opened, sampling, out)
        _tell_cost(_estimate(plan, opened, sampling), price, "would use at most about")
        return
    if not plan.solvers:
        display.note("without --solver, no other model checks that each question agrees with its solution")
    with display.progress("author") as report, Judge(opened) as judge:
        done = asyncio.run(_author(plan, opened, judge, config, sampling, out, report))
    if done.proposed:
        author_funnel.show(funnel.read(out))
    click.echo(
        f"{out}: {len(done.kept):,} of {counted(done.proposed, 'proposal')} kept; "
        f"{counted(done.calls_made, 'call')} in this session, "
        f"{done.owed:,} still unanswered"
    )
    _tell_cost(done.spent, price, "used")
    if done.owed:
        helpless = ""
        if done.refused:
            prompts = counted(done.refused, "prompt that was refused needs", "prompts that were refused need")
            helpless = f" (but {prompts} another model)"
        display.fail(f"the provider failed ({done.failure}); run the same command again to retry{helpless}")


async def _author(
    plan: AuthorPlan, world: World, judge: Judge, config: RunConfig, sampling: Sampling, out: Path, report: Any
) -> AuthorResult:
    solving = [_solver(name, sampling) for name in plan.solvers]
    names = list(dict.fromkeys((plan.model, *(model for model, _ in solving))))
    async with writers.opened([replace(config, model=name) for name in names], world) as opened:
        loaded = dict(zip(names, opened, strict=True))
        with CallLog(out / pipeline.CALLS) as log:
            solvers = [
                Calls(log, loaded[model], name, how) for name, (model, how) in zip(plan.solvers, solving, strict=True)
            ]
            proposer = Calls(log, loaded[plan.model], plan.model, sampling)
            return await pipeline.author(plan, world, judge, proposer, solvers, out, report)


def _solver(name: str, sampling: Sampling) -> tuple[str, Sampling]:
    """Return a solver's model, and how it answers: at temperature 0 unless the name ends with another one. What follows
    the "@" may also belong to the model's name, such as a date."""
    model, _, ending = name.rpartition("@")
    if model and re.fullmatch(r"\d{1,2}(\.\d+)?", ending):
        return model, replace(sampling, temperature=float(ending))
    return name, replace(sampling, temperature=0.0)


def _estimate(plan: AuthorPlan, world: World, sampling: Sampling) -> Mapping[str, Spent]:
    """Return an upper bound: every proposal reaches the solvers, and every reply has the maximum length."""
    # Every prompt contains the earlier questions about its function: on average, half of them.
    earlier = ["x" * WORD * rules.WORDS[plan.tier][1]] * (plan.per_function // 2)
    prompt = proposals.prompt(world, plan.functions[0], plan.tier, 0, earlier, plan.seed)
    count = len(plan.functions) * plan.per_function
    first = next(task for split in ("train", "single_test", "multi_test") for task in world.tasks(split))
    spent = {plan.model: estimate(prompt.text, count, sampling.max_tokens)}
    for name in plan.solvers:
        spent[name] = spent.get(name, Spent()) + estimate(world.prompt(first, "native"), count, sampling.max_tokens)
    return spent


def _tell_cost(spent: Mapping[str, Spent], prices: Mapping[str, Price], verb: str) -> None:
    for name, one in spent.items():
        click.echo(f"{name} {verb} {writers.describe(one, [name], prices)}")

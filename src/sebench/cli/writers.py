"""Opens models that write texts, and adds up what their calls cost (the option --price)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import click

from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.models.calls import Price, Spent
from sebench.models.model import Model, Sampling
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.world import World

price = click.option(
    "--price",
    "prices",
    multiple=True,
    metavar="[MODEL=]PROMPT,COMPLETION",
    help="Prices per million prompt tokens and per million completion tokens, to compute the cost; with MODEL=, for "
    "that model only. Repeat it for several models.",
)


def parse_prices(prices: Sequence[str], names: Iterable[str]) -> dict[str, Price]:
    """Return the price of each model that has one; "" stands for all others. `names` are the command's models."""
    by_model: dict[str, Price] = {}
    known = [name for name in dict.fromkeys(names) if name]
    for text in prices:
        model, _, price = text.rpartition("=")
        by_model[model] = Price.parse(price)
        if model and model not in known:
            there = f"use one of {', '.join(known)}" if known else "no model writes this memory, so leave it out"
            raise ConfigError(f"--price {text}: this command has no model {model!r}; {there}")
    return by_model


def cost_of(spent: Spent, models: Sequence[str], prices: Mapping[str, Price]) -> float | None:
    """Return the cost of calls that these models shared equally; None if one of them has no price."""
    each = [prices.get(model, prices.get("")) for model in models]
    return sum(spent.cost(price) for price in each if price) / len(each) if all(each) else None


def describe(spent: Spent, models: Sequence[str], prices: Mapping[str, Price]) -> str:
    """Return the calls, the tokens and, if the models have prices, the cost as text."""
    cost = cost_of(spent, models, prices)
    tokens = f"{spent.prompt_tokens:,} prompt and {counted(spent.completion_tokens, 'completion token')}"
    return f"{counted(spent.calls, 'call')}, {tokens}{'' if cost is None else f', cost {cost:,.4f}'}"


def sampling(config: RunConfig) -> Sampling:
    """Return the sampling settings in a run's configuration."""
    return Sampling(temperature=config.temperature, top_p=config.top_p, max_tokens=config.max_tokens)


@asynccontextmanager
async def opened(configs: Iterable[RunConfig], world: World) -> AsyncIterator[list[Model]]:
    """Yield the models of these configurations, and close them at the end."""
    loaded: list[Model] = []
    async with AsyncExitStack() as stack:
        for config in configs:
            loaded.append(models.load_writer(config, world))
            stack.push_async_callback(loaded[-1].close)
        yield loaded

"""Models that write something other than answers: opening them, the option --price, and the cost of their calls."""

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
    help="MODEL=PROMPT,COMPLETION per million tokens, to add up the cost; repeat it for several models.",
)


def parse_prices(prices: Sequence[str]) -> dict[str, Price]:
    """Return the price of each model that has one."""
    by_model: dict[str, Price] = {}
    for text in prices:
        model, separator, price = text.rpartition("=")
        if not separator:
            raise ConfigError(f"--price {text}: write MODEL=PROMPT,COMPLETION, such as small=0.5,1.5")
        by_model[model] = Price.parse(price)
    return by_model


def describe(spent: Spent, model: str, prices: Mapping[str, Price]) -> str:
    """Return the calls, the tokens and, if the model has a price, the cost as text."""
    cost = f", cost {spent.cost(prices[model]):,.2f}" if model in prices else ""
    tokens = f"{spent.prompt_tokens:,} prompt and {counted(spent.completion_tokens, 'completion token')}"
    return f"{counted(spent.calls, 'call')}, {tokens}{cost}"


def sampling(config: RunConfig) -> Sampling:
    """The sampling settings of a run's configuration."""
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

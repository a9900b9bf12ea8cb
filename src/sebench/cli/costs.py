"""The cost of model calls: the option --price, and sums for messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from sebench.base.errors import ConfigError
from sebench.models.calls import Price, Spent

price = click.option(
    "--price",
    "prices",
    multiple=True,
    help="MODEL=PROMPT,COMPLETION per million tokens, to add up the cost; repeat it for several models.",
)


def parse_prices(prices: Sequence[str]) -> dict[str, Price]:
    """The price of each model that has one."""
    by_model: dict[str, Price] = {}
    for text in prices:
        model, separator, price = text.rpartition("=")
        if not separator:
            raise ConfigError(f"--price {text}: write MODEL=PROMPT,COMPLETION, such as small=0.5,1.5")
        by_model[model] = Price.parse(price)
    return by_model


def describe(spent: Spent, model: str, prices: Mapping[str, Price]) -> str:
    """Calls, tokens and, where the model has a price, what they cost."""
    cost = f", cost {spent.cost(prices[model]):,.2f}" if model in prices else ""
    tokens = f"{spent.prompt_tokens:,} prompt and {spent.completion_tokens:,} completion tokens"
    return f"{spent.calls:,} calls, {tokens}{cost}"

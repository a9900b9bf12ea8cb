"""Approximate token counts, and budgets.

A text above its budget is refused, never cut. A memory is written by one model and read by others, so tokens are
estimated from characters, the same for all models. SmolLM2's tokenizer needs more: 2.6 characters per token for pages,
2.9 for an index, 3.4 for worked answers.

Not covered: real tokenizers. A prompt that is too long for a model is refused when it is sent.
"""

from __future__ import annotations

import math

from sebench.base.errors import ConfigError

CHARACTERS_PER_TOKEN = 3.5  # of English and code, for estimates


def tokens(text: str) -> int:
    """The approximate number of tokens of a text."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def refuse_above(budget: int, size: int, what: str, cure: str) -> None:
    """Raise an error if `size` exceeds the budget; 0 is no budget."""
    if budget and size > budget:
        raise ConfigError(f"{what} has {size:,} tokens, and the budget is {budget:,}; {cure}")

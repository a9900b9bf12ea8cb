"""How long a text is for a model, and budgets.

Budgets refuse: nothing here cuts a text. A memory is written by one model and read by others, so tokens are counted in characters, the same for
all of them. SmolLM2's tokenizer has more: 2.6 characters a token of pages, 2.9 of an index, 3.4 of worked answers.

Not covered: the tokenizer of a model. A prompt that is too long for one is refused when it is asked.
"""

from __future__ import annotations

import math

from sebench.base.errors import ConfigError

CHARACTERS_PER_TOKEN = 3.5  # of English and code, for estimates


def tokens(text: str) -> int:
    """Roughly how many tokens a text has."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def refuse_above(budget: int, size: int, what: str, cure: str) -> None:
    """An error where something is larger than a budget; 0 is no budget."""
    if budget and size > budget:
        raise ConfigError(f"{what} has {size:,} tokens, and the budget is {budget:,}; {cure}")

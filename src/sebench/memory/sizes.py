"""How long a text is for a model, and budgets.

Budgets refuse: nothing here cuts a text. Not covered: the tokenizer of a model, unless the caller gives one.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from sebench.errors import ConfigError

CHARACTERS_PER_TOKEN = 3.5  # of English and code, for estimates

Count = Callable[[str], int]  # from a text to its tokens


def tokens(text: str) -> int:
    """Roughly how many tokens a text has."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def refuse_above(budget: int, size: int, what: str, cure: str) -> None:
    """An error where something is larger than a budget; 0 is no budget."""
    if budget and size > budget:
        raise ConfigError(f"{what} has {size:,} tokens, and the budget is {budget:,}; {cure}")

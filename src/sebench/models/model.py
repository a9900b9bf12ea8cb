"""The interface of a model: it answers prompts. Implemented by `scripted.py`, `endpoint.py`, `llama.py`,
`transformers.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sebench.world.prompts import Prompt


@dataclass(frozen=True)
class Sampling:
    """Sampling settings."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()  # sequences that end a response


@dataclass(frozen=True)
class Completion:
    """A model's response."""

    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    token_ids: tuple[int, ...] = ()  # of the completion, if the model reports them
    log_probabilities: tuple[float, ...] = ()  # of these tokens
    model: str = ""  # the provider's name for the model that answered


class Model(Protocol):
    """Answers prompts.

    A failure is a `ProviderError`: a temporary one is retried, a permanent one ends the run, and `PromptRefused` gives
    up this one response. Any other exception is a bug.
    """

    concurrency: int  # how many prompts it handles at a time

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        """One response; the same seed gives the same response where the model supports it."""
        ...

    async def close(self) -> None:
        """Release all resources."""
        ...

"""What a model is: something that answers a prompt. Who implements it: `scripted.py`, `endpoint.py`, `llama.py`,
`transformers.py`, `vllm.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sebench.world.prompts import Prompt


@dataclass(frozen=True)
class Sampling:
    """How responses are drawn."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()  # sequences that end a response


@dataclass(frozen=True)
class Completion:
    """What a model said."""

    text: str
    finish: str = "stop"
    prompt_tokens: int = 0
    completion_tokens: int = 0
    token_ids: tuple[int, ...] = ()  # of the completion, from models that tell them
    log_probabilities: tuple[float, ...] = ()  # of these tokens
    model: str = ""  # what the provider calls the model that answered


class Model(Protocol):
    """Answers prompts.

    A failure is a `ProviderError`: one that may pass is tried again, one that will not ends the run, and `PromptRefused` gives up this
    one response. Anything else that is raised is a bug.
    """

    concurrency: int  # how many prompts it likes to have at a time

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        """One response; the same seed gives the same one, where the model allows it."""
        ...

    async def close(self) -> None:
        """Give everything back."""
        ...

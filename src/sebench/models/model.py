"""The interface of a model: it answers prompts. Implemented by `scripted.py`, `endpoint.py`, `llama.py`,
`transformers.py`. Engines send a prompt as a chat: messages, the body of a chat request, or templated text.

Covered: an optional system message, one user message, OpenAI's chat-completions fields, `enable_thinking` for templates
that support it. Not covered: several turns, tools, images.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sebench.world.prompts import Prompt

TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")  # names of the request field for the limit


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
    model: str = ""  # the provider's name for the model that responded
    # Without the wait in a queue of this process; 0 if the model has no queue.
    seconds: float = field(default=0.0, compare=False)


class Model(Protocol):
    """Answers prompts.

    A failure raises a `ProviderError`: a temporary failure is retried, a permanent one ends the run, and a
    `PromptRefused` gives up only this prompt. Any other exception is a bug.
    """

    concurrency: int  # how many prompts it handles concurrently

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        """Return one response. If the model supports seeds, the same seed gives the same response."""
        ...

    async def close(self) -> None:
        """Release all resources."""
        ...


@dataclass(frozen=True)
class Chat:
    """How a prompt is turned into a chat for a model."""

    system: str = ""  # the system message; "" for none
    thinking: str = ""  # "on" or "off" for templates that support `enable_thinking`; "" leaves it to the model

    def messages(self, prompt: Prompt) -> list[dict[str, str]]:
        system = [{"role": "system", "content": self.system}] if self.system else []
        return [*system, {"role": "user", "content": prompt.text}]

    @property
    def template_options(self) -> dict[str, bool]:
        return {"enable_thinking": self.thinking == "on"} if self.thinking else {}

    def apply_template(self, tokenizer: Any, prompt: Prompt) -> str:
        """Return the prompt in the tokenizer's chat template, or the bare text if it has no template."""
        if tokenizer.chat_template is None:
            return f"{self.system}\n\n{prompt.text}" if self.system else prompt.text
        messages = self.messages(prompt)
        return str(
            tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **self.template_options)
        )


@dataclass(frozen=True)
class Request:
    """The parts of a chat request that differ between providers."""

    token_limit: str = TOKEN_LIMITS[0]  # name of the field; reasoning models want "max_completion_tokens"
    send_seed: bool = True  # some providers reject a request with a seed
    reasoning_effort: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)  # additional fields, passed through unchanged
    send_top_p: bool = True  # without it the server's own default applies


def body(prompt: Prompt, chat: Chat, sampling: Sampling, seed: int, request: Request | None = None) -> dict[str, Any]:
    """Return the body of a chat-completions request, without the model's name."""
    request = request or Request()
    fields: dict[str, Any] = {
        "messages": chat.messages(prompt),
        "temperature": sampling.temperature,
        **({"top_p": sampling.top_p} if request.send_top_p else {}),
        request.token_limit: sampling.max_tokens,
    }
    if request.send_seed:
        fields["seed"] = seed
    if sampling.stop:
        fields["stop"] = list(sampling.stop)
    if request.reasoning_effort:
        fields["reasoning_effort"] = request.reasoning_effort
    if options := chat.template_options:
        fields["chat_template_kwargs"] = options
    return fields | dict(request.extra)


def opening(templated: str) -> str:
    """Return the beginning of the response that the chat template already wrote: some templates end with an opening
    <think>."""
    return "<think>" if templated.rstrip().endswith("<think>") else ""


def with_thought(content: str, thought: str | None) -> str:
    """Combine response and thinking into one text, for engines that return them separately."""
    return f"<think>{thought}</think>\n{content}" if thought else content


def cut_at_stop(text: str, stop: tuple[str, ...]) -> tuple[str, bool]:
    """Return the text before the first stop sequence, and whether there was one. For engines that decode whole
    responses."""
    ends = [at for sequence in stop if (at := text.find(sequence)) >= 0]
    return (text[: min(ends)], True) if ends else (text, False)

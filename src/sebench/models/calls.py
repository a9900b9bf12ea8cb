"""Cached model calls, so that none is paid for twice: every reply is stored as a line in a file and looked up by its
request.

    with CallLog(Path("calls.jsonl")) as log:
        calls = Calls(log, model, "qwen3-8b", Sampling(0.7))
        completion = await calls.ask(Prompt("Write a task ...", "mean/0", OPEN), seed=0)

A reply is keyed by model name, prompt, sampling and seed. Repeated work, in any order, sends no request whose reply is
stored; a changed prompt is a new request. If the last line is incomplete, its request is sent again. Only one process
writes at a time.

`complete` calls a model without a file, retrying when the provider fails. `run_each` processes pieces of work
concurrently. A run uses `run_each` too, but does its own counting, rate limiting and giving up (`rollout/runner.py`).

Not covered: requests that the provider failed to answer (the result is None; calling again retries them, which is
useless if the prompt itself is refused), and tokens that a provider does not report.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import Any, Self, TypeVar

from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.base.ledger import Ledger, lines
from sebench.base.records import Rollout
from sebench.base.retry import Retries, ask_until_answered
from sebench.models.model import Completion, Model, Sampling
from sebench.world.prompts import Prompt

CHARACTERS_PER_TOKEN = 4  # roughly, for English; used only for estimates
TRIES = 6
FIELDS = ("text", "finish", "prompt_tokens", "completion_tokens")
Piece = TypeVar("Piece")


@dataclass(frozen=True)
class Price:
    """Price per million tokens, in any currency."""

    prompt: float = 0.0
    completion: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Price:
        """Parse the prices of prompt and completion tokens, such as "0.5,1.5"."""
        try:
            prompt, completion = (float(part) for part in text.split(","))
        except ValueError:
            prompt = completion = -1.0
        if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
            raise ConfigError(
                f"--price {text}: write two prices, per million prompt and completion tokens, such as 0.5,1.5"
            )
        return cls(prompt, completion)


@dataclass(frozen=True)
class Spent:
    """Number of calls, and their tokens."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @classmethod
    def of_answers(cls, rollouts: Iterable[Rollout]) -> Spent:
        """Return the usage of a run's answers, without failed requests."""
        answers = [one for one in rollouts if not one.error]
        return cls(*(sum(getattr(one, field.name) for one in answers) for field in fields(cls)))

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def cost(self, price: Price) -> float:
        return (self.prompt_tokens * price.prompt + self.completion_tokens * price.completion) / 1e6


def estimate(prompt: str, calls: int, completion_tokens: int) -> Spent:
    """Estimate the usage of `calls` requests with prompts as long as this one and replies of `completion_tokens`."""
    return Spent(calls, calls * (len(prompt) // CHARACTERS_PER_TOKEN), calls * completion_tokens)


async def complete(
    model: Model,
    prompt: Prompt,
    sampling: Sampling,
    seed: int,
    failed: Callable[[ProviderError], None] = lambda why: None,
) -> Completion | None:
    """Return the completion, or None if the prompt is refused or every retry fails. Each failure is passed to `failed`;
    a permanent failure is raised."""
    retries = Retries(TRIES, seed=f"{prompt.digest}:{seed}")
    try:
        return await ask_until_answered(
            lambda: model.complete(prompt, sampling, seed), retries, lambda error, again: failed(error)
        )
    except ProviderError as error:
        if error.again or isinstance(error, PromptRefused):
            return None
        raise


async def run_each(work: Iterable[Piece], do: Callable[[Piece], Awaitable[None]], concurrency: int) -> None:
    """Process the work in order, `concurrency` pieces at a time. If one raises an error, the others are cancelled."""
    todo = iter(work)  # one iterator shared by all workers, so that the work is never all in memory

    async def worker() -> None:
        for piece in todo:
            await do(piece)

    workers = [asyncio.create_task(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


class CallLog(Ledger):
    """The log of replies. Several models may share it."""

    def __enter__(self) -> Self:
        super().__enter__()
        self.there = {data["key"]: data for _, data in lines(self.file) if data.keys() >= {"key", *FIELDS}}
        return self

    def add(self, data: Mapping[str, Any]) -> None:
        super().add(data)
        self.there[data["key"]] = dict(data)

    def spent(self, model: str) -> Spent:
        """Return the usage of all of a model's calls in the file: the total cost of the work, however often it was
        interrupted."""
        replies = [data for data in self.there.values() if data.get("model") == model]
        return Spent(len(replies), *(sum(data[field] for data in replies) for field in FIELDS[2:]))


class Calls:
    """The calls to one model."""

    def __init__(self, log: CallLog, model: Model, name: str, sampling: Sampling) -> None:
        """`name` is the model's name in the log."""
        self.log, self.model, self.name, self.sampling = log, model, name, sampling
        self.requests_sent = 0  # by this process
        self.failure = ""  # why the last request failed
        self.refused: dict[str, str] = {}  # reasons by key: prompts that will never get a reply
        self._places = asyncio.Semaphore(max(model.concurrency, 1))

    async def ask(self, prompt: Prompt, seed: int) -> Completion | None:
        """Return the completion, from the file if it is stored there, or None if the provider returned none."""
        key = self.key(prompt, seed)
        if key not in self.log.there:
            async with self._places:
                completion = await complete(
                    self.model, prompt, self.sampling, seed, lambda error: self._failed(key, error)
                )
            if completion is None:
                return None
            self.requests_sent += 1
            about = {"key": key, "about": prompt.task_id, "model": self.name, "seed": seed}
            self.log.add({**about, **{field: getattr(completion, field) for field in FIELDS}})
        return Completion(*(self.log.there[key][field] for field in FIELDS))

    def _failed(self, key: str, error: ProviderError) -> None:
        self.failure = str(error)
        if isinstance(error, PromptRefused):
            self.refused[key] = self.failure

    def key(self, prompt: Prompt, seed: int) -> str:
        """Return the key under which a reply is stored."""
        question = json.dumps([self.name, prompt.text, asdict(self.sampling), seed], sort_keys=True)
        return sha256(question.encode("utf-8", "backslashreplace")).hexdigest()[:32]

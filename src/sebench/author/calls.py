"""Calls of a model that are paid for once: every reply is a line of a file, found again by what was asked.

    with CallLog(Path("calls.jsonl")) as log:
        calls = Calls(log, model, "qwen3-8b", Sampling(0.7))
        said = await calls.ask(Prompt("Write a task ...", "mean/0", OPEN), seed=0)

The key of a reply is the model's name, the prompt, the sampling and the seed: the same work done again asks for nothing that is there, in
whatever order, and a changed prompt is another question. A torn last line is owed again. One process writes at a time.

Not covered: replies that the provider failed to give (None; the same call asks again), and tokens that a provider does not count.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from sebench import files
from sebench.errors import ConfigError, PromptRefused, ProviderError
from sebench.prompts import Prompt
from sebench.rollout.model import Completion, Model, Sampling
from sebench.store import appending, lines

TRIES, FIRST_PAUSE_S = 6, 0.5
CHARACTERS_PER_TOKEN = 4  # of English, roughly: for estimates alone
FIELDS = ("text", "finish", "prompt_tokens", "completion_tokens")


@dataclass(frozen=True)
class Price:
    """What a million tokens cost, in any currency."""

    prompt: float = 0.0
    completion: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Price:
        """From "0.5,1.5": prompt and completion."""
        try:
            prompt, completion = (float(part) for part in text.split(","))
        except ValueError:
            prompt = completion = -1.0
        if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
            raise ConfigError(
                f"a price is two numbers per million tokens, prompt and completion: 0.5,1.5; not '{text}'"
            )
        return cls(prompt, completion)


@dataclass(frozen=True)
class Spent:
    """What calls took."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Spent) -> Spent:
        return Spent(*(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True)))

    def cost(self, price: Price) -> float:
        return (self.prompt_tokens * price.prompt + self.completion_tokens * price.completion) / 1e6


def estimate(prompt: str, calls: int, completion_tokens: int) -> Spent:
    """What so many calls with prompts like this one would take, if each reply has so many tokens."""
    return Spent(calls, calls * (len(prompt) // CHARACTERS_PER_TOKEN), calls * completion_tokens)


class Ledger:
    """A JSONL file that one process appends to, behind its last whole line."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __enter__(self) -> Ledger:
        files.make_folder(self.file.parent)
        try:
            self._lock: IO[bytes] = self.file.open("ab")
        except OSError as error:
            raise files.unwritable(self.file, error) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._stream = appending(self.file)
        except OSError:
            self._lock.close()
            raise ConfigError(f"another process is writing to {self.file}; wait for it") from None
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()
        self._lock.close()  # last: now another process may write

    def add(self, data: Mapping[str, Any]) -> None:
        """One write a line: a process that is killed tears at most the last one."""
        line = f"{json.dumps(data, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")
        try:
            self._stream.write(line)
        except OSError as error:
            raise files.unwritable(self.file, error) from None


class CallLog(Ledger):
    """The file of replies; several models may share it."""

    def __enter__(self) -> CallLog:
        super().__enter__()
        self.there = {data["key"]: data for _, data in lines(self.file) if data.keys() >= {"key", *FIELDS}}
        return self

    def add(self, data: Mapping[str, Any]) -> None:
        super().add(data)
        self.there[data["key"]] = dict(data)

    def spent(self, model: str) -> Spent:
        """What all calls of a model took that are in the file: the price of the work, however often it was interrupted."""
        found = [data for data in self.there.values() if data.get("model") == model]
        return Spent(len(found), *(sum(data[field] for data in found) for field in FIELDS[2:]))


class Calls:
    """The calls of one model."""

    def __init__(self, log: CallLog, model: Model, name: str, sampling: Sampling) -> None:
        """`name` is what the record calls the model."""
        self.log, self.model, self.name, self.sampling = log, model, name, sampling
        self.made = 0  # calls, in this process
        self._places = asyncio.Semaphore(max(model.concurrency, 1))

    async def ask(self, prompt: Prompt, seed: int) -> Completion | None:
        """What the model says, or said before; None if the provider gave nothing."""
        key = self.key(prompt, seed)
        if key not in self.log.there:
            async with self._places:
                said = await self._completed(prompt, seed)
            if said is None:
                return None
            self.made += 1
            about = {"key": key, "about": prompt.task_id, "model": self.name, "seed": seed}
            self.log.add({**about, **{field: getattr(said, field) for field in FIELDS}})
        return Completion(*(self.log.there[key][field] for field in FIELDS))

    def key(self, prompt: Prompt, seed: int) -> str:
        """What a reply is found by."""
        asked = json.dumps([self.name, prompt.text, asdict(self.sampling), seed], sort_keys=True)
        return sha256(asked.encode("utf-8", "backslashreplace")).hexdigest()[:32]

    async def _completed(self, prompt: Prompt, seed: int) -> Completion | None:
        for attempt in range(TRIES):
            try:
                return await self.model.complete(prompt, self.sampling, seed)
            except PromptRefused:
                return None
            except ProviderError as error:
                if not error.again:
                    raise
                await asyncio.sleep(max(FIRST_PAUSE_S * 2**attempt, error.wait_s))
        return None

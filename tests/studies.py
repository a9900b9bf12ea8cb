"""Helpers for tests of studies: a scripted model, the studies that it makes, and what their logs contain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sebench.base.ledger import lines
from sebench.base.records import Task
from sebench.memory import material
from sebench.memory.folder import Memory
from sebench.memory.methods import scripted
from sebench.memory.methods.config import StudyConfig
from sebench.memory.methods.make import study
from sebench.memory.recall import Recall
from sebench.models.model import Completion, Model, Sampling
from sebench.models.scripted import UNKNOWN, read_by_name
from sebench.tasks import splits
from sebench.world.mentions import needed_functions
from sebench.world.prompts import Prompt
from sebench.world.world import World

TESTS = (splits.SINGLE_TEST, splits.MULTI_TEST)


class Told:
    """A model that says what a function says, and keeps what it was asked."""

    concurrency = 4

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say, self.prompts = say, list[str]()

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        self.prompts.append(prompt.text)
        return Completion(self.say(prompt.text), "stop", 10, 1)

    async def close(self) -> None:
        return


def maker(world: World, root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Memory]:
    """Makes studies of a world, with the scripted pair or with a model that the test gives."""

    def make(method: str, model: Model | None = None, folder: str = "memory", **settings: Any) -> Memory:
        if model is not None:
            monkeypatch.setattr(scripted, "load", lambda *asked: model)
        settings |= {"max_tokens": 16_000} if settings.get("rewrite") else {}
        return study(world, method, StudyConfig(model="reader", **settings), root / folder)

    return make


def ended(memory: Memory) -> dict[str, Any]:
    *_, (_, last) = lines(memory.path / "log.jsonl")
    assert last["event"] == "ended"
    return last


def events(memory: Memory, kind: str) -> list[dict[str, Any]]:
    return [line for _, line in lines(memory.path / "log.jsonl") if line["event"] == kind]


def solved(memory: Memory, world: World, split: str) -> float:
    """The share of a split that the reader solves."""
    recall, tasks = Recall(memory, world), world.tasks(split)
    said = [read_by_name(world, f"{recall.text(task).text}\n\n{world.prompt(task, 'closed')}") for task in tasks]
    return sum(text != UNKNOWN for text in said) / len(tasks)


def expected(known: set[str], world: World, split: str) -> float:
    """The share of tasks whose functions are all known."""
    tasks = world.tasks(split)
    return sum(set(needed_functions(task, world)) <= known for task in tasks) / len(tasks)


def studied(world: World, seed: int = 0) -> list[Task]:
    return material.held_out(world, seed)[0]

"""Two hundred answers, right and wrong ones and some without a program, which every integration must score as the judge
does."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from sebench.base.records import Task
from sebench.interop.frameworks.scoring import AnswerScore, shared_judge
from sebench.models import scripted
from sebench.world.world import World

SPLITS = ("train", "single_test", "multi_test")
COUNT = 200
SAMPLES = 4


def environment(name: str) -> ModuleType:
    """The module of a package in `environments/`, which need not be installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parent.parent / "environments" / name)
        return importlib.import_module(name)


def tasks(world: World) -> list[Task]:
    """Fifty tasks, each of which is answered four times."""
    return [task for split in SPLITS for task in world.tasks(split)][: COUNT // SAMPLES]


def answer(world: World, task: str, sample: int) -> str:
    """The answer to a task: the same every time, and for half of them the right one."""
    kinds: list[Callable[[Task, int], str]] = [
        scripted.gold,
        scripted.guess(world),
        scripted.gold,
        scripted.numpy(world),
        scripted.gold,
        lambda task, seed: f"```python\n{task.signature}\n    return {task.cases[0].expected!r}\n```",
        scripted.gold,
        scripted.silent,
    ]
    return random.Random(f"{task}:{sample}").choice(kinds)(world.task(task), 0)


@cache
def expected(path: str) -> dict[tuple[str, int], AnswerScore]:
    """What our own judge says of them."""
    judge = shared_judge(path)
    keys = [(task.id, sample) for task in tasks(judge.world) for sample in range(SAMPLES)]
    verdicts = judge.judge_many((task, answer(judge.world, task, sample)) for task, sample in keys)
    return dict(zip(keys, map(AnswerScore.of, verdicts), strict=True))


class Answering:
    """A scripted model: told by a prompt which task it is, and by the number of times it was asked which answer is
    due."""

    def __init__(self, world: World, *books: str) -> None:
        self.world = world
        everything = [task for split in SPLITS for task in world.tasks(split)]
        self.of_prompt = {world.prompt(task, book): task.id for task in everything for book in books}
        self.asked: dict[str, int] = {}

    def __call__(self, prompt: str) -> str:
        task = self.of_prompt[prompt]
        sample = self.asked[task] = self.asked.get(task, -1) + 1
        return answer(self.world, task, sample)

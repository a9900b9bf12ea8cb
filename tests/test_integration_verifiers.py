"""The verifiers environment rewards answers as the judge does. Skipped if verifiers is not installed."""

from __future__ import annotations

import asyncio
from types import ModuleType
from typing import Any

import pytest

from sebench.base.errors import SebenchError
from sebench.base.records import Blame, Kind, Verdict
from sebench.interop.frameworks import scoring
from sebench.world.world import World
from tests import answers

pytest.importorskip("verifiers")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def module() -> ModuleType:
    return answers.environment("sebench_env")


class Trace:
    """What a reward reads and writes of a rollout."""

    def __init__(self, last_reply: str) -> None:
        self.last_reply = last_reply
        self.metrics: dict[str, float] = {}

    def record_metric(self, name: str, value: float) -> None:
        self.metrics[name] = value


def tasks(module: ModuleType, world: World, **settings: Any) -> list[Any]:
    return list(module.SebenchTaskset(module.SebenchConfig(world=str(world.path), **settings)))


def test_two_hundred_answers_are_scored_as_by_the_judge(module: ModuleType, small: World) -> None:
    of = {task.data.id: task for task in tasks(module, small, split=",".join(answers.SPLITS))}

    async def scored(task: str, sample: int) -> tuple[float, dict[str, float]]:
        trace = Trace(answers.answer(small, task, sample))
        return await of[task].correct(trace), trace.metrics

    async def everything(keys: list[tuple[str, int]]) -> list[tuple[float, dict[str, float]]]:
        return await asyncio.gather(*(scored(*key) for key in keys))

    expected = answers.expected(str(small.path))
    found = asyncio.run(everything(list(expected)))
    wanted = [(one.targeted, {"passed": one.passed, "targeted": one.targeted}) for one in expected.values()]
    assert found == wanted


def test_a_task_is_the_question_of_a_run_and_its_gold_is_right(module: ModuleType, small: World) -> None:
    for task in tasks(module, small, split="single_test", book="open"):
        assert task.data.prompt == small.prompt(task.data.id, "open")
        assert asyncio.run(task.validate(None)) is True


def test_a_fault_is_an_error_and_no_reward(module: ModuleType, small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fault(future: Any) -> Verdict:
        return Verdict(Kind.FAULT, Blame.SANDBOX, detail="no memory")

    monkeypatch.setattr(scoring, "await_verdict", fault)
    with pytest.raises(SebenchError, match="could not be judged: no memory"):
        asyncio.run(tasks(module, small)[0].correct(Trace("x")))


def test_wrong_settings_are_one_line(module: ModuleType, small: World) -> None:
    with pytest.raises(SebenchError, match="credit = 'half'"):
        tasks(module, small, credit="half")
    with pytest.raises(SebenchError, match="book = 'half'"):
        tasks(module, small, book="half")

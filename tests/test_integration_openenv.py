"""The OpenEnv environment rewards answers as the judge does, over its own server. Skipped if openenv-core is not
installed."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from sebench.base.errors import SebenchError
from sebench.base.records import Blame, Kind, Verdict
from sebench.interop.frameworks import scoring
from sebench.world.world import World
from tests import answers

pytest.importorskip("openenv.core")
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def module() -> ModuleType:
    return answers.environment("sebench_openenv")


@pytest.fixture(scope="module")
def address(module: ModuleType, small: World) -> Iterator[str]:
    """Where the environment is served."""
    import uvicorn

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEBENCH_WORLD", str(small.path))
        patch.setenv("SEBENCH_SPLIT", ",".join(answers.SPLITS))
        server = uvicorn.Server(uvicorn.Config(module.app(), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)


def test_two_hundred_answers_over_the_wire_are_scored_as_by_the_judge(address: str, small: World) -> None:
    from openenv.core import GenericEnvClient

    expected = answers.expected(str(small.path))
    with GenericEnvClient(base_url=address).sync() as client:
        for (task, sample), one in expected.items():
            asked = client.reset(task=task)
            assert asked.observation["prompt"] == small.prompt(task, "closed")
            done = client.step({"response": answers.answer(small, task, sample)})
            assert (done.reward, done.observation["passed"], done.done) == (one.targeted, one.passed, True), task


def made(module: ModuleType, world: World) -> Any:
    questions = {one.task: one for one in module.questions(world, "train")}
    return module.SebenchEnvironment(world, str(world.path), questions, "targeted")


def test_the_seed_draws_the_question_and_nothing_is_judged_before(module: ModuleType, small: World) -> None:
    environment = made(module, small)
    with pytest.raises(SebenchError, match="no question was asked yet"):
        environment.step(module.Answer(response="x"))
    assert environment.reset(seed=3) == environment.reset(seed=3)
    assert len({environment.reset(seed=seed).task for seed in range(20)}) > 5
    with pytest.raises(SebenchError, match="no task 'nothing'"):
        environment.reset(task="nothing")


def test_a_question_is_answered_once(module: ModuleType, small: World) -> None:
    environment = made(module, small)
    environment.reset(seed=1)
    assert environment.step(module.Answer(response="x")).done
    with pytest.raises(SebenchError, match="this question was answered"):
        environment.step(module.Answer(response="y"))
    environment.reset(seed=1)
    assert environment.step(module.Answer(response="y")).reward == 0.0


def test_a_fault_has_no_reward(module: ModuleType, small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fault(future: Any) -> Verdict:
        return Verdict(Kind.FAULT, Blame.SANDBOX, detail="no memory")

    monkeypatch.setattr(scoring, "await_verdict", fault)
    environment = made(module, small)
    environment.reset(seed=1)
    done = asyncio.run(environment.step_async(module.Answer(response="x")))
    assert done.reward is None and done.detail == "no memory" and not done.done

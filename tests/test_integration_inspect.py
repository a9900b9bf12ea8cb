"""Inspect asks our questions and scores answers as the judge does, including answers in old logs. Skipped if inspect-ai
is not installed."""

from __future__ import annotations

import asyncio
import shutil
from math import isnan
from pathlib import Path
from statistics import mean
from types import SimpleNamespace
from typing import Any

import pytest

from sebench.base.errors import SebenchError
from sebench.base.records import Blame, Kind, Verdict
from sebench.world.world import World
from tests import answers

inspect_ai = pytest.importorskip("inspect_ai")
pytestmark = pytest.mark.filterwarnings("ignore")  # its own


def model(world: World, book: str) -> Any:
    """A model that answers by script; with its own count of tokens, which Inspect would fetch a tokenizer for."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    answering = answers.Answering(world, book)

    def output(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        said = ModelOutput.from_content("mockllm/model", answering(messages[-1].text))
        said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return said

    return get_model("mockllm/model", custom_outputs=output, memoize=False)


def evaluate(world: World, logs: Path, **arguments: Any) -> Any:
    ids = [task.id for task in answers.tasks(world)]
    book = arguments.get("book", "closed")
    log = inspect_ai.eval(
        "sebench/closed_book",
        model=model(world, book),
        task_args={"world": str(world.path), "split": list(answers.SPLITS), **arguments},
        sample_id=ids,
        display="none",
        log_dir=str(logs),
        max_connections=1,  # answers come in the order of samples
    )[0]
    assert log.status == "success", log.error
    return log


def metric(log: Any, name: str, reducer: str, measure: str = "accuracy") -> float:
    found = next(s for s in log.results.scores if s.name == name and s.reducer == reducer)
    return float(found.metrics[measure].value)


@pytest.fixture(scope="module")
def log(small: World, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return evaluate(small, tmp_path_factory.mktemp("logs"), k=answers.SAMPLES)


def test_two_hundred_answers_are_scored_as_by_the_judge(log: Any, small: World) -> None:
    expected = answers.expected(str(small.path))
    found: dict[str, list[tuple[float, float]]] = {}
    for sample in sorted(log.samples, key=lambda sample: sample.epoch):
        value = sample.scores["verdict"].value
        found.setdefault(sample.id, []).append((value["passed"], value["targeted"]))
    assert sum(map(len, found.values())) == answers.COUNT
    for task in found:
        ours = [expected[task, i] for i in range(answers.SAMPLES)]
        assert sorted(found[task]) == sorted((one.passed, one.targeted) for one in ours), task
    assert metric(log, "passed", "mean") == pytest.approx(mean(one.passed or 0 for one in expected.values()))
    assert metric(log, "targeted", "mean") == pytest.approx(mean(one.targeted or 0 for one in expected.values()))


def test_pass_at_k_and_errors_are_over_tasks(log: Any, small: World) -> None:
    expected = answers.expected(str(small.path))
    any_passed = [any(expected[t.id, i].passed for i in range(answers.SAMPLES)) for t in answers.tasks(small)]
    assert metric(log, "passed", "pass_at_4") == pytest.approx(mean(any_passed))
    p, n = mean(any_passed), len(any_passed)
    assert metric(log, "passed", "pass_at_4", "stderr") == pytest.approx((p * (1 - p) / (n - 1)) ** 0.5, rel=0.05)


def test_an_old_log_is_judged_again_also_where_the_world_has_moved(log: Any, small: World, tmp_path: Path) -> None:
    from sebench.interop.frameworks.inspect import verdict

    moved = shutil.copytree(small.path, tmp_path / "moved")
    again = inspect_ai.score(log, verdict(str(moved)), action="overwrite", display="none")
    was, now = (metric(one, "targeted", "mean") for one in (log, again))
    assert now == was


def test_answers_are_not_judged_in_another_world(tiny: World, small: World) -> None:
    from sebench.interop.frameworks.inspect import verdict

    task = small.tasks("train")[0]
    asked = {"task": task.id, "book": "closed", "world": small.manifest.fingerprint, "address": str(small.path)}
    state = SimpleNamespace(metadata=asked, output=SimpleNamespace(completion=task.gold))
    assert asyncio.run(verdict()(state, None)).value == {"passed": 1.0, "targeted": 1.0}
    with pytest.raises(SebenchError, match="the answers belong to world"):
        asyncio.run(verdict(str(tiny.path))(state, None))


def test_a_fault_is_not_a_score(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from sebench.interop.frameworks import inspect, scoring

    async def fault(future: Any) -> Verdict:
        return Verdict(Kind.FAULT, Blame.SANDBOX, detail="no memory")

    monkeypatch.setattr(scoring, "await_verdict", fault)
    asked = {"task": small.tasks("train")[0].id, "book": "closed", "world": "", "address": str(small.path)}
    state = SimpleNamespace(metadata=asked, output=SimpleNamespace(completion=""))
    score = asyncio.run(inspect.verdict()(state, None))
    assert isnan(score.value) and score.explanation == "fault: no memory"


def test_trio_too(small: World) -> None:
    trio = pytest.importorskip("trio")
    from sebench.interop.frameworks.inspect import verdict

    task = small.tasks("train")[0]
    asked = {"task": task.id, "book": "closed", "world": "", "address": str(small.path)}
    state = SimpleNamespace(metadata=asked, output=SimpleNamespace(completion=task.gold))
    assert trio.run(verdict(), state, None).value["targeted"] == 1.0


def test_books_and_wrong_arguments(small: World) -> None:
    from sebench.interop.frameworks.inspect import Refused, closed_book, native_book, open_book

    path, task = str(small.path), small.tasks("single_test")[0]
    for made, book in ((open_book(path), "open"), (native_book(path), "native"), (closed_book(path, "open"), "open")):
        assert made.dataset[0].input == small.prompt(task, book)
    with pytest.raises(Refused, match="book = 'half'"):
        closed_book(path, "half")
    with pytest.raises(Refused, match="k = 0: the number of answers per task must be at least 1"):
        closed_book(path, k=0)
    with pytest.raises(Refused, match=r"has no tasks in plan_test; it has train \(36\)"):
        closed_book(path, split="plan_test")

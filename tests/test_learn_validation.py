"""Validation uses training tasks that are not learned from, as often as requested, and never counts a fault as a wrong
answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.base.records import Blame, Kind, Task, Verdict  # noqa: E402
from sebench.train import sft  # noqa: E402
from sebench.train.config import ClosedSftConfig  # noqa: E402
from sebench.train.data import examples  # noqa: E402
from sebench.train.loop.training_run import TrainingRun  # noqa: E402
from sebench.train.methods import train  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests import toy  # noqa: E402


class Answered:
    """A judge that fails to judge the first answer and credits the others."""

    def __init__(self, world: World) -> None:
        self.asked: list[str] = []

    def __enter__(self) -> Answered:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, task: Task, text: str, native: bool) -> Any:
        self.asked.append(task.id)
        fault = Verdict(Kind.FAULT, Blame.SANDBOX)
        verdict = fault if len(self.asked) == 1 else Verdict(Kind.PASSED, Blame.NONE, targeted=True)

        class Done:
            def result(self) -> Verdict:
                return verdict

        return Done()


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sft, "Judge", Answered)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / sft.VALIDATION).read_text("utf-8").splitlines()]


def test_a_training_validates_on_its_way_and_at_its_end(tiny: World, tmp_path: Path, judged: None) -> None:
    tokens = toy.tokenizer()
    toy.model(tokens).save_pretrained(tmp_path / "toy")
    tokens.save_pretrained(tmp_path / "toy")
    config = ClosedSftConfig(
        model=str(tmp_path / "toy"), device="cpu", epochs=1, batch=2, per_function=1, probe_every=-1,
        validate=3, validate_every=2, max_tokens=2,
    )  # fmt: skip
    made = train(tiny, "closed-sft", config, tmp_path / "out", lambda what, done, total: None)
    found = lines(tmp_path / "out")
    assert made["steps"] == 3 and [line["step"] for line in found] == [2, 3]
    assert made["validation"] == found[-1]
    for line in found:
        assert line["tasks"] == 3 and line["faults"] == 1 and line["right"] == 1.0  # of those that could be judged


def test_a_step_is_validated_once_also_after_an_interruption(tiny: World, tmp_path: Path, judged: None) -> None:
    config = ClosedSftConfig(per_function=1, validate=2, max_tokens=2)
    training = TrainingRun(tiny, "closed-sft", config, tmp_path, lambda what, done, total: None)
    training.torch, training.tokenizer = torch, toy.tokenizer()
    training.model = toy.model(training.tokenizer)
    made = sft.validate(training, 4)
    with (tmp_path / sft.VALIDATION).open("a") as file:
        file.write('{"step": 5, "ta')
    assert sft.validate(training, 4) == made
    sft.validate(training, 5)
    assert [line["step"] for line in lines(tmp_path)] == [4, 5]


def test_nothing_that_is_validated_is_learnt_from(tiny: World, tmp_path: Path) -> None:
    config = ClosedSftConfig(per_function=1, validate=-1)
    asked = sft.held_out_tasks(tiny, config)
    learnt = {task.id for task in examples.training_tasks(tiny, 1)}
    assert {task.id for task in asked} == {task.id for task in tiny.tasks("train")} - learnt != set()

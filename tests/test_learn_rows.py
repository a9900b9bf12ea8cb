"""What training learns from: the same answers with the book open and closed, controls that differ in one respect, and
no row that the guard has not checked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from sebench.base.errors import ConfigError
from sebench.base.records import Blame, Kind, Rollout, Verdict
from sebench.rollout.store import Row
from sebench.train import sft
from sebench.train.config import ClosedSftConfig
from sebench.train.data import examples, guard
from sebench.train.data.gold_programs import held_out_golds
from sebench.train.data.tokens import text_rows
from sebench.world.world import World

RIGHT = Verdict(Kind.PASSED, Blame.NONE, targeted=True)


def test_an_own_answer_that_is_gold_of_a_test_task_is_left_out(small: World) -> None:
    """It would be right by chance, and the guard would refuse the whole training for it."""
    first, second = small.tasks("train")[:2]
    gold = next(iter(held_out_golds(small).values())).gold
    texts = [
        (first, f"```python\n{first.gold}\n```"),
        (second, f"Like this:\n```python\n{gold}\n```\nor\n```python\npass\n```"),
    ]
    ran = [Row({}, Rollout(task.id, "open", 0, "", text), RIGHT) for task, text in texts]
    assert guard.check(
        text_rows(small.prompter(), [examples.TrainingExample(second, texts[1][1], "")], "closed"), small
    )
    learnt = examples.from_run(ran, small)
    assert [example.task.id for example in learnt] == [first.id]
    assert not guard.check(text_rows(small.prompter(), learnt, "closed"), small)


@pytest.mark.parametrize("form", ["code", "recall"])
def test_an_answer_that_speaks_of_the_book_is_learnt_with_no_book(small: World, form: str) -> None:
    """Whether the update prompt will have the book is not asked: open and closed training learn from the same
    answers."""
    first, second, test = *small.tasks("train")[:2], small.tasks("single_test")[0]
    said = [
        (first, f"```python\n{first.gold}\n```"),
        (second, f"```python\n# as the documentation says\n{second.gold}\n```"),
        (test, f"```python\n{test.gold}\n```"),
    ]
    ran = [Row({}, Rollout(task.id, "open", 0, "", text), RIGHT) for task, text in said]
    found = examples.from_run(ran, small, form, "a model")
    assert [(one.task.id, one.source) for one in found] == [(first.id, "a model")]
    wrong = replace(RIGHT, targeted=False)
    assert examples.from_run([*ran, replace(ran[0], verdict=wrong)], small, form, "a model") == found


def test_what_a_model_thinks_about_the_book_does_not_count_and_answers_can_be_kept(small: World) -> None:
    first, second = small.tasks("train")[:2]
    said = [
        (first, f"<think>The documentation says how.</think>\n```python\n{first.gold}\n```"),
        (second, f"As the documentation says:\n```python\n{second.gold}\n```"),
    ]
    ran = [Row({}, Rollout(task.id, "open", 0, "", text), RIGHT) for task, text in said]
    assert [one.answer for one in examples.from_run(ran, small)] == [said[0][1]]
    assert [one.answer for one in examples.from_run(ran, small, mentions=True)] == [text for _, text in said]


def test_answers_that_passed_can_be_learnt_whatever_did_the_work(small: World) -> None:
    task = small.tasks("train")[0]
    rollout = Rollout(task.id, "open", 0, "", f"```python\n{task.gold}\n```")
    ran = [Row({}, rollout, replace(RIGHT, targeted=False))]
    with pytest.raises(ConfigError, match="no credited open-book answer"):
        examples.from_run(ran, small)
    assert len(examples.from_run(ran, small, credit="passed")) == 1
    assert not examples.with_reward([replace(task, gold="")], "targeted")
    assert examples.with_reward([replace(task, gold="")], "passed")
    unknown = [Row({}, rollout, replace(RIGHT, targeted=None))]  # the task does not say what it is about
    assert len(examples.from_run(unknown, small)) == 1


def test_a_test_question_among_replayed_conversations_is_found(small: World, tmp_path: Path) -> None:
    task = small.tasks("multi_test")[0]
    turns = [("user", "hello"), ("assistant", "hi"), ("user", task.question), ("assistant", "I do not know.")]
    file = tmp_path / "general.jsonl"
    file.write_text(json.dumps({"messages": [{"role": role, "content": text} for role, text in turns]}) + "\n")
    config = ClosedSftConfig(replay=str(file), replay_share=0.5, per_function=1)
    made = sft.training_rows(small, "closed-sft", config)
    assert not guard.check(made, small)
    assert {finding.task for finding in guard.check(sft.rows_for_guard(made, config)[: len(made) + 1], small)} == {
        task.id
    }

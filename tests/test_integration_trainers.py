"""TRL and verl reward answers as the judge does, and their rows lead to the right task. TRL's own trainer is in the
slow tests; verl itself is tested if it is installed."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import os
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sebench import JudgeClient
from sebench.base import versions
from sebench.base.errors import JudgeUnavailable, SebenchError
from sebench.base.records import Blame, Kind, Verdict
from sebench.interop.formats import huggingface
from sebench.interop.formats import verl as verl_files
from sebench.interop.frameworks import scoring, trl, verl
from sebench.models import scripted
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.world.prompts import BOOKS
from sebench.world.world import World
from tests import answers, serving
from tests.conftest import slow


def two_hundred(world: World) -> tuple[list[tuple[str, str]], list[scoring.AnswerScore]]:
    """Tasks with answers, and what our judge says of them."""
    expected = answers.expected(str(world.path))
    return [(task, answers.answer(world, task, sample)) for task, sample in expected], list(expected.values())


@pytest.mark.parametrize("credit", ["targeted", "passed"])
def test_trl_rewards_are_those_of_the_judge(small: World, credit: str) -> None:
    pairs, expected = two_hundred(small)
    columns = {"task": [task for task, _ in pairs], "book": ["closed"] * len(pairs)}
    columns["world"] = [small.manifest.fingerprint] * len(pairs)
    messages = [[{"role": "assistant", "content": text}] for _, text in pairs]
    reward = trl.reward(small.path, credit)
    assert inspect.iscoroutinefunction(reward) and reward.__name__ == f"sebench_{credit}"
    for completions in (messages, [text for _, text in pairs]):
        found = asyncio.run(reward(prompts=[], completions=completions, completion_ids=[], **columns))
        assert found == [getattr(one, credit) for one in expected]


def test_trl_rows_are_the_questions_of_a_run_and_their_answers_are_right(small: World) -> None:
    rows = trl.dataset(small.path, completions=True)
    assert rows["task"] == [task.id for task in small.tasks("train")]
    assert rows[0]["prompt"] == [{"role": "user", "content": small.prompt(rows[0]["task"], "closed")}]
    columns = {name: rows[name] for name in ("task", "book", "world")}
    found = asyncio.run(trl.reward(small)(completions=rows["completion"], **columns))
    assert found == [1.0] * len(rows)
    asked = trl.dataset(small, "single_test,multi_test", "open", distractors=0)
    assert len(asked) == len(small.tasks("single_test")) + len(small.tasks("multi_test"))


def test_rows_without_a_world_are_rewarded_by_a_served_judge(small: World, tiny: World, tmp_path: Path) -> None:
    """What a trainer has: exported rows, and the address of a judge."""
    huggingface.export(small, tmp_path / "hf")
    rows = [json.loads(line) for line in (tmp_path / "hf" / "train.jsonl").read_text().splitlines()][:8]
    columns = {"task": [row["id"] for row in rows], "book": ["closed"] * 8, "world": [row["world"] for row in rows]}
    with serving.served(scoring.shared_judge(str(small.path))) as server:
        reward = trl.reward(server.address)
        assert asyncio.run(reward(completions=[row["gold"] for row in rows], **columns)) == [1.0] * 8
        assert asyncio.run(reward(completions=["no"] * 8, **columns)) == [0.0] * 8
        with JudgeClient(server.address) as client:
            assert client.rewards([(row, row["gold"]) for row in rows]) == [1.0] * 8
        with pytest.raises(SebenchError, match="world"):
            other = {**columns, "world": [tiny.manifest.fingerprint] * 8}
            asyncio.run(reward(completions=["no"], **{name: values[:1] for name, values in other.items()}))
        for fingerprint in (small.manifest.fingerprint, tiny.manifest.fingerprint):
            scoring.served_judge(server.address, fingerprint, os.getpid()).client.close()


def test_prompts_are_those_of_a_run_byte_for_byte(tiny: World, tmp_path: Path) -> None:
    """In the data sets of trainers, in exports, and in what `sebench run` asks, with each book."""
    pipeline.run(RunConfig(model="silent", split=("train",), book=BOOKS), tiny, tmp_path / "run")
    run = Run.load(tmp_path / "run")
    texts = dict(run.prompts())
    asked = {(row.rollout.book, row.rollout.task_id): texts[row.rollout.prompt_digest] for row in run.rows()}
    huggingface.export(tiny, tmp_path / "hf")
    rows = [json.loads(line) for line in (tmp_path / "hf" / "train.jsonl").read_text().splitlines()]
    assert {(book, row["id"]): row[f"prompt_{book}"] for book in BOOKS for row in rows} == asked
    for book in BOOKS:
        verl_files.export(tiny, tmp_path / book, book)
        told = {
            row["reward_model"]["ground_truth"]: row["prompt"][0]["content"] for row in parquet_rows(tmp_path / book)
        }
        assert {(book, task): text for task, text in told.items()}.items() <= asked.items()
        rows = trl.dataset(tiny.path, book=book)
        assert {(book, row["task"]): row["prompt"][0]["content"] for row in rows}.items() <= asked.items()
        assert len(told) == len(rows) == len(tiny.tasks("train"))


def parquet_rows(folder: Path) -> list[dict[str, Any]]:
    from pyarrow import parquet

    return list(parquet.read_table(folder / "train.parquet").to_pylist())


def test_a_served_judge_that_is_gone_stops_a_training_and_is_never_a_reward(small: World) -> None:
    """Not 0.0, which would be learnt from, and not None, with which a training would go on and learn nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    fingerprint = small.manifest.fingerprint
    scoring.served_judge(url, fingerprint, os.getpid()).client.patience_s = 0.2
    named = small.tasks("train")[0].id
    with pytest.raises(JudgeUnavailable, match="gave no valid reply"):
        asyncio.run(trl.reward(url)(completions=["x"], task=[named], book=["closed"], world=[fingerprint]))
    with pytest.raises(JudgeUnavailable, match="gave no valid reply"):
        asyncio.run(verl.compute_score("sebench", "x", named, {"world": fingerprint}, world=url))


def test_a_served_judge_is_asked_by_many_threads_and_after_a_fork(small: World) -> None:
    named, fingerprint = small.tasks("train")[0].id, small.manifest.fingerprint
    with serving.served(scoring.shared_judge(str(small.path))) as server:

        def judged(response: str) -> bool:
            return (
                scoring.served_judge(server.address, fingerprint, os.getpid()).submit(named, response).result(60).passed
            )

        with ThreadPoolExecutor(16) as threads:
            assert not any(threads.map(judged, ["x"] * 32))
        child = os.fork()
        if not child:
            os._exit(0 if judged(small.tasks("train")[0].gold) else 1)
        assert os.waitpid(child, 0)[1] == 0
        scoring.served_judge(server.address, fingerprint, os.getpid()).client.close()


def test_trl_leaves_out_a_fault(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "await_verdict", fault)
    task = small.tasks("train")[0].id
    found = trl.reward(small)(completions=["x"], task=[task], book=["closed"], world=[small.manifest.fingerprint])
    assert asyncio.run(found) == [None]


async def fault(future: Any) -> Verdict:
    return Verdict(Kind.FAULT, Blame.SANDBOX, detail="no memory")


def test_rows_of_another_world_are_refused(small: World, tiny: World) -> None:
    task, fingerprint = small.tasks("train")[0].id, small.manifest.fingerprint
    with pytest.raises(SebenchError, match="the answers belong to world"):
        asyncio.run(trl.reward(tiny)(completions=["x"], task=[task], book=["closed"], world=[fingerprint]))
    with pytest.raises(SebenchError, match="the answers belong to world"):
        asyncio.run(verl.compute_score("sebench", "x", task, {"world": fingerprint}, world=str(tiny.path)))


def test_verl_rewards_are_those_of_the_judge(small: World) -> None:
    pairs, expected = two_hundred(small)
    about = {"world": small.manifest.fingerprint, "book": "closed"}

    async def everything() -> list[dict[str, float]]:
        one_by_one = (
            verl.compute_score("sebench", text, task, dict(about), world=str(small.path)) for task, text in pairs
        )
        return await asyncio.gather(*one_by_one)

    found = asyncio.run(everything())
    assert [(one["score"], one["passed"]) for one in found] == [(one.targeted, one.passed) for one in expected]
    assert {one["fault"] for one in found} == {0.0}


def test_an_answer_in_numpy_is_right_in_the_native_book_alone(small: World) -> None:
    task = small.tasks("single_test")[0]
    text = scripted.numpy(small)(task, 0)
    for book, score in (("native", 1.0), ("closed", 0.0)):
        found = asyncio.run(verl.compute_score("sebench", text, task.id, {"book": book}, world=str(small.path)))
        assert found["score"] == score


def test_verl_tells_a_fault_from_a_wrong_answer(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "await_verdict", fault)
    found = asyncio.run(verl.compute_score("sebench", "x", small.tasks("train")[0].id, world=str(small.path)))
    assert found == {"score": 0.0, "passed": 0.0, "targeted": 0.0, "fault": 1.0}


def test_verl_rows_lead_to_their_tasks_and_hold_no_answer(small: World, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    counts = verl_files.export(small, tmp_path / "verl")
    assert counts == {split: count for split, count in small.manifest.tasks.items() if count}
    rows = parquet.read_table(tmp_path / "verl" / "multi_test.parquet").to_pylist()
    for row, task in zip(rows, small.tasks("multi_test"), strict=True):
        assert row["reward_model"]["ground_truth"] == task.id and task.gold not in str(row)
        assert row["prompt"][0]["content"] == small.prompt(task, "closed")
        assert row["extra_info"]["sample_prompt"][0]["content"] == small.prompt(task, "open")
        right = verl.compute_score("sebench", task.gold, task.id, row["extra_info"], world=str(small.path))
        assert asyncio.run(right)["score"] == 1.0


def test_no_world_and_a_wrong_credit_are_one_line(monkeypatch: pytest.MonkeyPatch, small: World) -> None:
    monkeypatch.delenv("SEBENCH_WORLD", raising=False)
    with pytest.raises(SebenchError, match=r"no world: set reward\.custom_reward_function"):
        asyncio.run(verl.compute_score("sebench", "x", "t"))
    with pytest.raises(SebenchError, match="credit = 'half': must be 'targeted' or 'passed'"):
        trl.reward(small, "half")


def test_a_missing_package_and_an_untried_version_are_one_line() -> None:
    none = versions.TestedVersions("no-such-package", "1", "2", "some")
    with pytest.raises(SebenchError, match=r"not installed: pip install -e '\.\[some\]'"):
        versions.require(none)
    with pytest.raises(
        SebenchError, match=r"trl 1\.17\.0 is installed, but this version of sebench was tested with trl>=1\.16,<1\.17"
    ):
        versions.check(versions.TRL, "1.17.0")
    for fine in ("1.16.0", "1.16.3.dev1", "1.16"):
        versions.check(versions.TRL, fine)


def test_no_pyarrow_and_no_inspect_are_one_line(small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(SebenchError, match="needs the package pyarrow: pip install pyarrow"):
        verl_files.export(small, tmp_path / "verl")
    if versions.installed_version(versions.INSPECT) is None:
        with pytest.raises(SebenchError, match=r"not installed: pip install '\.\[inspect\]'"):
            importlib.import_module("sebench.interop.frameworks.inspect")


@pytest.mark.filterwarnings("ignore")
def test_the_reward_loop_of_verl_awaits_the_function(small: World) -> None:
    pytest.importorskip("verl")
    import numpy as np
    import torch
    from omegaconf import OmegaConf
    from verl import DataProto
    from verl.experimental.reward_loop.reward_manager.naive import NaiveRewardManager
    from verl.trainer.ppo.reward import get_custom_reward_fn

    told = {
        "path": "pkg://sebench.interop.frameworks.verl",
        "name": "compute_score",
        "reward_kwargs": {"world": str(small.path)},
    }
    config = OmegaConf.create({"reward": {"custom_reward_function": told}})
    characters = SimpleNamespace(decode=lambda ids, skip_special_tokens: bytes(ids.tolist()).decode())
    pairs, expected = two_hundred(small)

    def rollout(task: str, text: str) -> Any:
        ids = torch.tensor([list(text.encode())])
        about = {
            "data_source": "sebench",
            "reward_model": {"style": "rule", "ground_truth": task},
            "extra_info": {"world": small.manifest.fingerprint, "book": "closed"},
        }
        columns = {name: np.array([value], dtype=object) for name, value in about.items()}
        return DataProto.from_dict({"responses": ids, "attention_mask": torch.ones_like(ids)}, columns)

    async def everything() -> list[dict[str, Any]]:
        manager = NaiveRewardManager(config, characters, get_custom_reward_fn(config))
        assert manager.is_async_reward_score
        return await asyncio.gather(*(manager.run_single(rollout(*pair)) for pair in pairs))

    assert [one["reward_score"] for one in asyncio.run(everything())] == [one.targeted for one in expected]


@slow
@pytest.mark.filterwarnings("ignore")
def test_trl_trains_with_it(small: World, tmp_path: Path) -> None:
    from trl import GRPOConfig, GRPOTrainer

    from tests import toy

    threads = threading.active_count()
    tokens = toy.tokenizer()
    args = GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=2,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=8,
        use_cpu=True,
        bf16=False,
        report_to="none",
        save_strategy="no",
        logging_steps=1,
    )
    model = toy.model(tokens, context=8192)
    trainer = GRPOTrainer(
        model, reward_funcs=trl.reward(small), train_dataset=trl.dataset(small), args=args, processing_class=tokens
    )
    trainer.train()
    assert [log["rewards/sebench_targeted/mean"] for log in trainer.state.log_history[:2]] == [0.0, 0.0]
    assert threading.active_count() <= threads + 8

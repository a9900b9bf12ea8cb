"""The TRL engine learns what the short loop learns: the same gradients, every row, several processes, and two prompts
in Closed-RL."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
if find_spec("peft") is None:  # importing it takes longer than torch, and every test process reads this file
    pytest.skip("peft is not installed", allow_module_level=True)

from safetensors.torch import load_file  # noqa: E402

from sebench.base.errors import ConfigError  # noqa: E402
from sebench.models import checkpoints  # noqa: E402
from sebench.train import methods, rl, sft  # noqa: E402
from sebench.train.config import BookRlConfig, ClosedSftConfig, RlConfig, SftConfig  # noqa: E402
from sebench.train.data.tokens import TokenRow  # noqa: E402
from sebench.train.loop import batches  # noqa: E402
from sebench.train.loop.loop import Log, Trainer  # noqa: E402
from sebench.train.trl import rl as trl_rl  # noqa: E402
from sebench.train.trl import sft as trl  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests import toy  # noqa: E402
from tests.conftest import slow  # noqa: E402

ROOT = Path(__file__).parent.parent
ROWS = [TokenRow(f"t{i}", tuple((7 * i + 3 * j) % 90 + 4 for j in range(6 + 5 * i)), 3 + i) for i in range(9)]
SETTINGS = SftConfig(lr=1e-3, precision="float32")
TOKENS = toy.tokenizer()


@pytest.fixture(autouse=True)
def unclipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trainer, "clip", 1e9)


def nothing(step: int, figures: dict[str, Any]) -> None:
    """A log for tests that do not read it."""


def gradients(model: Any) -> dict[str, torch.Tensor]:
    return {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor], atol: float = 1e-6) -> None:
    assert one.keys() == other.keys() and one
    for name, value in one.items():
        torch.testing.assert_close(
            value, other[name], rtol=1e-4, atol=atol, msg=lambda text, name=name: f"{name}: {text}"
        )


def keep_gradients(trainer: Any) -> list[dict[str, torch.Tensor]]:
    """The gradients of every update that a TRL trainer will make."""
    from transformers import TrainerCallback

    kept: list[dict[str, torch.Tensor]] = []

    class Keep(TrainerCallback):
        def on_pre_optimizer_step(self, *_: Any, **__: Any) -> None:
            kept.append(gradients(trainer.model))

    trainer.add_callback(Keep())
    return kept


# ---- supervised fine-tuning ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packing", [True, False])
def test_both_engines_give_the_same_gradient(tmp_path: Path, packing: bool) -> None:
    steps = batches.steps(ROWS, 1, len(ROWS), 0)
    loop = Trainer(torch, toy.model(TOKENS), SETTINGS)
    sft.fit(loop, steps, tmp_path, nothing)
    model = toy.model(TOKENS)
    config = replace(SETTINGS, packing=packing, pack_tokens=60)
    trainer = trl.sft_trainer(model, TOKENS, steps, config, tmp_path, nothing)
    kept = keep_gradients(trainer)
    trl.run(trainer, tmp_path)
    assert trainer.args.gradient_accumulation_steps > 1
    same(kept[0], gradients(loop.model))


def fitted(
    model: Any,
    steps: list[batches.TrainingStep],
    config: SftConfig,
    folder: Path,
    log: Log,
    validation: Sequence[TokenRow] = (),
) -> None:
    trl.fit(trl.sft_trainer(model, TOKENS, steps, config, folder, log, validation), TOKENS, folder)


def test_both_engines_end_with_the_same_weights_and_log(tmp_path: Path) -> None:
    steps = batches.steps(ROWS, 2, 4, 0)
    lines: dict[str, list[dict[str, Any]]] = {"loop": [], "trl": []}
    loop = Trainer(torch, toy.model(TOKENS), SETTINGS)
    sft.fit(loop, steps, tmp_path, lambda step, figures: lines["loop"].append({"step": step, **figures}))
    model, config = toy.model(TOKENS), replace(SETTINGS, pack_tokens=40, checkpointing=True, validate_every=2)
    held_out = ROWS[2:5]
    fitted(model, steps, config, tmp_path, lambda s, f: lines["trl"].append({"step": s, **f}), held_out)
    same(dict(model.named_parameters()), dict(loop.model.named_parameters()), atol=1e-5)
    validated = [line.pop("validation_loss") for line in lines["trl"] if "validation_loss" in line]
    assert len(validated) == len(steps) // 2
    assert validated[-1] == pytest.approx(-float(loop.log_probabilities(tuple(held_out)).mean()), abs=1e-4)
    for one, other in zip(lines["loop"], lines["trl"], strict=True):
        assert one.keys() == other.keys()
        assert [other[k] for k in ("step", "epoch", "tokens", "learnt")] == [
            one[k] for k in ("step", "epoch", "tokens", "learnt")
        ]
        assert (other["loss"], other["lr"]) == pytest.approx((one["loss"], one["lr"]), abs=1e-5)
    same(
        load_file(tmp_path / "model.safetensors"),
        {k: v for k, v in model.state_dict().items() if k != "lm_head.weight"},
    )


def test_adapters_are_trained_alike_and_merged(tmp_path: Path) -> None:
    steps = batches.steps(ROWS, 1, 4, 0)
    models = [checkpoints.with_adapters(toy.model(TOKENS), 4, seed=0) for _ in range(2)]
    for name in ("loop", "trl"):
        (tmp_path / name).mkdir()
    sft.fit(Trainer(torch, models[0], SETTINGS), steps, tmp_path, nothing)
    checkpoints.save(models[0], TOKENS, tmp_path / "loop")
    config, weights = (tmp_path / "loop" / name for name in ("config.json", "model.safetensors"))
    assert weights.stat().st_mode == config.stat().st_mode  # as readable as everything else
    fitted(models[1], steps, replace(SETTINGS, checkpointing=True), tmp_path / "trl", nothing)
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("loop", "trl"))
    same(one, other)
    assert not torch.equal(
        one["model.layers.0.mlp.up_proj.weight"], toy.model(TOKENS).model.layers[0].mlp.up_proj.weight
    )


class Killed(Exception):
    pass


def test_an_interrupted_training_goes_on_from_its_last_whole_checkpoint(tmp_path: Path) -> None:
    steps = batches.steps(ROWS, 2, 4, 0)
    config = replace(SETTINGS, save_minutes=0, pack_tokens=40)
    for name in ("whole", "torn"):
        (tmp_path / name).mkdir()
    whole = toy.model(TOKENS)
    fitted(whole, steps, config, tmp_path / "whole", nothing)
    assert trl.steps_done(tmp_path / "whole") == 5  # until the record says that the training has ended, it can go on
    trl.remove_checkpoints(tmp_path / "whole")
    assert trl.steps_done(tmp_path / "whole") == 0

    def stop(step: int, figures: dict[str, Any]) -> None:
        if step == 3:
            raise Killed

    with pytest.raises(Killed):
        fitted(toy.model(TOKENS), steps, config, tmp_path / "torn", stop)
    assert trl.steps_done(tmp_path / "torn") == 3
    (tmp_path / "torn" / "checkpoints" / "checkpoint-4").mkdir()  # killed while it was written
    seen: list[int] = []
    again = toy.model(TOKENS, seed=99)
    fitted(again, steps, config, tmp_path / "torn", lambda step, figures: seen.append(step))
    assert seen == [3, 4, 5]
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("packing", [True, False])
@pytest.mark.parametrize("processes", [1, 2, 8])
def test_no_row_is_lost_however_many_processes_share_a_step(processes: int, packing: bool) -> None:
    steps = batches.steps(ROWS, 2, 5, 3)
    accumulation, made = batches.split_steps(steps, processes, 60, packing)
    per_step = processes * accumulation
    assert len(made) == len(steps) * per_step
    for step in steps:
        mine = made[step.number * per_step : (step.number + 1) * per_step]
        assert sorted(row.id for part in mine for row in part) == sorted(row.id for row in step.rows)
        assert all(batches.padded_size(part, packing) <= 60 for part in mine if len(part) > 1)


def test_an_empty_micro_batch_has_no_loss(tmp_path: Path) -> None:
    steps = batches.steps(ROWS[:1], 1, 1, 0)
    _, micro = batches.split_steps(steps, 4, 60, True)
    made = trl._Collator(TOKENS, micro, ROWS[0], packing=True)
    learnt = [int((made([{"part": n}])["labels"] != trl.IGNORED).sum()) for n in range(4)]
    assert sorted(learnt) == [0, 0, 0, ROWS[0].learnt]


def test_another_version_of_trl_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "1.17.0")
    with pytest.raises(
        ConfigError, match=r"trl 1\.17\.0 is installed, but .* tested with trl>=1\.16,<1\.17: pip install"
    ):
        trl.library()


def test_settings_of_the_short_loop_are_refused() -> None:
    with pytest.raises(ConfigError, match="--compile requires --trainer loop"):
        SftConfig(compile=True, trainer="trl")


def test_a_gpu_that_is_not_there_is_not_replaced_by_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match="--device cuda: torch sees no GPU here; use --device cpu"):
        trl.load("any", device="cuda")


# ---- several processes -----------------------------------------------------------------------------------------------


def launched(folder: Path) -> str:
    """What two CPU processes print that train with the settings of experiments/fsdp.yaml."""
    from accelerate.commands.launch import _validate_launch_command, launch_command_parser
    from accelerate.utils.launch import prepare_multi_gpu_env

    words = [
        "--config_file",
        str(ROOT / "experiments" / "fsdp.yaml"),
        "--num_processes",
        "2",
        "--mixed_precision",
        "no",
    ]
    args = _validate_launch_command(launch_command_parser().parse_args([*words, "script"]))[0]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    told = {k: v for k, v in prepare_multi_gpu_env(args).items() if k.startswith(("FSDP_", "ACCELERATE_"))}
    shared = {**os.environ, **told, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": "1"}
    shared |= {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
    command = [sys.executable, "-m", "tests.fsdp_process", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=shared, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@slow
def test_sharded_over_two_processes_the_weights_are_those_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full tuning and LoRA, with the file that people launch with; it has accelerate load the weights in one process
    alone."""
    monkeypatch.setattr(Trainer, "clip", 1.0)  # as in those processes
    rows = ROWS[:8]
    (tmp_path / "rows.json").write_text(json.dumps([asdict(row) for row in rows]), "utf-8")
    checkpoints.save(toy.model(TOKENS), TOKENS, tmp_path / "model")
    assert launched(tmp_path).splitlines() == ["sharded 2"] * 6  # three trainings of two processes
    steps = batches.steps(rows, 1, 4, 0)
    assert len(steps) == 2
    for lora in (0, 4):
        model = toy.model(TOKENS)
        model = checkpoints.with_adapters(model, lora, seed=0) if lora else model
        sft.fit(Trainer(torch, model, SETTINGS), steps, tmp_path, nothing)
        checkpoints.save(model, TOKENS, tmp_path / "one")
        same(
            load_file(tmp_path / f"float32-{lora}" / "model.safetensors"),
            load_file(tmp_path / "one" / "model.safetensors"),
        )
    exact, rounded = (
        json.loads((tmp_path / f"{name}-0" / "losses.json").read_text("utf-8")) for name in ("float32", "bf16")
    )
    assert rounded != exact  # products are in bf16, but the losses, near 4.7, are not: they would be multiples of 1/32
    assert rounded == pytest.approx(exact, abs=0.003)


# ---- RL --------------------------------------------------------------------------------------------------------------

QUESTIONS = [
    trl_rl.TaskPrompts(f"t{n}", f"page {n} of the book says much. what is {n}?", f"what is {n}?") for n in range(3)
]
RL: dict[str, Any] = {"samples": 4, "max_tokens": 6, "precision": "float32", "lr": 1e-3, "least_mixed": 0}


def worth(tasks: Sequence[str], responses: Sequence[str]) -> list[float | None]:
    """Rewards that depend on place and task alone; the third answer of the second task is a fault."""
    return [None if n == 6 else float((n * n + int(task[1])) % 3 == 1) for n, task in enumerate(tasks)]


def rl_trainer(folder: Path, steps: int, log: Log, seed: int = 0, **chosen: Any) -> Any:
    """Closed-RL on three tasks."""
    model, order, config = toy.model(TOKENS, seed), [["t0", "t1", "t2"]] * steps, RlConfig(**{**RL, **chosen})
    return trl_rl.rl_trainer(model, TOKENS, QUESTIONS, order, worth, config, folder, log)


def one_step(folder: Path, **chosen: Any) -> tuple[list[dict[str, torch.Tensor]], dict[str, Any], list[dict[str, Any]]]:
    """The gradients of a step, what was sampled, and the log."""
    lines: list[dict[str, Any]] = []
    trainer = rl_trainer(folder, 1, lambda step, figures: lines.append(figures), **chosen)
    trainer.args.max_grad_norm = 1e9
    kept, sampled = keep_gradients(trainer), {}
    score = trainer._generate_and_score_completions

    def keep(inputs: list[dict[str, Any]]) -> dict[str, Any]:
        made: dict[str, Any] = score(inputs)
        sampled.update({key: value.clone() for key, value in made.items()}, tasks=[one["task"] for one in inputs])
        sampled["prompts"] = list(trainer.sampled_ids)
        return made

    trainer._generate_and_score_completions = keep
    trainer.train()
    return kept, sampled, lines


def samples_of(sampled: dict[str, Any]) -> list[rl.Sample]:
    """The sampled answers, behind the prompts without the book, as the short loop takes them."""
    rewards, made = worth(sampled["tasks"], [""] * 12), []
    updated = {q.task_id: TOKENS(q.update, add_special_tokens=False)["input_ids"] for q in QUESTIONS}
    for n, task in enumerate(sampled["tasks"]):
        answer = sampled["completion_ids"][n][sampled["completion_mask"][n].bool()].tolist()
        behind, prompt = sampled["prompts"][n], updated[task]
        rows = [TokenRow(task, (*ids, *answer), len(ids)) for ids in (behind, prompt)]
        made.append(rl.Sample(SimpleNamespace(id=task), *rows, reward=rewards[n]))  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize("advantage", ["group", "raw", "positive"])
def test_closed_rl_gives_the_gradient_of_the_loop_and_of_the_formula(tmp_path: Path, advantage: str) -> None:
    kept, sampled, lines = one_step(tmp_path, advantage=advantage)
    samples = samples_of(sampled)
    config = RlConfig(**RL, advantage=advantage)
    loop = Trainer(torch, toy.model(TOKENS), SETTINGS)
    figures = rl.update(loop, samples, config, 1e-3)
    same(kept[0], gradients(loop.model))
    same(kept[0], by_hand(samples, advantage))
    for name in ("reward", "mixed", "solved", "faults", "tokens", "learnt"):
        assert lines[0][name] == pytest.approx(figures[name]), name
    assert {"judge_s", "sample_s", "s", "lr", "clipped"} <= lines[0].keys()


def by_hand(samples: Sequence[rl.Sample], advantage: str) -> dict[str, torch.Tensor]:
    """The gradient of the sum of advantage times log-probability, over the tokens of answers that have an advantage."""
    model, total, count = toy.model(TOKENS), torch.zeros(()), 0
    for task in ("t0", "t1", "t2"):
        group = [s for s in samples if s.task.id == task and s.reward is not None]
        rewards = torch.tensor([float(s.reward or 0) for s in group])
        values = (rewards - rewards.mean()) / (rewards.std(correction=0) + 1e-4)
        values = {"group": values, "raw": rewards, "positive": values.clamp(min=0)}[advantage]
        for sample, value in zip(group, values.tolist(), strict=True):
            if value:
                ids = torch.tensor([sample.update_row.ids])
                logs = model(input_ids=ids).logits[0, :-1].log_softmax(-1)
                chosen = logs.gather(1, ids[0, 1:, None])[sample.update_row.answer_from - 1 :]
                total, count = total - value * chosen.sum(), count + len(chosen)
    (total / count).backward()
    return gradients(model)


@pytest.mark.parametrize("kind", ["group", "raw", "positive"])
def test_a_fault_has_no_advantage_and_changes_none(kind: str) -> None:
    rewards = [1.0, 0.0, None, 1.0, 0.0, 0.0, 0.0, 0.0, None, None, 1.0, None, None, None, None, None]
    groups = [n // 4 for n in range(16)]
    known = [n for n, reward in enumerate(rewards) if reward is not None]
    wanted = dict(zip(known, rl.advantages([groups[n] for n in known], [rewards[n] for n in known], kind), strict=True))
    assert rl.advantages(groups, rewards, kind) == [wanted.get(n, 0.0) for n in range(16)]


def test_an_answer_without_a_verdict_does_not_count(tmp_path: Path) -> None:
    _, sampled, lines = one_step(tmp_path, advantage="raw")
    assert lines[0]["faults"] == 1
    assert sampled["advantages"][6] == 0 and not sampled["tool_mask"][6].any()
    moving = sampled["completion_mask"][sampled["advantages"] != 0]
    assert sampled["num_items_in_batch"] == moving.sum()


def test_the_first_update_of_open_and_closed_differ_in_the_prompt_alone(tmp_path: Path) -> None:
    _, sampled, _ = one_step(tmp_path)
    for n, task in enumerate(sampled["tasks"]):
        question = next(q for q in QUESTIONS if q.task_id == task)
        mask = sampled["prompt_mask"][n].bool()
        assert sampled["prompt_ids"][n][mask].tolist() == TOKENS(question.update)["input_ids"]
        assert sampled["prompts"][n] == TOKENS(question.sampling)["input_ids"]


def test_clipping_happens_with_several_passes_and_only_then(tmp_path: Path) -> None:
    once = one_step(tmp_path, epsilon=0.001)[2]
    clipped, free = (one_step(tmp_path, epsilon=e, passes=3, lr=0.05) for e in (0.001, 0.0))
    assert once[0]["clipped"] == 0 and clipped[2][0]["clipped"] > 0 and free[2][0]["clipped"] == 0
    same(clipped[0][0], free[0][0])  # the first pass is at ratio 1
    assert any(not torch.allclose(clipped[0][2][name], value) for name, value in free[0][2].items())


def test_a_step_may_have_two_mini_batches_and_a_dual_clip(tmp_path: Path) -> None:
    kept, _, _ = one_step(tmp_path, updates=2, dual_clip=3.0, epsilon=0.2)
    assert len(kept) == 2 and trl_rl.grpo_arguments(RlConfig(updates=2, dual_clip=3.0))["delta"] == 3
    free, _, _ = one_step(tmp_path, updates=2, epsilon=0.2)
    same(kept[0], free[0])  # the first update is at ratio 1


def test_old_probabilities_may_be_those_of_the_sampling_prompt(tmp_path: Path) -> None:
    _, sampled, _ = one_step(tmp_path, old="sampling")
    samples = samples_of(sampled)
    loop = Trainer(torch, toy.model(TOKENS), SETTINGS)
    config = RlConfig(**RL, old="sampling", advantage="raw")
    for n, sample in enumerate(samples):
        for row in rl.policy_rows(loop, [sample] if sample.reward else [], config):
            mine = sampled["old_per_token_logps"][n][: sample.update_row.learnt]
            torch.testing.assert_close(mine, row.old_logps, rtol=1e-4, atol=1e-5)
    assert any(sample.reward for sample in samples)


def test_hardly_any_mixed_group_stops_rl_before_a_line_is_logged(tmp_path: Path) -> None:
    steps: list[int] = []  # a folder with a log would refuse the lower --least-mixed that the message advises
    with pytest.raises(ConfigError, match="nothing to learn from"):
        rl_trainer(tmp_path, 1, lambda step, figures: steps.append(step), least_mixed=1.0).train()
    assert steps == []


def test_rl_that_is_killed_within_a_step_goes_on_from_the_last_whole_one(tmp_path: Path) -> None:
    from transformers import TrainerCallback

    class Kill(TrainerCallback):
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step == 3:  # one of the two updates of the second step is done
                raise Killed

    models = []
    for name, killed, seed in (("whole", False, 0), ("torn", True, 0), ("torn", False, 9)):
        trainer = rl_trainer(tmp_path / name, 2, nothing, seed, updates=2, save_minutes=0)
        if killed:
            trainer.add_callback(Kill())
            with pytest.raises(Killed):
                trl.run(trainer, tmp_path / name)
            assert trl.steps_done(tmp_path / name) == 2
        else:
            trl.run(trainer, tmp_path / name)
            models.append(trainer.model)
    for one, other in zip(*(model.parameters() for model in models), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("setting", [{"temperature": 0, "advantage": "raw"}, {"samples": 1}])
def test_groups_without_any_difference_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="{} = {}".format(*next(iter(setting.items())))):
        RlConfig(trainer="trl", **setting)


def test_vllm_does_not_correct_for_the_book() -> None:
    made = trl_rl.grpo_arguments(RlConfig(vllm="http://localhost:8000"))
    assert made["use_vllm"] and made["vllm_importance_sampling_correction"] is False


def test_answers_that_cannot_be_shared_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="12 answers per step cannot be divided evenly among 1 process and 5 updates"):
        one_step(tmp_path, updates=5)


# ---- the methods -----------------------------------------------------------------------------------------------------


def test_the_methods_run_on_this_engine_and_leave_the_same_folder(tiny: World, tmp_path: Path) -> None:
    checkpoints.save(toy.model(TOKENS, context=1 << 15), TOKENS, tmp_path / "model")
    (tmp_path / "general.jsonl").write_text(
        json.dumps({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]}), "utf-8"
    )
    shared: dict[str, Any] = {"model": str(tmp_path / "model"), "epochs": 1, "per_function": 1, "prompts": "short"}
    shared |= {
        "replay": str(tmp_path / "general.jsonl"),
        "replay_share": 0.5,
        "batch": 4,
        "precision": "float32",
        "probe_every": 2,
    }
    made = {}
    for engine in ("loop", "trl"):
        config = ClosedSftConfig(**shared, trainer=engine)
        made[engine] = methods.train(tiny, "closed-sft", config, tmp_path / engine, lambda *_: None)
    differing = {key for key in made["loop"] if made["loop"][key] != made["trl"].get(key)}
    assert made["trl"].keys() == made["loop"].keys()
    assert differing <= {"config", "seconds", "tokens_per_second"}
    same(*(load_file(tmp_path / engine / "model.safetensors") for engine in ("loop", "trl")), atol=1e-5)
    probed = [(tmp_path / engine / "probes.jsonl").read_text("utf-8").splitlines() for engine in ("loop", "trl")]
    for one, other in zip(*(map(json.loads, lines) for lines in probed), strict=True):
        assert one == pytest.approx(other, abs=1e-3)
    names = [{path.name for path in (tmp_path / engine).iterdir()} for engine in ("loop", "trl")]
    assert names[0] == names[1]


@slow  # its steps and their rewards are tested above, the judge with the other engine
def test_closed_rl_runs_on_this_engine_with_the_judge(tiny: World, tmp_path: Path) -> None:
    checkpoints.save(toy.model(TOKENS, context=1 << 15), TOKENS, tmp_path / "model")
    config = BookRlConfig(
        model=str(tmp_path / "model"),
        trainer="trl",
        steps=2,
        tasks_per_step=2,
        samples=2,
        max_tokens=8,
        least_mixed=0,
        pages=("signature",),
        advantage="raw",
    )
    made = methods.train(tiny, "closed-rl", config, tmp_path / "out", lambda *_: None)
    lines = [json.loads(line) for line in (tmp_path / "out" / "log.jsonl").read_text("utf-8").splitlines()]
    assert made["ended"] and [line["step"] for line in lines] == [0, 1] and lines[0]["reward"] == 0.0
    with pytest.raises(ConfigError, match="distil cannot be trained with TRL"):
        methods.train(tiny, "distil", config, tmp_path / "none", lambda *_: None)

"""A dry run gives the right numbers: its formulas are compared with tensors counted on the CPU."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.base.errors import ConfigError
from sebench.cli import cli
from sebench.train import dry_run, sft
from sebench.train.config import DistilConfig, SftConfig, configure
from sebench.train.data.tokens import TokenRow
from sebench.train.loop import free_memory, plan
from sebench.world.world import World
from tests.conftest import slow

ROWS = [TokenRow(f"t{n}", (0,) * (200 + 10 * n), 150) for n in range(40)]
QWEN = plan.model_shape("Qwen/Qwen3-8B")


def models(layers: int) -> list[Any]:
    """A small Llama and a small Qwen3."""
    hf = pytest.importorskip("transformers")
    size = {"hidden_size": 64, "intermediate_size": 160, "num_attention_heads": 8, "num_key_value_heads": 2}
    size |= {"vocab_size": 100, "num_hidden_layers": layers, "head_dim": 16}
    return [
        hf.LlamaForCausalLM(hf.LlamaConfig(**size, tie_word_embeddings=True)),
        hf.Qwen3ForCausalLM(hf.Qwen3Config(**size, tie_word_embeddings=False)),
    ]


def shape_of(model: Any) -> plan.ModelShape:
    return plan.shape_from_config(model.config.to_dict(), "small")


def kept(model: Any, tokens: int, bf16: bool) -> int:
    """Bytes that autograd keeps of a sequence, without weights and copies of weights."""
    torch = pytest.importorskip("torch")
    weights = {tuple(p.shape) for p in model.parameters()} | {
        tuple(p.T.shape) for p in model.parameters() if p.ndim == 2
    }
    own = {p.untyped_storage().data_ptr() for p in model.parameters()}
    seen, alive = {}, []

    def pack(tensor: Any) -> Any:
        alive.append(tensor)  # a freed storage's address would be given to another
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in own and tuple(tensor.shape) not in weights:
            seen[storage.data_ptr()] = storage.nbytes()
        return tensor

    with (
        torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor),
        torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16),
    ):
        model.get_decoder()(input_ids=torch.ones(1, tokens, dtype=torch.int64), use_cache=False)
    return sum(seen.values())


@pytest.mark.parametrize("bf16", [True, False])
@pytest.mark.parametrize("kind", [0, pytest.param(1, marks=slow)])
def test_a_layer_keeps_what_the_formula_says(kind: int, bf16: bool) -> None:
    tokens, few, many = 65, models(2)[kind], models(4)[kind]
    measured = (kept(many, tokens, bf16) - kept(few, tokens, bf16)) / 2 / tokens
    assert measured == pytest.approx(shape_of(few).activation_bytes(bf16), rel=0.001)


def test_recomputing_keeps_the_input_of_every_layer_alone() -> None:
    measured = []
    for layers in (2, 4):
        model = models(layers)[0]
        model.gradient_checkpointing_enable({"use_reentrant": False})
        model.train()
        measured.append(kept(model, 65, bf16=True))
    assert (measured[1] - measured[0]) / 2 / 65 == 4 * 64


def test_parameters_and_adapters_are_counted_exactly() -> None:
    checkpoints = pytest.importorskip("sebench.models.checkpoints")
    pytest.importorskip("peft")
    for model in models(3):
        shape = shape_of(model)
        assert sum(p.numel() for p in model.parameters()) == shape.parameters
        adapted = checkpoints.with_adapters(model, 8, seed=0)
        assert sum(p.numel() for p in adapted.parameters() if p.requires_grad) == shape.adapters(8)


def test_gradients_and_optimizer_have_the_bytes_of_the_plan(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    loop = pytest.importorskip("sebench.train.loop.loop")
    batches = pytest.importorskip("sebench.train.loop.batches")
    model = models(2)[0]
    rows = [replace(row, ids=(5,) * len(row.ids)) for row in ROWS[:2]]
    trainer = loop.Trainer(torch, model, SftConfig(precision="float32"))
    sft.fit(trainer, batches.steps(rows, 1, 2, 0), tmp_path, lambda step, figures: None)
    moments = [t for s in trainer.optimizer.state.values() for t in s.values() if t.ndim]
    found = {
        "weights": sum(p.nbytes for p in model.parameters()),
        "gradients": sum(p.grad.nbytes for p in model.parameters()),
        "AdamW": sum(t.nbytes for t in moments),
    }
    made = plan.plan(shape_of(model), SftConfig(), rows)
    assert {item.name: item.size for item in made.items if item.name in found} == found


@pytest.mark.parametrize(
    ("name", "billions"),
    [("Qwen/Qwen3-8B", 8.19), ("Qwen3-4B", 4.02), ("Qwen/Qwen3-1.7B", 1.72), ("smollm2", 0.1345)],
)
def test_known_models_have_their_published_size(name: str, billions: float) -> None:
    assert plan.model_shape(name).parameters / 1e9 == pytest.approx(billions, abs=0.005)


def test_more_gpus_recomputing_and_adapters_each_save_memory() -> None:
    full = SftConfig(trainer="trl", pack_tokens=4096)
    alone = plan.plan(QWEN, full, ROWS)
    assert not alone.fits and alone.memory > 12 * QWEN.parameters
    for other in (
        plan.plan(QWEN, full, ROWS, gpus=8),
        plan.plan(QWEN, replace(full, checkpointing=True), ROWS),
        plan.plan(QWEN, replace(full, lora=64), ROWS),
    ):
        assert other.memory < alone.memory
    eight = plan.plan(QWEN, full, ROWS, gpus=8)
    assert eight.fits and "8 GPUs" in eight.text() and "fits" in eight.text()
    assert plan.plan(QWEN, replace(full, checkpointing=True), ROWS).hours == pytest.approx(alone.hours * 4 / 3)
    assert alone.hours / 8 < eight.hours < alone.hours and "between GPUs" in eight.text()


def test_smaller_packs_are_advised_only_where_they_help() -> None:
    large = [TokenRow(f"t{n}", (0,) * 4000, 150) for n in range(20)]
    small_model = plan.plan(plan.model_shape("Qwen3-1.7B"), SftConfig(), large)
    assert not small_model.fits and small_model.advice == "lower --pack-tokens, or add --lora"
    huge = plan.plan(plan.model_shape("Qwen3-14B"), SftConfig(), ROWS)  # too large even with adapters
    assert huge.advice == "use more GPUs with --trainer trl, or choose a smaller model"


def test_a_gpu_that_is_here_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(free_memory, "ask_gpu", lambda program: "NVIDIA L4 24000000000 6e13 3e11")
    here = plan.Gpu.measure()
    assert here == plan.Gpu("NVIDIA L4", 24e9, 6e13, 3e11)
    made, estimated = (plan.plan(QWEN, SftConfig(), ROWS, gpu=gpu) for gpu in (here, plan.ESTIMATED))
    assert "1 x NVIDIA L4 (measured here)" in made.text() and "of 1 x 60 TFLOP/s" in made.text()
    assert "1 x H100 (estimated: no GPU here)" in estimated.text()
    assert made.hours == pytest.approx(estimated.hours * plan.ESTIMATED.speed / 6e13)
    monkeypatch.setattr(free_memory, "ask_gpu", lambda program: None)
    assert plan.Gpu.measure() is None and free_memory.on_gpu() is None


def test_the_sum_is_that_of_the_lines() -> None:
    made = plan.plan(QWEN, SftConfig(trainer="trl", lora=16), ROWS, gpus=2)
    lines = [line.split() for line in made.text().splitlines() if line.startswith("  ") and "  " in line.strip()]
    sizes = {item.name: item.size / plan.GIB for item in made.items}
    assert made.memory / plan.GIB == pytest.approx(sum(sizes.values()))
    assert any(
        words[0] == "total" and float(words[1]) == pytest.approx(made.memory / plan.GIB, abs=0.06) for words in lines
    )


def test_a_world_is_planned_without_the_model(tiny: World) -> None:
    shared = {"model": "Qwen/Qwen3-8B", "trainer": "trl", "tasks_per_step": 2, "samples": 4, "steps": 3}
    sft, opened, trained = (
        dry_run.dry_run(tiny, method, configure(method, shared, {}), gpus)
        for method, gpus in (("closed-sft", 8), ("open-sft", 8), ("closed-rl", 1))
    )
    assert opened.hours > sft.hours and "tokens were" in sft.text()
    assert "3 epochs: 24 rows in 3 steps of 8" in trained.text()


def test_what_is_not_known_is_said_in_one_line(tiny: World) -> None:
    for call, why in (
        (lambda: plan.model_shape("nobody/model-7b"), "unknown dimensions"),
        (lambda: dry_run.check_plannable("closed-sft", gpus=0), "--gpus 0: must be at least 1"),
        (lambda: plan.plan(QWEN, SftConfig(), ROWS, gpus=2), "use --trainer trl for several"),
        (lambda: dry_run.dry_run(tiny, "distil", DistilConfig()), "cannot plan distil"),
        (lambda: plan.shape_from_config({"hidden_size": 8}, "x"), "has no 'num_attention_heads'"),
    ):
        with pytest.raises(ConfigError, match=why):
            call()


def test_without_a_gpu_the_plan_is_about_this_machine(tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan.Gpu, "measure", lambda: None)
    monkeypatch.setattr(plan.free_memory, "on_cpu", lambda: 8 << 30)
    words = ["learn", "closed-sft", str(tiny.path), "--dry-run"]
    found = CliRunner().invoke(cli, words)
    assert found.exit_code == 0, found.output
    assert "CPU with " in found.output and "of 8: fits" in found.output and "GPU" not in found.output
    assert re.search(r"^time: .+, within a factor of 3 on a CPU: .+ to .+$", found.output, re.M)
    packs = int(re.findall(r"packs have at most ([\d,]+) tokens", found.output)[0].replace(",", ""))
    assert 500 < packs < 65_536  # half of what is free beside the weights
    once = CliRunner().invoke(cli, [*words, "--limit", "1", "--epochs", "1"]).output
    assert "1 row of " in once and "1 epoch: 1 row in 1 step of 1; " in once and "; 1 micro-batch per step\n" in once
    rl = ["learn", "open-rl", str(tiny.path), "--dry-run", "--limit", "2", "--samples", "3", "--steps", "1"]
    assert "6 rows of " in CliRunner().invoke(cli, rl).output  # not those of all tasks
    assert json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)["fits"]
    large = CliRunner().invoke(cli, [*words, "--model", "Qwen/Qwen3-8B"])
    assert "does not fit: choose a smaller model, or add --lora" in large.output
    assert "1 x H100 (estimated: no GPU here)" in CliRunner().invoke(cli, [*words, "--gpus", "1"]).output


def test_a_device_that_cannot_be_planned_for_is_named(tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan.Gpu, "measure", lambda: None)
    words = ["learn", "closed-sft", str(tiny.path), "--dry-run", "--device"]
    no_gpu, both = (CliRunner().invoke(cli, [*words, *more]) for more in (["cuda"], ["cpu", "--gpus", "1"]))
    assert str(no_gpu.exception) == "--device cuda: torch sees no GPU here; use --device cpu"
    assert str(both.exception) == "--gpus 1 plans for GPUs, but --device is cpu; remove one of them"
    assert "1 x H100" in CliRunner().invoke(cli, [*words, "cuda", "--gpus", "1"]).output


def test_what_a_training_run_refuses_is_refused_in_its_dry_run(tiny: World) -> None:
    for method, more, why in (
        ("closed-sft", ["--validate", "2"], "add --per-function 2"),
        ("closed-sft", ["--replay", "nowhere.jsonl"], "replay = nowhere.jsonl: there is no such file; check the path"),
        ("closed-sft-rl", [], "closed-sft-rl starts from a checkpoint of closed-sft"),
    ):
        refused = CliRunner().invoke(cli, ["learn", method, str(tiny.path), "--dry-run", "--gpus", "1", *more])
        assert isinstance(refused.exception, ConfigError) and why in str(refused.exception)


@pytest.mark.parametrize(
    ("hours", "text"),
    [
        (0.001, "less than a minute"),
        (1 / 60, "1 minute"),
        (0.5, "30 minutes"),
        (1.9, "114 minutes"),
        (30.0, "30.0 hours"),
    ],
)
def test_a_duration_is_said_in_whole_minutes_or_in_hours(hours: float, text: str) -> None:
    assert plan.duration(hours) == text


def test_a_torn_config_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"hidden_size":', "utf-8")
    with pytest.raises(ConfigError, match=r"config\.json cannot be read"):
        plan.model_shape(str(tmp_path))


def test_qwen3_8b_is_planned_from_the_command_line(tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan.Gpu, "measure", lambda: None)
    words = ["learn", "closed-sft", str(tiny.path), "--model", "Qwen/Qwen3-8B", "--trainer", "trl", "--checkpointing"]
    words += ["--pack-tokens", "16384", "--dry-run", "--gpus", "8"]
    found = CliRunner().invoke(cli, words)
    assert found.exit_code == 0, found.output
    assert "8 x H100 (estimated: no GPU here)" in found.output and ": fits" in found.output
    alone = CliRunner().invoke(cli, [*words[:-1], "1"])
    assert "does not fit: use more GPUs, or add --lora, or choose a smaller model\n" in alone.output
    loop = [word for word in words[:-1] if word not in ("--trainer", "trl", "--checkpointing")]
    output = CliRunner().invoke(cli, [*loop, "1"]).output
    assert "does not fit: add --lora, or use more GPUs with --trainer trl, or choose a smaller model\n" in output
    with_lora = CliRunner().invoke(cli, [*words[:-1], "1", "--lora", "64"])
    assert ": fits" in with_lora.output
    assert "Missing option '--out'" in CliRunner().invoke(cli, words[:3]).output

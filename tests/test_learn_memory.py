"""Memory on the training machine: packs are chosen to fit, one that does not fit is split, and no gradient depends on
that."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sebench.train.loop import free_memory
from tests.conftest import slow

GIB = 1 << 30


# ---- what is free ------------------------------------------------------------------------------------------------


def system(root: Path, available: int, groups: str = "0::/\n", **files: str) -> Path:
    """/proc and /sys of a machine with so many bytes available; files of control groups by path, with / as __ and . as
    _dot_."""
    (root / "proc" / "self").mkdir(parents=True)
    (root / "proc" / "meminfo").write_text(f"MemTotal:  999999999 kB\nMemAvailable: {available // 1024} kB\n")
    (root / "proc" / "self" / "cgroup").write_text(groups)
    for name, text in files.items():
        file = root / "sys" / "fs" / "cgroup" / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def test_without_a_control_group_what_the_kernel_calls_available_is_free(tmp_path: Path) -> None:
    assert free_memory.on_cpu(system(tmp_path, 7 * GIB)) == 7 * GIB
    assert free_memory.on_cpu(tmp_path / "nothing") is None
    assert (free_memory.on_cpu() or 1) > 0


def test_a_limit_of_control_groups_v2_counts_without_the_cache_of_files(tmp_path: Path) -> None:
    root = system(
        tmp_path, 60 * GIB, "0::/slice/job\n",
        slice__job__memory_dot_max="max\n", slice__job__memory_dot_current=f"{5 * GIB}\n",
        slice__memory_dot_max=f"{8 * GIB}\n", slice__memory_dot_current=f"{5 * GIB}\n",
        slice__memory_dot_stat=f"anon 1\nactive_file {GIB}\ninactive_file {GIB}\n",
    )  # fmt: skip
    assert free_memory.on_cpu(root) == 5 * GIB


def test_a_limit_of_control_groups_v1_counts_inside_a_container_too(tmp_path: Path) -> None:
    # The path is the host's: in the container the mount itself is the group.
    root = system(
        tmp_path, 60 * GIB, "5:cpu,cpuacct:/docker/a\n4:memory:/docker/a\n0::/\n",
        memory__memory_dot_limit_in_bytes=f"{4 * GIB}\n", memory__memory_dot_usage_in_bytes=f"{3 * GIB}\n",
        memory__memory_dot_stat=f"inactive_file 5\ntotal_active_file 0\ntotal_inactive_file {GIB // 2}\n",
    )  # fmt: skip
    assert free_memory.on_cpu(root) == 3 * GIB // 2


def test_more_in_use_than_the_limit_is_nothing_free(tmp_path: Path) -> None:
    files = {"memory_dot_max": "100", "memory_dot_current": "200"}
    assert free_memory.on_cpu(system(tmp_path, GIB, **files)) == 0


# ---- packs that do not fit ---------------------------------------------------------------------------------------

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.base.errors import OutOfMemory  # noqa: E402
from sebench.train import distil, methods, rl  # noqa: E402
from sebench.train.config import ClosedSftConfig, RlConfig, SftConfig, TrainConfig  # noqa: E402
from sebench.train.data.tokens import TokenRow  # noqa: E402
from sebench.train.loop import plan, training_run  # noqa: E402
from sebench.train.loop.batches import size, steps  # noqa: E402
from sebench.train.loop.loop import Trainer  # noqa: E402
from sebench.train.sft import fit  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests import toy  # noqa: E402

ROWS = [TokenRow(f"t{i}", tuple((7 * i + 3 * j) % 90 + 4 for j in range(6 + 5 * i)), 3 + i) for i in range(9)]
LEARNT = sum(row.learnt for row in ROWS)
EXACT = SftConfig(lr=1e-3, precision="float32")
Lowered = list[tuple[int, str]]


class _Full(torch.autograd.Function):
    """Leaves a tensor as it is, until its gradient comes back."""

    @staticmethod
    def forward(ctx: Any, tensor: Any) -> Any:
        return tensor.clone()

    @staticmethod
    def backward(ctx: Any, *gradient: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")


def small_device(trainer: Trainer, most: int, where: str) -> list[int]:
    """Memory for so many tokens at a time, which ends in the forward pass or in the middle of the backward pass; the
    tokens of every attempt."""
    seen: list[int] = []

    def ends(module: Any, given: Any, output: Any) -> Any:
        states = output[0] if isinstance(output, tuple) else output
        seen.append(states.shape[1])
        if states.shape[1] <= most:
            return None
        if where == "forward":
            raise torch.OutOfMemoryError("CUDA out of memory")
        return (_Full.apply(states), *output[1:]) if isinstance(output, tuple) else _Full.apply(states)

    # Behind the first layer: a backward pass has added to the gradients of the second one when it fails.
    trainer.model.get_decoder().layers[0].register_forward_hook(ends)
    return seen


def trainer_of(settings: SftConfig = EXACT, most: int = 0, where: str = "backward") -> tuple[Trainer, Lowered]:
    lowered: Lowered = []
    made = Trainer(torch, toy.model(toy.tokenizer()), settings, lambda tokens, why: lowered.append((tokens, why)))
    if most:
        small_device(made, most, where)
    return made, lowered


def gradients(trainer: Trainer, rows: list[TokenRow] = ROWS) -> list[Any]:
    """Of one update; weights are left as they are."""
    trainer.update(rows, sum(row.learnt for row in rows), 0.0)
    return [p.grad.clone() for p in trainer.trainable]


def close(one: list[Any], other: list[Any]) -> None:
    for mine, theirs in zip(one, other, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("where", ["forward", "backward"])
@pytest.mark.parametrize("most", [150, 60])
def test_a_step_that_ran_out_of_memory_has_the_gradient_of_an_undisturbed_one(most: int, where: str) -> None:
    full, lowered = trainer_of(most=most, where=where)
    close(gradients(full), gradients(trainer_of()[0]))
    assert lowered[0][0] == size(ROWS) // 2 and full.pack_tokens == lowered[-1][0] <= most
    assert f"9 rows with {size(ROWS):,} tokens" in lowered[0][1] and f"{lowered[0][0]:,}" in lowered[0][1]
    said = len(lowered)
    gradients(full)
    assert len(lowered) == said  # it stays small, and says no more


def test_the_test_device_fails_in_the_middle_of_a_backward_pass() -> None:
    trainer, _ = trainer_of(most=20)
    with pytest.raises(torch.OutOfMemoryError), trainer.packed_layers():
        trainer.backward(tuple(ROWS), LEARNT, trainer.nll_loss)
    assert len({p.grad is None for p in trainer.trainable}) == 2


def test_a_row_that_does_not_fit_by_itself_is_named() -> None:
    trainer, _ = trainer_of(most=44)
    with pytest.raises(OutOfMemory, match=r"the single row 't8' of 46 tokens.*--lora") as caught:
        gradients(trainer)
    assert "\n" not in str(caught.value)


def test_other_programs_on_the_gpu_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1 << 30, 139 << 30))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 48 << 30)
    assert free_memory.held_by_others(torch, torch.device("cuda")) == 90
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: (138 << 30) + 1)  # freed in the meantime
    assert free_memory.held_by_others(torch, torch.device("cuda")) == 0
    monkeypatch.setattr(free_memory, "held_by_others", lambda *_: 90)
    with pytest.raises(OutOfMemory, match=r"end the other programs on this GPU \(they hold 90 GiB\), train"):
        gradients(trainer_of(most=44)[0])


def test_another_error_is_no_lack_of_memory() -> None:
    assert free_memory.is_out_of_memory(RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: 9 bytes"))
    trainer, lowered = trainer_of()

    def broken(*_: Any) -> Any:
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        trainer.update(ROWS, LEARNT, 0.0, broken)
    assert not lowered


def test_weights_after_a_lack_of_memory_are_those_without_one(tmp_path: Path) -> None:
    (full, lowered), (whole, _) = trainer_of(most=80), trainer_of()
    for trainer in (full, whole):
        fit(trainer, steps(ROWS, 3, 4, 0), tmp_path, lambda step, figures: None)
    assert lowered
    close(full.trainable, whole.trainable)


def test_old_probabilities_are_computed_in_smaller_packs_where_memory_ends() -> None:
    (full, lowered), (whole, _) = trainer_of(most=80, where="forward"), trainer_of()
    torch.testing.assert_close(full.log_probabilities(ROWS), whole.log_probabilities(ROWS))
    assert lowered and full.pack_tokens <= 80


def test_clipped_tokens_of_a_failed_attempt_are_not_counted_twice() -> None:
    found = []
    for most in (0, 80):
        trainer, _ = trainer_of(most=most)
        config, cut = RlConfig(epsilon=0.2), list[Any]()
        rows = [rl.PolicyRow(r.id, r.ids, r.answer_from, 1.0, torch.full((r.learnt,), -9.0)) for r in ROWS]
        trainer.update(rows, LEARNT, 0.0, rl.policy_loss(torch, config, cut), begin=cut.clear)
        found.append(int(sum(cut)))
    assert found[0] == found[1] > 0


def test_distillation_goes_on_with_smaller_packs() -> None:
    found = []
    for most in (0, 80):
        trainer, lowered = trainer_of(most=most)
        teacher = toy.model(toy.tokenizer(), seed=5).eval()
        rows = [distil.distil_row(row, row) for row in ROWS]
        trainer.update(rows, LEARNT, 0.0, distil.divergence_loss(torch, trainer, teacher))
        found.append([p.grad.clone() for p in trainer.trainable])
    assert lowered
    close(*found)


# ---- packs that fit a CPU ----------------------------------------------------------------------------------------


def fitted(free: int, config: TrainConfig | None = None) -> tuple[Trainer, Lowered]:
    trainer, lowered = trainer_of()
    plan.limit_packs(trainer, config or TrainConfig(precision="float32"), lambda: free)
    return trainer, lowered


def test_packs_are_lowered_to_what_a_cpu_has_free_and_the_line_names_both_numbers() -> None:
    roomy, said = fitted(64 * GIB)
    assert roomy.pack_tokens == EXACT.pack_tokens
    tight, lowered = fitted(3 << 20)
    assert 1 < tight.pack_tokens < size(ROWS)
    close(gradients(tight), gradients(roomy))
    ((tokens, why),) = lowered
    assert tokens == tight.pack_tokens and "--pack-tokens 65,536 is lowered to" in why and f"{tokens:,}:" in why
    assert not said


def test_nothing_is_said_where_steps_are_smaller_than_the_packs() -> None:
    trainer, lowered = fitted(4 << 20)
    trainer.update(ROWS[:1], ROWS[0].learnt, 0.0)
    assert trainer.pack_tokens < EXACT.pack_tokens and not lowered


def test_packs_need_no_more_than_half_of_what_is_free() -> None:
    free = 4 << 20
    trainer, _ = fitted(free)
    model = plan.shape_from_config(trainer.model.config.to_dict(), "toy")
    weights = sum(p.numel() for p in trainer.trainable)
    needed = plan.pack_bytes(model, TrainConfig(precision="float32"), trainer.pack_tokens, trainer.pack_tokens)
    assert needed <= (free - 16 * weights) / 2 < needed * 1.1


def test_a_longer_row_goes_alone_and_one_that_cannot_fit_is_refused_before_it_is_killed() -> None:
    long = TokenRow("long", tuple(4 + n % 90 for n in range(120)), 60)
    trainer, _ = fitted(2 << 20)
    assert trainer.pack_tokens < 120
    trainer.update([*ROWS[:3], long], 10, 0.0)
    trainer, _ = fitted(1 << 20)
    before = [p.clone() for p in trainer.trainable]
    with pytest.raises(OutOfMemory, match=r"the row 'long' of 120 tokens alone needs about .* GiB.*--lora"):
        trainer.update([long], 60, 0.1)
    assert all(torch.equal(one, other) for one, other in zip(before, trainer.trainable, strict=True))


def test_a_model_of_unknown_dimensions_keeps_the_packs_that_were_asked_for() -> None:
    trainer, _ = trainer_of()
    del trainer.model.config.intermediate_size
    plan.limit_packs(trainer, TrainConfig(), lambda: 1 << 20)
    assert trainer.pack_tokens == EXACT.pack_tokens


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy.saved(tmp_path_factory.mktemp("toy"))


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the memory that a CPU has free."""
    fit = plan.limit_packs

    def set_to(size: int) -> None:
        monkeypatch.setattr(plan, "limit_packs", lambda trainer, config: fit(trainer, config, lambda: size))

    return set_to


@slow
def test_a_training_that_was_interrupted_goes_on_with_other_packs(
    tiny: World, model: Path, tmp_path: Path, free: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    config = ClosedSftConfig(
        model=str(model), epochs=2, per_function=1, batch=4, device="cpu", save_minutes=0, probe_every=-1
    )
    config, lines, log = replace(config, precision="float32"), list[str](), training_run.TrainingRun.log

    def killed(self: training_run.TrainingRun, step: int, figures: dict[str, Any]) -> None:
        if step == 1:
            raise KeyboardInterrupt
        log(self, step, figures)

    def trained(out: str, size: int) -> list[Any]:
        free(size)
        made = methods.train(tiny, "closed-sft", config, tmp_path / out, lambda *_: None, lines.append)
        manifest = json.loads((tmp_path / out / "learn.json").read_text())
        assert manifest == made and manifest["ended"]
        used.append(manifest["pack_tokens"])
        return list(toy.loaded(tmp_path / out).parameters())

    used: list[int] = []
    whole = trained("whole", 64 * GIB)
    assert used == [65_536] and not lines
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(training_run.TrainingRun, "log", killed)
        trained("torn", 32 << 20)
    assert len(lines) == 1 and "is lowered to" in lines[0]
    torn = trained("torn", 48 << 20)
    assert len(lines) == 2 and 1 < used[-1] < 65_536
    close(torn, whole)

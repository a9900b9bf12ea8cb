"""The short training loop is exact: masks, micro-batches, and continuing after an interruption."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.base.errors import ConfigError  # noqa: E402
from sebench.train.config import SftConfig  # noqa: E402
from sebench.train.data.tokens import TokenRow  # noqa: E402
from sebench.train.loop.batches import packs, steps  # noqa: E402
from sebench.train.loop.loop import Trainer  # noqa: E402
from sebench.train.loop.packing import on_gpu, packed_attention, row_by_row  # noqa: E402
from sebench.train.sft import fit, weighted_loss  # noqa: E402
from tests import toy  # noqa: E402

ROWS = [TokenRow(f"t{i}", tuple((7 * i + 3 * j) % 90 + 4 for j in range(6 + 5 * i)), 3 + i) for i in range(9)]

EXACT = SftConfig(precision="float32")


def gradient(trainer: Trainer) -> list[torch.Tensor]:
    return [p.grad.clone() for p in trainer.trainable]


def by_hand(model: torch.nn.Module, rows: list[TokenRow]) -> list[torch.Tensor]:
    """The gradient with the model's own loss, row by row, without padding."""
    model.zero_grad()
    total = sum(row.learnt for row in rows)
    for row in rows:
        ids = torch.tensor([row.ids])
        labels = ids.clone()
        labels[0, : row.answer_from] = -100
        (model(input_ids=ids, labels=labels).loss * row.learnt / total).backward()
    return [p.grad.clone() for p in model.parameters()]


@pytest.mark.parametrize("pack_tokens", [1, 60, 10_000])
def test_the_gradient_of_a_step_is_that_of_its_rows_one_by_one(pack_tokens: int) -> None:
    tokens = toy.tokenizer()
    (step,) = steps(ROWS, 1, len(ROWS), 0)
    trainer = Trainer(torch, toy.model(tokens), EXACT)
    with packed_attention(trainer.model):
        for pack in packs(step.rows, pack_tokens):
            trainer.backward(pack, step.learnt, trainer.nll_loss)
    for mine, theirs in zip(gradient(trainer), by_hand(toy.model(tokens), ROWS), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("known_weight", [0.0, 0.25])
def test_tokens_that_are_known_count_less_in_the_loss(known_weight: float) -> None:
    logits = torch.tensor([[4.0, 0.0, 0.0], [0.0, 0.1, 0.0]], requires_grad=True)  # probabilities 0.96 and 0.36
    targets = torch.tensor([0, 1])
    loss = weighted_loss(torch, known_weight)(logits, targets, ())
    known, unknown = torch.nn.functional.cross_entropy(logits, targets, reduction="none")
    torch.testing.assert_close(loss, known_weight * known + unknown)
    mine, theirs = (torch.autograd.grad(one, logits, retain_graph=True)[0] for one in (loss, known + unknown))
    torch.testing.assert_close(mine, theirs * torch.tensor([[known_weight], [1.0]]))


def test_what_is_known_is_not_trained_further_at_weight_0() -> None:
    (step,) = steps(ROWS[:2], 1, 2, 0)
    trainer = Trainer(torch, toy.model(toy.tokenizer()), EXACT)
    for _ in range(60):
        trainer.update(step.rows, step.learnt, 1e-2)
    assert 0 < trainer.update(step.rows, step.learnt, 0.0) < 0.5  # every token has a probability above one half
    assert trainer.update(step.rows, step.learnt, 0.0, weighted_loss(torch, 0.0)) == 0
    assert not any(part.any() for part in gradient(trainer))


def test_the_loss_is_on_the_answer_alone_or_on_a_whole_page() -> None:
    trainer = Trainer(torch, toy.model(toy.tokenizer()), EXACT)
    row = TokenRow("t", tuple(range(4, 16)), 5)
    page = TokenRow("t", row.ids, 0)
    with packed_attention(trainer.model):
        assert trainer.logits((row,))[1].tolist() == list(range(9, 16))
        assert trainer.logits((page,))[1].tolist() == list(range(5, 16))
    assert row.learnt == 7 and page.learnt == 11


def test_no_row_is_lost_and_the_seed_gives_the_order() -> None:
    made = steps(ROWS, 3, 4, 7)
    for epoch in range(3):
        assert sorted(r.id for s in made if s.epoch == epoch for r in s.rows) == sorted(r.id for r in ROWS)
    assert made == steps(ROWS, 3, 4, 7) and made != steps(ROWS, 3, 4, 8)
    assert [s.number for s in made] == list(range(len(made)))


def test_rows_of_other_lengths_take_the_same_steps() -> None:
    longer = [TokenRow(row.id, (*range(4, 60), *row.ids), 56 + row.answer_from) for row in ROWS]
    for one, other in zip(steps(ROWS, 2, 4, 7), steps(longer, 2, 4, 7), strict=True):
        assert [row.id for row in one.rows] == [row.id for row in other.rows] and one.learnt == other.learnt


def test_a_checkpoint_that_does_not_fit_is_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(torch, toy.model(toy.tokenizer()), SftConfig(precision="float32", save_minutes=0))
    messages: list[str] = []
    trainer.warn = messages.append
    needed = trainer.checkpoint_bytes() + trainer.model_bytes()
    for free, saved in ((needed - 1, False), (needed, True)):
        monkeypatch.setattr("shutil.disk_usage", lambda folder, free=free: SimpleNamespace(free=free))
        trainer.finish_step(0, tmp_path, last=False)
        assert (tmp_path / "state.pt").exists() is saved
    assert len(messages) == 1 and messages[0].startswith("step 1: no checkpoint was saved")
    trainer.update(ROWS, 1.0, 1e-3)  # now the optimizer has its values
    trainer.save(tmp_path)
    assert 0.9 < (tmp_path / "state.pt").stat().st_size / trainer.checkpoint_bytes() < 1.3


def test_a_model_that_does_not_fit_on_the_disk_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = Trainer(torch, toy.model(toy.tokenizer()), EXACT)
    trainer.check_disk(tmp_path)
    monkeypatch.setattr("shutil.disk_usage", lambda folder: SimpleNamespace(free=trainer.model_bytes() - 1))
    with pytest.raises(ConfigError, match="MB free; make room"):
        trainer.check_disk(tmp_path)


def test_float32_is_not_given_to_a_kernel_of_16_bits() -> None:
    def kernel(q: torch.Tensor, *_: object, **__: object) -> torch.Tensor:
        assert q.dtype == torch.bfloat16
        return q

    given = [torch.randn(1, 2, 12, 8) for _ in range(3)]
    rows = {"bounds": torch.tensor([0, 5, 12]), "longest": 7}
    (exact, _), (wanted, _) = on_gpu(kernel, {})(None, *given, None, **rows), row_by_row(None, *given, None, **rows)
    assert torch.equal(exact, wanted)
    narrow, _ = on_gpu(kernel, {})(None, *(one.bfloat16() for one in given), None, **rows)
    assert narrow.dtype == torch.bfloat16 and narrow.shape == exact.shape


def test_a_model_with_a_window_of_attention_is_refused() -> None:
    model = toy.model(toy.tokenizer())
    model.config.sliding_window = 8  # as older configurations have it: for all layers, without a list of them
    with pytest.raises(ConfigError, match="sliding-window"), packed_attention(model):
        pass


def test_a_model_that_changes_its_logits_behind_the_output_layer_is_refused() -> None:
    from transformers import CohereConfig, CohereForCausalLM

    width = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 4}
    model = CohereForCausalLM(CohereConfig(vocab_size=90, logit_scale=0.0625, pad_token_id=0, eos_token_id=1, **width))
    with pytest.raises(ConfigError, match="--trainer trl"):
        Trainer(torch, model, EXACT)


def test_old_probabilities_have_no_dropout_and_leave_the_mode_of_the_model() -> None:
    trainer = Trainer(torch, toy.model(toy.tokenizer()), EXACT)
    trainer.model.train()
    modes: list[bool] = []
    trainer.model.get_input_embeddings().register_forward_hook(lambda module, *_: modes.append(module.training))
    trainer.log_probabilities(tuple(ROWS))
    assert modes and not any(modes) and trainer.model.training


def test_a_gradient_that_is_no_number_ends_the_training(tmp_path: Path) -> None:
    trainer = Trainer(torch, toy.model(toy.tokenizer()), SftConfig(precision="float32", save_minutes=0.0))
    with torch.no_grad():
        trainer.trainable[0][5] = float("inf")
    with pytest.raises(ConfigError, match="lower --lr"):
        fit(trainer, steps(ROWS, 1, 3, 0), tmp_path, lambda step, figures: None)
    assert not any(tmp_path.iterdir())


class Killed(Exception):
    pass


def test_an_interrupted_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    tokens, settings = toy.tokenizer(), SftConfig(lr=1e-3, precision="float32", save_minutes=0.0, pack_tokens=60)
    plan = steps(ROWS, 3, 3, 0)
    assert len(plan) > 6
    whole = Trainer(torch, toy.model(tokens), settings)
    (tmp_path / "whole").mkdir()
    fit(whole, plan, tmp_path / "whole", lambda step, figures: None)

    def stop(step: int, figures: dict[str, Any]) -> None:
        if step == 4:
            raise Killed

    (tmp_path / "torn").mkdir()
    with pytest.raises(Killed):
        fit(Trainer(torch, toy.model(tokens), settings), plan, tmp_path / "torn", stop)
    again = Trainer(torch, toy.model(tokens, seed=99), settings)
    again.resume(tmp_path / "torn")
    assert again.done == 4  # the checkpoint has no step that was not logged
    fit(again, plan, tmp_path / "torn", lambda step, figures: None)
    for one, other in zip(whole.trainable, again.trainable, strict=True):
        assert torch.equal(one, other)
    assert not torch.equal(whole.trainable[0], toy.model(tokens).get_input_embeddings().weight)

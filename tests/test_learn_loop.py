"""The short loop is exact: masks, micro-batches, and what follows an interruption."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from sebench.learn.batches import Step, steps  # noqa: E402
from sebench.learn.loop import LoopSettings, Trainer  # noqa: E402
from sebench.learn.tokens import TokenRow  # noqa: E402
from tests import toy  # noqa: E402

ROWS = [TokenRow(f"t{i}", tuple((7 * i + 3 * j) % 90 + 4 for j in range(6 + 5 * i)), 3 + i, 3 + i) for i in range(9)]


def gradient(trainer: Trainer) -> list[torch.Tensor]:
    return [p.grad.clone() for p in trainer.trained]


def by_hand(model: torch.nn.Module, rows: list[TokenRow]) -> list[torch.Tensor]:
    """The gradient with the model's own loss, row by row, without padding."""
    model.zero_grad()
    total = sum(row.learnt for row in rows)
    for row in rows:
        ids = torch.tensor([row.ids])
        labels = ids.clone()
        labels[0, : row.loss_from] = -100
        (model(input_ids=ids, labels=labels).loss * row.learnt / total).backward()
    return [p.grad.clone() for p in model.parameters()]


@pytest.mark.parametrize("micro_tokens", [1, 60, 10_000])
def test_the_gradient_of_a_step_is_that_of_its_rows_one_by_one(micro_tokens: int) -> None:
    tokens = toy.tokenizer()
    (step,) = steps(ROWS, 1, 10_000, micro_tokens, 0)
    trainer = Trainer(torch, toy.model(tokens), LoopSettings())
    for batch in step.micro:
        trainer.backward(batch, step.learnt)
    for mine, theirs in zip(gradient(trainer), by_hand(toy.model(tokens), ROWS), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


def test_the_loss_is_on_the_answer_alone_or_on_the_prompt_too() -> None:
    trainer = Trainer(torch, toy.model(toy.tokenizer()), LoopSettings())
    row = TokenRow("t", tuple(range(4, 16)), 5, 5)
    both = TokenRow("t", row.ids, 5, 0)
    assert trainer.learnt([row])[1].tolist() == list(range(9, 16))
    assert trainer.learnt([both])[1].tolist() == list(range(5, 16))
    assert row.learnt == 7 and both.learnt == 11


def test_no_row_is_lost_and_the_seed_gives_the_order() -> None:
    made = steps(ROWS, 3, 50, 40, 7)
    for epoch in range(3):
        assert sorted(r.id for s in made if s.epoch == epoch for r in s.rows) == sorted(r.id for r in ROWS)
    assert made == steps(ROWS, 3, 50, 40, 7) and made != steps(ROWS, 3, 50, 40, 8)
    assert [s.number for s in made] == list(range(len(made)))


class Killed(Exception):
    pass


def test_an_interrupted_training_ends_with_the_same_weights(tmp_path: Path) -> None:
    tokens, settings = toy.tokenizer(), LoopSettings(epochs=3, tokens=60, save_every=2, lr=1e-3)
    plan = steps(ROWS, settings.epochs, settings.tokens, settings.micro_tokens, 0)
    assert len(plan) > 6
    whole = Trainer(torch, toy.model(tokens), settings)
    (tmp_path / "whole").mkdir()
    whole.fit(plan, tmp_path / "whole")

    def stop(step: Step, loss: float) -> None:
        if step.number == 4:
            raise Killed

    (tmp_path / "torn").mkdir()
    with pytest.raises(Killed):
        Trainer(torch, toy.model(tokens), settings).fit(plan, tmp_path / "torn", stop)
    again = Trainer(torch, toy.model(tokens, seed=99), settings)
    again.fit(plan, tmp_path / "torn")
    for one, other in zip(whole.trained, again.trained, strict=True):
        assert torch.equal(one, other)
    assert not torch.equal(whole.trained[0], toy.model(tokens).get_input_embeddings().weight)

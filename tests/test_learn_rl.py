"""RL and self-distillation make exactly the updates that they should: gradients written by hand, prompts, advantages,
clipping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file  # noqa: E402

from sebench.base.errors import ConfigError  # noqa: E402
from sebench.base.records import Blame, Kind, Task, Verdict  # noqa: E402
from sebench.judge.judge import Judge  # noqa: E402
from sebench.models.checkpoints import frozen_copy  # noqa: E402
from sebench.train import distil, rl  # noqa: E402
from sebench.train.config import CONFIGS, BookRlConfig, SftConfig, TrainConfig  # noqa: E402
from sebench.train.data.tokens import TokenRow  # noqa: E402
from sebench.train.loop.loop import Trainer  # noqa: E402
from sebench.train.loop.training_run import TrainingRun  # noqa: E402
from sebench.train.methods import train  # noqa: E402
from sebench.train.rl import Sample, Sampler  # noqa: E402
from sebench.world.prompts import CLOSED, OPEN  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests import toy  # noqa: E402

CONFIG = BookRlConfig(max_tokens=12, samples=3, tasks_per_step=4, precision="float32", pack_tokens=4000)
A, B = (Task(name, "", "f", (), ()) for name in "ab")


def row(name: str, start: int, answer: Sequence[int]) -> TokenRow:
    prompt = [4 + (start + 3 * i) % 90 for i in range(9)]
    return TokenRow(name, (*prompt, *answer), len(prompt))


def sample(task: Task, answer: Sequence[int], reward: float | None) -> Sample:
    return Sample(task, row(task.id, 50, answer), row(task.id, 7, answer), reward)


SAMPLES = [
    sample(A, [9, 12, 30, 3], 1.0),
    sample(A, [9, 40, 3], 0.0),
    sample(A, [61, 22, 18, 25, 3], 0.0),
    sample(B, [70, 3], 0.0),
    sample(B, [71, 72, 3], 1.0),
    sample(B, [75, 3], None),
]


@pytest.fixture(autouse=True)
def unclipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trainer, "clip", 1e9)


def worths(samples: Sequence[Sample], kind: str) -> list[float]:
    return rl.advantages([one.task.id for one in samples], [one.reward for one in samples], kind)


def trainer(lr: float = 1e-3) -> Trainer:
    return Trainer(torch, toy.model(toy.tokenizer()), SftConfig(lr=lr, precision="float32"))


def gradient(model: Any, loss: Any) -> list[Any]:
    model.zero_grad()
    loss.backward()
    return [p.grad.clone() for p in model.parameters()]


def log_probability(model: Any, one: TokenRow) -> Any:
    """Of each answer token, computed with the plain model."""
    logits = model(input_ids=torch.tensor([one.ids])).logits[0]
    wanted = torch.tensor(one.ids[one.answer_from :])
    return logits[one.answer_from - 1 : -1].log_softmax(-1).gather(1, wanted[:, None])[:, 0]


class Spy(Trainer):
    """Keeps the gradient of the last update."""

    gradient: list[Any]

    def update(self, *given: Any, **named: Any) -> float:
        loss = super().update(*given, **named)
        self.gradient = [p.grad.clone() for p in self.trainable]
        return loss


@pytest.mark.parametrize("advantage", ["group", "raw", "positive"])
def test_closed_rl_has_the_gradient_of_the_advantage_times_the_closed_log_probability(advantage: str) -> None:
    config = replace(CONFIG, advantage=advantage)
    spy = Spy(torch, toy.model(toy.tokenizer()), SftConfig(precision="float32"))
    rl.update(spy, SAMPLES, config, 1e-3)
    plain = toy.model(toy.tokenizer())
    known = [one for one in SAMPLES if one.reward is not None]
    worth = worths(known, advantage)
    count = sum(one.update_row.learnt for one, value in zip(known, worth, strict=True) if value)
    loss = -sum(v * log_probability(plain, one.update_row).sum() for one, v in zip(known, worth, strict=True)) / count
    for mine, theirs in zip(spy.gradient, gradient(plain, loss), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-6)


def test_advantages_compare_with_the_group_or_take_the_reward_as_it_is() -> None:
    known = SAMPLES[:3]
    third = 2**0.5
    assert worths(known, "group") == pytest.approx([third, -third / 2, -third / 2], abs=1e-3)
    assert worths(known, "positive") == pytest.approx([third, 0, 0], abs=1e-3)
    assert worths(known, "raw") == [1.0, 0.0, 0.0]


def test_an_answer_without_a_reward_is_left_out_not_wrong() -> None:
    figures = rl.update(trainer(), SAMPLES, CONFIG, 1e-3)
    assert figures["faults"] == 1 and figures["reward"] == pytest.approx(2 / 5)
    assert worths(SAMPLES[3:5], "group") == pytest.approx([-1, 1], abs=1e-3)
    assert Verdict(Kind.FAULT, Blame.SANDBOX).reward() is None


def test_clipping_acts_only_where_a_step_has_several_updates() -> None:
    assert rl.update(trainer(), SAMPLES, CONFIG, 0.05)["clipped"] == 0
    assert rl.update(trainer(), SAMPLES, replace(CONFIG, passes=4), 0.05)["clipped"] > 0
    assert rl.update(trainer(), SAMPLES, replace(CONFIG, passes=4, epsilon=0.0), 0.05)["clipped"] == 0


@pytest.mark.parametrize(
    ("advantage", "ratio", "gain"), [(-1.0, 10.0, -3.0), (-1.0, 2.0, -2.0), (-1.0, 0.5, -0.8), (1.0, 10.0, 1.2)]
)
def test_dual_clip_bounds_what_a_wrong_answer_can_cost(advantage: float, ratio: float, gain: float) -> None:
    """One token of two words whose probability was `ratio` times smaller before."""
    logits = torch.tensor([[2.0, -1.0]])
    old = logits.log_softmax(-1)[0, :1] - torch.tensor(ratio).log()
    pack = [rl.PolicyRow("a", (0, 0), 1, advantage, old)]
    config = replace(CONFIG, updates=2, dual_clip=3.0)
    loss = rl.policy_loss(torch, config, [])(logits, torch.tensor([0]), pack)
    assert float(loss) == pytest.approx(-gain, abs=1e-5)


def test_rl_may_go_without_a_warm_up_and_needs_different_answers() -> None:
    assert [replace(CONFIG, lr=1.0, warmup=0).rate(step) for step in (0, 9)] == [1.0, 1.0]
    assert [CONFIG.rate(step) / CONFIG.lr for step in (0, 4, 9)] == [0.2, 1.0, 1.0]
    assert replace(CONFIG, steps=9).rate(0) == CONFIG.lr  # a warm-up takes at most a tenth of all steps
    with pytest.raises(ConfigError, match="temperature = 0: all answers in a group would be the same"):
        replace(CONFIG, temperature=0.0)
    with pytest.raises(ConfigError, match=r"dual_clip = 1\.1: must be more than 1 \+ epsilon"):
        replace(CONFIG, dual_clip=1.1)


@pytest.mark.parametrize("old", ["update", "sampling"])
def test_old_probabilities_are_those_behind_the_chosen_prompt(old: str) -> None:
    moved = trainer()
    rows = rl.policy_rows(moved, SAMPLES[:3], replace(CONFIG, passes=2, old=old))
    plain = toy.model(toy.tokenizer())
    for one, made in zip(SAMPLES, rows, strict=False):
        with torch.no_grad():
            wanted = log_probability(plain, one.sampled_row if old == "sampling" else one.update_row)
        torch.testing.assert_close(made.old_logps, wanted, rtol=1e-4, atol=1e-5)


def training(world: World, out: Path, method: str, config: TrainConfig = CONFIG) -> TrainingRun[Any]:
    made = TrainingRun(world, method, config, out, lambda what, done, total: None)
    made.torch, made.tokenizer = torch, toy.tokenizer()
    made.model = toy.model(made.tokenizer, context=8192)
    return made


def test_closed_rl_samples_with_the_book_and_updates_without(small: World, tmp_path: Path) -> None:
    made = training(small, tmp_path, "closed-rl")
    tasks = small.tasks("train")[:2]
    with Judge(small) as judge:
        judged = Sampler(made, rl.BOOKS["closed-rl"]).sample_and_judge(judge, tasks, 2, seed=1)
    found = rl.with_rewards(judged, "targeted")
    assert [one.task.id for one in found] == [task.id for task in tasks for _ in range(2)]
    prompter = small.prompter(book=CONFIG.book_settings())
    for one in found:
        for seen, book in ((one.sampled_row, OPEN), (one.update_row, CLOSED)):
            text = made.tokenizer.decode(seen.ids[: seen.answer_from])
            assert prompter.prompt(one.task, book).text in text and one.reward == 0.0
        assert one.sampled_row.ids[one.sampled_row.answer_from :] == one.update_row.ids[one.update_row.answer_from :]
        assert one.sampled_row.answer_from > one.update_row.answer_from


@pytest.mark.parametrize("kind", ["forward", "reverse", "js"])
def test_a_distilled_student_follows_the_teacher_with_the_page(kind: str) -> None:
    student = Spy(torch, toy.model(toy.tokenizer()), SftConfig(precision="float32"))
    teacher = frozen_copy(toy.model(toy.tokenizer(), seed=5))
    rows = tuple(distil.distil_row(one.update_row, one.sampled_row) for one in SAMPLES)
    count = sum(one.learnt for one in rows)
    before = [p.clone() for p in teacher.parameters()]
    student.update(rows, count, 1e-3, distil.divergence_loss(torch, student, teacher, kind))
    plain, loss = toy.model(toy.tokenizer()), 0.0
    for one in SAMPLES:
        told = (
            teacher(input_ids=torch.tensor([one.sampled_row.ids]))
            .logits[0][one.sampled_row.answer_from - 1 : -1]
            .log_softmax(-1)
        )
        said = (
            plain(input_ids=torch.tensor([one.update_row.ids]))
            .logits[0][one.update_row.answer_from - 1 : -1]
            .log_softmax(-1)
        )
        middle = ((told.exp() + said.exp()) / 2).log()
        sides = {
            "forward": told.exp() * (told - said),
            "reverse": said.exp() * (said - told),
            "js": (told.exp() * (told - middle) + said.exp() * (said - middle)) / 2,
        }
        loss = loss + sides[kind].sum()
    for mine, theirs in zip(student.gradient, gradient(plain, loss / count), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=1e-6)
    assert all(torch.equal(one, other) for one, other in zip(before, teacher.parameters(), strict=True))


def test_a_live_teacher_has_the_weights_of_the_student_and_no_gradient() -> None:
    """With the student's own prompt before the teacher too, a live teacher is never ahead: no loss, no gradient."""
    student = Spy(torch, toy.model(toy.tokenizer()), SftConfig(precision="float32"))
    rows = tuple(distil.distil_row(one.update_row, one.update_row) for one in SAMPLES)
    live = distil.divergence_loss(torch, student, student.model)
    assert abs(student.update(rows, sum(one.learnt for one in rows), 1e-3, live)) < 1e-6
    assert all(one.abs().max() < 1e-6 for one in student.gradient)


class Judging:
    """A judge that needs no sandbox: by the length of what was said."""

    def __init__(self, world: World) -> None: ...

    def __enter__(self) -> Judging:
        return self

    def __exit__(self, *_: object) -> None: ...

    def submit(self, task: Task, text: str) -> Any:
        verdict = Verdict(Kind.PASSED, Blame.NONE, targeted=(len(text) + text.count("\n")) % 2 == 0)
        return SimpleNamespace(result=lambda: verdict)


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("closed-rl", {"passes": 2}),
        ("distil", {"on": "teacher"}),
        ("distil", {"on": "student", "teacher": "live", "divergence": "js"}),
    ],
)
def test_interrupted_sampling_and_updating_ends_with_the_same_weights(
    tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, given: dict[str, Any]
) -> None:
    tokens = toy.tokenizer()
    toy.model(tokens, context=8192).save_pretrained(tmp_path / "toy")
    tokens.save_pretrained(tmp_path / "toy")
    monkeypatch.setattr(rl, "Judge", Judging)
    own = {"epochs": 1, "batch": 6} if method == "distil" else {"pass_at": 0}
    config = CONFIGS[method](
        tasks_per_step=4, precision="float32", pack_tokens=4000, model=str(tmp_path / "toy"), device="cpu", steps=2,
        per_function=1, lr=1e-2, save_minutes=0.0, probe_every=-1, max_tokens=6, samples=2, prompts="short",
        pages=("signature",), **own, **given,
    )  # fmt: skip

    def trained(out: Path) -> Any:
        train(tiny, method, config, out, lambda what, done, total: None)
        return load_file(out / "model.safetensors")

    whole, log = trained(tmp_path / "whole"), TrainingRun.log

    def killed(self: TrainingRun, step: int, figures: dict[str, Any]) -> None:
        if step == 1:
            raise KeyboardInterrupt
        log(self, step, figures)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(TrainingRun, "log", killed)
        trained(tmp_path / "torn")
    again, before = trained(tmp_path / "torn"), load_file(tmp_path / "toy" / "model.safetensors")
    assert all(torch.equal(whole[name], again[name]) for name in whole)
    assert not all(torch.equal(whole[name], before[name]) for name in whole)
    read = [(tmp_path / name / "log.jsonl").read_text("utf-8").splitlines() for name in ("whole", "torn")]
    assert len(read[0]) == len(read[1]) >= 2


@pytest.mark.parametrize("method", ["closed-rl", "distil"])
def test_progress_counts_steps_from_the_beginning_and_rl_without_a_gradient_says_so(
    tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    tokens = toy.tokenizer()
    toy.model(tokens, context=8192).save_pretrained(tmp_path / "toy")
    tokens.save_pretrained(tmp_path / "toy")
    wrong = SimpleNamespace(result=lambda: Verdict(Kind.WRONG_VALUE))
    monkeypatch.setattr(rl, "Judge", Judging)
    monkeypatch.setattr(Judging, "submit", lambda *_: wrong)
    config = CONFIGS[method](
        tasks_per_step=1, model=str(tmp_path / "toy"), device="cpu", steps=2, probe_every=-1, max_tokens=2, samples=2,
        **({"on": "student"} if method == "distil" else {"pass_at": 0}),
    )  # fmt: skip
    totals, notes = [], list[str]()
    train(tiny, method, config, tmp_path / "out", lambda what, done, total: totals.append(total), notes.append)
    assert set(totals) == {2}
    assert [note.partition(",")[0] for note in notes] == ["no step changed the weights"] * (method == "closed-rl")

"""Absolute Zero: the rewards and advantages of both roles, and one training step."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file  # noqa: E402

from sebench.base.errors import ConfigError  # noqa: E402
from sebench.base.ledger import lines  # noqa: E402
from sebench.base.records import Blame, Kind, Task, Verdict  # noqa: E402
from sebench.train import rl  # noqa: E402
from sebench.train.absolute_zero import ProposalGates, assign_rewards  # noqa: E402
from sebench.train.config import ZeroConfig  # noqa: E402
from sebench.train.data import tokens  # noqa: E402
from sebench.train.methods import train  # noqa: E402
from sebench.train.rl import Sample  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests.conftest import slow  # noqa: E402
from tests.playing import draft  # noqa: E402

# ---- Absolute Zero --------------------------------------------------------------------------------------------


def test_rewards_and_advantages_of_both_roles() -> None:
    decided = [
        ("", False),  # of f: cannot be read: -1
        ("q1", True),  # of f: solved once in four: 1 - 1/4
        ("q2", True),  # of f: never solved: 0
        ("q3", True),  # of g: always solved: 0
        ("q4", True),  # of g: nothing could be judged: no reward
        ("", True),  # of h: has the asked form, and a gate stopped it: -0.5
    ]
    said = {"q1": "+-x-", "q2": "--", "q3": "++", "q4": "??"}
    verdicts = {
        "+": Verdict(Kind.PASSED, Blame.NONE, targeted=True),
        "-": Verdict(Kind.WRONG_VALUE, Blame.CANDIDATE),
        "x": Verdict(Kind.NO_CODE, Blame.CANDIDATE),
        "?": Verdict(Kind.FAULT, Blame.SANDBOX),
    }
    answers = [(question, verdicts[sign]) for question, signs in said.items() for sign in signs]
    proposals, solved, figures = assign_rewards(decided, answers, "targeted")
    found = [*proposals, *solved]
    assert figures["proposals"] == 6 and figures["passed"] == 4
    assert found == [
        -1,
        0.75,
        0,
        0,
        None,
        -0.5,
        1,
        -0.5,
        -1,
        -0.5,
        -0.5,
        -0.5,
        1,
        1,
        None,
        None,
    ]
    groups = [*("f", "f", "f", "g", "g", "h"), *(question for question, _ in answers)]
    known = [(group, reward) for group, reward in zip(groups, found, strict=True) if reward is not None]
    mean, spread = (-1 + 0.75 + 0) / 3, (((-1 + 1 / 12) ** 2 + (0.75 + 1 / 12) ** 2 + (1 / 12) ** 2) / 3) ** 0.5
    wanted = [(reward - mean) / (spread + 1e-4) for reward in (-1, 0.75, 0)]
    got = rl.advantages(*zip(*known, strict=True), "group")
    assert got[:3] == pytest.approx(wanted) and got[3:5] == [0, 0]  # each alone in its group
    # The answers to q1: mean -0.25, deviation 0.75; those to q2 and to q3 are all alike.
    assert got[5:9] == pytest.approx([1.25 / 0.7501, -0.25 / 0.7501, -0.75 / 0.7501, -0.25 / 0.7501], rel=1e-3)
    assert got[9:] == [0, 0, 0, 0]


def test_a_step_of_absolute_zero_rewards_what_was_sampled(
    tiny: World, toy_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both roles, scripted: the toy 'says' a stored draft for every proposal but the last, and gold for every second
    answer."""
    config = ZeroConfig(
        model=str(toy_model),
        steps=1,
        tasks_per_step=2,
        samples=2,
        max_tokens=6,
        prompts="short",
        probe_every=-1,
        device="cpu",
        seed=17,  # draws searchsorted and bincount
    )
    said = iter([draft("searchsorted", 0), draft("searchsorted", 1), draft("bincount", 0), "I take the first of each."])
    judged = list[bool]()
    monkeypatch.setattr(tokens, "response", lambda tokenizer, prompt, ids: next(said))

    def text(self: rl.Sampler, one: Sample) -> str:
        judged.append(len(judged) % 2 == 0)
        return f"```python\n{one.task.gold}```" if judged[-1] else "no"

    monkeypatch.setattr(rl.Sampler, "text", text)
    train(tiny, "absolute-zero", config, tmp_path / "zero", lambda *_: None)
    (line,) = [data for _, data in lines(tmp_path / "zero" / "log.jsonl")]
    assert line["passed"] > 0 and len(judged) == 2 * line["passed"]
    assert line["solver_reward"] == 0  # 1 for gold, -1 for what cannot be read
    stopped = line["proposals"] - line["passed"] - 1  # in the asked form, unlike the last
    assert line["proposer_reward"] == pytest.approx((0.5 * line["passed"] - 0.5 * stopped - 1) / line["proposals"])
    before, after = (load_file(place / "model.safetensors") for place in (toy_model, tmp_path / "zero"))
    assert line["mixed"] > 0 and any(not torch.equal(before[name], after[name]) for name in before)


@pytest.mark.parametrize(
    ("asked", "processes", "message"),
    [
        (64, 8, "12 functions per step .tasks_per_step = 64, world: 12. .* among 8 processes; set --tasks-per-step 8"),
        (10, 4, "10 functions per step .tasks_per_step = 10, world: 12. .* among 4 processes; set --tasks-per-step 8"),
        (64, 16, "12 functions per step .* among 16 processes; use at most 12 processes"),
        (4, 8, "4 functions per step .* among 8 processes; set --tasks-per-step 8"),
    ],
)
def test_functions_that_cannot_be_shared_among_processes_are_refused(asked: int, processes: int, message: str) -> None:
    """A small world has fewer functions than a step asks for: the functions that a step really has must be shared."""
    from sebench.train.trl import zero

    with pytest.raises(ConfigError, match=message):
        zero.check_shares(ZeroConfig(tasks_per_step=asked, trainer="trl"), 12, processes)
    zero.check_shares(ZeroConfig(tasks_per_step=64, trainer="trl"), 12, 6)


def test_a_training_refuses_a_step_that_cannot_be_shared(tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from sebench.train.trl import zero

    count = len(tiny.names.functions)
    monkeypatch.setenv("WORLD_SIZE", str(count - 1))
    training = SimpleNamespace(config=ZeroConfig(tasks_per_step=(count - 1) * 9), world=tiny, is_main=False)
    with pytest.raises(ConfigError, match=f"{count} functions per step"), zero.referee(training):  # type: ignore[arg-type]
        pass


@slow  # the same step with the other engine is above, and learning with this one in test_learn_trl.py
def test_absolute_zero_with_trl_learns_from_both_roles(
    tiny: World, toy_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is sampled is the toy's; what the gates and the judge read is scripted, as above. One answer to each
    question is right: the proposals and the answers of a question both differ in their rewards."""
    pytest.importorskip("trl")
    from sebench.train.trl import zero

    config = ZeroConfig(
        model=str(toy_model),
        trainer="trl",
        steps=1,
        tasks_per_step=2,
        samples=2,
        max_tokens=6,
        prompts="short",
        precision="float32",
        probe_every=-1,
        device="cpu",
        seed=17,
    )
    read = [draft("searchsorted", 0), draft("searchsorted", 1), draft("bincount", 0), "I take the first of each."]
    decide, reward = ProposalGates.decide, zero.Referee.reward
    batches: list[dict[str, torch.Tensor]] = []

    def gold(self: zero.Referee, decided: zero.Decided, questions: list[Task], texts: list[str]) -> zero.StepRewards:
        assert len(texts) == 2 * len(questions)
        return reward(
            self, decided, questions, [f"```python\n{q.gold}```" if n else "no" for q in questions for n in (0, 1)]
        )

    monkeypatch.setattr(
        ProposalGates, "decide", lambda self, step, functions, texts: decide(self, step, functions, read)
    )
    monkeypatch.setattr(zero.Referee, "reward", gold)
    score = zero.zero_class()._generate_and_score_completions
    monkeypatch.setattr(
        zero.zero_class(),
        "_generate_and_score_completions",
        lambda self, inputs: batches.append(made := score(self, inputs)) or made,
    )
    train(tiny, "absolute-zero", config, tmp_path / "zero", lambda *_: None)
    (line,) = [data for _, data in lines(tmp_path / "zero" / "log.jsonl")]
    assert line["proposals"] == 4 and line["passed"] > 0 and line["solver_reward"] == 0
    (batch,) = batches
    first = batch["advantages"].view(-1, 2)  # proposals for a function, answers to a question, and so on
    assert len(first) == 4 and first[1].tolist() == pytest.approx([-1, 1], abs=1e-3)
    unused = 2 - line["passed"]
    assert (first[3].tolist() == [0, 0]) == bool(unused)  # a group without a question has no part in the loss
    before, after = (load_file(place / "model.safetensors") for place in (toy_model, tmp_path / "zero"))
    assert any(not torch.equal(before[name], after[name]) for name in before)

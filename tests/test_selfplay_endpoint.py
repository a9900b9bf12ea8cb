"""Self-play over HTTP: a solver that is sometimes right, other models that must agree, and providers that fail."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


from sebench.base import retry  # noqa: E402
from sebench.base.errors import ConfigError, ProviderError  # noqa: E402
from sebench.base.ledger import lines  # noqa: E402
from sebench.models import calls  # noqa: E402
from sebench.selfplay.config import SelfplayConfig  # noqa: E402
from sebench.selfplay.steps import selfplay  # noqa: E402
from sebench.tasks import splits  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests.conftest import slow  # noqa: E402
from tests.misbehaving import good, refusal  # noqa: E402
from tests.playing import Player, cheap  # noqa: E402


@pytest.fixture(scope="module")
def config(toy_model: Path) -> SelfplayConfig:
    return cheap(toy_model)


@slow
def test_a_solver_that_is_sometimes_right_plays_two_rounds_over_http(
    tiny: World, config: SelfplayConfig, tmp_path: Path
) -> None:
    with Player(tmp_path) as server:
        # The first reply is not in the asked form.
        server.fault = lambda model, prompt: good("Certainly! Here it is.") if len(server.proposed) == 1 else None
        asked = replace(
            config,
            model="player",
            base_url=(server.url,),
            base="",
            train="none",
            proposer="same",
            proposals=1,
            rounds=2,
        )
        first, second = selfplay(tiny, asked, tmp_path)
    assert first.funnel["proposed"] - first.funnel["parse"] == 1  # the reply in another form
    assert first.kept == first.funnel["guard"] > 0 and first.tokens > 0
    attempts = json.loads((tmp_path / "attempts-1.json").read_text())["attempts"]
    assert all(sorted(one["samples"]) == [False, True] for one in attempts)
    # The second round asks something else; nothing was trained, so the accuracy is that of the model before, asked for
    # once.
    questions = [d["question"] for n in (1, 2) for _, d in lines(tmp_path / f"round-{n}" / "tasks.jsonl")]
    assert len(questions) == len(set(questions)) and second.kept_in_all == first.kept + second.kept
    assert (
        first.accuracy == second.accuracy == {"single_test": 0.0} and not (tmp_path / "round-2" / "evaluate").exists()
    )


@pytest.fixture(scope="module")
def writes(config: SelfplayConfig) -> SelfplayConfig:
    """A model at an endpoint that writes one question for each of two functions; nothing is trained."""
    return replace(
        config, model="player", base_url=("http://none",), base="", train="none", proposer="same", proposals=1,
        functions="searchsorted,cumsum",
    )  # fmt: skip


TOO_LONG = refusal(400, "maximum context length is 4096 tokens")


@slow
def test_prompts_that_are_too_long_leave_nothing_owed(tiny: World, writes: SelfplayConfig, tmp_path: Path) -> None:
    """Of a proposer, of a model that must agree, and of a solver: each loses its draft, and the play goes on."""
    with Player(tmp_path) as server:
        asked = replace(writes, base_url=(server.url,))
        server.fault = lambda model, prompt: TOO_LONG if model == "other" or "`np.cumsum` answers" in prompt else None
        (done,) = selfplay(tiny, replace(asked, consensus=("other",)), tmp_path / "agreed")
        gates = [data for _, data in lines(tmp_path / "agreed" / "round-1" / "gates.jsonl") if not data["passed"]]
        assert {(data["key"].partition("/")[0], data["gate"]) for data in gates} == {
            ("cumsum", "parse"),
            ("searchsorted", "consensus"),
        }
        assert "refused: " in gates[-1]["evidence"] and done.kept == 0
        server.fault = lambda model, prompt: None if "Write one task" in prompt else TOO_LONG
        (alone,) = selfplay(tiny, replace(asked, functions="searchsorted"), tmp_path / "alone")
        assert alone.funnel["guard"] == 1 and alone.left_out == {"not judged": 1} and alone.accuracy == {}
        server.fault = lambda model, prompt: TOO_LONG if "Write one task" in prompt else None
        with pytest.raises(ConfigError, match=r"refused every prompt: .*maximum context length"):
            selfplay(tiny, asked, tmp_path / "none")


def test_an_endpoint_that_fails_midway_is_asked_for_the_rest_alone(
    tiny: World, writes: SelfplayConfig, toy_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "TRIES", 1)
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.0)
    with Player(tmp_path) as server:
        # One of the models that must agree is local, although the others are at the endpoint.
        asked = replace(writes, base_url=(server.url,), consensus=("other", str(toy_model)))
        down, first = refusal(503, "overloaded", "Retry-After: 0"), list[str]()

        def proposing(model: str, prompt: str) -> bytes | None:
            return down if "`np.cumsum` answers" in prompt else None

        def agreeing(model: str, prompt: str) -> bytes | None:
            first.extend([prompt] if model == "other" else [])
            return down if model == "other" and prompt != first[0] else None

        missing = "answers are missing from at least one consensus model"
        for fault, failing in ((proposing, "proposals failed"), (agreeing, missing)):
            server.fault = fault
            with pytest.raises(ProviderError, match=f"{failing}.*overloaded.*run the same command again to retry"):
                selfplay(tiny, asked, tmp_path)
        server.fault = lambda model, prompt: None
        (done,) = selfplay(tiny, asked, tmp_path)
    # What the others do not solve is not asked.
    assert done.funnel["guard"] > 0 == done.funnel["consensus"] == done.kept
    reasons = [d["reason"] for _, d in lines(tmp_path / "round-1" / "gates.jsonl") if d["gate"] == "consensus"]
    assert set(reasons) == {"unsolved"}
    bank = [task.question for split in splits.SPLITS for task in tiny.tasks(split)]
    assert not [q for q in bank for prompt in server.proposed if q in prompt]
    assert {model for model, _ in server.asked} == {"player", "other"}
    paid = Counter(one for one in server.asked if "Write one task" in one[1] or one[0] == "other")
    assert sorted(paid.values()) == [1, 1, 2, 2]  # what was answered once is not asked again

"""Self-play over HTTP: a solver that is sometimes right, other models that must agree, and providers that fail."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


from sebench.learn.selfplay.config import SelfplayConfig  # noqa: E402
from sebench.learn.selfplay.session import selfplay  # noqa: E402
from sebench.ledger import lines  # noqa: E402
from sebench.tasks import splits  # noqa: E402
from sebench.world import World  # noqa: E402
from tests import toy  # noqa: E402
from tests.playing import Player, cheap  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def one_core() -> Iterator[None]:
    """A judge starts a process for each core, and a play several judges: one each is enough here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        yield


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toy.saved(tmp_path_factory.mktemp("toy"))


@pytest.fixture(scope="module")
def config(base: Path) -> SelfplayConfig:
    return cheap(base)


def test_a_solver_that_is_sometimes_right_plays_two_rounds_over_http(
    tiny: World, config: SelfplayConfig, tmp_path: Path
) -> None:
    with Player(tmp_path, tiny) as server:
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
    # The second round asks something else; nothing was trained, so the accuracy is that of the model before, asked for once.
    questions = [d["question"] for n in (1, 2) for _, d in lines(tmp_path / f"round-{n}" / "tasks.jsonl")]
    assert len(questions) == len(set(questions)) and second.kept_in_all == first.kept + second.kept
    assert (
        first.accuracy == second.accuracy == {"single_test": 0.0} and not (tmp_path / "round-2" / "evaluate").exists()
    )


def test_what_other_models_do_not_solve_is_not_asked(tiny: World, config: SelfplayConfig, tmp_path: Path) -> None:
    with Player(tmp_path, tiny) as server:
        asked = replace(
            config, model="player", base_url=(server.url,), base="", train="none", proposer="same", proposals=1,
            functions="searchsorted,cumsum", consensus=("second",), propose="free",
        )  # fmt: skip
        (done,) = selfplay(tiny, asked, tmp_path)
    assert done.funnel["guard"] > 0 == done.funnel["consensus"] == done.kept
    reasons = [d["reason"] for _, d in lines(tmp_path / "round-1" / "gates.jsonl") if d["gate"] == "consensus"]
    assert set(reasons) == {"unsolved"}
    bank = [task.question for split in splits.SPLITS for task in tiny.tasks(split)]
    assert len(server.proposed) == 2 and not [q for q in bank for prompt in server.proposed if q in prompt]

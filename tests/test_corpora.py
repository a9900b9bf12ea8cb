"""No attack passes and every honest answer does, on several worlds."""

from __future__ import annotations

import pytest

from sebench.judge.judge import Judge, Limits
from sebench.records import Blame
from sebench.world import World
from tests import corpora
from tests.conftest import shared


@pytest.fixture(scope="module", params=["seed 1", "published mapping", "seed 6"])
def judge(
    request: pytest.FixtureRequest, world: World, published: World, tmp_path_factory: pytest.TempPathFactory
) -> Judge:
    if request.param == "seed 6":
        chosen = shared(tmp_path_factory, "6", lambda path: World.build(6, path))
    else:
        chosen = world if request.param == "seed 1" else published
    made = Judge(chosen, limits=Limits(cpu_s=2, wall_s=30))
    request.addfinalizer(made.close)
    return made


def test_every_honest_answer_passes(judge: Judge) -> None:
    specimens = list(corpora.honest(judge.world.names))
    verdicts = judge.judge_many((s.task, s.response) for s in specimens)
    failed = [f"{s.name}: {v.kind} {v.detail}" for s, v in zip(specimens, verdicts, strict=True) if not v.passed]
    assert len(specimens) >= 80
    assert failed == []


def test_no_attack_passes_and_each_is_the_candidates_fault(judge: Judge) -> None:
    specimens = list(corpora.attacks(judge.world.names))
    if judge.world.manifest.seed != 1:  # the slow ones, which use up their CPU time, on one world only
        specimens = [s for s in specimens if s.family != "resources"]
    verdicts = list(judge.judge_many((s.task, s.response) for s in specimens))
    passed = [s.name for s, v in zip(specimens, verdicts, strict=True) if v.passed]
    others = [
        f"{s.name}: {v.kind}, {v.blame}: {v.detail}"
        for s, v in zip(specimens, verdicts, strict=True)
        if v.blame is not Blame.CANDIDATE or (s.kinds and v.kind not in s.kinds)
    ]
    assert len(specimens) >= 80
    assert passed == []
    assert others == []

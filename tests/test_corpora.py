"""No attack is credited and every honest answer passes, in several worlds, both behind the wall and in the process of
the library."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sebench.base.records import Blame, Kind, Verdict
from sebench.judge.judge import Judge, Limits
from sebench.world.world import World
from tests import corpora
from tests.conftest import EVERYTHING, slow
from tests.corpora import Specimen

ATTACKS, HONEST = 610, 416
STRIDE = 1 if EVERYTHING else 24  # the stride where every specimen is judged in another test
ENDLESS = (Kind.TIME,)  # the kinds of an attack that can end in no other way
# of each coin: one that lands right every second time is noticed in 255 of 256 runs, or 3 of 4
TOSSES = 8 if EVERYTHING else 2
# What the published mapping has no functions or tasks for.
UNFILLED = {"published": (2, 52)}


@pytest.fixture(scope="module", params=["world", pytest.param("published", marks=slow)])
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    with Judge(request.getfixturevalue(request.param), limits=Limits(cpu_s=2, wall_s=30)) as made:
        yield made


def verdicts(judge: Judge, specimens: list[Specimen]) -> list[tuple[Specimen, Verdict]]:
    return list(zip(specimens, judge.judge_many((s.task, s.response) for s in specimens), strict=True))


def unexpected(judged: list[tuple[Specimen, Verdict]]) -> list[str]:
    """Attacks that were credited, that were blamed on somebody else, or that failed in a way that is not theirs."""
    return [
        f"{s.name}: {v.kind}, targeted {v.targeted}, {v.blame}: {v.detail}"
        for s, v in judged
        if v.targeted or v.kind not in s.kinds or v.blame is not (Blame.NONE if v.passed else Blame.CANDIDATE)
    ]


def test_every_specimen_is_counted(judge: Judge, request: pytest.FixtureRequest) -> None:
    missing = UNFILLED.get(request.node.callspec.params["judge"], (0, 0))
    attacks, honest = corpora.attacks(judge.world), corpora.honest(judge.world)
    assert (len(attacks.specimens), len(attacks.unfilled)) == (ATTACKS - missing[0], missing[0])
    assert (len(honest.specimens), len(honest.unfilled)) == (HONEST - missing[1], missing[1])
    assert [s.name for s in attacks.specimens if not s.kinds] == []


def test_every_honest_answer_passes(judge: Judge) -> None:
    """All of them in `make test-all`, every third in `make test`."""
    judged = verdicts(judge, list(corpora.honest(judge.world).specimens)[:: 1 if EVERYTHING else 3])
    assert [f"{s.name}: {v.kind} {v.detail}" for s, v in judged if not v.passed] == []


@pytest.mark.parametrize("walled", [False, True])
def test_honest_answers_that_work_in_parts_are_credited(world: World, walled: bool) -> None:
    """Row by row, element by element, or with defaults written out."""
    chosen = [s for s in corpora.honest(world).specimens if s.family == "credited"]
    with Judge(world, walled=walled) as judge:
        judged = verdicts(judge, chosen)
    assert [f"{s.name}: {v.kind} {v.detail}" for s, v in judged if not v.targeted] == [] and len(judged) >= 9


def test_no_attack_is_credited_and_each_fails_as_it_should(judge: Judge) -> None:
    """Every attack on the world of seed 1; on the other some, and none that uses up its CPU time."""
    chosen = [s for s in corpora.attacks(judge.world).specimens if s.kinds != ENDLESS]
    if judge.world.manifest.seed != 1:
        chosen = [s for s in chosen if s.family != "resources"][::STRIDE]
    elif STRIDE > 1:  # each of these uses up seconds
        spared = [s for s in chosen if s.family == "resources"][1::2]
        chosen = [s for s in chosen if s not in spared]
    assert unexpected(verdicts(judge, chosen)) == []


def test_no_attack_that_never_ends_is_credited(world: World) -> None:
    """They use up whatever CPU time they get."""
    endless = [s for s in corpora.attacks(world).specimens if s.kinds == ENDLESS]
    assert len(endless) > 15
    with Judge(world, limits=Limits(cpu_s=0.25, wall_s=30)) as judge:
        assert unexpected(verdicts(judge, endless)) == []


def test_the_wall_alone_gives_the_same(world: World) -> None:
    """Some specimens of both corpora, with nothing run beside the library."""
    honest = list(corpora.honest(world).specimens)[1::STRIDE]
    attacks = corpora.attacks(world).specimens
    hostile = [s for s in attacks if s.family != "resources" and s.kinds != ENDLESS][1::STRIDE]
    with Judge(world, limits=Limits(cpu_s=3, wall_s=60), walled=True) as walled:
        assert [s.name for s, v in verdicts(walled, honest) if not v.passed] == []
        assert unexpected(verdicts(walled, hostile)) == []


def test_no_coin_ever_lands_on_the_right_side(world: World) -> None:
    coins = [s for s in corpora.attacks(world).specimens if "coin" in s.name]
    assert len(coins) > 15
    with Judge(world) as judge:
        judged = verdicts(judge, coins * TOSSES)
    assert [s.name for s, v in judged if v.passed] == []

"""Self-play without a model: what is kept and why, what it covers, and a loop that can be interrupted anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from sebench.base.errors import ConfigError
from sebench.selfplay import summary
from sebench.selfplay.config import SelfplayConfig
from sebench.selfplay.rounds import PROPOSED, GatedProposals, Steps, play
from sebench.train.proposals import selection
from sebench.train.proposals.selection import (
    FilterReason,
    JudgedQuestion,
    SelectionSettings,
    coverage,
    next_targets,
    select,
    variety,
)

WORDS = "river bakery orbit ledger glacier violin harbour meadow copper lantern saddle pepper".split()


def wording(number: int) -> str:
    """A question that shares no run of words with another number's."""
    first, second, third = (WORDS[(number // len(WORDS) ** place) % len(WORDS)] for place in range(3))
    return f"{first} of{second} in{third} by{first} as{second} to{third}"


def attempt(name: str, rate: str = "++-", question: str = "", functions: Sequence[str] = ("f",)) -> JudgedQuestion:
    """`rate`: a sign for each answer, right, wrong or "?" for a fault."""
    samples = tuple({"+": True, "-": False, "?": None}[sign] for sign in rate)
    return JudgedQuestion(name, question or f"{name} asks {name}ly about {name}ness", tuple(functions), samples)


# Solve rates.


def test_a_fault_of_another_is_no_wrong_answer() -> None:
    assert attempt("a", "+?-?").solve_rate == 0.5
    assert attempt("a", "??").solve_rate is None
    assert attempt("a", "").solve_rate is None


@pytest.mark.parametrize(
    ("rate", "always_allowed", "band"),
    [
        ("---", FilterReason.NEVER, FilterReason.NEVER),
        ("+--", None, None),
        ("+++", None, FilterReason.ALWAYS),
        ("??", FilterReason.UNJUDGED, FilterReason.UNJUDGED),
    ],
)
def test_which_solve_rates_are_kept(rate: str, always_allowed: FilterReason | None, band: FilterReason | None) -> None:
    assert select([attempt("a", rate)], SelectionSettings()).left_out.get("a") == always_allowed
    assert select([attempt("a", rate)], SelectionSettings(below=1.0)).left_out.get("a") == band


@pytest.mark.parametrize(
    "wrong", [{"above": 1.0}, {"above": 0.5, "below": 0.5}, {"below": 1.5}, {"per_function": -1}, {"alike": 0}]
)
def test_a_curriculum_that_keeps_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"above|alike"):
        SelectionSettings(**wrong)


# Near-duplicates.


def test_of_near_duplicates_the_first_stays() -> None:
    twins = [attempt("a", question=wording(1)), attempt("b", question=wording(1)), attempt("c", question=wording(200))]
    found = select(twins, SelectionSettings())
    assert [one.id for one in found.kept] == ["a", "c"]
    assert found.left_out == {"b": FilterReason.DUPLICATE}


def test_a_question_of_an_earlier_round_is_not_asked_again_under_any_name() -> None:
    earlier = [attempt("a", question=wording(1))]
    found = select(
        [attempt("a", question=wording(1)), attempt("b", question=wording(200))], SelectionSettings(), earlier
    )
    assert [one.id for one in found.kept] == ["b"]


def test_a_question_that_is_left_out_crowds_nothing_out() -> None:
    unsolved, twin = attempt("a", "---", question=wording(1)), attempt("b", question=wording(1))
    assert [one.id for one in select([unsolved, twin], SelectionSettings()).kept] == ["b"]
    # b is like a, and c like b but not like a: b is out, so c stays.
    first, second = "one two three four five six seven", "eight nine ten eleven twelve thirteen fourteen"
    chain = [
        attempt("a", question=first),
        attempt("b", question=f"{first} {second}"),
        attempt("c", question=second),
    ]
    found = select(chain, SelectionSettings(alike=0.3))
    assert [one.id for one in found.kept] == ["a", "c"]


# Coverage.


def test_a_function_that_has_enough_questions_gets_no_more_unless_another_needs_one() -> None:
    made = [attempt("a"), attempt("b"), attempt("c"), attempt("d", functions=("f", "g"))]
    found = select(made, SelectionSettings(per_function=2))
    assert [one.id for one in found.kept] == ["a", "b", "d"]
    assert found.left_out == {"c": FilterReason.FULL}
    assert select([attempt("e")], SelectionSettings(per_function=2), made[:2]).left_out == {"e": FilterReason.FULL}


def test_coverage_counts_functions_of_the_world_alone() -> None:
    found = coverage([attempt("a", functions=("f", "elsewhere")), attempt("b", functions=("f", "g"))], "fghi")
    assert (found.counts, found.covered) == ({"f": 2, "g": 1, "h": 0, "i": 0}, 2)


@pytest.mark.parametrize(("functions", "effective"), [("ffff", 1), ("ffgg", 2), ("fghi", 4), ("", 0)])
def test_effective_functions_of_even_spreads(functions: str, effective: float) -> None:
    made = [attempt(str(number), functions=name) for number, name in enumerate(functions)]
    assert coverage(made, "fghijk").effective == pytest.approx(effective)


@given(some.lists(some.integers(0, 50), min_size=1, max_size=12))
def test_effective_functions_never_exceed_those_that_are_covered(counts: list[int]) -> None:
    found = selection.Coverage({str(number): count for number, count in enumerate(counts)})
    assert found.effective <= found.covered + 1e-9


def test_the_next_targets_are_the_functions_with_the_fewest_questions() -> None:
    kept = [attempt("a", functions="ff"), attempt("b", functions="g")]
    assert next_targets(kept, "fghij", 5, 1)[3:] == ["g", "f"]
    assert set(next_targets(kept, "fghij", 3, 1)) == {"h", "i", "j"}
    assert next_targets(kept, "jihgf", 5, 1) == next_targets(kept, "fghij", 5, 1)
    orders = {tuple(next_targets([], "fghij", 5, seed)) for seed in range(20)}
    assert len(orders) > 1


def test_variety_is_one_without_repetition_and_falls_with_it() -> None:
    assert variety([wording(1), wording(200)]) == 1
    assert variety([wording(1)] * 10) == pytest.approx(0.1)
    assert variety([]) == 0


# Rewards of Absolute Zero.


def test_a_proposer_earns_most_for_what_is_seldom_solved_and_nothing_for_what_never_is() -> None:
    rewards = [selection.proposer_reward(attempt("a", rate)) for rate in ("----", "+---", "++--", "++++")]
    assert rewards == [0, 0.75, 0.5, 0]
    assert selection.proposer_reward(None) == -0.5  # in the asked form, and a gate stopped it
    assert selection.proposer_reward(None, readable=False) == -1
    assert selection.proposer_reward(attempt("a", "??")) is None


def test_a_solver_is_told_wrong_from_unreadable_and_not_blamed_for_faults() -> None:
    assert selection.solver_reward(True) == 1
    assert selection.solver_reward(False) == -0.5
    assert selection.solver_reward(False, readable=False) == -1
    assert selection.solver_reward(None) is None


# The loop.


class Played:
    """Steps that make two questions for each target, one of them never solved, and write down what they were asked."""

    def __init__(self, stop_at: str = "") -> None:
        self.asked: list[Any] = []
        self.stop_at = stop_at

    def note(self, *what: Any) -> None:
        self.asked.append(what)
        if f"{what[0]}-{what[1]}" == self.stop_at:
            raise KeyboardInterrupt

    def propose(self, number: int, wanted: Sequence[str], kept: Sequence[JudgedQuestion]) -> GatedProposals:
        self.note("propose", number, tuple(wanted), len(kept))
        base = 100 * number
        made = [
            attempt(f"{number}-{f}-{i}", "-" if i else "+-", wording(base + 2 * n + i), (f,))
            for n, f in enumerate(wanted)
            for i in (0, 1)
        ]
        return GatedProposals({PROPOSED: len(made) + 3, "parse": len(made) + 1, "runs": len(made)}, made, 1000)

    def solve(self, number: int, questions: Sequence[Any]) -> tuple[Sequence[JudgedQuestion], int]:
        self.note("solve", number, len(questions))
        return questions, 10

    def train(self, number: int, kept: Sequence[JudgedQuestion]) -> None:
        self.note("train", number, tuple(one.id for one in kept))

    def evaluate(self, number: int) -> Mapping[str, float]:
        self.note("evaluate", number)
        return {"single_test": number / 10}

    @property
    def steps(self) -> Steps:
        return Steps(self.propose, self.solve, self.train, self.evaluate, self.recall)

    def recall(self, number: int) -> Mapping[str, float]:
        self.note("recall", number)
        return {"f": 0.0, "g": 1.0, "h": 0.5, "i": 1.0}


SETTINGS = SelfplayConfig(rounds=2, targets=2, seed=5)


def test_a_round_asks_about_what_earlier_rounds_left_out_and_trains_on_all_that_was_kept(tmp_path: Path) -> None:
    for seed in range(6):  # by chance two rounds would rarely ask about all four
        played = Played()
        found = play(played.steps, "fghi", SelfplayConfig(rounds=2, targets=2, seed=seed), tmp_path / str(seed))
        first, second = (what[2] for what in played.asked if what[0] == "propose")
        assert {*first, *second} == set("fghi")
    trained = [what[2] for what in played.asked if what[0] == "train"]
    assert len(trained[0]) == 2
    assert trained[1][:2] == trained[0]
    assert (found[1].kept, found[1].kept_in_all, found[1].covered, found[1].tokens) == (2, 4, 4, 1010)
    assert found[1].left_out == {"solved too seldom": 2}


def test_an_aimed_round_asks_about_what_the_trained_model_misses_even_if_it_was_asked_before(tmp_path: Path) -> None:
    for seed in range(6):
        played = Played()
        play(played.steps, "fghi", SelfplayConfig(rounds=2, targets=2, aim="missed", seed=seed), tmp_path / str(seed))
        assert [what[1] for what in played.asked if what[0] == "recall"] == [1]  # nothing was trained before round 1
        assert [what[2] for what in played.asked if what[0] == "propose"][1] == ("f", "h")
    assert next_targets([attempt("a", functions="f")], "fghi", 2, 1, {"f": 0.5, "g": 0.5, "h": 1.0}) == ["i", "g"]
    with pytest.raises(ConfigError, match="set targets"):
        SelfplayConfig(aim="missed")


@pytest.mark.parametrize("step", ["propose", "solve", "train", "evaluate"])
@pytest.mark.parametrize("number", [1, 2])
def test_a_play_that_was_interrupted_comes_to_the_same(tmp_path: Path, step: str, number: int) -> None:
    whole = play(Played().steps, "fghi", SETTINGS, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        play(Played(f"{step}-{number}").steps, "fghi", SETTINGS, tmp_path / "part")
    again = Played()
    assert play(again.steps, "fghi", SETTINGS, tmp_path / "part") == whole
    asked_again = {what[0] for what in again.asked if what[1] == number}
    assert ("propose" in asked_again) == (step in ("propose", "solve"))
    assert all(what[1] >= number for what in again.asked)


def test_a_finished_play_does_nothing_and_more_rounds_extend_it(tmp_path: Path) -> None:
    play(Played().steps, "fghi", SETTINGS, tmp_path)
    again = Played()
    assert len(play(again.steps, "fghi", SETTINGS, tmp_path)) == 2
    assert again.asked == []
    assert len(play(again.steps, "fghi", SelfplayConfig(rounds=3, targets=2, seed=5), tmp_path)) == 3
    assert {what[1] for what in again.asked} == {3}


def test_a_proposer_that_yields_nothing_trains_nothing_and_is_reported(tmp_path: Path) -> None:
    played = Played()
    steps = replace(played.steps, propose=lambda *_: GatedProposals({PROPOSED: 9, "parse": 0}, []))
    found = play(steps, "fghi", SETTINGS, tmp_path)
    assert [(one.funnel, one.kept, one.variety, one.effective) for one in found] == [
        ({PROPOSED: 9, "parse": 0}, 0, 0, 0)
    ] * 2
    assert [what[2] for what in played.asked if what[0] == "train"] == [(), ()]


@pytest.mark.parametrize(
    ("file", "spoil"),
    [
        ("attempts-1.json", lambda file: file.write_text("{")),
        ("attempts-1.json", lambda file: file.unlink()),
        ("rounds.jsonl", lambda file: file.write_text('{"number": 1}\n')),
        ("rounds.jsonl", lambda file: file.write_text(file.read_text().splitlines(keepends=True)[1])),
    ],
)
def test_a_damaged_play_is_a_line_that_names_the_file(tmp_path: Path, file: str, spoil: Callable[[Path], Any]) -> None:
    play(Played().steps, "fghi", SETTINGS, tmp_path)
    spoil(tmp_path / file)
    with pytest.raises(ConfigError, match=re.escape(file)):
        play(Played().steps, "fghi", SETTINGS, tmp_path)


def test_the_tables_have_the_yield_of_every_gate_and_round(tmp_path: Path) -> None:
    played = summary.read(
        tmp_path, play(Played().steps, "fghi", SETTINGS, tmp_path), {1: {"single_test": (0.1, 0.0, 0.2)}}
    )
    text = summary.markdown(played)
    for line in (
        "| proposed | 7 | 7 |",
        "| after runs | 4 | 4 |",
        "| left out: solved too seldom | 2 | 2 |",
        "| functions covered | 2 of 4 | 4 of 4 |",
        "| round 1 | 10.0% (0.0% to 20.0%) |",
    ):
        assert line in text, text
    assert summary.funnel_chart(played)[-1] == ("kept", 4, [("solved too seldom", 4)])

"""Input kinds keep their promises in every mood (what is special about a case, such as many ties), and the same seed
draws the same values."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.bank import kinds
from sebench.bank.kinds import Draw, Impossible, Mood

MOODS = st.sampled_from(list(Mood))
SEEDS = st.integers(0, 10_000)


def drawn(kind: kinds.InputKind, seed: int, mood: Mood, **ranges: tuple[int, int]) -> object:
    return kind.draw(Draw(random.Random(seed), mood, ranges))


@given(SEEDS, MOODS)
def test_the_same_seed_draws_the_same_value(seed: int, mood: Mood) -> None:
    kind = kinds.Matrix(kinds.Missing(kinds.Float(-5, 5)), "n", (1, 4))
    assert repr(drawn(kind, seed, mood)) == repr(drawn(kind, seed, mood))


@given(SEEDS, MOODS, st.integers(-20, 20), st.integers(0, 30))
def test_ints_stay_in_their_range(seed: int, mood: Mood, low: int, width: int) -> None:
    value = drawn(kinds.Vector(kinds.Int(low, low + width), (1, 6)), seed, mood)
    assert isinstance(value, list) and all(type(v) is int and low <= v <= low + width for v in value)


@given(SEEDS, MOODS)
def test_floats_have_few_decimals_and_no_negative_zero(seed: int, mood: Mood) -> None:
    value = drawn(kinds.Vector(kinds.Float(-1, 1, decimals=2), (1, 6)), seed, mood)
    assert isinstance(value, list)
    assert all(round(v, 2) == v and math.copysign(1, v or 1) == (1 if v >= 0 else -1) for v in value)


@given(SEEDS, MOODS)
def test_unique_and_sorted_hold_in_every_mood(seed: int, mood: Mood) -> None:
    value = drawn(kinds.Vector(kinds.Int(0, 60), (1, 8), unique=True, sorted=True), seed, mood)
    assert isinstance(value, list) and value == sorted(set(value))


@given(SEEDS, MOODS)
def test_a_shared_length_is_shared(seed: int, mood: Mood) -> None:
    case = Draw(random.Random(seed), mood, {"n": (2, 7)})
    first, second = kinds.Vector(kinds.Int(), "n").draw(case), kinds.Matrix(kinds.Int(), "n", 2).draw(case)
    position = kinds.Int(0, "n-1").draw(case)
    most = 28 if mood is Mood.LARGE else 7
    assert len(first) == len(second) and 2 <= len(first) <= most and 0 <= position < len(first)


@given(SEEDS)
def test_moods_are_what_they_say(seed: int) -> None:
    kind = kinds.Vector(kinds.Int(-9, 9), (1, 7))
    assert len(drawn(kind, seed, Mood.SMALL)) == 1  # type: ignore[arg-type]
    assert len(set(drawn(kind, seed, Mood.CONSTANT))) == 1  # type: ignore[call-overload]
    assert drawn(kinds.Int(-9, 9), seed, Mood.EXTREMES) in (-9, 9)
    assert drawn(kinds.Int(-9, 9), seed, Mood.ZEROS) == 0
    assert 7 <= len(drawn(kind, seed, Mood.LARGE)) <= 28  # type: ignore[arg-type]
    assert 90 <= len(drawn(kinds.Vector(kinds.Int(), (3, 90)), seed, Mood.LARGE)) <= 90  # type: ignore[arg-type]


@given(SEEDS, MOODS)
def test_matrices_of_a_form_have_it(seed: int, mood: Mood) -> None:
    symmetric = drawn(kinds.Symmetric(kinds.Int(), (2, 4)), seed, mood)
    assert isinstance(symmetric, list) and symmetric == [list(column) for column in zip(*symmetric, strict=True)]
    for kind in (kinds.PositiveDefinite((2, 4)), kinds.Invertible((2, 4))):
        rows = drawn(kind, seed, mood)
        assert isinstance(rows, list)
        assert all(abs(row[i]) > sum(abs(v) for j, v in enumerate(row) if j != i) for i, row in enumerate(rows))
    definite = drawn(kinds.PositiveDefinite((2, 4)), seed, mood)
    assert isinstance(definite, list) and all(row[i] > 0 for i, row in enumerate(definite))


@given(SEEDS, MOODS)
def test_probabilities_sum_to_one_and_permutations_are_complete(seed: int, mood: Mood) -> None:
    shares = drawn(kinds.Probabilities((2, 5)), seed, mood)
    assert isinstance(shares, list) and math.isclose(sum(shares), 1) and all(0 <= p <= 1 for p in shares)
    order = drawn(kinds.Permutation((2, 6)), seed, mood)
    assert isinstance(order, list) and sorted(order) == list(range(len(order)))


@given(SEEDS, MOODS)
def test_something_is_never_missing_altogether(seed: int, mood: Mood) -> None:
    value = drawn(kinds.Vector(kinds.Missing(kinds.Int(1, 9)), (1, 5)), seed, mood)
    assert isinstance(value, list) and any(v == v for v in value)


def test_an_echo_repeats_what_was_drawn_before_about_every_second_time() -> None:
    repeated = 0
    for seed in range(200):
        case = Draw(random.Random(seed), Mood.PLAIN, values={"taught": [5, 6]})
        repeated += kinds.Echo("taught", kinds.Vector(kinds.Int(0, 1), 2)).draw(case) == [5, 6]
    assert 70 <= repeated <= 130


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(Impossible, match="no 9 different values"):
        drawn(kinds.Vector(kinds.Int(0, 3), 9, unique=True), 1, Mood.PLAIN)
    with pytest.raises(Impossible, match="no whole number from 5 to 2"):
        drawn(kinds.Int(5, 2), 1, Mood.PLAIN)

"""The numbers in a report: hand-computed examples, brute force, and simulations of what intervals and p-values
promise."""

from __future__ import annotations

from itertools import combinations, product
from math import isclose, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.base.records import Blame, Kind
from sebench.report.numbers import compare, intervals, metrics, recall
from sebench.report.numbers.compare import Side
from sebench.report.numbers.metrics import AnswerOutcome, TaskScore
from tests.test_report_data import row, task

# Accuracy and what is left out


def test_accuracy_is_the_mean_over_samples_then_over_tasks() -> None:
    rows = [row("a", True, i) for i in range(4)] + [row("b", True), row("b", False, 1)] + [row("c", False)]
    found = metrics.cell(rows, "closed")
    assert found.accuracy == pytest.approx((1 + 0.5 + 0) / 3)  # 5 of 7 samples would be 0.71
    assert (found.tasks, found.samples, found.passed, found.excluded) == (3, 7, 5, {})


def test_faults_errors_and_missing_verdicts_leave_the_denominator_and_are_counted() -> None:
    fault = {"kind": Kind.FAULT}
    rows = [
        row("a", True),
        row("a", False, 1, **fault, blame=Blame.SANDBOX),
        row("a", False, 2, kind=Kind.CRASH, blame=Blame.TASK),
        row("a", None, 3, error="HTTP 503"),
        row("a", False, 4, **fault, blame=Blame.PROVIDER, error="HTTP 503"),
        row("a", None, 5),
        row("b", None),
    ]
    found = metrics.cell(rows, "closed")
    assert (found.accuracy, found.tasks, found.samples) == (1.0, 1, 1)
    assert found.excluded == {"fault": 2, "no_response": 2, "unjudged": 2}


def test_nothing_that_counts_gives_no_accuracy_rather_than_zero() -> None:
    found = metrics.cell([row("a", None), row("b", None, error="down")], "closed")
    assert (found.accuracy, found.interval, found.pass_at, found.tasks) == (None, None, (), 0)


def test_an_empty_answer_is_wrong_and_not_left_out() -> None:
    assert metrics.outcome(row("a", False, kind=Kind.NO_CODE, response="")) is AnswerOutcome.WRONG


def test_cells_group_by_book_split_functions_and_subject() -> None:
    many = task("m", ("sum", "mean", "sort", "max", "min"), subjects=("sums", "statistics"))
    rows = [row("a", True), row("m", False, task=many), row("m", True, task=many, book="open")]
    found = {(c.book, c.group, c.value): c.accuracy for c in metrics.cells(rows)}
    assert found == {
        ("closed", "all", ""): 0.5,
        ("closed", "split", "single_test"): 1.0,
        ("closed", "split", "multi_test"): 0.0,
        ("closed", "composed", "1"): 1.0,
        ("closed", "composed", "5+"): 0.0,
        ("closed", "subject", "statistics"): 0.5,
        ("closed", "subject", "sums"): 0.0,
        ("open", "all", ""): 1.0,
        ("open", "split", "multi_test"): 1.0,
        ("open", "composed", "5+"): 1.0,
        ("open", "subject", "statistics"): 1.0,
        ("open", "subject", "sums"): 1.0,
    }


# pass@k


@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_share_of_draws_with_a_right_one(samples: int, data: st.DataObject) -> None:
    passed, k = data.draw(st.integers(0, samples)), data.draw(st.integers(1, samples))
    draws = list(combinations([True] * passed + [False] * (samples - passed), k))
    assert isclose(metrics.pass_at_k(samples, passed, k), sum(map(any, draws)) / len(draws), abs_tol=1e-12)


def test_pass_at_k_is_undefined_with_fewer_samples_and_says_over_how_many_tasks() -> None:
    found = metrics.pass_at([TaskScore("a", 4, 1), TaskScore("b", 2, 2), TaskScore("c", 6, 0)])
    assert [(at.k, at.value, at.tasks) for at in found] == [
        (1, pytest.approx((0.25 + 1 + 0) / 3), 3),
        (2, pytest.approx((0.5 + 1 + 0) / 3), 3),
        (4, pytest.approx((1 + 0) / 2), 2),
        (6, 0.0, 1),  # the largest number of samples too
    ]


# Intervals


def test_wilson_agrees_with_published_values() -> None:
    for share, n, low, high in (
        (0.0, 10, 0.0, 0.2775),
        (0.5, 10, 0.2366, 0.7634),
        (1.0, 20, 0.8389, 1.0),
        (0.1, 50, 0.0435, 0.2136),
    ):
        found = intervals.wilson(share, n)
        assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@pytest.mark.parametrize(
    ("means", "method"),
    [
        ([0.0] * 50, "wilson"),
        ([1.0] * 50, "wilson"),
        ([0.5] * 50, "wilson"),
        ([0.0, 1.0] * 4, "wilson"),
        ([0.0, 1.0] * 5, "bootstrap"),
    ],
)
def test_wilson_stands_where_the_bootstrap_fails(means: list[float], method: str) -> None:
    found = intervals.accuracy_interval(means)
    assert found is not None
    assert found.method == method
    assert 0 <= found.low <= np.mean(means) <= found.high <= 1
    assert found.high - found.low > 0.05


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60))
def test_an_interval_holds_the_estimate_and_is_the_same_every_time(means: list[float]) -> None:
    found = intervals.accuracy_interval(means)
    assert found is not None
    assert 0 <= found.low <= np.mean(means) + 1e-12
    assert np.mean(means) - 1e-12 <= found.high <= 1
    assert found == intervals.accuracy_interval(list(means))


@pytest.mark.parametrize("tasks", [12, 40])
def test_the_interval_covers_the_truth_19_times_in_20_though_samples_of_a_task_are_alike(tasks: int) -> None:
    rng = np.random.default_rng(5)
    truth, samples, repeats, covered, naive = 1 / 3, 8, 600, 0, 0
    for _ in range(repeats):
        means = rng.binomial(samples, rng.beta(0.5, 1.0, size=tasks)) / samples
        found = intervals.accuracy_interval(means.tolist())
        assert found is not None
        covered += found.low <= truth <= found.high
        coins = intervals.wilson(float(means.mean()), tasks * samples)
        naive += coins.low <= truth <= coins.high
    assert 0.925 <= covered / repeats <= 0.98
    assert naive / repeats < 0.75  # what treating samples as independent would promise as 95 %


def test_the_interval_of_a_difference_covers_the_truth() -> None:
    rng = np.random.default_rng(6)
    repeats, covered = 600, 0
    for _ in range(repeats):
        skill = rng.beta(0.7, 1.0, size=30)
        after = np.minimum(skill + 0.5 * (1 - skill) * (rng.random(30) < 0.4), 1)  # some tasks are learned
        differences = (rng.binomial(4, after) - rng.binomial(4, skill)) / 4
        found = intervals.difference_interval(differences.tolist())
        assert found is not None
        covered += found.low <= 0.5 * 0.4 * (1 - 0.7 / 1.7) <= found.high
    assert 0.925 <= covered / repeats <= 0.98


def test_equal_differences_leave_room_for_tasks_that_were_not_seen() -> None:
    same = intervals.difference_interval([0.0] * 40)
    best = intervals.difference_interval([1.0] * 40)
    assert same is not None and best is not None
    q = intervals.wilson(0.0, 40).high
    assert (same.low, same.high, same.method) == (pytest.approx(-q), pytest.approx(q), "bound")
    assert (best.low, best.high) == (pytest.approx(1 - 2 * q), 1.0)
    assert intervals.difference_interval([]) is None


# P-values


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=8))
def test_a_small_p_value_is_exact(differences: list[float]) -> None:
    sums = [
        abs(sum(sign * d for sign, d in zip(signs, differences, strict=True)))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    expected = sum(s >= abs(sum(differences)) - 1e-9 for s in sums) / len(sums)
    assert intervals.sign_flip_p(differences) == pytest.approx(expected)


def test_p_values_are_uniform_where_nothing_differs_and_small_where_much_does() -> None:
    rng = np.random.default_rng(7)
    null = np.array([intervals.sign_flip_p(rng.uniform(-1, 1, size=30).tolist()) for _ in range(400)])
    for level in (0.05, 0.25, 0.5, 0.75):
        assert abs(np.mean(null <= level) - level) < 3 * sqrt(level * (1 - level) / len(null))
    assert intervals.sign_flip_p([1.0] * 30 + [0.0] * 10) == pytest.approx(1e-4, abs=1e-9)
    assert intervals.sign_flip_p([0.0] * 40) == 1.0


def test_p_values_of_few_samples_promise_no_more_than_they_hold() -> None:
    """Means of four samples lie on a lattice, so p-values come in steps: at or above uniform, up to chance."""
    rng = np.random.default_rng(8)
    skills = rng.beta(0.7, 0.7, size=(400, 40))
    null = np.array([intervals.sign_flip_p(((rng.binomial(4, s) - rng.binomial(4, s)) / 4).tolist()) for s in skills])
    for level in (0.05, 0.25, 0.5):
        assert level / 2 < np.mean(null <= level) < level + 3 * sqrt(level * (1 - level) / len(null))


# Comparisons


def test_a_comparison_pairs_by_task_and_leaves_out_what_one_side_lacks() -> None:
    before = {
        "a": TaskScore("a", 2, 0),
        "b": TaskScore("b", 2, 1),
        "c": TaskScore("c", 0, 0),
        "d": TaskScore("d", 1, 1),
    }
    after = {"a": TaskScore("a", 2, 2), "b": TaskScore("b", 4, 2), "c": TaskScore("c", 2, 2)}
    found = compare.compare("x", before, after, (Side("r", "closed"), Side("s", "closed")))
    assert found is not None
    assert (found.tasks, found.accuracy_before, found.accuracy_after, found.difference) == (2, 0.25, 0.75, 0.5)
    assert compare.compare("x", before, {}, (Side("r", "closed"), Side("s", "closed"))) is None


def test_book_dependence_is_open_minus_closed() -> None:
    rows = [row(f"t{i}", i < 2) for i in range(10)] + [row(f"t{i}", i < 9, book="open") for i in range(10)]
    (found,) = compare.book_dependence("r", rows)
    assert (found.difference, found.before.book, found.after.book) == (pytest.approx(0.7), "closed", "open")
    assert found.p == pytest.approx(2 / 2**7)
    assert compare.book_dependence("r", rows[:10]) == []


def test_two_runs_are_compared_with_the_book_that_both_have() -> None:
    before = [row(f"t{i}", i < 3) for i in range(12)]
    after = [row(f"t{i}", i < 9) for i in range(12)] + [row("t0", True, book="open")]
    (found,) = compare.runs(("before", before), ("after", after))
    assert (found.name, found.difference, found.tasks) == ("closed book", pytest.approx(0.5), 12)


# Kinds, recall, totals


def test_error_kinds_begin_with_the_five_published_ones_and_sum_to_the_wrong_answers() -> None:
    rows = [
        row("a", False, i, kind=kind)
        for i, kind in enumerate([Kind.TIME, Kind.WRONG_VALUE, Kind.WRONG_VALUE, Kind.MISREAD_RESULT])
    ]
    rows += [row("a", True, 9), row("a", False, 10, kind=Kind.FAULT, blame=Blame.SANDBOX)]
    found = metrics.error_kinds(rows)
    assert [kind.kind for kind in found] == [*metrics.PUBLISHED, "wrong_value", "time"]
    assert [kind.count for kind in found] == [0, 0, 0, 1, 0, 2, 1]
    assert sum(kind.share for kind in found) == pytest.approx(1)


def test_recall_counts_calls_of_a_function_where_it_is_needed_and_elsewhere() -> None:
    mean, total = task("m", ("mean",)), task("s", ("sum",), subjects=("sums",))
    rows = [
        row("m", True, 0, task=mean, functions=("zmean",)),
        row("m", False, 1, task=mean, functions=("zsum",)),
        row("m", False, 2, task=mean, functions=("zmean", "zsum")),
        row("m", False, 3, task=mean, functions=("other",)),
        row("s", True, 0, task=total, functions=("zsum",)),
    ]
    found = {f.function: f for f in recall.functions(rows, {"mean": "statistics", "sum": "sums"})}
    assert (found["mean"].accuracy, found["mean"].called, found["mean"].called_elsewhere) == (0.25, 2, 0)
    assert (found["sum"].accuracy, found["sum"].called, found["sum"].called_elsewhere) == (1.0, 1, 2)
    pairs = {(c.function, c.instead, c.original, c.count) for c in recall.confusions(rows)}
    assert pairs == {("mean", "zsum", "sum", 1), ("mean", "other", "", 1)}


@pytest.mark.parametrize(
    "detail",
    [
        "line 5: AttributeError: module 'vok' has no attribute 'average'",
        "line 5: AttributeError: module 'vok.rfx' has no attribute 'average'",
        "line 1: ImportError: cannot import name 'average' from 'vok' (unknown location)",
        "line 1: ModuleNotFoundError: No module named 'vok.average'",
    ],
)
def test_the_invented_name_is_read_from_the_verdict(detail: str) -> None:
    wrong = row("a", False, kind=Kind.FUNCTION_HALLUCINATION, detail=detail)
    assert recall.invented_name(wrong) == "average"
    (pair,) = recall.confusions([wrong])
    assert (pair.function, pair.instead, pair.invented) == ("mean", "average", True)
    assert recall.invented_name(row("a", False, detail=detail)) == ""


def test_a_subject_comes_from_tasks_of_one_subject_else_from_the_catalog() -> None:
    tasks = [task("a", ("mean",)), task("b", ("mean", "solve"), subjects=("statistics", "linalg"))]
    assert recall.subjects(tasks, lambda path: f"? {path}") == {"mean": "statistics", "solve": "? solve"}


# Names of NumPy's own


@pytest.mark.parametrize(
    ("kind", "detail", "name"),
    [
        (Kind.FUNCTION_HALLUCINATION, "line 3: AttributeError: module 'vok' has no attribute 'mean'", "mean"),
        (Kind.FUNCTION_HALLUCINATION, "line 1: ImportError: cannot import name 'cumsum' from 'vok' (vok.py)", "cumsum"),
        (Kind.FUNCTION_HALLUCINATION, "line 1: ModuleNotFoundError: No module named 'vok.linalg'", "linalg"),
        (Kind.ATTRIBUTE_HALLUCINATION, "line 3: AttributeError: 'Zarr' object has no attribute 'reshape'", "reshape"),
        (Kind.MISREAD_RESULT, "line 3: AttributeError: 'float' object has no attribute 'mean'", ""),
    ],
)
def test_the_missing_name_is_read_off_the_verdict(kind: Kind, detail: str, name: str) -> None:
    verdict = row("a", False, kind=kind, detail=detail).verdict
    assert verdict is not None
    assert metrics.missing_name(verdict) == name
    assert (name in metrics.numpy_names()) == bool(name)


def test_errors_with_a_name_of_numpys_own_are_counted_within_their_kind() -> None:
    said = "module 'vok' has no attribute '{}'"
    names = ("mean", "zebu", "mean", "argsort")
    rows = [
        row("a", False, i, kind=Kind.FUNCTION_HALLUCINATION, detail=said.format(name)) for i, name in enumerate(names)
    ]
    rows.append(row("a", False, 9, kind=Kind.NUMPY, detail="line 1: import of numpy"))
    found = {error.kind: error for error in metrics.error_kinds(rows)}
    assert (found["function_hallucination"].count, found["function_hallucination"].numpy_names) == (4, 3)
    assert (found["numpy"].count, found["numpy"].published, found["numpy"].share) == (1, False, 0.2)
    assert [(i.name, i.numpy, i.count) for i in recall.invented_names(rows)] == [
        ("mean", True, 2),
        ("argsort", True, 1),
        ("zebu", False, 1),
    ]

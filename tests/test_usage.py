"""How alike two solutions are, which decides how tasks are split."""

from __future__ import annotations

from collections import defaultdict

import pytest

from sebench.bank.definition import Definition, bank
from sebench.tasks import rules, splits, usage


def source(body: str, parameters: str = "a, b") -> str:
    return f"import numpy as np\n\n\ndef f({parameters}):\n    return {body}\n"


@pytest.mark.parametrize(
    "one, other, same",
    [
        ("np.mean(a, axis=0)", "np.mean(b, axis=0)", True),
        ("np.mean(a, axis=0)", "np.mean(a, axis=1)", False),
        ("np.subtract(a, b)", "np.subtract(a, a)", False),
        ("np.mean(a)", "np.median(a)", False),
        ("np.array(a, dtype=float)", "np.array(a, dtype=int)", False),
    ],
)
def test_the_same_program_with_other_variables_is_the_same(one: str, other: str, same: bool) -> None:
    assert (usage.likeness(source(one), source(other, "b, a" if "b," in other else "b")) == 1.0) == same


def test_a_new_option_counts_more_than_a_new_value() -> None:
    shown = source("np.pad(a, 1, mode='edge')")
    value, option = source("np.pad(a, 1, mode='wrap')"), source("np.pad(a, 1, mode='constant', constant_values=3)")
    assert 1 > usage.likeness(shown, value) > usage.likeness(shown, option) > 0
    assert usage.usage(option) - usage.usage(shown) >= {
        "option pad.constant_values",
        "option pad.constant_values=3",
    }


def test_the_test_task_is_the_one_least_like_the_others() -> None:
    by_function: dict[str, list[Definition]] = defaultdict(list)
    for definition in bank():
        if definition.part == "single":
            by_function[rules.subject(definition)].append(definition)
    placed = splits.assign(bank(), 3)
    for tasks in by_function.values():
        nearest = {
            one.name: max(usage.likeness(one.source, other.source) for other in tasks if other is not one)
            for one in tasks
        }
        (test,) = [name for name in nearest if placed[name] == splits.SINGLE_TEST]
        assert nearest[test] == min(nearest.values())

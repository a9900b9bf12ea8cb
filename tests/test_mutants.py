"""Look-alike programs: each kind of change is made, and cases that cannot tell one from the solution are found."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from sebench.base.errors import BankError
from sebench.tasks import cases, edits, mutants
from tests.drafts import GOOD, definitions

MADE = {
    "np.cumsum(np.round(points))": {"cumsum left out", "round left out"},
    "np.array(points) >= 3": {"np.array(points) >= 3: the other border"},
    "np.sort(points) - points": {"np.sort(points) - points: operands swapped"},
    "-np.sort(points)": {"-np.sort(points): sign dropped"},
    "np.sort(points)[::-1]": {"np.sort(points)[::-1]: not reversed"},
    "np.std(points)": {"std: ddof=1 added"},
    "np.std(points, ddof=1)": {"std: ddof=1 dropped", "std: ddof=1 -> 2", "std: ddof=1 -> 0"},
    "np.searchsorted([3, 9], points)": {"searchsorted: side='right' added", "searchsorted: arguments 1 and 2 swapped"},
    "np.percentile(points, 40)": {"percentile: method='lower' added", "percentile: q=40 -> 41"},
    "np.pad(points, 2, "
    "mode='wrap')": {"pad: mode='wrap' -> 'edge'", "pad: mode='wrap' -> 'reflect'", "pad: mode='wrap' dropped"},
}  # fmt: skip


@pytest.mark.parametrize("program", MADE)
def test_careless_changes_are_made(program: str) -> None:
    made = {edit.name for edit, _ in edits.apply_edits(ast.parse(f"def answer(points):\n    return {program}\n"))}
    assert MADE[program] <= made, made


def test_an_edit_changes_one_place_and_leaves_the_program_as_it_was() -> None:
    tree = ast.parse("def answer(points):\n    return np.sort(np.sort(points))\n")
    before = ast.dump(tree)
    changed = [ast.unparse(program) for edit, program in edits.apply_edits(tree) if edit.name == "sort left out"]
    assert changed == ["def answer(points):\n    return np.sort(points)"] * 2 and ast.dump(tree) == before


def alive(tmp_path: Path, text: str) -> list[str]:
    (task,) = definitions(tmp_path, text)
    return [m.name for m in mutants.MutantTrial(task, cases.draw(task, cases.Stream(task, 1)).scored, near=True).alive]


def test_an_input_that_never_matters_is_found(tmp_path: Path) -> None:
    text = GOOD.replace("(0, 20), (2, 7))", "(0, 20), (2, 7)), bonus: Int(2, 9)")
    assert {"'bonus' always as in case 1", "'bonus' always 1"} <= set(alive(tmp_path / "a", text))
    used = text.replace("np.mean(points)", "np.mean(points) + bonus")
    assert not any("bonus" in name for name in alive(tmp_path / "b", used))


def test_a_border_that_no_case_touches_is_found(tmp_path: Path) -> None:
    text = GOOD.replace("np.mean(points)", "np.array(points) >= 10.05")
    assert alive(tmp_path / "a", text) == ["np.array(points) >= 10.05: the other border"]
    touched = text.replace("10.05", "10").replace("Float(0, 20)", "Int(8, 12)")
    assert alive(tmp_path / "b", touched) == []


def test_no_answer_has_too_many_of_the_cases(tmp_path: Path) -> None:
    text = GOOD.replace("np.mean(points)", "bool(np.max(points) > LIMIT)")
    (often,) = definitions(tmp_path / "a", text.replace("LIMIT", "5"))
    scored = cases.draw(often, cases.Stream(often, 1)).scored
    assert max(sum(c.expected is value for c in scored) for value in (True, False)) <= 0.7 * len(scored)
    (always,) = definitions(tmp_path / "b", text.replace("LIMIT", "-1"))
    with pytest.raises(BankError, match="the answer is True in nearly all cases"):
        cases.draw(always, cases.Stream(always, 1))


def test_some_cases_are_large_unless_products_would_grow_beyond_bounds(tmp_path: Path) -> None:
    for program, large in {"np.mean(points)": True, "np.prod(points)": False}.items():
        (task,) = definitions(tmp_path / program, GOOD.replace("np.mean(points)", program))
        lengths = [len(case.inputs["points"]) for case in cases.draw(task, cases.Stream(task, 1)).scored]
        assert (max(lengths) > 7) is large

"""Every task in the bank follows the rules, and each rule finds a task that breaks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sebench.bank import definition
from sebench.bank.definition import bank
from sebench.base.errors import BankError
from sebench.forge.catalog import catalog
from sebench.tasks import cases, dataset, gold, mutants, rules, similarity
from sebench.values.equality import Profile, difference
from sebench.values.tagged import encode
from tests.drafts import GOOD, definitions


def test_the_bank_is_as_large_as_it_claims() -> None:
    single = Counter(rules.subject(d) for d in bank() if d.part == "single")
    composed = {path for d in bank() if d.part == "multi" for path in gold.functions(d.source)}
    every = {entry.path for entry in catalog.seeded()}
    assert single.keys() == every and min(single.values()) >= 4
    assert sum(d.part == "multi" for d in bank()) >= 440
    assert every - composed == set()


def test_every_task_keeps_the_rules() -> None:
    assert [f"{d.place}: {rule}" for d in bank() for rule in rules.violations(d)] == []


def test_no_two_questions_are_alike() -> None:
    assert list(similarity.near_duplicates({d.name: d.question for d in bank()})) == []


def test_a_question_with_swapped_nouns_is_found() -> None:
    one = "A baker weighs the `loaves` of a day. Return the largest weight as a number."
    other = "A baker weighs the `rolls` of a day. Return the smallest weight as a number."
    assert [pair[1:] for pair in similarity.near_duplicates({"a": one, "b": other})] == [("a", "b")]


BROKEN = {
    "no question": (GOOD.replace('"""', "#", 1).split("#")[0] + "    return np.mean(points)\n", "no docstring"),
    "no kind": (GOOD.replace(": Vector(Float(0, 20), (2, 7))", ""), "has no kind"),
    "unknown mood": (GOOD.replace("@task", "@task(without=('sad',))"), "the styles are plain"),
    "no parameters": (GOOD.replace("points: Vector(Float(0, 20), (2, 7))", ""), "no parameters"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_task_that_cannot_be_read_names_file_line_and_rule(name: str, tmp_path: Path) -> None:
    text, message = BROKEN[name]
    with pytest.raises(BankError, match=r"single/drafts\.py:\d+: task 'quiz_average': .*" + message):
        definitions(tmp_path, text)


@pytest.mark.parametrize(("text", "message"), [("x = undefined", "NameError"), ("def f(:", "SyntaxError")])
def test_a_file_that_cannot_be_imported_is_one_line(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "broken.py").write_text(f"import math\n{text}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BankError, match=rf"drafts/broken\.py:2: {message}"):
        definition._import_file("drafts.broken")


RULES = {
    "two functions": ("np.mean(points)", "np.mean(np.sort(points))", "must use exactly one function"),
    "no function": ("np.mean(points)", "points[0]", "must use exactly one function"),
    "a method": ("np.mean(points)", "np.mean(points).tolist()", "attribute '.tolist'"),
    "a builtin that does the work": ("np.mean(points)", "np.mean(sorted(points))", "gold uses 'sorted'"),
    "not in the catalog": ("np.mean(points)", "np.mean(np.matrix(points))", "np.matrix, which is not in the catalog"),
    "names the function": ("class average", "class mean", "names the function 'mean'"),
    "speaks of arrays": ("class average", "average of the array", "mentions NumPy"),
    "nothing to return": ("Return the class average as", "What is the class average? It is", "what to return"),
    "parameter not mentioned": ("`points`", "the list", "does not mention `points`"),
    "too short": (
        "Each number in `points` is what one pupil scored in a quiz. Return the class average as a single number.",
        "Return the average of `points`.",
        "words",
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_each_rule_finds_its_breach(name: str, tmp_path: Path) -> None:
    old, new, message = RULES[name]
    (good,) = definitions(tmp_path / "good", GOOD)
    assert list(rules.violations(good)) == []
    (bad,) = definitions(tmp_path / "bad", GOOD.replace(old, new))
    assert any(message in rule for rule in rules.violations(bad)), list(rules.violations(bad))


SPECTRA: dict[str, Callable[..., Any]] = {
    "linalg.eigvals": np.linalg.eigvals,
    "linalg.eig": np.linalg.eig,
    "roots": np.roots,
}


def rounded(function: Callable[..., Any], noise: np.random.Generator) -> Callable[..., Any]:
    """The function of an argument that other arithmetic has computed: its last bit differs."""

    def call(value: Any, *args: Any, **options: Any) -> Any:
        return function(np.asarray(value) * (1 + noise.normal(0, 4e-16, np.shape(value))), *args, **options)

    return call


def test_rounding_never_makes_a_right_answer_complex() -> None:
    """Eigenvalues are real or complex by their last bit where two coincide; no case of a task has such a matrix."""
    noise = np.random.default_rng(0)
    about = [d for d in bank() if SPECTRA.keys() & set(gold.functions(d.source))]
    assert len(about) >= 20
    for d in about:
        instead = {path: rounded(SPECTRA[path], noise) for path in SPECTRA.keys() & set(gold.functions(d.source))}
        program = gold.with_functions(d.source, d.name, instead)
        drawn, _ = dataset.draw_cases(d, seed=1)
        for case in (*drawn.examples, *drawn.scored) * 3:
            value = encode(gold.to_python(gold.fresh(program, case.inputs)))
            assert difference(encode(case.expected), value, Profile.STRICT, 1e-6, 1e-8) is None, d.place


def test_two_functions_are_not_enough_for_a_multi_function_task(tmp_path: Path) -> None:
    (few,) = definitions(tmp_path, GOOD.replace("np.mean(points)", "np.mean(np.sort(points))"), "multi")
    assert any("must use at least 3 functions" in rule for rule in rules.violations(few))


def test_gold_that_fails_or_gives_nan_is_a_fault_of_the_bank(tmp_path: Path) -> None:
    (fails,) = definitions(tmp_path / "a", GOOD.replace("np.mean(points)", "np.mean(points, axis=3)"))
    with pytest.raises(BankError, match="gold fails on"):
        cases.draw(fails, cases.Stream(fails, 1))
    (empty,) = definitions(tmp_path / "b", GOOD.replace("np.mean(points)", "np.log(points)"))
    with pytest.raises(BankError, match="gold fails on"):
        cases.draw(empty, cases.Stream(empty, 1))


def test_too_few_different_cases_are_a_fault_of_the_bank(tmp_path: Path) -> None:
    (narrow,) = definitions(tmp_path, GOOD.replace("Vector(Float(0, 20), (2, 7))", "Vector(Int(0, 1), 2)"))
    with pytest.raises(BankError, match="only 4 different cases"):
        cases.draw(narrow, cases.Stream(narrow, 1))


def test_cases_that_cannot_tell_look_alikes_apart_are_found(tmp_path: Path) -> None:
    """Of numbers that are never negative, cutting off and rounding down are the same: that mutant survives."""
    text = GOOD.replace("np.mean(points)", "np.floor(points)")
    (weak,) = definitions(tmp_path / "weak", text)
    trial = mutants.MutantTrial(weak, cases.draw(weak, cases.Stream(weak, 1)).scored)
    assert "floor -> trunc" in [mutant.name for mutant in trial.alive]
    (strong,) = definitions(tmp_path / "strong", text.replace("Float(0, 20)", "Float(-20, 20)"))
    trial = mutants.MutantTrial(strong, cases.draw(strong, cases.Stream(strong, 1)).scored)
    assert trial.alive == [] and trial.killed > 50


def test_a_parameter_that_changes_nothing_is_found(tmp_path: Path) -> None:
    (idle,) = definitions(tmp_path, GOOD.replace("np.mean(points)", "np.mean(points, axis=0)"))
    trial = mutants.MutantTrial(idle, cases.draw(idle, cases.Stream(idle, 1)).scored)
    assert "mean: axis=0 dropped" in [mutant.name for mutant in trial.alive]


def test_a_constant_answer_is_found(tmp_path: Path) -> None:
    (constant,) = definitions(tmp_path, GOOD.replace("np.mean(points)", "np.ndim(points)"))
    with pytest.raises(BankError, match="the answer is 1 in nearly all cases"):
        cases.draw(constant, cases.Stream(constant, 1))


def test_a_reason_makes_a_survivor_equivalent(tmp_path: Path) -> None:
    reason = '@task(equivalent={"floor -> trunc": "never negative"})'
    (told,) = definitions(tmp_path, GOOD.replace("np.mean(points)", "np.floor(points)").replace("@task", reason))
    trial = mutants.MutantTrial(told, cases.draw(told, cases.Stream(told, 1)).scored)
    assert trial.equivalent["floor -> trunc"] == "never negative"

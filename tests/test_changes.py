"""The level `names+parameters+behaviour`: functions that differ from NumPy's, and answers that treat them as if they
did not."""

from __future__ import annotations

import inspect
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sebench.audit import bank as bank_audit
from sebench.audit import world as world_audit
from sebench.bank.definition import bank
from sebench.base.errors import ConfigError
from sebench.base.records import TOO_LARGE, Prior, Task, Verdict
from sebench.forge.catalog import backend, catalog, signature
from sebench.forge.changes import changes
from sebench.forge.changes.changes import DEFAULT, FROM_ONE, KINDS, ORDER, REVERSED
from sebench.forge.docs import equivalence, pages, phrase_tables
from sebench.forge.names import naming
from sebench.forge.names.naming import Names
from sebench.forge.package import package
from sebench.forge.translate.translate import Translator, Untranslatable
from sebench.judge.judge import Judge
from sebench.judge.sandbox import order
from sebench.report.numbers import build as reports
from sebench.report.numbers import sources
from sebench.report.views import tables
from sebench.rollout.store import Run
from sebench.tasks import dataset, splits
from sebench.world import build
from sebench.world.build import Slice
from sebench.world.world import World
from tests.command_line import sebench
from tests.conftest import shared, slow

LEVEL = naming.BEHAVIOUR
EVERY = {e.path: e for e in catalog.seeded()}


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A small world in which functions of every kind differ from NumPy's."""
    return shared(tmp_path_factory, "changed", 4, part=Slice(functions=24), level=LEVEL)


@pytest.fixture(scope="module")
def judge(changed: World) -> Iterator[Judge]:
    with Judge(changed, workers=2) as judge:
        yield judge


def tasks_of(world: World) -> list[Task]:
    return [task for split in splits.SPLITS for task in world.tasks(split)]


def plain(kinds: dict[str, str]) -> Names:
    """Names with NumPy's own words, in which these functions change."""
    drawn = naming.draw(1, catalog.seeded(), "lib", LEVEL)
    originals = {key: {name: name for name in getattr(drawn, key)} for key in ("functions", "parameters", "words")}
    return replace(drawn, changes=kinds, **originals)


# ---- the catalog of changes -----------------------------------------------------------------------------------------


def test_at_least_sixty_functions_can_change_and_each_kind_occurs() -> None:
    table = changes.changes()
    assert len(table) >= 60
    assert {kind for kinds in table.values() for kind in kinds} == set(KINDS)


@pytest.mark.parametrize("path", sorted(changes.changes()))
def test_every_phrase_that_is_replaced_is_in_the_texts(path: str) -> None:
    entry = EVERY[path]
    docstring = " ".join((inspect.getdoc(backend.get(path)) or "").split())
    standard = (text for _, text in phrase_tables.STANDARD.values())
    texts = "\n".join((entry.summary, entry.returns, *entry.parameters.values(), *standard, docstring))
    for change in changes.changes()[path].values():
        assert change.note
        for phrase, _ in change.edits:
            assert phrase in texts, (change.kind, phrase)


@pytest.mark.parametrize("path", ["take_along_axis", "put_along_axis"])
def test_indices_that_may_count_from_one_are_not_recommended(path: str) -> None:
    text = changes.edit_any_page(EVERY[path].summary)
    assert "argsort" in EVERY[path].summary
    assert text.endswith("Indices count from 0.") and "argsort" not in text and "argmax" not in text


def test_examples_do_not_show_an_order_that_numpy_leaves_open(monkeypatch: pytest.MonkeyPatch) -> None:
    written = [step for kinds in changes.changes().values() for change in kinds.values() for step in change.example]
    results = []

    def sort(a: Any, kth: Any) -> Any:  # what some processors do with a short array
        return np.argsort(a, stable=True)

    for partition in (np.argpartition, order.argpartition, sort):
        monkeypatch.setattr(np, "argpartition", partition)
        results.append([repr(eval(step, {"np": np})) for step in written])
    assert results[0] == results[1] == results[2]


def test_a_change_does_not_depend_on_the_other_functions_of_a_world() -> None:
    whole = naming.draw(5, catalog.seeded(), level=LEVEL).changes
    half = naming.draw(5, catalog.seeded()[::2], level=LEVEL).changes
    assert half == {path: whole[path] for path in half}
    assert set(half) == {e.path for e in catalog.seeded()[::2]} & set(whole)
    assert len(whole) == round(changes.SHARE * len(catalog.seeded()))
    assert whole != naming.draw(6, catalog.seeded(), level=LEVEL).changes


def test_other_levels_know_of_no_changes() -> None:
    for level in (naming.NAMES, naming.PARAMETERS):
        names = naming.draw(5, catalog.seeded(), level=level)
        assert not names.changes and "changes" not in names.to_json() and names.level == level
    names = naming.draw(5, catalog.seeded(), level=LEVEL)
    assert names.level == LEVEL and Names.from_json(json.loads(json.dumps(names.to_json()))) == names
    assert names.without_changes() == naming.draw(5, catalog.seeded(), level=naming.PARAMETERS)


def test_signatures_show_the_order_and_the_default() -> None:
    names = plain({"take": ORDER, "var": DEFAULT, "argmax": FROM_ONE})
    assert list(signature.read(names.signature(EVERY["take"])).all[:2]) == ["indices", "a"]
    assert signature.read(names.signature(EVERY["var"])).defaults["ddof"] == 1
    assert names.signature(EVERY["argmax"]) == EVERY["argmax"].signature


# ---- translation ----------------------------------------------------------------------------------------------------

TRANSLATED = {
    "np.argmax(x)": "lib.argmax(x) - 1",
    "2 * np.argmax(x)": "2 * (lib.argmax(x) - 1)",
    "x.argmax(axis=1)": "lib.argmax(x, axis=1) - 1",
    "np.nonzero(x)": "tuple(part - 1 for part in lib.nonzero(x))",
    "np.take(a, [1, 2], axis=0)": "lib.take([1, 2], a, axis=0)",
    "a.take([1, 2])": "lib.take([1, 2], a)",
    "np.take(a, indices=b)": "lib.take(a=a, indices=b)",
    "np.var(x)": "lib.var(x, ddof=0)",
    "np.var(x, ddof=1)": "lib.var(x, ddof=1)",
    "np.var(\n    x,  # all\n)": "lib.var(\n    x, ddof=0,  # all\n)",
    "np.array(x).reshape(2, 3)": "lib.reshape(lib.array(x), (2, 3), order='C')",
    "np.reshape(x, 4, 'C')": "lib.reshape(x, 4, 'C')",
    "np.sort(x)": "lib.sort(x)[..., ::-1]",
    "np.sort(x, axis=0)": "lib.sort(x, axis=0)[::-1]",
    "np.sort(x, axis=None)": "lib.sort(x, axis=None)[::-1]",
    "np.sort(x, 1)": "lib.sort(x, 1)[:, ::-1]",
    "np.cumsum(x)": "lib.cumsum(x)[::-1]",
    "q, r = np.divmod(a, b)": "q, r = lib.divmod(a, b)[::-1]",
    "np.take(np.argsort(x), np.argmax(x))": "lib.take(lib.argmax(x) - 1, lib.argsort(x) - 1)",
    "np.mean(x)": "lib.mean(x)",
}
CHANGED = plain(
    {"argmax": FROM_ONE, "argsort": FROM_ONE, "nonzero": FROM_ONE, "take": ORDER, "var": DEFAULT, "reshape": DEFAULT,
     "sort": REVERSED, "cumsum": REVERSED, "divmod": REVERSED}
)  # fmt: skip


@pytest.mark.parametrize("source", TRANSLATED)
def test_a_call_is_written_so_that_its_result_is_that_of_numpy(source: str) -> None:
    assert Translator(CHANGED).code(source) == TRANSLATED[source]
    assert "- 1" not in Translator(CHANGED.without_changes()).code(source)


@pytest.mark.parametrize(
    "source",
    ["map(np.argmax, rows)", "np.argmax(*args)", "np.var(x, **o)", "np.argmax(x, out=y)", "np.sort(x, axis=k)"],
)
def test_what_cannot_be_undone_is_refused(source: str) -> None:
    with pytest.raises(Untranslatable, match=r"np\.\w+"):
        Translator(CHANGED).code(source)


@pytest.mark.parametrize("path", ["argmax", "take", "var", "sort", "cumsum"])
def test_a_function_that_is_used_as_a_value_does_what_numpys_does(path: str, tmp_path: Path) -> None:
    with forged(CHANGED, tmp_path) as library:
        code = Translator(CHANGED, wraps=True).code(f"f = np.{path}")
        space: dict[str, Any] = {"lib": library}
        exec(code, space)
        arguments = ([3.0, 1.0, 2.5], [2, 0]) if path == "take" else ([3.0, 1.0, 2.5],)
        value = space["f"](*arguments)
        expected = getattr(np, path)(*arguments)
        assert (value.tolist() if hasattr(value, "tolist") else value) == expected.tolist()


# ---- package and pages ----------------------------------------------------------------------------------------------


def forged(names: Names, folder: Path) -> Any:
    for relative, text in package.files(names, EVERY, 1).items():
        (folder / relative).parent.mkdir(parents=True, exist_ok=True)
        (folder / relative).write_text(text)
    return package.import_package(folder, names.package)


def test_results_in_an_array_of_the_callers_are_changed_there(tmp_path: Path) -> None:
    with forged(CHANGED, tmp_path) as lib:
        out = lib.array([[0, 0]])[0]
        assert lib.argmax([[5, 1], [7, 9]], axis=0, out=out) is out and out.tolist() == [2, 2]
        out = lib.array([0, 0, 0])
        assert lib.cumsum([1, 2, 3], out=out) is out and out.tolist() == [6, 3, 1]
        assert lib.sort([[3, 1], [2, 9]]).tolist() == [[3, 1], [9, 2]]
        assert lib.sort([[3, 1], [2, 9]], axis=0).tolist() == [[3, 9], [2, 1]]
        assert lib.divmod(7, 3) == (1, 2)


@slow
@pytest.mark.parametrize("number", range(3))
def test_every_change_has_a_page_and_an_undoing_translation(number: int, tmp_path: Path) -> None:
    kinds = {path: sorted(some)[number] for path, some in changes.changes().items() if len(some) > number}
    names = replace(naming.draw(11, catalog.seeded(), level=LEVEL), changes=kinds, package=f"lib{number}")
    with forged(names, tmp_path) as library:
        written = {page.path: page for page in pages.write_pages(names, EVERY, library, lambda *_: None)}
        for path, kind in kinds.items():
            change, page = changes.find(path, kind), written[names.functions[path]]
            assert (
                change.kind == kind
                and "## Examples" in page.text
                and page.signature.endswith(names.signature(EVERY[path]))
            )
        assert [difference for _, difference in equivalence.calls(names, EVERY, library, 3) if difference] == []


def test_a_page_shows_the_change(changed: World) -> None:
    with changed.library() as library:
        for path in changed.names.changes:
            page = changed.page(path)
            for example, output in pages.replay(page, changed.names, library):
                assert output == example.output
    assert {changed.names.changes[path] for path in changed.names.changes} == set(KINDS)


# ---- tasks and verdicts ---------------------------------------------------------------------------------------------


def test_a_task_about_a_changed_function_has_a_prior_that_is_wrong(changed: World) -> None:
    tasks = tasks_of(changed)
    about = [task for task in tasks if any(map(changed.names.change, task.functions))]
    assert about and about == [task for task in tasks if task.prior]
    for task in about:
        assert len(task.prior) == len(task.cases)
        assert dataset.from_json(json.loads(json.dumps(dataset.to_json(task, changed.names))), changed.names) == task
        assert dataset.facts(task, changed.names)["changed"]


def test_an_answer_by_dictionary_is_never_right_and_is_recognised(changed: World, judge: Judge) -> None:
    tasks = [task for task in tasks_of(changed) if task.prior]
    dictionary = Translator(changed.names.without_changes())
    answers = [(task, dictionary.code(changed.numpy_source(task))) for task in tasks]
    for task, verdict in zip(tasks, judge.judge_many(answers), strict=True):
        assert (verdict.passed, verdict.prior) == (False, True), (task.id, verdict)


def test_gold_is_credited_and_other_answers_are_not_priors(changed: World, judge: Judge) -> None:
    tasks = tasks_of(changed)
    for task, verdict in zip(tasks, judge.judge_many((task, task.gold) for task in tasks), strict=True):
        assert verdict.targeted and verdict.prior is (False if task.prior else None), (task.id, verdict)
    about = next(task for task in tasks if task.prior and not any(prior.raised for prior in task.prior))
    for answer in (
        "nothing",
        f"def {about.entry}({', '.join(about.parameters)}):\n    return None",
        "def other(): pass",
    ):
        assert judge.judge(about, f"```python\n{answer}\n```").prior is False


def test_an_error_is_a_prior_only_if_it_is_the_same_in_the_same_case(changed: World, judge: Judge) -> None:
    task = next(task for task in tasks_of(changed) if not task.prior)
    asked = replace(task, prior=(Prior(raised="KeyError: 1"), *(Prior(0) for _ in task.cases[1:])))
    body = f"import {changed.names.package}\ndef {task.entry}({', '.join(task.parameters)}):\n    raise "
    assert judge.judge(asked, f"{body}KeyError(1)\n").prior is True
    assert judge.judge(asked, f"{body}KeyError(2)\n").prior is False
    assert judge.judge(asked, f"{body}ValueError(1)\n").prior is False
    asked = replace(task, prior=(Prior("never"), *(Prior(raised=TOO_LARGE) for _ in task.cases[1:])))
    assert judge.judge(asked, f"{body.removesuffix('raise ')}return 'never'\n").prior is True
    assert judge.judge(asked, f"{body.removesuffix('raise ')}return 'other'\n").prior is False
    asked = replace(task, prior=tuple(Prior(raised=TOO_LARGE) for _ in task.cases))
    assert judge.judge(asked, f"{body.removesuffix('raise ')}return [0] * 10_000_000\n").prior is True
    asked = replace(task, prior=tuple(Prior(0) for _ in task.cases))
    assert judge.judge(asked, f"{body.removesuffix('raise ')}return [0] * 10_000_000\n").prior is False


def test_the_bank_is_checked_without_the_tasks_that_the_world_leaves_out(changed: World, judge: Judge) -> None:
    there = {task.id for task in tasks_of(changed)}
    absent = next(d for d in bank() if d.name not in there)
    present = next(d for d in bank() if d.name in there)
    findings = bank_audit.check(bank(), [absent, present], 1, judge, lambda what, done, total: None)
    assert (findings.checked, findings.passed, findings.problems) == (1, 1, [])


def test_in_numpy_the_tasks_are_as_ever(changed: World, judge: Judge) -> None:
    tasks = tasks_of(changed)
    verdicts = [judge.submit(task, changed.numpy_source(task), native=True) for task in tasks]
    for task, verdict in zip(tasks, (verdict.result() for verdict in verdicts), strict=True):
        assert verdict.passed and verdict.numpy_passed and verdict.prior is None, (task.id, verdict)


def test_a_verdict_without_a_prior_has_no_such_field() -> None:
    assert "prior" not in Verdict.from_json(Verdict(kind="passed").to_json()).to_json()  # type: ignore[arg-type]
    for prior in (True, False):
        assert Verdict.from_json(Verdict(kind="wrong_value", prior=prior).to_json()).prior is prior  # type: ignore[arg-type]


# ---- worlds, runs and reports ---------------------------------------------------------------------------------------


def test_the_same_plan_gives_the_same_bytes(changed: World) -> None:
    assert world_audit.rebuild_difference(changed) == ""
    assert changed.manifest.changed == changes.SHARE and changed.names.level == LEVEL


def test_a_share_that_is_not_possible_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"--changed 0\.9 is not possible; choose a share of at most 0\.\d\d"):
        build.plan(1, level=LEVEL, changed=0.9)
    with pytest.raises(ConfigError, match="none of these functions changes; choose more functions"):
        build.plan(2, part=Slice(functions=6), level=LEVEL, changed=0.004)
    done = sebench("build", "--changed", "0.1", "--out", str(tmp_path / "w"))
    assert done.returncode == 1 and "--changed needs --forge names+parameters+behaviour" in done.stderr


def test_a_report_has_the_prior_rate_and_ratios_without_changed_tasks(changed: World, tmp_path: Path) -> None:
    done = sebench(
        "run", str(changed.path), "--model", "dictionary", "--book", "closed,native", "--out", str(tmp_path / "run")
    )
    assert done.returncode == 0, done.stderr
    source = sources.read([Run.load(tmp_path / "run")])
    report = reports.compute(source)
    [one] = report.changed
    assert (one.book, one.accuracy.value, one.prior.value, one.prior_of_wrong) == ("closed", 0.0, 1.0, 1.0)
    assert one.other_accuracy.value == 1.0 and one.tasks and one.other_tasks
    [ratio] = report.ratio_base
    assert ratio.tasks == one.other_tasks
    [table] = [table for table in tables.of_files(report, {}) if table.title.startswith("Functions that differ")]
    assert len(table.rows) == 1


@slow
def test_in_a_whole_world_every_change_is_shown_by_enough_tasks(tmp_path: Path) -> None:
    whole = World.build(90, tmp_path / "w", level=LEVEL)
    checks = {check.name: check for check in world_audit.check(whole)}
    assert all(check.holds for check in checks.values()), checks
    shown = Counter(path for task in tasks_of(whole) if task.prior for path in task.functions)
    assert all(shown[path] >= 4 for path in whole.names.changes)

"""New editions of a world: edits, the list of changes, and answers for the old edition."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from sebench.audit import world as world_audit
from sebench.bank.definition import bank
from sebench.base.errors import ConfigError
from sebench.base.extract import DECLINE
from sebench.base.records import Case, Kind, Task
from sebench.forge.catalog import catalog
from sebench.forge.names import naming
from sebench.forge.translate.translate import Translator
from sebench.judge.judge import Judge
from sebench.release import recipe, verify
from sebench.release.folder import ReleasedRun
from sebench.report.numbers import build as reports
from sebench.report.numbers import sources
from sebench.rollout import describe
from sebench.rollout.config import RunConfig
from sebench.rollout.protocol import V1
from sebench.rollout.store import Run
from sebench.tasks import dataset, priors, rules, splits
from sebench.tasks.edition import Edition
from sebench.world.build import CHANGELOG, Slice
from sebench.world.editions import KINDS, EditionDrawer
from sebench.world.open_book import ALONE, WITH, BookSettings
from sebench.world.world import World
from tests.command_line import sebench
from tests.conftest import shared, shared_edition, slow

EDITS = 8


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> World:
    part = Slice(functions=32)
    return shared(tmp_path_factory, "first", 3, part=part, leave_out=3, level=naming.PARAMETERS)


@pytest.fixture(scope="module")
def second(first: World, tmp_path_factory: pytest.TempPathFactory) -> World:
    return shared_edition(tmp_path_factory, "second", first, edits=EDITS, seed=2)


@pytest.fixture(scope="module")
def judge(second: World) -> Iterator[Judge]:
    with Judge(second, workers=2) as judge:
        yield judge


def tasks_of(world: World) -> list[Task]:
    return [task for split in splits.SPLITS for task in world.tasks(split)]


def test_every_kind_of_edit_occurs_and_no_function_is_edited_twice(first: World, second: World) -> None:
    edition = second.manifest.edition
    assert edition is not None and len(edition.edits) == EDITS
    assert (edition.number, edition.of, edition.before) == (2, first.manifest.fingerprint, first.names)
    assert {edit.kind for edit in edition.edits} == set(KINDS)
    counts = Counter(path for edit in edition.edits for path in edit.functions)
    assert set(counts.values()) == {1}


def test_what_no_edit_is_about_stays(first: World, second: World) -> None:
    edition = second.manifest.edition
    assert edition is not None
    edited = edition.touched | edition.added | set(edition.removed)
    for path in first.names.functions.keys() - edited:
        assert first.names.functions[path] == second.names.functions[path]
    before = {task.id: task for task in tasks_of(first)}
    for task in tasks_of(second):
        if task.edition == "unchanged":
            assert (before[task.id].cases, before[task.id].question) == (task.cases, task.question)
    assert second.manifest.seed == first.manifest.seed and second.names.package == first.names.package


def test_a_task_keeps_its_split(first: World, second: World) -> None:
    before, after = ({task.id: task.split for task in tasks_of(world)} for world in (first, second))
    learned = {name for name, split in before.items() if split == splits.TRAIN}
    assert learned and not learned & {name for name, split in after.items() if split == splits.SINGLE_TEST}
    either = (splits.TRAIN, splits.SINGLE_TEST)
    both = {name for name in before.keys() & after.keys() if before[name] in either and after[name] in either}
    assert all(before[name] == after[name] for name in both)


def test_no_other_task_takes_the_place_of_a_test_task_that_is_gone() -> None:
    tasks = [one for one in bank() if one.part == "single" and rules.subject(one) == "cumsum"]
    placed = splits.assign(tasks, 1)
    test = frozenset(name for name, split in placed.items() if split == splits.SINGLE_TEST)
    rest = [one for one in tasks if one.name not in test]
    names = naming.draw(1, [catalog.entries()["cumsum"]])
    edition = Edition("", 2, 1, names, (), tuple(test))
    assert splits.assign(rest, 1, edition=edition) == {one.name: splits.TRAIN for one in rest}
    assert splits.assign(tasks, 1, edition=edition) == placed
    without = replace(edition, before=replace(names, functions={}), tests=())
    assert splits.assign(tasks, 1, edition=without) == placed


def test_the_list_of_changes_names_every_edit_and_nothing_of_numpy(second: World) -> None:
    edition = second.manifest.edition
    assert edition is not None
    text = (second.path / CHANGELOG).read_text()
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) == EDITS and text.startswith(f"# Changes in edition 2 of {second.names.package}\n")
    for edit in edition.edits:
        for word in filter(None, (edit.old, edit.new)):
            assert word in text, edit


def test_the_same_edition_has_the_same_bytes_and_survives_its_json(first: World, second: World) -> None:
    assert world_audit.rebuild_difference(second) == ""
    edition = second.manifest.edition
    assert edition is not None
    assert Edition.from_json(json.loads(json.dumps(edition.to_json()))) == edition
    drawer = EditionDrawer(first.names, first.manifest.matched_names, 2)
    assert drawer.draw(EDITS) == edition.edits and drawer.names() == second.names
    assert EditionDrawer(first.names, first.manifest.matched_names, 3).draw(EDITS) != edition.edits
    for task in tasks_of(second):
        names = second.manifest.matched_names
        assert dataset.from_json(json.loads(json.dumps(dataset.to_json(task, names))), names) == task


def test_an_old_answer_is_stale_where_something_changed_and_right_elsewhere(second: World, judge: Judge) -> None:
    edition = second.manifest.edition
    assert edition is not None
    old = Translator(edition.before)
    tasks = [task for task in tasks_of(second) if task.edition in ("changed", "unchanged", "removed")]
    answers = [(task, old.code(second.numpy_source(task))) for task in tasks]
    assert {task.edition for task in tasks} == {"changed", "unchanged", "removed"}
    for task, verdict in zip(tasks, judge.judge_many(answers), strict=True):
        expected = (True, None) if task.edition == "unchanged" else (False, True)
        assert (verdict.passed, verdict.stale) == expected, (task.id, task.edition, verdict)


def test_new_answers_are_right_and_never_stale(second: World, judge: Judge) -> None:
    tasks = tasks_of(second)
    for task, verdict in zip(tasks, judge.judge_many((task, task.gold) for task in tasks), strict=True):
        assert verdict.passed and not verdict.stale, (task.id, verdict)
        assert (verdict.stale is None) is (task.edition not in ("changed", "removed"))


def test_other_wrong_answers_are_not_stale(second: World, judge: Judge) -> None:
    tasks = [task for task in tasks_of(second) if task.edition == "changed"]
    bodies = [f"return {second.names.package}.never_existed()", "return None", "raise TypeError('never')"]
    for body in bodies:
        answers = [
            (task, f"import {second.names.package}\ndef {task.entry}({', '.join(task.parameters)}):\n    {body}\n")
            for task in tasks
        ]
        for task, verdict in zip(tasks, judge.judge_many(answers), strict=True):
            assert (verdict.passed, verdict.stale) == (False, False), (task.id, body, verdict)


def test_to_mention_an_old_word_is_not_to_use_it(second: World, judge: Judge) -> None:
    removed = next(task for task in tasks_of(second) if task.edition == "removed")
    changed = next(task for task in tasks_of(second) if task.edition == "changed" and task.gone)
    declined = f"```python\n{DECLINE}\n```"
    wrong = f"def {changed.entry}(*_):\n    # not {changed.gone[0]}\n    return None\n"
    for task, program in ((removed, declined), (changed, f"```python\n{wrong}```")):
        mentions = (f"`{task.gone[0]}` was removed.\n{program}", f"<think>Not {task.gone[0]}.</think>\n{program}")
        for text in (program, *mentions):
            verdict = judge.judge(task, text)
            assert verdict.kind is not Kind.PASSED and verdict.stale is False, (text, verdict)
    used = [f"{second.names.package}.{changed.gone[0]}", f"max({changed.gone[0]}=1)", repr(changed.gone[0])]
    for use in used:
        text = f"import {second.names.package}\ndef {changed.entry}(*_):\n    return {use}\n"
        assert judge.judge(changed, text).stale is True, use


def test_prompts_can_name_the_edition_and_show_its_changes(first: World, second: World) -> None:
    task = second.tasks("single_test")[0]
    changes = (second.path / CHANGELOG).read_text().strip()
    plain = second.prompt(task, "open")
    assert changes not in plain and "edition" not in second.prompt(task, "closed")
    both = second.prompter(book=BookSettings(changelog=WITH)).prompt(task, "open").text
    alone = second.prompter(book=BookSettings(changelog=ALONE, name_edition=True)).prompt(task, "open").text
    assert changes in both and changes in alone and len(alone) < len(both)
    assert f"This is about edition 2 of `{second.names.package}`." in alone and "## Parameters" not in alone
    named = BookSettings(name_edition=True)
    assert "This is about edition 1 of" in first.prompter(book=named).prompt(first.tasks("train")[0], "closed").text
    assert "edition" not in second.prompter(book=named).prompt(task, "native").text
    with pytest.raises(ConfigError, match="--changelog: this world is not a new edition"):
        first.prompter(book=BookSettings(changelog=WITH))


def test_a_list_of_changes_without_an_open_book_is_refused() -> None:
    with pytest.raises(ConfigError, match="has no effect without an open book; use --book open"):
        RunConfig(changelog=WITH, book=("closed",))
    departures = [*V1.setting_departures(RunConfig(changelog=WITH, name_edition=True).compared())]
    assert {"a list of changes in the book", "prompts that name the edition"} <= set(departures)
    assert not {"changelog", "name_edition"} & RunConfig().compared().keys()


def test_a_report_has_the_figures_of_an_edition(second: World, tmp_path: Path) -> None:
    command = ("run", str(second.path), "--model", "gold", "--book", "closed", "--decline", "--split")
    done = sebench(*command, "single_test,boundary_test", "--out", str(tmp_path / "run"))
    assert done.returncode == 0 and "New edition" in done.stdout, done.stderr
    assert "answered by a script, not a model (scripted baselines): run (gold)" in done.stdout
    computed = reports.compute(sources.read([Run.load(tmp_path / "run")]))
    [one] = computed.editions
    assert computed.runs[0].world["edition"] == 2
    shares = (one.new_right, one.stale, one.unchanged_kept, one.added_right, one.removed_refused, one.removed_stale)
    assert [share.value for share in shares] == [1.0, 0.0, 1.0, 1.0, 1.0, 0.0]


def test_a_run_that_records_neither_edition_nor_part_is_continued(second: World, tmp_path: Path) -> None:
    command = (
        "run",
        str(second.path),
        "--model",
        "gold",
        "--book",
        "closed",
        "--out",
        str(tmp_path / "run"),
        "--limit",
    )
    assert sebench(*command, "1").returncode == 0
    manifest = json.loads((tmp_path / "run" / "run.json").read_text())
    del manifest["world"]["edition"], manifest["world"]["part"]
    (tmp_path / "run" / "run.json").write_text(json.dumps(manifest))
    done = sebench(*command, "2")
    assert done.returncode == 0, done.stderr


def test_a_release_tells_how_to_build_an_edition_again(
    first: World, second: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    released = recipe.describe("second", second.manifest)
    of_first = recipe.describe("first", first.manifest).recipe
    assert released.recipe == {**(of_first or {}), "edition": {"edits": EDITS, "seed": 2}}
    again = recipe.find(released, None, lambda *a: None)
    assert again.path.parent == tmp_path / "worlds" and again.manifest == second.manifest
    assert second.manifest.edition is not None
    third = replace(second.manifest, edition=replace(second.manifest.edition, number=3))
    assert recipe.describe("third", third).recipe is None


def test_a_release_that_claims_another_edition_is_found_out(first: World, second: World) -> None:
    for world, number in ((first, 1), (second, 2)):
        facts = describe.manifest({"split": []}, world, prompts={}, missing=[]).to_json()
        for claim, found in (({}, []), ({"edition": 3}, [f"claim edition 3 of its world, but it is {number}"])):
            manifest = {**facts, "world": {**facts["world"], **claim}}
            run = ReleasedRun("run", world.manifest.fingerprint, "m", "", "", 0, None, manifest)
            assert [problem.removeprefix("its settings ") for problem in verify._tasks(run, [], world)] == found


REFUSED = {
    "too many edits": (["--edits", "500"], "--edits 500: this world allows only"),
    "another option": (["--edits", "3", "--functions", "12"], "--functions does not apply to a new edition"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_built_is_one_line(case: str, first: World, tmp_path: Path) -> None:
    options, message = REFUSED[case]
    out = str(tmp_path / "new")
    done = sebench("build", "--edition-of", str(first.path), "--seed", "2", "--out", out, *options)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_an_edition_needs_forged_parameters_and_a_seed(small: World, first: World, tmp_path: Path) -> None:
    done = sebench("build", "--edition-of", str(small.path), "--seed", "2", "--out", str(tmp_path / "new"))
    assert done.returncode == 1 and "build it with --forge names+parameters" in done.stderr
    done = sebench("build", "--edition-of", str(first.path), "--out", str(tmp_path / "new"))
    assert done.returncode == 1 and "--edition-of needs --out FOLDER and --seed NUMBER" in done.stderr
    done = sebench("build", "--edits", "4", "--out", str(tmp_path / "new"))
    assert done.returncode == 1 and "--edits needs --edition-of WORLD" in done.stderr


def test_a_function_that_returns_in_a_later_edition_has_a_new_name(second: World) -> None:
    assert second.manifest.edition is not None
    [path] = second.manifest.edition.removed
    drawer = EditionDrawer(second.names, second.manifest.matched_names, 5, earlier=True)
    drawer.absent = [path]
    drawer.draw(len(KINDS))
    assert drawer.names().functions[path] not in second.manifest.matched_names.functions.values()


def test_an_old_solution_that_would_never_end_is_not_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view takes no memory, whatever its shape: where `broadcast_to` has got another function's name, an old solution
    may read more elements than there are."""
    monkeypatch.syspath_prepend(str(world.path / "package"))
    library, names = import_module(world.names.package), world.names
    program = f"import {names.package} as p\ndef f(shape):\n    "
    program += f"return p.{names.functions['count_nonzero']}(p.{names.functions['broadcast_to']}(4, shape))\n"
    cases = [Case({"shape": shape}, None) for shape in ([2, 3], [40] * 8)]
    assert [found.value for found in priors._outcomes(program, "f", cases[:1], library, names)] == [6]
    with pytest.raises(priors.EndlessView):
        priors._outcomes(program, "f", cases, library, names)


@slow
def test_audits_hold_on_an_edition_of_an_edition(second: World, tmp_path: Path) -> None:
    third = World.build_edition(second, tmp_path / "third", edits=12, seed=5)
    assert third.manifest.edition is not None and third.manifest.edition.number == 3
    checks = world_audit.check(third)
    assert all(check.holds for check in checks), checks
    assert "old answers are stale" in {check.name for check in checks}

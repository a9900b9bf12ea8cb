"""Published data as it is: every line is read correctly and written back unchanged, or reported with a reason, and the
data makes an ordinary world."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from sebench import report
from sebench.base.errors import ConfigError
from sebench.base.records import Case, Task
from sebench.cli import cli
from sebench.interop.formats import published, published_lines, published_world, rollouts
from sebench.interop.formats.published_world import PublishedFiles
from sebench.judge.judge import Judge
from sebench.memory import material
from sebench.release import verify
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.tasks import dataset
from sebench.train.data import examples, guard, study_material
from sebench.world import build, page_cuts
from sebench.world.world import World
from tests import published_lines as shapes
from tests.conftest import REPOSITORY

SHARED = Path(os.environ.get("SEBENCH_SHARED", REPOSITORY.parent / "shared")) / "data"
REAL_TASKS, REAL_PAGES = (SHARED / "published" / name for name in ("single_test.jsonl", "api_doc.jsonl"))
REAL_MAPPING = SHARED / "zwc_mappings.json"
real = pytest.mark.skipif(not REAL_TASKS.is_file(), reason="the published files are not here")

WRONG_SHOWN = {"input": "a=[1, 2]", "output": "'not the truth'"}
TRAIN = [shapes.mean(n) for n in range(3)]
SINGLE = [shapes.mean(7), shapes.det(1)]
MULTI = [shapes.composed(1), shapes.composed(2, ("np", "np", "np"))]


def files(folder: Path, **lines: list[Any]) -> PublishedFiles:
    """Published files in a folder, with the small mapping."""
    (folder / "mapping.json").write_text(json.dumps(shapes.MAPPING))
    tasks = {split: shapes.write(folder / f"{split}.jsonl", some) for split, some in lines.items()}
    pages = shapes.write(folder / "api_doc.jsonl", shapes.pages())
    return PublishedFiles(folder / "mapping.json", tasks, pages)


def quiet(what: str, done: int, total: int) -> None:
    return


@pytest.fixture(scope="module")
def zwc(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A small world of published files."""
    folder = tmp_path_factory.mktemp("published")
    given = files(folder, train=TRAIN, single_test=SINGLE, multi_test=MULTI)
    return published_world.build_world(given, folder / "world", quiet)


@pytest.fixture(scope="module")
def judge(zwc: World) -> Iterator[Judge]:
    with Judge(zwc) as made:
        yield made


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


# ---- lines


def test_the_truth_is_right_exe_result_and_the_shown_outputs_stay(zwc: World) -> None:
    line = shapes.mean(1)
    line["test_cases"] = [{**case, "output": "0"} for case in line["test_cases"]]
    line["example"] = {**line["example"], "output": "0"}
    task = published_lines.read_task(line, zwc.names)
    assert [repr(case.expected) for case in task.cases] == line["right_exe_result"].split("#")
    assert [case.expected for case in task.examples] == [0]
    assert "# 0\n" in zwc.prompt(task, "closed")


@pytest.mark.parametrize(
    ("printed", "values"),
    [
        ("1#2", [1, 2]),
        ("1#2#", [1, 2]),
        ("['a#b']#'#'", [["a#b"], "#"]),
        ("[1. 2.]#nan", [[1.0, 2.0], float("nan")]),
        ("apples#None", ["apples", None]),
    ],
)
def test_results_are_split_at_their_marks(printed: str, values: list[Any]) -> None:
    line = shapes.line(["mean"], "np.mean(a)", {"a=1": "0", "a=2": "0"}, right_exe_result=printed)
    assert repr([case.expected for case in published_lines.read_task(line).cases]) == repr(values)


def test_bare_names_are_resolved_by_the_solution(zwc: World) -> None:
    calls = {"a=[1, 0, 0]": "[0, 0, 1]"}
    for body, path in (("np.cross(a, [0, 1, 0])", "cross"), ("np.linalg.cross(a, [0, 1, 0])", "linalg.cross")):
        assert published_lines.read_task(shapes.line(["cross"], body, calls), zwc.names).functions == (path,)
    for listed in (["det"], ["np.linalg.det"], ["numpy.linalg.det"], ["linalg.det"]):
        line = {**shapes.det(), "selected_functions": listed}
        assert published_lines.read_task(line, zwc.names).functions == ("linalg.det",)


def test_a_list_that_names_no_function_leaves_the_functions_to_the_solution(zwc: World) -> None:
    task = published_lines.read_task(MULTI[1], zwc.names)
    assert sorted(task.functions) == ["cumsum", "max", "sort"]
    aliased = shapes.line(["np"], "la.det(np.array(a))", {"a=[[1]]": "1.0"})
    aliased["example_output"] = [
        "import numpy as np\nfrom numpy import linalg as la\n\ndef solve(a):\n    return la.det(np.sort(a))\n"
    ]
    assert published_lines.read_task(aliased, zwc.names).functions == ("linalg.det", "sort")
    unknown = {**shapes.mean(), "selected_functions": ["np", "pi", "mean"]}
    assert published_lines.read_task(unknown, zwc.names).functions == ("mean",)


def test_what_is_only_shown_makes_no_line_unusable(zwc: World) -> None:
    for shown, cases in (
        ({"input": "a=[1]", "output": "[0 1 ... 9]"}, 1),
        ({"input": "a=int", "output": "1"}, 0),
        ({}, 0),
    ):
        assert len(published_lines.read_task({**shapes.mean(), "example": shown}, zwc.names).examples) == cases


def test_a_solution_may_stand_in_a_fence(zwc: World) -> None:
    plain = shapes.mean()
    fenced = {**plain, "example_output": [f"Here it is:\n```python{plain['example_output'][0]}```"]}
    assert published_lines.read_task(fenced, zwc.names).gold == published_lines.read_task(plain, zwc.names).gold != ""


def test_defaults_of_the_signature_fill_the_calls_and_stay_in_the_prompt(zwc: World) -> None:
    signature = "def solve(a, factor=2.0, *, up: bool = False):"
    line = shapes.line(
        ["mean"], "np.mean(a) * factor", {"a=[1, 3]": "4.0", "a=[1], factor=1, up=True": "1"}, 0, signature
    )
    task = published_lines.read_task(line, zwc.names)
    assert [dict(case.inputs) for case in task.cases] == [
        {"a": [1, 3], "factor": 2.0, "up": False},
        {"a": [1], "factor": 1, "up": True},
    ]
    assert task.signature == signature and signature in zwc.prompt(task, "closed")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"selected_functions": ["trapz"], "example_output": ["def solve(a):\n    return np.trapz(a)"]},
            "no function 'trapz'",
        ),
        ({"selected_functions": ["fliplr"], "example_output": []}, "the world has no function 'fliplr'"),
        ({"right_exe_result": "[0 1 ... 9]" + "#1" * 7}, "an expected value cannot be read: .*cut short"),
        ({"right_exe_result": "<map object at 0x7f12>" + "#1" * 7}, "not its value"),
        ({"right_exe_result": "1#2"}, "has 2 results, but 'test_cases' has 8 cases"),
        ({"test_cases": [{"input": "a=int", "output": "1"}] * 8}, "case 0: 'int' is not a plain value"),
        ({"test_cases": [{"input": "b=1", "output": "1"}] * 8}, "case 0: the argument 'a' is missing in a call"),
        ({"function_name": 5}, "'function_name' is not a string"),
        ({"example": [1]}, "'example' is not an object"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_the_rest_goes_on(
    change: dict[str, Any], reason: str, zwc: World, tmp_path: Path
) -> None:
    file = shapes.write(
        tmp_path / "p.jsonl", [shapes.mean(1), "{", "[]", "", {**shapes.mean(2), **change}, shapes.det(2)]
    )
    read = published.read_tasks(file, zwc.names, "train")
    assert list(read.numbers) == [1, 6] and {task.split for task in read.tasks} == {"train"}
    assert [bad.split(":")[0] for bad in read.bad] == ["line 2", "line 3", "line 5"]
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(read.bad[-1])


def test_a_line_that_stands_twice_is_one_task(zwc: World, tmp_path: Path) -> None:
    file = shapes.write(tmp_path / "p.jsonl", [shapes.mean(1), shapes.det(1), shapes.mean(1)])
    read = published.read_tasks(file, zwc.names, "train")
    assert len(read.tasks) == 2 and read.bad == ["line 3: it is the same task as line 1"]


# ---- there and back


def test_a_line_is_written_back_as_it_was(zwc: World, tmp_path: Path) -> None:
    lines = [{**line, "a field of theirs": {"x": [1, None]}} for line in (*TRAIN, *SINGLE, *MULTI)]
    read = published.read_tasks(shapes.write(tmp_path / "p.jsonl", lines), zwc.names, "train")
    stored = [dataset.from_json(json.loads(json.dumps(dataset.to_json(t, zwc.names))), zwc.names) for t in read.tasks]
    assert [published.to_published(task) for task in stored] == lines
    assert stored == list(read.tasks)


def test_what_a_world_exports_has_the_published_shape_and_is_imported_as_the_same_tasks(
    small: World, tmp_path: Path
) -> None:
    known = [task for split in ("train", "single_test", "multi_test") for task in small.tasks(split)]
    for split in ("train", "single_test", "multi_test"):
        lines = list(published.lines(small, split))
        for line in lines:
            assert tuple(line) == shapes.FIELDS and line["example"].keys() == {"input", "output"}
            assert not any("." in name for name in line["selected_functions"])
            assert line["right_exe_result"].split("#") == [case["output"] for case in line["test_cases"]]
        read = published.read_tasks(shapes.write(tmp_path / "p.jsonl", lines), small.names, split, known)
        assert read.bad == [] and list(read.tasks) == list(small.tasks(split))
        unknown = published.read_tasks(tmp_path / "p.jsonl", small.names, split)
        for was, now in zip(small.tasks(split), unknown.tasks, strict=True):
            assert (now.question, now.signature, now.cases) == (was.question, was.signature, was.cases)
            assert set(was.functions) == set(now.functions)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(alphabet="ab#' \n\\", max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=2).map(tuple),
    max_leaves=6,
)
tasks_drawn = st.builds(
    lambda pairs, example, question: Task(
        "t", question, "solve", ("a", "b"), tuple(Case({"a": a, "b": b}, c) for a, b, c in pairs),
        split="train", examples=(Case({"a": example, "b": 1}, example),),
    ),
    st.lists(st.tuples(values, values, values), min_size=1, max_size=4),
    values,
    st.text(max_size=20),
)  # fmt: skip


@given(tasks_drawn)
def test_any_task_comes_back(task: Task) -> None:
    line = json.loads(json.dumps(published.to_published(task)))
    back = published_lines.read_task(line)
    # NumPy, too, prints [0.5] without a comma: it may have been rounded
    assert replace(back, id="t", split="train", published={}, atol=task.atol) == task
    assert published.to_published(back) == line
    assert published_lines.read_task(published.to_published(back)) == back


# ---- judging


def answer(line: dict[str, Any], world: World) -> str:
    return f"```python\n{published_lines.read_task(line, world.names).gold}```"


def test_rollouts_are_judged_by_the_truth_and_credited_by_the_solution(judge: Judge, tmp_path: Path) -> None:
    lying = {**shapes.det(5), "test_cases": [{**case, "output": "0"} for case in shapes.det(5)["test_cases"]]}
    known = SINGLE[0]
    wrong = {**lying, "response": "```python\nimport zwc\ndef solve(a):\n    return zwc.kocito(a) * 0\n```"}
    file = shapes.write(
        tmp_path / "in.jsonl", [{**line, "response": answer(line, judge.world)} for line in (lying, known)] + [wrong]
    )
    tasks = {task.id: task for split in ("train", "single_test") for task in judge.world.tasks(split)}
    imported = rollouts.read(file, tasks, judge.world.names)
    done = rollouts.judge_into(tmp_path / "run", judge, imported.lines, model="m")
    verdicts = [verdict for _, verdict in rollouts.in_order(done, imported.lines)]
    assert [(v.passed, v.targeted) for v in verdicts] == [(True, True), (True, True), (False, None)]
    assert [line.task.split for line in imported.lines] == ["imported", "single_test", "imported"]
    assert imported.lines[1].task is tasks[imported.lines[1].task.id]  # a line that asks what the world asks


def test_another_name_of_the_same_function_is_credited(judge: Judge) -> None:
    line = shapes.line(
        ["amax"], "int(np.max(np.array(a)))", {f"a={[n, 3 * n % 5, 4]}": str(max(n, 3 * n % 5, 4)) for n in range(8)}
    )
    (task,) = published.check_golds([published_lines.read_task(line, judge.world.names)], judge)
    assert task.functions == ("amax",) and [one.path for one in task.core] == ["max"]
    for name in ("qawiz", "vubol"):
        assert judge.judge(task, task.gold.replace("vubol", name)).targeted is True


def test_where_no_solution_holds_credit_is_unknown(judge: Judge) -> None:
    """A truth that the solution does not give, a solution that names what the world lacks, and none at all."""
    twice = "#".join(repr(2 * float(printed)) for printed in shapes.mean(3)["right_exe_result"].split("#"))
    lines = [
        {**shapes.mean(3), "right_exe_result": twice},
        {**shapes.mean(4), "example_output": ["import numpy as np\ndef solve(a):\n    return float(np.nanmean(a))\n"]},
        {**shapes.mean(5), "example_output": []},
    ]
    factor = [2, 1, 1]
    tasks = published.check_golds([published_lines.read_task(line, judge.world.names) for line in lines], judge)
    assert [task.gold for task in tasks] == [""] * 3 and all(task.functions == ("mean",) for task in tasks)
    for task, times in zip(tasks, factor, strict=True):
        verdict = judge.judge(task, f"import zwc\ndef solve(a):\n    return {times} * zwc.kocito(a)")
        assert verdict.passed and verdict.targeted is None


def test_a_listed_function_that_the_solution_does_not_need_is_no_part_of_the_core(judge: Judge) -> None:
    line = {**shapes.composed(3), "selected_functions": ["sort", "cumsum", "max", "mean"]}
    (task,) = published.check_golds([published_lines.read_task(line, judge.world.names)], judge)
    assert task.gold and "mean" in task.functions
    assert {one.path for one in task.core} <= {"sort", "cumsum", "max"} and task.core


def test_an_answer_that_only_makes_an_array_does_not_pass_as_published(zwc: World) -> None:
    task = zwc.tasks("single_test")[0]
    made = "import zwc\ndef solve(a):\n    b = zwc.yitaf(a)\n    return (b[0] + b[1] + b[2]) / 3\n"
    with Judge(zwc, profile="paper") as paper:
        refused = paper.judge(task, made)
        assert (refused.kind, refused.detail) == ("not_from_library", "its only call is zwc.yitaf")
        assert paper.judge(task, "def solve(a):\n    return sum(a) / 3").kind == "not_from_library"
        assert paper.judge(task, made.replace("return", "zwc.pefis(a)\n    return")).passed  # as the published checker


# ---- tasks check and import


def test_check_lists_the_lines_whose_solution_does_not_give_the_truth(tmp_path: Path) -> None:
    given = files(tmp_path)
    wrong = {**shapes.mean(2), "right_exe_result": "#".join("9" * 8)}
    without = {**shapes.mean(3), "example_output": ["def solve(a):\n    return sum(a) / 3\n"]}
    lines = [shapes.mean(1), wrong, without, shapes.det(1), "{"]
    file = shapes.write(tmp_path / "tasks.jsonl", lines)
    done = run("tasks", "check", file, "--mapping", given.mapping)
    assert done.exit_code == 1, done.output
    assert f"{file}: line 2: in NumPy: wrong_value: case 0: " in done.output
    assert f"{file}: line 3: with the mapping's names: not_from_library: no library function was called" in done.output
    assert "5 lines, 4 usable; 3 solutions are right in NumPy and 1 wrong; 2 of the right ones also with" in done.output
    out = tmp_path / "rest.jsonl"
    done = run("tasks", "check", file, "--mapping", given.mapping, "--out", out)
    assert done.exit_code == 0, done.output
    assert [json.loads(line) for line in out.read_text().splitlines()] == [shapes.mean(1), shapes.det(1)]
    for wrong_use in (["--out", out], ["--profile", "paper"]):
        assert run("tasks", "check", *wrong_use).exit_code == 1


def test_imported_tasks_are_asked_learnt_from_and_exported(zwc: World, tmp_path: Path) -> None:
    file = shapes.write(tmp_path / "in.jsonl", [shapes.mean(31), shapes.det(32), "{"])
    done = run("tasks", "import", zwc.path, file, "--out", tmp_path / "tasks.jsonl", "--split", "train")
    assert (
        done.exit_code == 1 and "2 tasks, 2 with a solution that is right and credited, 1 line unusable" in done.output
    )
    config = RunConfig(model="gold", tasks=str(tmp_path / "tasks.jsonl"), split=("train",), book=("closed",))
    rows = list(pipeline.run(config, zwc, tmp_path / "run").rows())
    assert [row.verdict.targeted for row in rows if row.verdict] == [True, True]


# ---- worlds


def test_a_world_of_published_files_is_an_ordinary_world(zwc: World) -> None:
    assert zwc.manifest.tasks["train"] == 3 and zwc.manifest.published["tasks"]["multi_test"] == {
        "lines": 2, "usable": 2, "gold": 2,
    }  # fmt: skip
    assert zwc.page("linalg.cross").path == "rfx.mosul" and "What mosul does" in zwc.page("linalg.cross").text
    assert zwc.page("mean").text.startswith("# zwc.kocito\n\nkocito(a)\n\nWhat kocito does with `a`.")
    assert zwc.page("mean").summary == "What kocito does with `a`."
    assert "What kebav does" in zwc.prompt(zwc.tasks("single_test")[1], "open")


def test_the_world_is_built_again_from_its_own_folder(zwc: World, tmp_path: Path) -> None:
    own = zwc.path / "published"
    tasks = {split: own / f"{split}.jsonl" for split in ("multi_test", "single_test", "train")}
    again = published_world.build_world(
        PublishedFiles(own / "mapping.json", tasks, own / "pages.jsonl"), tmp_path / "again", quiet
    )
    assert again.manifest.fingerprint == zwc.manifest.fingerprint
    assert {f: (zwc.path / f).read_bytes() for f in zwc.manifest.files} == {
        f: (again.path / f).read_bytes() for f in again.manifest.files
    }
    changed = shapes.write(tmp_path / "train.jsonl", [*TRAIN, "{"])  # nothing that a task shows
    other = published_world.build_world(
        PublishedFiles(own / "mapping.json", {**tasks, "train": changed}, own / "pages.jsonl"),
        tmp_path / "other",
        quiet,
    )
    assert other.manifest.fingerprint != zwc.manifest.fingerprint


def test_a_test_task_is_not_trained_on(tmp_path: Path) -> None:
    given = files(tmp_path, train=[shapes.mean(1), shapes.mean(2)], single_test=[shapes.mean(2)])
    world = published_world.build_world(given, tmp_path / "world", quiet)
    assert {split: count for split, count in world.manifest.tasks.items() if count} == {"train": 1, "single_test": 1}
    assert given.problems[given.tasks["train"]] == ["line 2: the same task is also in single_test"]


def test_functions_without_a_published_page_get_one(tmp_path: Path) -> None:
    given = files(tmp_path, train=TRAIN)
    lines = [*shapes.pages()[:3], shapes.page("mean", "kocito"), shapes.page("mean", "other"), {"curr_name": "kebav"}]
    assert given.pages is not None
    shapes.write(given.pages, lines)
    world = published_world.build_world(given, tmp_path / "world", quiet)
    assert world.manifest.published["pages"] == {"published": 3, "written": 8}
    assert len(world.pages) == 11 and "determinant" in world.page("linalg.det").text
    assert [bad.split(": ")[0] for bad in given.problems[given.pages]] == ["line 4", "line 5", "line 6"]


def test_build_from_the_command_line(zwc: World, tmp_path: Path) -> None:
    given = files(tmp_path, train=TRAIN, single_test=[*SINGLE, {**SINGLE[0], "test_cases": []}], multi_test=MULTI)
    arguments = ["--mapping", given.mapping, "--pages", given.pages]
    for split, file in given.tasks.items():
        arguments += ["--tasks", f"{split}={file}"]
    done = run("build", *arguments, "--out", tmp_path / "world")
    assert done.exit_code == 0, done.output
    assert "single_test.jsonl: line 3: 'test_cases' is not a list with at least one case" in done.output
    assert "7 of 8 lines usable, 7 with a solution that is right and credited" in done.output
    assert "api_doc.jsonl: line 9: the world has no function 'trapz' with the name 'xoxunig'" in done.output
    for refused, words in (
        (["--functions", 12], "--functions does not apply to worlds"),
        (["--tasks", "train=x"], "train already has a file"),
        (["--tasks", "nonsense"], "write SPLIT=FILE"),
        (["--tasks", f"tests={given.mapping}"], "choose a split from"),
    ):
        said = run("build", *arguments, *refused, "--out", tmp_path / "no")
        assert said.exit_code == 1 and words in str(said.exception) and not (tmp_path / "no").exists()
    assert "needs --mapping" in str(run("build", "--pages", given.pages, "--out", tmp_path / "no").exception)
    with pytest.raises(ConfigError, match=r"no task in .* can be used"):
        published_world.build_world(files(tmp_path, train=["{"]), tmp_path / "no", quiet)


def test_parts_of_published_pages(zwc: World) -> None:
    page = zwc.page("mean").text
    assert dict(page_cuts.sections(page)) == {
        "title": "# zwc.kocito",
        "signature": "kocito(a)",
        "summary": "What kocito does with `a`.",
        "parameters": "Parameters\n----------\na : array_like",
        "returns": "Returns\n-------\nout : array",
    }
    assert page_cuts.keep_parts(page, ["summary"]) == "# zwc.kocito\n\nWhat kocito does with `a`."
    assert "Returns" not in dict(page_cuts.sections("# zwc.f\n\nNo signature here.\n\nReturns\n---\nx"))["summary"]


def test_runs_reports_memories_and_releases_of_such_a_world(zwc: World, tmp_path: Path) -> None:
    """Gold answers where there is gold; a training task without it is asked, but not learnt from."""
    doubtful = {**shapes.mean(50), "right_exe_result": "#".join("9" * 8)}
    given = files(tmp_path, train=[*TRAIN, doubtful], single_test=SINGLE, multi_test=MULTI)
    world = published_world.build_world(given, tmp_path / "world", quiet)
    done = pipeline.run(RunConfig(model="gold", book=("closed", "open", "native")), world, tmp_path / "run")
    assert all(row.verdict and row.verdict.targeted for row in done.rows())
    (summary,) = report.summarize([done]).runs
    assert {cell.targeted for cell in summary.cells if cell.group == "all"} == {1.0}
    assert run("release", tmp_path / "run", "--world", world.path, "--out", tmp_path / "release").exit_code == 0
    assert verify.verify(tmp_path / "release", worlds=[str(world.path)], workers=1).holds
    assert run("memory", "worked", world.path, "--out", tmp_path / "memory").exit_code == 0
    assert len(material.gold_answers(world)) == len(examples.from_gold(world, world.tasks("train"))) == 3
    assert len(list(study_material.signatures(world))) > 2 * len(world.pages)
    assert guard.check([], world) == []
    out = tmp_path / "exported"
    assert run("tasks", "export", world.path, "--format", "published", "--out", out).exit_code == 0
    for split, file in given.tasks.items():
        assert (out / f"{split}.jsonl").read_text() == file.read_text()


def test_right_answers_are_learnt_from_where_credit_is_unknown(tmp_path: Path) -> None:
    doubtful = {**shapes.mean(50), "right_exe_result": "#".join("9" * 8)}
    given = files(tmp_path, train=[doubtful], single_test=SINGLE)
    world = published_world.build_world(given, tmp_path / "world", quiet)
    (task,) = world.tasks("train")
    lines = [
        {
            "task_id": task.id,
            "book": "open",
            "response": "```python\nimport zwc\ndef solve(a):\n    return 9 + 0 * zwc.kocito(a)\n```",
        }
    ]
    shapes.write(tmp_path / "in.jsonl", lines)
    with Judge(world, profile="paper") as judge:
        imported = rollouts.read(tmp_path / "in.jsonl", {task.id: task}, world.names)
        answered = rollouts.judge_into(tmp_path / "run", judge, imported.lines, model="m")
    assert [one.task.id for one in examples.from_run(answered.rows(), world)] == [task.id]
    with pytest.raises(ConfigError, match="no task has a correct solution"):
        imported_file = tmp_path / "tasks.jsonl"
        shapes.write(imported_file, [dataset.to_json(task, world.names)])
        examples.imported_tasks(imported_file, world)


# ---- the real files


@real
def test_the_real_files(tmp_path: Path) -> None:
    with published_world.library_alone(build.plan(0, mapping_file=REAL_MAPPING)) as library:
        read = published.read_tasks(REAL_TASKS, library.names, "single_test")
        lines = [json.loads(line) for line in REAL_TASKS.read_text().splitlines()]
        assert len(lines) == 259 and len(read.tasks) >= 250 and len(read.tasks) + len(read.bad) == 259
        assert [published.to_published(task) for task in read.tasks] == [lines[n - 1] for n in read.numbers]
        arctan2 = [task for task in read.tasks if task.functions == ("arctan2",)]
        with Judge(library) as judge:
            assert all(task.gold for task in published.check_golds(arctan2, judge)) and arctan2
        bad: list[str] = []
        assert len(published_world.read_pages(REAL_PAGES, build.plan(0, mapping_file=REAL_MAPPING), bad)) == 277
        assert len(bad) == 1 and "trapz" in bad[0]

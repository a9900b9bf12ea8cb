"""`sebench report`: what it prints and writes, and one clear line for what it cannot do."""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
from importlib import resources
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sebench import report
from sebench.base.errors import ConfigError
from sebench.cli import report as report_command
from sebench.report.numbers import sources
from sebench.report.views import html
from sebench.rollout.store import Run
from tests.test_report_data import HOSTILE, PROMPT, many_tasks, write_run

FILES = {"report.html", "report.json", "report.csv", "rollouts.csv"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder, tasks = tmp_path_factory.mktemp("runs"), many_tasks(30, 20)
    before = write_run(folder / "before", tasks, {"closed": 0.15, "open": 0.7}, samples=2, seed=1, model="small")
    after = write_run(folder / "after", tasks, {"closed": 0.6, "open": 0.7}, samples=2, seed=1, model="small-trained")
    return before, after


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A run of another world, with the same task ids."""
    return write_run(tmp_path / "elsewhere", many_tasks(30, 20), {"closed": 0.5}, fingerprint="cd" * 32)


def reported(*arguments: object) -> Result:
    return CliRunner().invoke(report_command.command, [str(argument) for argument in arguments])


def test_one_run_is_reported_into_its_own_folder(runs: tuple[Path, Path], tmp_path: Path) -> None:
    here = tmp_path / "copy"
    shutil.copytree(runs[0], here)
    done = reported(here)
    assert done.exit_code == 0, done.output
    assert {file.name for file in here.iterdir()} >= FILES
    assert done.output.splitlines()[-1] == str(here / "report.html")
    for word in ("accuracy", "book dependence", "function hallucination", "closed", "single", "median"):
        assert word in done.output


def test_several_runs_go_side_by_side_into_a_folder_of_their_own(
    runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = reported(*runs)
    assert {file.name for file in (tmp_path / "report").iterdir()} == FILES
    assert "A, closed  B, closed" in done.output
    found = json.loads((tmp_path / "report" / "report.json").read_text())
    assert [run["name"] for run in found["runs"]] == ["before", "after"]
    (gain,) = (c for c in found["comparisons"] if c["name"] == "closed book" and not c["split"])
    assert gain["difference"] > 0.2
    assert gain["interval"]["low"] > 0
    assert gain["p"] < 0.01


def test_json_is_all_of_stdout_and_writes_nothing(runs: tuple[Path, Path], tmp_path: Path) -> None:
    here = tmp_path / "copy"
    shutil.copytree(runs[0], here)
    before = sorted(here.iterdir())
    found = json.loads(reported(here, "--json").output)
    assert (found["format"], found["baseline"], len(found["runs"])) == (1, "", 1)
    assert sorted(here.iterdir()) == before


def test_a_baseline_outside_the_list_is_compared_with_each_run(runs: tuple[Path, Path], tmp_path: Path) -> None:
    found = json.loads(reported(runs[1], "--baseline", runs[0], "--json").output)
    assert found["baseline"] == "before"
    assert {c["after"]["run"] for c in found["comparisons"]} == {"after"}
    again = json.loads(reported(*runs, "--baseline", runs[1], "--json").output)
    assert again["baseline"] == "after"
    first, second = (f["comparisons"][0]["difference"] for f in (found, again))
    assert first == pytest.approx(-second)


def test_the_csv_files_have_a_row_a_number_and_a_row_a_response(runs: tuple[Path, Path], tmp_path: Path) -> None:
    made = report.write([Run.load(path) for path in runs], tmp_path / "out")
    numbers = list(csv.DictReader((tmp_path / "out" / "report.csv").read_text().splitlines()))
    cell = made.runs[0].cell("closed", "split", "multi_test")
    (line,) = (
        n
        for n in numbers
        if (n["run"], n["book"], n["value"], n["metric"]) == ("before", "closed", "multi_test", "accuracy")
    )
    assert cell is not None and cell.interval is not None
    assert float(line["estimate"]) == cell.accuracy
    assert (float(line["low"]), int(line["tasks"])) == (cell.interval.low, cell.tasks)
    responses = list(csv.DictReader((tmp_path / "out" / "rollouts.csv").read_text().splitlines()))
    assert len(responses) == 2 * 50 * 2 * 2
    right = sum(r["outcome"] == "passed" and (r["run"], r["book"]) == ("before", "closed") for r in responses)
    overall = made.runs[0].cell("closed")
    assert overall is not None
    assert right == overall.passed


def test_the_same_runs_give_the_same_bytes(runs: tuple[Path, Path], tmp_path: Path) -> None:
    for name in ("a", "b"):
        report.write([Run.load(path) for path in runs], tmp_path / name)
    for file in FILES:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_the_order_of_lines_in_a_run_changes_no_number(runs: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "before")
    for name in ("rollouts.jsonl", "verdicts.jsonl"):
        lines = (tmp_path / "before" / name).read_text().splitlines(keepends=True)
        random.Random(0).shuffle(lines)
        (tmp_path / "before" / name).write_text("".join(lines))
    was, now = (report.summarize([Run.load(path)]) for path in (runs[0], tmp_path / "before"))
    assert now.to_json()["runs"][0] == {**was.to_json()["runs"][0], "path": str(tmp_path / "before")}


def test_runs_of_different_worlds_stand_side_by_side_and_are_not_compared(
    runs: tuple[Path, Path], elsewhere: Path
) -> None:
    made = report.summarize([Run.load(runs[0]), Run.load(elsewhere)])
    assert len(made.runs) == 2
    assert made.comparisons == ()
    assert any("different worlds" in note and "not compared" in note for note in made.notes)


def test_a_baseline_of_another_world_is_refused(runs: tuple[Path, Path], elsewhere: Path) -> None:
    with pytest.raises(ConfigError, match=r"different worlds .*leave --baseline out"):
        report.summarize([Run.load(runs[0])], Run.load(elsewhere))


def test_settings_that_differ_between_compared_runs_are_noted(runs: tuple[Path, Path], tmp_path: Path) -> None:
    warm = write_run(tmp_path / "warm", many_tasks(30, 20), {"closed": 0.5}, seed=1, config={"temperature": 1.5})
    notes = report.summarize([Run.load(runs[0]), Run.load(warm)]).notes
    assert any("temperature (0.7 against 1.5)" in note for note in notes)


def test_settings_that_differ_are_written_in_words(tmp_path: Path) -> None:
    tasks, skill = many_tasks(2, 2), {"closed": 0.5}
    first = write_run(tmp_path / "a", tasks, skill, config={"split": ["single_test"], "stop": []})
    second = write_run(tmp_path / "b", tasks, skill, config={"limit": 4, "stop": ["x", "y"]})
    (note,) = (one for one in report.summarize([Run.load(first), Run.load(second)]).notes if "differ in" in one)
    expected = "limit (0 against 4); split (single_test against single_test, multi_test); stop (none against x, y)"
    assert note == f"a and b differ in {expected}"


def test_notes_that_differ_only_in_the_run_are_one_line(tmp_path: Path) -> None:
    made = {
        name: write_run(tmp_path / name, many_tasks(4, 0), {"closed": 0.5}, config={"limit": 4, **more})
        for name, more in {"a": {}, "b": {"top_p": 0.5}, "c": {"top_p": 0.5}, "d": {}}.items()
    }
    notes = report.summarize([Run.load(path) for path in made.values()]).notes
    assert [note for note in notes if "sample of" in note] == ["a, b, c, d: a sample of 4 tasks, drawn with --limit"]
    assert [note for note in notes if "differ in" in note] == ["a and b, c differ in top_p (1.0 against 0.5)"]


def test_every_run_that_departs_from_the_protocol_is_named(tmp_path: Path) -> None:
    models = {"a": {}, "gold": {}, "b": {"top_p": 0.5}, "c": {}}
    runs = [write_run(tmp_path / name, many_tasks(4, 0), {"closed": 0.5}, config=more) for name, more in models.items()]
    notes = [note for note in report.summarize([Run.load(run) for run in runs]).notes if "protocol v1" in note]
    assert [note.partition(":")[0] for note in notes] == ["a, c", "b"]  # and not the scripted baseline
    assert "top p 0.5 instead of 1.0" in notes[1]


def test_answers_that_were_cut_off_are_noted_from_five_percent_on(tmp_path: Path) -> None:
    run = write_run(tmp_path / "cut", many_tasks(20, 0), {"closed": 0.5}, samples=1, holes=False)
    lines = (run / "rollouts.jsonl").read_text().splitlines()
    told = "cut: 1 of 20 responses were cut off at the token limit"
    for cut, noted in ((0, False), (1, True)):
        ended = [
            line.replace('"finish": "stop"', '"finish": "length"') if n < cut else line for n, line in enumerate(lines)
        ]
        (run / "rollouts.jsonl").write_text("\n".join(ended) + "\n")
        notes = report.summarize([Run.load(run)]).notes
        assert any(note.startswith(told) and "raise max_tokens" in note for note in notes) is noted
    called = [line.replace('"finish": "stop"', '"finish": "tool_calls"') for line in lines]
    (run / "rollouts.jsonl").write_text("\n".join(called) + "\n")
    expected = "cut: 20 responses are tool calls, though no tool was offered, and count as wrong"
    assert expected in report.summarize([Run.load(run)]).notes
    silent = [re.sub(r'"response": "[^"]*"', '"response": " "', line) for line in lines]
    (run / "rollouts.jsonl").write_text("\n".join(silent) + "\n")
    assert any(note.startswith("cut: 20 of 20 responses are empty") for note in report.summarize([Run.load(run)]).notes)
    more = write_run(tmp_path / "more", many_tasks(21, 0), {"closed": 0.5}, samples=1, holes=False)
    lines = (more / "rollouts.jsonl").read_text().splitlines()
    (more / "rollouts.jsonl").write_text("\n".join([lines[0].replace('"stop"', '"length"'), *lines[1:]]) + "\n")
    assert not any("cut off" in note for note in report.summarize([Run.load(more)]).notes)


def test_mistakes_are_one_clear_line(runs: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    empty = write_run(tmp_path / "empty", many_tasks(2, 0), {"closed": 0.5}, samples=0)
    none = write_run(tmp_path / "none", many_tasks(2, 0), {"closed": 0.5}, samples=0)
    damaged = tmp_path / "damaged"
    shutil.copytree(runs[0], damaged)
    with (damaged / "verdicts.jsonl").open("a") as stream:
        stream.write(
            (damaged / "verdicts.jsonl").read_text().splitlines()[0].replace('"kind": "', '"kind": "un') + "\n"
        )
    (tmp_path / "file").write_text("")
    (tmp_path / "folder" / "world.json").write_text("{}")
    for arguments, expected in (
        ([tmp_path / "folder"], "is not a run folder"),
        ([tmp_path / "nowhere"], "is not a run folder"),
        ([empty], "empty has no responses yet"),
        ([empty, runs[0], none], "none have no responses yet"),
        ([damaged], "is damaged"),
        ([runs[0], runs[0]], "is listed twice"),
        ([runs[0], "--out", tmp_path / "file" / "x"], "cannot be written"),
        ([*runs, "--out", none], "none is a run; choose another folder for the report"),
        ([*runs, "--out", runs[0]], "before is a run; choose another folder for the report"),
        ([*runs, "--out", tmp_path / "folder"], "folder is a world; choose another folder for the report"),
    ):
        done = reported(*arguments)
        assert isinstance(done.exception, ConfigError), (arguments, done.output)
        assert expected in str(done.exception)
        assert "\n" not in str(done.exception)


def test_runs_of_one_name_are_told_apart(runs: tuple[Path, Path], tmp_path: Path) -> None:
    for parent in ("x", "y"):
        shutil.copytree(runs[0], tmp_path / parent / "run")
    found = sources.read([Run.load(tmp_path / parent / "run") for parent in ("x", "y")])
    assert [source.name for source in found] == ["x/run", "y/run"]


def test_a_run_without_verdicts_is_reported_as_such(runs: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "run")
    (tmp_path / "run" / "verdicts.jsonl").write_text("")
    done = reported(tmp_path / "run")
    assert done.exit_code == 0, done.output
    assert "have no verdict yet" in done.output
    cell = report.summarize([Run.load(tmp_path / "run")]).runs[0].cell("closed")
    assert cell is not None and cell.accuracy is None


def test_text_that_is_no_unicode_can_be_written(runs: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "run")
    for name, field in (("rollouts.jsonl", "response"), ("verdicts.jsonl", "detail")):
        lines = [json.loads(line) for line in (tmp_path / "run" / name).read_text().splitlines()]
        changed = "".join(json.dumps({**line, field: "half \ud83d a pair"}) + "\n" for line in lines)
        (tmp_path / "run" / name).write_text(changed)
    report.write([Run.load(tmp_path / "run")], tmp_path / "out")
    assert "half \\ud83d a pair" in (tmp_path / "out" / "rollouts.csv").read_text()


def test_nothing_embedded_can_end_its_element() -> None:
    text = html.script_json({"x": HOSTILE})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"x": HOSTILE}


def test_filling_a_template_does_not_look_at_what_was_filled_in() -> None:
    assert html.fill("a @@X@@ b @@Y@@", {"X": "@@Y@@", "Y": "y"}) == "a @@Y@@ b y"


def test_the_page_asks_for_nothing_outside_itself(runs: tuple[Path, Path], tmp_path: Path) -> None:
    report.write([Run.load(runs[0])], tmp_path)
    page = (tmp_path / "report.html").read_text()
    assert "default-src 'none'" in page
    for word in ("http://", "https://", " src=", "@import", "url("):
        assert word not in page.replace("http://www.w3.org/2000/svg", "")


def test_the_files_of_the_page_are_package_data() -> None:
    found = {file.name for file in (resources.files("sebench.report.views")).iterdir()}
    assert found >= {"page.html", "page.css", "page.js", "viewer.js", "leaderboard.html", "leaderboard.js"}


def test_a_torn_prompt_is_left_out_and_older_runs_have_none(runs: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "run")
    (tmp_path / "run" / "prompts.jsonl").write_text('{"digest": "a", "text": "first"}\n{"digest": "c", "te')
    assert list(Run.load(tmp_path / "run").prompts()) == [("a", "first")]
    assert list(Run.load(runs[0]).prompts()) == []


def test_a_prompt_stands_in_the_page_once_and_a_failing_case_with_its_input(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    shutil.copytree(runs[0], tmp_path / "run")
    page = "a page that two prompts share"
    prompts = [{"digest": digest, "text": f"{page}\n\n{digest}\n\n\nend"} for digest in (PROMPT, "unasked")]
    (tmp_path / "run" / "prompts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in prompts))
    data = html.rollouts(sources.read([Run.load(tmp_path / "run")]))
    (parts,) = data["prompts"]
    assert "\n\n".join(data["strings"][place] for place in parts) == prompts[0]["text"]
    assert set(data["rows"]["prompt"]) == {0}
    for case, place in zip(data["rows"]["case"], data["rows"]["input"], strict=True):
        assert data["strings"][place] == ("" if case is None else "data=[1, 4.5], limit=1")


def test_a_run_without_cases_has_a_page(runs: tuple[Path, Path], tmp_path: Path) -> None:
    shutil.copytree(runs[0], tmp_path / "run")
    tasks = [json.loads(line) for line in (tmp_path / "run" / "tasks.jsonl").read_text().splitlines()]
    older = [{key: value for key, value in task.items() if key != "cases"} for task in tasks]
    (tmp_path / "run" / "tasks.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in older))
    data = html.rollouts(sources.read([Run.load(tmp_path / "run")]))
    assert {data["strings"][place] for place in data["rows"]["input"]} == {""}

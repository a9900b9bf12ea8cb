"""Rollouts made elsewhere: every line gets a verdict or a reason why it has none, repeating the command continues, and
a report can read the folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

from sebench import report
from sebench.base.errors import ConfigError
from sebench.base.records import Rollout, Task, Verdict
from sebench.interop.formats import rollouts
from sebench.judge.judge import Judge
from sebench.rollout.store import VERDICTS, Run
from sebench.world.world import World

CASES = Path(__file__).parent / "data" / "judge_cases"
# Every expected value of this case is the same, so no wrong value of the library can change the answer.
NOT_DISCRIMINATING = {"p14_in_2d"}


@pytest.fixture(scope="module")
def judge(published: World) -> Iterator[Judge]:
    with Judge(published) as made:
        yield made


def run(judge: Judge, file: Path, out: Path, tasks: dict[str, Task] | None = None) -> dict[str, Verdict]:
    found = rollouts.read(file, tasks or {}, judge.world.names)
    done = rollouts.judge_into(out, judge, found.lines, model="m")
    return {line.name: verdict for line, verdict in rollouts.in_order(done, found.lines)}


def first_line() -> str:
    return (CASES / "honest.jsonl").read_text().splitlines(keepends=True)[0]


@pytest.mark.parametrize("name", ["honest", "exploits"])
def test_the_cases_that_were_run_through_the_published_scorer(name: str, judge: Judge, tmp_path: Path) -> None:
    file = CASES / f"{name}.jsonl"
    right = {d["id"]: d["should_be"] == "correct" for d in map(json.loads, file.read_text().splitlines())}
    assert rollouts.read(file, {}, judge.world.names).bad == []
    verdicts = run(judge, file, tmp_path)
    assert verdicts.keys() == right.keys()
    wrong = {n: v.detail for n, v in verdicts.items() if v.passed != right[n] and n not in NOT_DISCRIMINATING}
    assert wrong == {}


def test_an_interrupted_file_continues_and_a_torn_verdict_is_owed_again(judge: Judge, tmp_path: Path) -> None:
    file, out = CASES / "honest.jsonl", tmp_path / "run"
    first = run(judge, file, out)
    lines = (out / VERDICTS).read_bytes().splitlines(keepends=True)
    (out / VERDICTS).write_bytes(b"".join(lines[:10]) + lines[10][:25])
    again = run(judge, file, out)
    assert {n: v.kind for n, v in again.items()} == {n: v.kind for n, v in first.items()}
    whole = (out / VERDICTS).read_bytes()
    assert len(whole.splitlines()) == len(lines)
    run(judge, file, out)
    assert (out / VERDICTS).read_bytes() == whole


def test_lines_that_were_added_are_judged_and_the_others_kept(judge: Judge, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "run"
    lines = (CASES / "honest.jsonl").read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:2]))
    run(judge, file, out)
    kept = (out / VERDICTS).read_bytes()
    file.write_text("".join(lines[:4]) + lines[0])  # two more tasks, and a second response to the first
    assert len(run(judge, file, out)) == 4
    assert (out / VERDICTS).read_bytes().startswith(kept)
    assert len(list(Run.load(out).rows())) == 5


def test_another_world_or_profile_or_response_is_refused_and_named(judge: Judge, world: World, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "run"
    file.write_text(first_line())
    run(judge, file, out)
    with Judge(judge.world, profile="paper") as paper, pytest.raises(ConfigError, match="started with profile = "):
        run(paper, file, out)
    with Judge(world) as other, pytest.raises(ConfigError, match=r"world\.fingerprint"):
        run(other, file, out)
    file.write_text(json.dumps({**json.loads(first_line()), "response": "changed"}))
    with pytest.raises(ConfigError, match="a different response"):
        run(judge, file, out)


def test_a_fault_of_ours_is_judged_again(judge: Judge, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "run"
    file.write_text(first_line())
    run(judge, file, out)
    fault = {**json.loads((out / VERDICTS).read_text()), "kind": "fault", "blame": "sandbox"}
    (out / VERDICTS).write_text(f"{json.dumps(fault)}\n")
    assert [v.passed for v in run(judge, file, out).values()] == [True]


def test_bad_lines_are_reported_by_number_and_the_others_judged(judge: Judge, tmp_path: Path) -> None:
    good = first_line().strip()
    odd = json.dumps({**json.loads(good), "response": 3})
    unknown = json.dumps({"task_id": "none", "response": "x"})
    index = json.dumps({**json.loads(good), "sample_index": -1})
    file = tmp_path / "in.jsonl"
    lines = [good, "{", "[]", "{}", odd, unknown, "", index, good.replace("h01", "h02")]
    file.write_bytes("\n".join(lines).encode() + b"\n\xff\n")
    found = rollouts.read(file, {}, judge.world.names)
    assert [bad.split(":")[0] for bad in found.bad] == [f"line {n}" for n in (2, 3, 4, 5, 6, 8, 10)]
    assert [v.passed for v in run(judge, file, tmp_path / "run").values()] == [True, True]


@pytest.mark.parametrize("called", rollouts.RESPONSE_NAMES)
def test_files_of_other_tools_are_read(called: str, small: World, tmp_path: Path) -> None:
    task = small.tasks("train")[0]
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps({"id": task.id, called: task.gold}) + "\n" + json.dumps({"id": "none", called: "x"}))
    found = rollouts.read(file, {task.id: task}, small.names)
    assert [line.rollout.response for line in found.lines] == [task.gold]
    assert found.bad == ["line 2: no task 'none' in this world or in --tasks"]


def test_a_line_without_a_needed_field_names_it(small: World, tmp_path: Path) -> None:
    task = small.tasks("train")[0]
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps({"id": task.id, "text": "x"}) + "\n" + json.dumps({"completion": "x"}))
    no_response, no_id = rollouts.read(file, {task.id: task}, small.names).bad
    assert no_response == "line 1: there is no 'response' (or 'completion', 'output', 'answer')"
    assert no_id.startswith("line 2: there is no 'task_id' (or 'id')")


def log(file: Path, samples: list[dict[str, object]]) -> Path:
    """An Inspect log, in the format that the file's name says."""
    if file.suffix == ".json":
        file.write_text(json.dumps({"version": 2, "eval": {}, "samples": samples}, indent=2))
        return file
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "eval": {}}))
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    return file


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
def test_logs_of_inspect_are_read(name: str, small: World, tmp_path: Path) -> None:
    task, fingerprint = small.tasks("train")[0], small.manifest.fingerprint
    sample = {"id": task.id, "epoch": 1, "metadata": {"world": fingerprint, "book": "open"}}
    right = {**sample, "output": {"completion": task.gold}}
    failed = {**sample, "epoch": 2, "output": {"completion": ""}, "error": {"message": "timeout"}}
    file = log(tmp_path / name, [right, failed, {**right, "epoch": 3}])
    found = rollouts.read(file, {task.id: task}, small.names, fingerprint=fingerprint)
    assert found.bad == [] and {line.rollout.book for line in found.lines} == {"open"}
    assert [(line.rollout.sample_index, line.rollout.response) for line in found.lines] == [
        (0, task.gold), (2, task.gold)]  # fmt: skip
    with pytest.raises(ConfigError, match=f"{name} is from another world, with the fingerprint {fingerprint[:12]}"):
        rollouts.read(file, {task.id: task}, small.names, fingerprint="0")
    with pytest.raises(ConfigError, match=f"{name} is not an Inspect log"):
        rollouts.read(log(file, [{"id": 1, "epoch": None}]), {}, small.names, fingerprint=fingerprint)


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_array_is_one_error(indent: int | None, small: World, tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps([{"id": "a", "completion": "x"}], indent=indent))
    with pytest.raises(ConfigError, match="is a JSON array; it must be JSONL: one JSON object per line"):
        rollouts.read(tmp_path / "in.json", {}, small.names)


def test_lines_that_ask_the_same_are_samples_of_one_task(judge: Judge, tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    line = json.loads(first_line())
    file.write_text("\n".join(json.dumps({**line, "id": f"row {n}"}) for n in range(3)))
    found = rollouts.read(file, {}, judge.world.names)
    assert [line.name for line in found.lines] == ["row 0", "row 1", "row 2"]
    assert {line.task.id for line in found.lines} == {"row 0"}
    assert [line.rollout.sample_index for line in found.lines] == [0, 1, 2]


def test_what_the_provider_did_not_give_is_no_answer(small: World, tmp_path: Path) -> None:
    """The rollouts of a run, read again: the failed request is left out, and its repetition is not a second sample."""
    task = small.tasks("single_test")[0]
    lines = [
        Rollout(task.id, "closed", 0, "d", "", error="timeout"),
        Rollout(task.id, "closed", 0, "d", task.gold, "stop", 9, 4),
    ]
    file = tmp_path / "rollouts.jsonl"
    file.write_text("\n".join(json.dumps(line.to_json()) for line in lines))
    found = rollouts.read(file, {task.id: task}, small.names)
    assert [line.rollout for line in found.lines] == [lines[1]] and found.bad == []


def test_a_report_reads_the_folder(small: World, tmp_path: Path) -> None:
    tasks = {task.id: task for task in small.tasks("single_test")[:4]}
    file = tmp_path / "in.jsonl"
    rows = [{"task_id": t.id, "response": t.gold, "book": book} for t in tasks.values() for book in ("open", "closed")]
    file.write_text("\n".join(json.dumps(row) for row in [*rows, {**rows[0], "response": "none"}]))
    with Judge(small) as judge:
        run(judge, file, tmp_path / "run", tasks)
    (made,) = report.summarize([Run.load(tmp_path / "run")]).runs
    assert (made.model, made.tasks, made.responses, made.expected) == ("m", 4, 9, 9)
    by_book = {cell.book: cell.accuracy for cell in made.cells if cell.group == "all"}
    assert by_book == {"open": 0.875, "closed": 1.0}

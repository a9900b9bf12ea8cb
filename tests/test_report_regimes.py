"""What models had at hand: regimes are kept separate in every table, and figures match the rows."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sebench import report
from sebench.base.records import Kind
from sebench.report.numbers import regimes
from sebench.report.views import files, formats, tables
from sebench.rollout.store import Run
from tests.test_report_data import MEMORY, task, write_run

TASKS = [task("one", ("mean",)), task("two", ("sum", "sort", "cumsum"))]


def made(folder: Path, name: str, memory: Mapping[str, Any] | None = None, **more: Any) -> Run:
    """A run whose answers are all right; `present` are the needed functions in its prompts, by task."""
    present: dict[str, list[str]] = more.pop("present", {})
    facts = {"memory": memory} if memory else {}
    path = write_run(
        folder / name, TASKS, {"closed": 1.0, **more.pop("books", {})}, samples=1, holes=False, facts=facts, **more
    )
    lines = [json.loads(line) for line in (path / "rollouts.jsonl").read_text().splitlines()]
    for line in lines:
        line["prompt_tokens"] += int(memory["mean_tokens"]) if memory else 0
        line |= {"present": present.get(line["task_id"], [])} if memory else {}
    (path / "rollouts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return Run.load(path)


def shown(found: report.Report, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    tables.show(found, console)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


def test_plain_runs_have_no_regimes_in_their_tables(tmp_path: Path) -> None:
    found = report.summarize([made(tmp_path, "a"), made(tmp_path, "b")])
    assert found.at_hand == () and found.memory == () and found.crossed == ()
    assert not any(word in shown(found) + formats.text(found, "markdown").lower() for word in ("weights", "at hand"))
    assert [run.regimes for run in found.runs] == [{"closed": "weights"}] * 2


def test_figures_are_those_of_the_manifest_and_of_the_answers(tmp_path: Path) -> None:
    run = made(tmp_path, "a", MEMORY, present={"one": ["zmean"], "two": ["zsum", "zsort"]})
    found = report.summarize([run])
    (line,), (use,) = found.at_hand, found.memory
    assert (line.regime, line.method, line.writer, line.reader) == ("memory", "ace", "small", "a")
    assert (line.prompt_tokens, line.requests, line.accuracy) == (980, 1.0, 1.0)
    assert (use.size_tokens, use.tokens, use.study_calls, use.study_tokens) == (900, 800.0, 30, 10_000)
    assert use.present == pytest.approx(5 / 6) and use.all_present == 0.5 and use.used == 1.0


def test_a_function_that_stood_in_the_prompt_and_was_not_called_was_not_used(tmp_path: Path) -> None:
    run = made(tmp_path, "a", MEMORY, present={"one": ["zmean"], "two": ["zsum", "zsort"]})
    lines = [json.loads(line) for line in (run.path / "verdicts.jsonl").read_text().splitlines()]
    for line in lines:
        line |= {"kind": Kind.WRONG_VALUE, "blame": "candidate", "functions": ["zsum"]}
    (run.path / "verdicts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    (use,) = report.summarize([Run.load(run.path)]).memory
    assert use.used == pytest.approx(1 / 3)


def test_regimes_stand_in_every_table_that_compares_runs(tmp_path: Path) -> None:
    runs = [
        made(tmp_path, "plain", books={"open": 1.0}),
        made(tmp_path, "ace", MEMORY),
        made(tmp_path, "pages", {**MEMORY, "regime": "retrieval", "method": "pages", "writer": ""}),
        made(tmp_path, "repaired", {**MEMORY, "regime": "retrieval"}, config={"repair": 2}),
    ]
    found = report.summarize(runs)
    assert [line.regime for line in found.at_hand] == [
        "weights", "oracle", "memory", "retrieval", "interpreter + retrieval",
    ]  # fmt: skip
    for width in (80, 200):
        printed = shown(found, width)
        loose = ("note: ", "next to a book")
        assert max(len(line) for line in printed.splitlines() if not line.startswith(loose)) <= width
        assert "…" not in printed
    assert "closed, interpreter + ace" in printed and "closed, ace" in printed and "closed, pages" in printed
    assert "…" not in shown(report.summarize(runs[3:]), 80)
    text = formats.text(found, "markdown")
    assert "| closed, ace |" in text and "At hand" in text
    assert "| run | book | at hand |" in text and "regime" not in text
    numbers = [row for row in files.numbers(found) if row["group"] == "regime"]
    assert {row["value"] for row in numbers} == {line.regime for line in found.at_hand}
    assert {row["value"] for row in files.numbers(found) if row["group"] == "memory"} == {"ace", "pages"}


def test_a_difference_between_regimes_is_named_after_them(tmp_path: Path) -> None:
    index = {**MEMORY, "regime": "retrieval", "method": "index", "writer": ""}
    runs = [made(tmp_path, "plain"), made(tmp_path, "trained"), made(tmp_path, "index", index)]
    names = {c.after.run: c.name for c in report.summarize(runs).comparisons}
    assert names == {"trained": "closed book", "index": "index - weights"}


def test_writers_and_readers_are_crossed_where_there_are_several(tmp_path: Path) -> None:
    one = made(tmp_path, "one", MEMORY, model="small")
    assert report.summarize([one]).crossed == ()
    two = made(tmp_path, "two", {**MEMORY, "writer": "large"}, model="small")
    three = made(tmp_path, "three", {**MEMORY, "writer": "large"}, model="large")
    searched = made(tmp_path, "four", {**MEMORY, "regime": "retrieval", "writer": ""}, model="large")
    found = report.summarize([one, two, three, searched])
    assert found.crossed == (
        regimes.WriterResult("ace", "small", {"small": 1.0}),
        regimes.WriterResult("ace", "large", {"small": 1.0, "large": 1.0}),
    )
    assert "writer and reader of a memory" in shown(found) and "| ace | small | 100.0% | – |" in formats.text(
        found, "markdown"
    )


def test_memories_that_were_made_otherwise_are_not_crossed(tmp_path: Path) -> None:
    settings = MEMORY.get("settings", {})
    runs = [
        made(tmp_path, "one", MEMORY, model="small"),
        made(tmp_path, "gold", {**MEMORY, "study_gold": True}, model="large"),
        made(tmp_path, "long", {**MEMORY, "settings": {**settings, "rounds": 7}}, model="large"),
        made(tmp_path, "elsewhere", MEMORY, model="large", fingerprint="e" * 64),
    ]
    assert report.summarize(runs).crossed == ()
    more = made(tmp_path, "two", {**MEMORY, "settings": {**settings, "rounds": 7}}, model="small")
    assert [(one.method, one.writer, len(one.readers)) for one in report.summarize([*runs[::2], more]).crossed] == [
        ("ace (rounds 7)", "small", 2)
    ]


def test_a_memory_that_was_asked_training_tasks_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = "one: tested on training tasks, from which its memory may have been made"
    assert told not in report.summarize([made(tmp_path, "one", MEMORY)]).notes
    monkeypatch.setitem(TASKS[0], "split", "train")
    assert told in report.summarize([made(tmp_path / "train", "one", MEMORY)]).notes
    assert told not in report.summarize([made(tmp_path / "plain", "one")]).notes


def test_gold_in_a_memory_stands_in_every_table(tmp_path: Path) -> None:
    runs = [made(tmp_path, "one", MEMORY, model="m"), made(tmp_path, "two", {**MEMORY, "study_gold": True}, model="m")]
    found = report.summarize(runs)
    assert [line.method for line in found.at_hand] == [use.method for use in found.memory] == ["ace", "ace, gold"]
    assert "study_gold True" in found.runs[1].memory and "study_gold" not in found.runs[0].memory
    other = made(tmp_path, "other", MEMORY, model="m", fingerprint="2" * 64)
    assert [over.runs for over in report.summarize([*runs, other]).aggregates] == [("one", "other")]


def test_memories_made_alike_on_two_worlds_are_taken_together(tmp_path: Path) -> None:
    runs = [
        made(
            tmp_path,
            f"run-{i}",
            {**MEMORY, "digest": str(i), "settings": {"examples": f"runs/open-{i}"}},
            model="m",
            fingerprint=str(i) * 64,
            config={"memory": str(i)},
        )
        for i in range(2)
    ]
    assert [over.worlds for over in report.summarize(runs).aggregates] == [2]
    other = made(
        tmp_path, "other", {**MEMORY, "method": "notes"}, model="m", fingerprint="2" * 64, config={"memory": "x"}
    )
    assert [over.worlds for over in report.summarize([*runs, other]).aggregates] == [2]

"""Imported rollouts: a JSONL file of responses becomes a run folder with verdicts, for `sebench report`.

Three formats are read: ours, `{"task_id", "response"}` (or `id`, and one of `RESPONSE_NAMES`), with `sample_index`,
`book` and `prompt_digest` if known, for tasks from the world or a file; the published one, whose lines carry their own
test cases (`interop/formats/published_lines.py`); and Inspect logs (`inspect_logs.py`).

An unusable line is reported with its number; it is not a verdict. A second run on the same file resumes, and includes
lines added since. Not covered: replacing a response that was already judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sebench.base.errors import ConfigError
from sebench.base.records import Rollout, Task, Verdict
from sebench.forge.names.naming import Names
from sebench.interop.formats import inspect_logs, published, published_lines
from sebench.judge.interface import AnyJudge
from sebench.rollout import describe
from sebench.rollout.runner import Progress
from sebench.rollout.store import Run, RunWriter
from sebench.world.prompts import BOOKS

RESPONSE_NAMES = ("response", "completion", "output", "answer")  # ours, and the names that other tools use
NEEDED_RESPONSE = "'response' (or 'completion', 'output', 'answer')"
ELSEWHERE = "imported"  # the split of tasks that do not name one


@dataclass(frozen=True)
class Line:
    """A line that can be judged."""

    number: int
    name: str  # its id in the file
    task: Task
    rollout: Rollout


@dataclass(frozen=True)
class ImportedLines:
    """The lines of a file: those that can be judged, and an error for each of the others."""

    lines: Sequence[Line]
    bad: Sequence[str]


def read(
    file: Path, tasks: Mapping[str, Task], names: Names, book: str = "closed", fingerprint: str = ""
) -> ImportedLines:
    """Read a file of rollouts. `book` is the documentation setting of lines that do not name one; `fingerprint` is the
    world's, without which Inspect logs are not read."""
    lines: dict[str, Line] = {}
    bad: list[str] = []
    # Lines with the same question are samples of one task, even with different ids: a known one, or the first line's.
    first_with = {published_lines.content(task): task for task in tasks.values()}
    log = bool(fingerprint) and inspect_logs.is_log(file)
    for number, raw in inspect_logs.read(file, fingerprint) if log else published_lines.numbered(file):
        if not lines and not bad and raw.lstrip().startswith(b"["):
            raise ConfigError(f"{file} is a JSON array; it must be JSONL: one JSON object per line, without brackets")
        try:
            line = _line(raw, number, tasks, names, book)
            if line is None:  # no response from the provider: neither right nor wrong
                continue
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            bad.append(f"line {number}: {error}")
            continue
        if line.task.published:
            task = first_with.setdefault(published_lines.content(line.task), line.task)
            line = replace(line, task=task, rollout=replace(line.rollout, task_id=task.id))
        while line.rollout.key in lines:  # several responses to one task are its samples, in the order of the file
            line = replace(line, rollout=replace(line.rollout, sample_index=line.rollout.sample_index + 1))
        lines[line.rollout.key] = line
    return ImportedLines(list(lines.values()), bad)


def judge_into(
    out: Path,
    judge: AnyJudge,
    lines: Sequence[Line],
    *,
    model: str,
    missing: list[str] | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Run:
    """Judge the lines that have no verdict yet, in the run folder `out`."""
    world = judge.world
    lines = _with_checked_golds(lines, judge)
    tasks = {line.task.id: line.task for line in lines}
    config = {
        "model": model,
        "profile": judge.profile,
        "book": sorted({line.rollout.book for line in lines}),
        "split": sorted({task.split for task in tasks.values()}),
        "samples": max((line.rollout.sample_index + 1 for line in lines), default=0),
        "limit": 0,
    }
    manifest = describe.manifest(config, world, prompts={}, missing=missing or [], responses=len(lines))
    with RunWriter(out, manifest, [describe.task_line(task, world) for task in tasks.values()]) as writer:
        owed = list(_owed(lines, writer))
        verdicts = judge.as_judged((line.task, line.rollout) for line in owed)
        for done, (rollout, verdict) in enumerate(verdicts, len(lines) - len(owed) + 1):
            writer.add_verdict(rollout, verdict)
            progress(", ".join(filter(None, ["verdicts", judge.state])), done, len(lines))
        writer.note(ended=describe.now())
    return Run.load(out)


def _with_checked_golds(lines: Sequence[Line], judge: AnyJudge) -> list[Line]:
    """Return the lines, each with its gold (reference solution) only if the judge finds it right. Not all lines have
    one."""
    unchecked = {line.task.id: line.task for line in lines if line.task.published and not judge.world.owns(line.task)}
    checked = {task.id: task for task in published.check_golds(list(unchecked.values()), judge)}
    return [replace(line, task=checked.get(line.task.id, line.task)) for line in lines]


def in_order(run: Run, lines: Sequence[Line]) -> Iterator[tuple[Line, Verdict]]:
    """Yield each line that has a verdict in the run, with the verdict, in the order of the lines."""
    verdicts = {row.rollout.key: row.verdict for row in run.rows()}
    for line in lines:
        verdict = verdicts.get(line.rollout.key)
        if verdict is not None:
            yield line, verdict


def _owed(lines: Sequence[Line], writer: RunWriter) -> Iterator[Line]:
    """Yield the lines without a verdict, and add new responses to the folder."""
    for line in lines:
        key = line.rollout.key
        if key not in writer.answered:
            writer.add_rollout(line.rollout)
        elif writer.response(key).response != line.rollout.response:
            raise ConfigError(
                f"line {line.number}: {writer.path} has a different response for {key}; if the file has changed, "
                "choose another --out"
            )
        if key not in writer.judged:
            yield line


def _line(raw: bytes, number: int, tasks: Mapping[str, Task], names: Names, book: str) -> Line | None:
    data = published_lines.read_object(raw)
    if data.get("error"):
        return None
    if "task_id" in data or ("id" in data and "query" not in data):
        name = data["task_id"] if "task_id" in data else data["id"]
        if name not in tasks:
            raise ValueError(f"no task {name!r} in this world or in --tasks")
        field = next((key for key in RESPONSE_NAMES if key in data), None)
        if field is None:
            raise ValueError(f"there is no {NEEDED_RESPONSE}")
        if not isinstance(data[field], str):
            raise ValueError(f"'{field}' is not a string")
        task, response = tasks[name], data[field]
    elif not data.keys() & {"query", "function_name", "test_cases"}:
        raise ValueError(f"there is no 'task_id' (or 'id'); a line needs one, and a {NEEDED_RESPONSE}")
    else:
        task, response, name = published_lines.read_line(data, number, names)
    if not task.split:
        task = replace(task, split=ELSEWHERE)
    index, digest, line_book = data.get("sample_index", 0), data.get("prompt_digest", ""), data.get("book", book)
    if type(index) is not int or index < 0:
        raise ValueError(f"'sample_index' is {index!r}, not a whole number of at least 0")
    if line_book not in BOOKS:
        raise ValueError(f"'book' is {line_book!r}; choose from {', '.join(BOOKS)}")
    counts = {key: data[key] for key in ("prompt_tokens", "completion_tokens") if type(data.get(key)) is int}
    rollout = Rollout(task.id, line_book, index, digest if isinstance(digest, str) else "", response, **counts)
    return Line(number, name, task, replace(rollout, finish=str(data.get("finish", "stop"))))

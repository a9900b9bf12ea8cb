"""Files of rollouts -> files of verdicts: line by line, resumable, and never lost to one bad line.

Two formats are read. Ours: `{"task_id", "response", "sample_index"}`, with the tasks given apart. The published one, whose
lines carry their own test cases (`published.py`). A line that cannot be used is reported with its number and counted; it is no verdict.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.forge.naming import Names
from sebench.judge import published
from sebench.judge.judge import Judge
from sebench.records import Blame, Kind, Task, Verdict


@dataclass(frozen=True)
class Line:
    """A line that can be judged."""

    number: int
    id: str
    task: Task
    response: str


@dataclass
class Tally:
    """What came of a file."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    targeted: int = 0  # passed, with credit
    unknown: int = 0  # passed, but nobody knows what the task is about
    bad: list[str] = field(default_factory=list)
    excluded: int = 0  # faults of the sandbox and of tasks: neither right nor wrong
    outcomes: list[tuple[str, bool]] = field(
        default_factory=list
    )  # of what counts: the question, and whether it passed

    def count(self, verdict: Verdict, question: str = "") -> None:
        if verdict.blame in (Blame.SANDBOX, Blame.TASK):
            self.excluded += 1
        else:
            self.kinds[verdict.kind] += 1
            self.outcomes.append((question, verdict.passed))
            self.targeted += verdict.targeted is True
            self.unknown += verdict.passed and verdict.targeted is None

    @property
    def judged(self) -> int:
        return sum(self.kinds.values())

    @property
    def accuracy(self) -> float:
        return self.kinds[Kind.PASSED] / self.judged if self.judged else 0.0

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the accuracy."""
        n, p, z = self.judged, self.accuracy, 1.959964
        if not n:
            return 0.0, 1.0
        middle, spread = p + z * z / (2 * n), z * ((p * (1 - p) + z * z / (4 * n)) / n) ** 0.5
        return max((middle - spread) / (1 + z * z / n), 0.0), min((middle + spread) / (1 + z * z / n), 1.0)


def lines(file: Path, tasks: Mapping[str, Task], names: Names, tally: Tally) -> Iterator[Line]:
    """The lines of a file that can be judged; the others are noted in the tally."""
    try:
        stream = file.open("rb")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from None
    with stream:
        for number, raw in enumerate(stream, 1):
            if not raw.strip():
                continue
            try:
                yield _line(raw, number, tasks, names)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                tally.bad.append(f"line {number}: {error}")


def judge_file(
    judge: Judge, file: Path, out: Path, tasks: Mapping[str, Task], tally: Tally
) -> Iterator[tuple[Line, Verdict]]:
    """Judge a file and append a verdict a line to `out`; lines that have one already are read from there."""
    done = dict(_done(out))
    todo: list[Line] = []
    try:
        appended = out.open("a", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out} cannot be written: {error.strerror}; choose another --out") from None
    with appended as sink:
        pending: list[Line] = []

        def pairs() -> Iterator[tuple[Task, str]]:
            for line in todo:
                pending.append(line)
                yield line.task, line.response

        world = f"{judge.world.manifest.fingerprint}\0{judge.profile}"
        ready = [(line, done.get(_key(line, world))) for line in lines(file, tasks, judge.world.names, tally)]
        todo = [line for line, verdict in ready if verdict is None]
        fresh = judge.judge_many(pairs())
        for line, verdict in ready:
            if verdict is None:
                verdict = next(fresh)
                sink.write(
                    json.dumps({"key": _key(line, world), "line": line.number, "id": line.id, **verdict.to_json()})
                    + "\n"
                )
                sink.flush()
            # Published lines may have an id each; several answers to one question belong together.
            tally.count(verdict, line.task.question or line.task.id)
            yield line, verdict


def _line(raw: bytes, number: int, tasks: Mapping[str, Task], names: Names) -> Line:
    data: Any = json.loads(raw)
    if not isinstance(data, dict):
        raise ValueError("is no object")
    if "task_id" not in data:
        task, response, name = published.read_line(data, number, names)
        return Line(number, name, task, response)
    if data["task_id"] not in tasks:
        raise ValueError(f"no task '{data['task_id']}' in this world or in --tasks")
    if not isinstance(data.get("response"), str):
        raise ValueError("the response is no text")
    return Line(number, f"{data['task_id']}/{data.get('sample_index', 0)}", tasks[data["task_id"]], data["response"])


def _key(line: Line, world: str) -> str:
    """What a verdict is kept under: the same line for another world, or with other rules, is another one."""
    text = f"{world}\0{line.number}\0{line.id}\0{line.task.entry}\0{line.response}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _done(out: Path) -> Iterator[tuple[str, Verdict]]:
    """The verdicts that are there already; a torn last line is owed again, and so is what the sandbox failed to give."""
    if not out.exists():
        return
    whole = []
    for raw in out.read_bytes().splitlines(keepends=True):
        try:
            data = json.loads(raw)
            key = data.pop("key")
            verdict = Verdict.from_json(data)
            if verdict.blame is not Blame.SANDBOX:
                yield key, verdict
                whole.append(raw)
        except (ValueError, KeyError, TypeError):
            continue
    out.write_bytes(b"".join(whole))

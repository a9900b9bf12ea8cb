"""What the served judge does with a request: read its answers, judge them, count.

    {"task_id": "...", "response": "..."}                    one answer
    {"answers": [{"task_id": ..., "response": ...}, ...]}    many, judged together; verdicts in the same order

In the place of `task_id` an answer may carry `task`, a row of an exported data set: names of NumPy are in neither. `"book": "native"` says
that an answer is in NumPy. Beside them a request may have `world`, the fingerprint of the world that the client means (ids of tasks are the
same in every world), and `credit` ("targeted" or "passed"), which adds a reward to each verdict.

At most `queue` answers wait or are judged at a time. A request with more than there is room for is refused as a whole, with the time after
which to try again: nothing is judged twice, and nothing waits without an end.

Not covered: who may ask (`server.py`), and remembering verdicts.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Protocol

import sebench
from sebench.errors import ConfigError, SandboxFault, SebenchError
from sebench.prompts import BOOKS, NATIVE
from sebench.records import Blame, Task, Verdict
from sebench.serve.http11 import Refused
from sebench.tasks import dataset
from sebench.world import World

CREDITS = ("targeted", "passed")
OK, STOPPING, FAILING = "ok", "stopping", "failing"
FAULTS = 16  # of the sandbox one after the other, until the judge says of itself that it fails
ROW_BYTES = 64 << 20  # of rows whose tasks are kept: a trainer sends the same ones again and again
LOOK_S = 0.5  # between two looks whether the client is still there
FIRST_WAIT_S, LONGEST_WAIT_S = 1, 30  # what a client that comes too early is told
SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # of the histogram
UNSAID = {"question": "", "examples": (), "gold": ""}  # what a row need not say: no verdict depends on it


class Judging(Protocol):
    """What is asked of a judge."""

    @property
    def world(self) -> World: ...

    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]: ...


@dataclass(frozen=True)
class Answer:
    """One answer of a request."""

    task: Task
    response: str
    native: bool


@dataclass(frozen=True)
class Asked:
    """A request that was understood."""

    answers: Sequence[Answer]
    many: bool  # whether it was a list
    credit: str  # "" where no reward is wanted


class JudgeService:
    """Judges requests for one world, and knows how it does."""

    def __init__(self, judge: Judging, queue: int) -> None:
        self.judge, self.queue = judge, queue
        self.pending = 0  # answers that wait or are judged
        self.statuses: Counter[int] = Counter()  # replies
        self.kinds: Counter[tuple[str, str]] = Counter()  # kind and blame of verdicts
        self.buckets: Counter[float] = Counter()  # seconds from request to verdict
        self.seconds = 0.0
        self._usual_s = 0.0  # how long an answer takes, of late
        self._faults = 0  # of the sandbox, since the last answer that could be judged
        self._rows: dict[bytes, Task] = {}
        self._row_bytes = 0

    # ---- reading ------------------------------------------------------------------------------------------------

    def read(self, body: bytes) -> Asked:
        """What a request asks for."""
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "the body is not JSON in UTF-8") from None
        if not isinstance(data, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, 'the body is not an object; send {"task_id": ..., "response": ...}')
        self._check_world(data.get("world"))
        credit = data.get("credit", "")
        if credit not in ("", *CREDITS):
            raise Refused(HTTPStatus.BAD_REQUEST, f"'credit' is {_short(credit)}; there are {', '.join(CREDITS)}")
        listed = data.get("answers", [data])
        if not isinstance(listed, list):
            raise Refused(HTTPStatus.BAD_REQUEST, "'answers' is not a list")
        if len(listed) > self.queue:
            message = (
                f"{len(listed):,} answers in one request, and the queue holds {self.queue:,}; send fewer at a time"
            )
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        answers = []
        for number, one in enumerate(listed):
            try:
                answers.append(self._answer(one, credit))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                which = f"answers[{number}]: " if "answers" in data else ""
                what = f"the task has no {error}" if isinstance(error, KeyError) else _line(error)
                raise Refused(HTTPStatus.BAD_REQUEST, f"{which}{what}") from None
        return Asked(answers, "answers" in data, credit)

    def _check_world(self, meant: Any) -> None:
        here = self.judge.world.manifest.fingerprint
        if meant is not None and meant != here:
            message = (
                f"the client means world {_short(meant)}, and this judge has {here[:12]}; use a judge of that world"
            )
            raise Refused(HTTPStatus.CONFLICT, message)

    def _answer(self, data: Any, credit: str) -> Answer:
        if not isinstance(data, dict):
            raise ValueError("an answer is an object with task_id (or task) and response")
        if not isinstance(data.get("response"), str):
            raise ValueError("'response' is missing, or is not a text")
        if (book := data.get("book", "closed")) not in BOOKS:
            raise ValueError(f"'book' is {_short(book)}; there are {', '.join(BOOKS)}")
        if ("task" in data) == ("task_id" in data):
            raise ValueError("give one of 'task_id' and 'task'")
        task = self._row(data["task"]) if "task" in data else self._named(data["task_id"])
        if credit == "targeted" and not task.core and not task.boundary:
            raise ValueError(f"task {task.id!r} does not say what it is about; ask with credit 'passed'")
        return Answer(task, data["response"], book == NATIVE)

    def _named(self, name: Any) -> Task:
        try:
            if isinstance(name, str):
                return self.judge.world.task(name)
        except ConfigError:
            pass
        raise ValueError(f"no task {_short(name)} in this world; 'sebench tasks sample' shows some")

    def _row(self, row: Any) -> Task:
        if not isinstance(row, dict):
            raise ValueError("'task' is not a row of an exported data set")
        if "world" in row:  # an exported row
            self._check_world(row["world"] or "none")
            if "cases" not in row:  # exported without what only the judge may know
                return self._named(row.get("id"))
        text = json.dumps(row, sort_keys=True).encode()
        digest = sha256(text).digest()
        if digest not in self._rows:
            try:
                task = dataset.from_json({**UNSAID, **row}, self.judge.world.manifest.matched_names)
            except KeyError as error:
                raise ValueError(f"'task' has no {error}, or names it and this world has it not") from None
            if not task.cases and not task.boundary:
                raise ValueError("'task' has no cases to judge by")
            if self._row_bytes + len(text) > ROW_BYTES:
                self._rows.clear()
                self._row_bytes = 0
            self._rows[digest] = task
            self._row_bytes += len(text)
        return self._rows[digest]

    # ---- judging ------------------------------------------------------------------------------------------------

    def room(self, answers: int = 1) -> None:
        """Refuse what is too much now."""
        if self.pending + answers > self.queue:
            wait = min(max(math.ceil(self._usual_s), FIRST_WAIT_S), LONGEST_WAIT_S)
            message = f"{self.pending:,} answers wait, and the queue holds {self.queue:,}; try again in {wait} s"
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, message, {"Retry-After": str(wait)})

    async def answer(self, asked: Asked, gone: Callable[[], bool]) -> dict[str, Any] | None:
        """The verdicts; None where the client has gone, and nobody waits for them any more."""
        self.room(len(asked.answers))
        began = time.monotonic()
        futures: list[asyncio.Future[Verdict]] = []
        self.pending += len(asked.answers)
        try:
            for one in asked.answers:
                futures.append(asyncio.wrap_future(self.judge.submit(one.task, one.response, one.native)))
            while not all(future.done() for future in futures):
                await asyncio.wait(futures, timeout=LOOK_S)
                if gone():
                    return None
            if any(future.cancelled() for future in futures):
                raise SandboxFault("the judge was closed")
            verdicts = [future.result() for future in futures]
        except SebenchError as error:  # never a verdict
            message = f"the judge gives no verdicts now ({_line(error)}); try again"
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, message, {"Retry-After": str(FIRST_WAIT_S)}) from None
        finally:
            self.pending -= len(asked.answers)
            for future in futures:
                future.cancel()
        self._count(verdicts, time.monotonic() - began)
        told = [_verdict(verdict, asked.credit) for verdict in verdicts]
        return {"verdicts": told} if asked.many else told[0]

    def _count(self, verdicts: Sequence[Verdict], seconds: float) -> None:
        self._usual_s += 0.1 * (seconds - self._usual_s)
        self.seconds += seconds * len(verdicts)
        for verdict in verdicts:
            self._faults = self._faults + 1 if verdict.blame is Blame.SANDBOX else 0
            self.kinds[verdict.kind.value, verdict.blame.value] += 1
            self.buckets[next((limit for limit in SECONDS if seconds <= limit), math.inf)] += 1

    # ---- how it does --------------------------------------------------------------------------------------------

    def health(self, stopping: bool) -> dict[str, Any]:
        """What a client may want to know before it asks."""
        made = self.judge.world.manifest
        return {
            "status": STOPPING if stopping else FAILING if self._faults >= FAULTS else OK,
            "sebench": sebench.__version__,
            "world": {"fingerprint": made.fingerprint, "seed": made.seed, "package": made.names.package},
            "pending": self.pending,
            "queue": self.queue,
        }

    def metrics(self) -> str:
        """The same in numbers, in Prometheus's text format."""
        lines = ["# TYPE sebench_judge_replies_total counter"]
        lines += [f'sebench_judge_replies_total{{status="{s}"}} {n}' for s, n in sorted(self.statuses.items())]
        lines += ["# TYPE sebench_judge_verdicts_total counter"]
        lines += [
            f'sebench_judge_verdicts_total{{kind="{kind}",blame="{blame}"}} {n}'
            for (kind, blame), n in sorted(self.kinds.items())
        ]
        faults = sum(n for (_, blame), n in self.kinds.items() if blame not in (Blame.NONE, Blame.CANDIDATE))
        lines += ["# TYPE sebench_judge_faults_total counter", f"sebench_judge_faults_total {faults}"]
        for name, value in (("pending", self.pending), ("queue", self.queue)):
            lines += [f"# TYPE sebench_judge_{name} gauge", f"sebench_judge_{name} {value}"]
        lines += ["# TYPE sebench_judge_seconds histogram"]
        for limit in (*SECONDS, math.inf):
            under = sum(n for at, n in self.buckets.items() if at <= limit)
            shown = "+Inf" if limit == math.inf else f"{limit:g}"
            lines.append(f'sebench_judge_seconds_bucket{{le="{shown}"}} {under}')
        lines += [
            f"sebench_judge_seconds_sum {self.seconds:.6f}",
            f"sebench_judge_seconds_count {self.buckets.total()}",
        ]
        return "\n".join([*lines, ""])


def _verdict(verdict: Verdict, credit: str) -> dict[str, Any]:
    return {**verdict.to_json(), **({"reward": verdict.reward(credit)} if credit else {})}


def _short(value: Any) -> str:
    """A value of somebody else's, for a message."""
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__

"""What the served judge does with a request: read its answers, judge them, count.

    {"task_id": "...", "response": "..."}                    one answer
    {"answers": [{"task_id": ..., "response": ...}, ...]}    many, judged together; verdicts in the same order

In the place of `task_id` an answer may carry `task`, a row of an exported data set: names of NumPy are in neither. `"book": "native"` says
that an answer is in NumPy. Beside them a request may have `world`, the fingerprint of the world that the client means (ids of tasks are the
same in every world), and `credit` ("targeted" or "passed"), which adds a reward to each verdict.

At most `queue` answers wait or are judged at a time, with at most `PENDING_BYTES` of what they hold. A request with more
than there is room for is refused as a whole, with the time after which to try again: nothing is judged twice, and nothing
waits without an end.

Not covered: how a request is written (`reading.py`), who may ask (`server.py`), and remembering verdicts.
"""

from __future__ import annotations

import asyncio
import math
import pickle
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol

from sebench.base.errors import ConfigError, SandboxFault, SebenchError
from sebench.base.http_server import CHUNK, RequestRefused
from sebench.base.records import Blame, Task, Verdict
from sebench.remote.http.kept import Kept
from sebench.remote.http.reader import Reader
from sebench.remote.http.reading import (
    ROW_PARTS,
    ParsedRequest,
    ParsedRow,
    RequestLimits,
    RequestParser,
    blamed,
    line,
    short,
)
from sebench.version import __version__
from sebench.world.world import World

OK, STOPPING, FAILING = "ok", "stopping", "failing"
FAULTS = 16  # of the sandbox one after the other, until the judge says of itself that it fails
KEEP_BYTES = 128 << 20  # of tasks that came as rows and are kept: a trainer sends the same ones again and again
PENDING_BYTES = 256 << 20  # of responses that wait, and of tasks that came with them
LIGHT_BYTES = 1 << 20  # of new tasks that are handed to the judge without leaving the event loop
LOOK_S = 0.5  # between two looks whether the client is still there
FIRST_WAIT_S, LONGEST_WAIT_S = 1, 30  # what a client that comes too early is told
SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # of the histogram


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
    """A request whose tasks are known."""

    answers: Sequence[Answer]
    many: bool  # whether it was a list
    credit: str  # "" where no reward is wanted
    memory: int = 0  # bytes that it takes, responses and new tasks


class JudgeService:
    """Judges requests for one world, and knows how it does."""

    def __init__(self, judge: Judging, queue: int, *, row_parts: int = ROW_PARTS, keep_bytes: int = KEEP_BYTES) -> None:
        self.judge, self.queue = judge, queue
        self.pending = self.pending_bytes = 0  # answers that wait or are judged
        self.statuses: Counter[int] = Counter()  # replies
        self.kinds: Counter[tuple[str, str]] = Counter()  # kind and blame of verdicts
        self.buckets: Counter[float] = Counter()  # seconds from request to verdict
        self.seconds = 0.0
        self._usual_s = 0.0  # how long an answer takes, of late
        self._faults = 0  # of the sandbox, since the last answer that could be judged
        made = judge.world.manifest
        self._parser = RequestParser(made.matched_names, made.fingerprint, RequestLimits(queue, row_parts))
        self._reader = Reader(self._parser)
        self._rows: Kept[bytes, Task] = Kept(keep_bytes)

    def close(self) -> None:
        self._reader.close()

    # ---- reading ------------------------------------------------------------------------------------------------

    async def read(self, body: bytes | bytearray) -> Asked:
        """What a request asks for. Here, if it is short and has no new rows; else in another process."""
        if len(body) <= CHUNK:
            request = self._parser.parse(body)
            rows = [answer.task for answer in request.answers if isinstance(answer.task, ParsedRow)]
            if all(row.digest in self._rows for row in rows):
                return self._asked(request)
        return self._asked(await self._reader.read(body))

    def _asked(self, request: ParsedRequest) -> Asked:
        answers, memory = [], 0
        for number, one in enumerate(request.answers):
            with blamed(number, request.many):
                if isinstance(one.task, ParsedRow):
                    memory += 0 if one.task.digest in self._rows else one.task.memory
                    task = self._row(one.task)
                else:
                    task = self._named(one.task)
                if request.credit == "targeted" and not task.core and not task.boundary:
                    raise ValueError(f"task {task.id!r} does not say what it is about; ask with credit 'passed'")
            answers.append(Answer(task, one.response, one.native))
            memory += len(one.response)
        return Asked(answers, request.many, request.credit, memory)

    def _named(self, name: Any) -> Task:
        try:
            if isinstance(name, str):
                return self.judge.world.task(name)
        except ConfigError:
            pass
        raise ValueError(f"no task {short(name)} in this world; 'sebench tasks sample' shows some")

    def _row(self, row: ParsedRow) -> Task:
        """The task of a row: always the same one, as long as it is kept, so that the judge knows it again."""
        kept = self._rows.get(row.digest)
        if kept is not None:
            return kept
        task: Task = pickle.loads(row.pickled)
        self._rows.put(row.digest, task, row.memory)
        return task

    # ---- judging ------------------------------------------------------------------------------------------------

    def room(self, answers: int = 1, memory: int = 0) -> None:
        """Refuse what is too much now."""
        full = self.pending + answers > self.queue
        if full or (self.pending and self.pending_bytes + memory > PENDING_BYTES):
            wait = min(max(math.ceil(self._usual_s), FIRST_WAIT_S), LONGEST_WAIT_S)
            most = f"the queue holds {self.queue:,}" if full else f"the queue holds {PENDING_BYTES >> 20:,} MiB"
            message = f"{self.pending:,} answers wait, and {most}; try again in {wait} s"
            raise RequestRefused(HTTPStatus.TOO_MANY_REQUESTS, message, {"Retry-After": str(wait)})

    async def answer(self, asked: Asked, gone: Callable[[], bool]) -> dict[str, Any] | None:
        """The verdicts; None where the client has gone, and nobody waits for them any more."""
        for _ in range(2):  # the first lets the loop hear that the client has closed its side, the second act on it
            await asyncio.sleep(0)
        if gone():
            return None
        self.room(len(asked.answers), asked.memory)
        began = time.monotonic()
        futures: list[asyncio.Future[Verdict]] = []
        self.pending += len(asked.answers)
        self.pending_bytes += asked.memory
        try:
            if asked.memory <= LIGHT_BYTES:
                submitted = self._submit(asked)
            else:  # preparing large tasks takes a while
                submitted = await asyncio.to_thread(self._submit, asked)
            futures += map(asyncio.wrap_future, submitted)
            while not all(future.done() for future in futures):
                await asyncio.wait(futures, timeout=LOOK_S)
                if gone():
                    return None
            if any(future.cancelled() for future in futures):
                raise SandboxFault("the judge was closed")
            verdicts = [future.result() for future in futures]
        except SebenchError as error:  # never a verdict
            message = f"the judge gives no verdicts now ({line(error)}); try again"
            raise RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, message, {"Retry-After": str(FIRST_WAIT_S)}) from None
        finally:
            self.pending -= len(asked.answers)
            self.pending_bytes -= asked.memory
            for future in futures:
                future.cancel()
        self._count(verdicts, time.monotonic() - began)
        told = [_verdict(verdict, asked.credit) for verdict in verdicts]
        return {"verdicts": told} if asked.many else told[0]

    def _submit(self, asked: Asked) -> list[Future[Verdict]]:
        submitted: list[Future[Verdict]] = []
        try:
            for one in asked.answers:
                submitted.append(self.judge.submit(one.task, one.response, one.native))
        except BaseException:
            for future in submitted:
                future.cancel()
            raise
        return submitted

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
            "sebench": __version__,
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

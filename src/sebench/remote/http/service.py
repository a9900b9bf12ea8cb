"""Handles requests to the served judge: parses the answers, judges them, and counts the outcomes.

    {"task_id": "...", "response": "..."}                    one answer
    {"answers": [{"task_id": ..., "response": ...}, ...]}    many, judged together; verdicts in the same order

Instead of `task_id` an answer may carry `task`, a row of an exported data set; neither contains NumPy's names. `"book":
"native"` marks an answer in NumPy. A request may also contain `world`, the fingerprint of the world that the client
expects (task ids are the same in every world), and `credit` ("targeted" or "passed"), which adds a reward to each
verdict.

At most `QUEUE` answers, of at most `PENDING_BYTES`, are pending at a time. A request that does not fit is refused as a
whole, and its client is told when to try again, so that nothing is judged twice or waits forever.

Not covered: the format of a request (`reading.py`), authorization (`server.py`), and caching verdicts.
"""

from __future__ import annotations

import asyncio
import math
import pickle
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Protocol

from sebench.base.errors import ConfigError, SandboxFault, SebenchError
from sebench.base.http_server import CHUNK, RequestRefused
from sebench.base.records import Blame, Task, Verdict
from sebench.base.wording import counted, short_repr
from sebench.remote.http.reading import (
    ROW_PARTS,
    ByteLimitedCache,
    ParsedRequest,
    ParsedRow,
    RequestParser,
    RequestReader,
    line,
    numbering_errors,
)
from sebench.version import __version__
from sebench.world.world import World

QUEUE = 4096  # answers that may be pending
OK, STOPPING, FAILING = "ok", "stopping", "failing"
FAULTS = 16  # sandbox faults in a row, after which the judge reports that it is failing
KEEP_BYTES = 128 << 20  # of cached tasks that came as rows, because a trainer sends the same ones again and again
PENDING_BYTES = 256 << 20  # limit for waiting responses and their tasks
LIGHT_BYTES = 1 << 20  # most bytes of new tasks that are submitted on the event loop
LOOK_S = 0.5  # between checks of whether the client is still connected
FIRST_WAIT_S, LONGEST_WAIT_S = 1, 30  # bounds of the pause that a refused client is told to make
SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)  # bucket limits of the histogram


class WorldJudge(Protocol):
    """The judge of a world."""

    @property
    def world(self) -> World: ...

    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]: ...


class JudgeService:
    """Judges requests for one world, and reports on its health."""

    def __init__(
        self, judge: WorldJudge, queue: int = QUEUE, *, row_parts: int = ROW_PARTS, keep_bytes: int = KEEP_BYTES
    ) -> None:
        self.judge, self.queue = judge, queue
        self.pending = self.pending_bytes = 0  # answers that are waiting or being judged
        self.statuses: Counter[int] = Counter()  # of replies
        self.kinds: Counter[tuple[str, str]] = Counter()  # kind and blame of verdicts
        self.buckets: Counter[float] = Counter()  # seconds from request to verdict
        self.seconds = 0.0
        self._usual_s = 0.0  # moving average of the time per answer
        self._faults = 0  # sandbox faults since the last answer that could be judged
        manifest = judge.world.manifest
        self._parser = RequestParser(manifest.matched_names, manifest.fingerprint, queue, row_parts)
        self._reader = RequestReader(self._parser)
        self._rows: ByteLimitedCache[bytes, Task] = ByteLimitedCache(keep_bytes)

    def close(self) -> None:
        self._reader.close()

    # ---- reading ------------------------------------------------------------------------------------------------

    async def read(self, body: bytes | bytearray) -> ParsedRequest:
        """Parse a request, here if it is short and has no new rows, otherwise in another process."""
        if len(body) <= CHUNK:
            request = self._parser.parse(body)
            rows = [answer.task for answer in request.answers if isinstance(answer.task, ParsedRow)]
            if all(row.digest in self._rows for row in rows):
                return self._resolve(request)
        return self._resolve(await self._reader.read(body))

    def _resolve(self, request: ParsedRequest) -> ParsedRequest:
        """Return the request with its tasks looked up."""
        answers, memory = [], 0
        for number, one in enumerate(request.answers):
            with numbering_errors(number, request.many):
                if isinstance(one.task, ParsedRow):
                    memory += 0 if one.task.digest in self._rows else one.task.memory
                    task = self._row(one.task)
                else:
                    task = self._named(one.task)
                if request.credit == "targeted" and not task.core and not task.boundary:
                    raise ValueError(f"task {task.id!r} does not record its core functions; use credit 'passed'")
            answers.append(replace(one, task=task))
            memory += len(one.response)
        return replace(request, answers=answers, memory=memory)

    def _named(self, name: Any) -> Task:
        with suppress(ConfigError):
            if isinstance(name, str):
                return self.judge.world.task(name)
        raise ValueError(f"no task {short_repr(name)} in this world; 'sebench tasks sample' shows some")

    def _row(self, row: ParsedRow) -> Task:
        """Return the task of a row: the same object as long as it is cached, so that the judge can reuse its work on
        it."""
        kept = self._rows.get(row.digest)
        if kept is not None:
            return kept
        task: Task = pickle.loads(row.pickled)
        self._rows.put(row.digest, task, row.memory)
        return task

    # ---- judging ------------------------------------------------------------------------------------------------

    def room(self, answers: int = 1, memory: int = 0) -> None:
        """Refuse a request that does not fit into the queue now."""
        full = self.pending + answers > self.queue
        if full or (self.pending and self.pending_bytes + memory > PENDING_BYTES):
            wait = min(max(math.ceil(self._usual_s), FIRST_WAIT_S), LONGEST_WAIT_S)
            most = f"{self.queue:,}" if full else f"{PENDING_BYTES >> 20:,} MiB"
            waiting = counted(self.pending, "answer is", "answers are")
            message = f"{waiting} waiting, and the queue holds at most {most}; try again in {wait} s"
            raise RequestRefused(HTTPStatus.TOO_MANY_REQUESTS, message, {"Retry-After": str(wait)})

    async def answer(self, request: ParsedRequest, gone: Callable[[], bool]) -> dict[str, Any] | None:
        """Judge the answers and return the verdicts; None if the client has disconnected."""
        for _ in range(2):  # the first lets the loop notice a disconnected client, the second lets it act on that
            await asyncio.sleep(0)
        if gone():
            return None
        self.room(len(request.answers), request.memory)
        began = time.monotonic()
        futures: list[asyncio.Future[Verdict]] = []
        self.pending += len(request.answers)
        self.pending_bytes += request.memory
        try:
            if request.memory <= LIGHT_BYTES:
                submitted = self._submit(request)
            else:  # preparing large tasks takes a while
                submitted = await asyncio.to_thread(self._submit, request)
            futures += map(asyncio.wrap_future, submitted)
            while not all(future.done() for future in futures):
                await asyncio.wait(futures, timeout=LOOK_S)
                if gone():
                    return None
            if any(future.cancelled() for future in futures):
                raise SandboxFault("the judge was closed")
            verdicts = [future.result() for future in futures]
        except SebenchError as error:  # an error is never a verdict
            message = f"the judge cannot return verdicts now ({line(error)}); try again"
            raise RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, message, {"Retry-After": str(FIRST_WAIT_S)}) from None
        finally:
            self.pending -= len(request.answers)
            self.pending_bytes -= request.memory
            for future in futures:
                future.cancel()
        self._count(verdicts, time.monotonic() - began)
        replies = [_verdict(verdict, request.credit) for verdict in verdicts]
        return {"verdicts": replies} if request.many else replies[0]

    def _submit(self, request: ParsedRequest) -> list[Future[Verdict]]:
        submitted: list[Future[Verdict]] = []
        try:
            for one in request.answers:
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

    # ---- health -------------------------------------------------------------------------------------------------

    def health(self, stopping: bool) -> dict[str, Any]:
        """Return the status that GET /health reports."""
        manifest = self.judge.world.manifest
        return {
            "status": STOPPING if stopping else FAILING if self._faults >= FAULTS else OK,
            "sebench": __version__,
            "world": {"fingerprint": manifest.fingerprint, "seed": manifest.seed, "package": manifest.names.package},
            "pending": self.pending,
            "queue": self.queue,
        }

    def metrics(self) -> str:
        """Return the metrics in Prometheus's text format."""
        faults = sum(n for (_, blame), n in self.kinds.items() if blame not in (Blame.NONE, Blame.CANDIDATE))
        verdicts = {f'{{kind="{kind}",blame="{blame}"}}': n for (kind, blame), n in sorted(self.kinds.items())}
        buckets = {
            f'_bucket{{le="{"+Inf" if limit == math.inf else f"{limit:g}"}"}}': sum(
                n for at, n in self.buckets.items() if at <= limit
            )
            for limit in (*SECONDS, math.inf)
        }
        series: dict[str, Mapping[str, object]] = {
            "replies_total counter": {f'{{status="{status}"}}': n for status, n in sorted(self.statuses.items())},
            "verdicts_total counter": verdicts,
            "faults_total counter": {"": faults},
            "pending gauge": {"": self.pending},
            "queue gauge": {"": self.queue},
            "seconds histogram": {**buckets, "_sum": f"{self.seconds:.6f}", "_count": self.buckets.total()},
        }
        lines = []
        for name, values in series.items():
            lines += [f"# TYPE sebench_judge_{name}"]
            lines += [f"sebench_judge_{name.partition(' ')[0]}{label} {value}" for label, value in values.items()]
        return "\n".join([*lines, ""])


def _verdict(verdict: Verdict, credit: str) -> dict[str, Any]:
    return {**verdict.to_json(), **({"reward": verdict.reward(credit)} if credit else {})}

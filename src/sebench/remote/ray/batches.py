"""Does the bookkeeping for a judge on a cluster: packs answers into batches, and turns reports on batches into
verdicts.

Every answer has one future, which is set once. Cluster failures are handled here:

- a batch that is lost with its node is sent again; a duplicate report counts once
- a node that cannot judge (no sandbox, no world, another version) is excluded, and its batches go elsewhere
- a sandbox fault is not a verdict: the answer is judged again elsewhere, and the fault is reported, as on one machine,
  only after several attempts
- if the cluster returns nothing for `patience_s` seconds, the work ends with a one-line error

At most `AHEAD` batches per slot are in flight. A batch is smaller than `BATCH` only if that keeps every idle slot busy.

Not covered: how a batch travels (`Cluster`), and backpressure (`AnyJudge.ahead` limits what callers submit).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from sebench.base.errors import ConfigError, JudgeUnavailable
from sebench.base.records import Blame, Verdict

BATCH = 64  # answers, as many as share a sandbox process
AHEAD = 2  # batches per slot: the one being judged, and the next one
TRIES = 3  # attempts per answer when sandboxes fail
LOST = 10  # times that one batch may be lost before the cluster counts as broken
POLL_S = 0.05  # also the longest time that an answer waits for a batch to fill


@dataclass(frozen=True)
class BatchAnswer:
    """An answer in transit to a node."""

    task: str  # id of a task in the world, or digest of a task that is sent with the batch
    response: str
    native: bool = False


@dataclass(frozen=True)
class Batch:
    """The answers that one cluster task judges."""

    number: int
    answers: tuple[BatchAnswer, ...]
    tasks: Mapping[str, bytes]  # pickled tasks that are not in the world, by digest


@dataclass(frozen=True)
class BatchReport:
    """A node's report on a batch."""

    node: str  # node id
    name: str  # host name
    verdicts: tuple[Verdict, ...] = ()
    refused: str = ""  # why this node cannot judge
    missing: tuple[str, ...] = ()  # isolation layers that are missing there


class BatchLost(Exception):
    """A batch without a report: its worker or node died, or its result was lost."""


class Cluster(Protocol):
    """Runs batches."""

    def places(self) -> int:
        """Return how many batches it can judge at a time, on nodes that are not excluded."""
        ...

    def send(self, batch: Batch) -> None: ...

    def poll(self, wait_s: float) -> Sequence[tuple[int, BatchReport | Exception]]:
        """Return the results since the last call, by batch number. A `BatchLost` is the cluster's fault, any other
        exception a bug in sebench."""
        ...

    def leave_out(self, node: str) -> None:
        """Send no more batches to this node."""
        ...

    def describe_load(self) -> str:
        """Describe the total and free resources, for a message."""
        ...


@dataclass(eq=False)
class _PendingAnswer:
    """An answer without a verdict."""

    answer: BatchAnswer
    task: bytes | None  # pickled, if it is not in the world
    verdict: Future[Verdict] = field(default_factory=Future)
    faults: int = 0
    lost: int = 0


class Dispatcher:
    """Sends answers to a cluster and sets their futures, in its own thread."""

    def __init__(
        self,
        cluster: Cluster,
        *,
        patience_s: float = 300.0,
        batch: int = BATCH,
        note: Callable[[str], None] = lambda line: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cluster, self.patience_s, self.batch, self.note, self.clock = cluster, patience_s, batch, note, clock
        self.waiting: deque[_PendingAnswer] = deque()
        self.under_way: dict[int, list[_PendingAnswer]] = {}
        self.sent = self.lost = 0  # batches
        self.left_out: dict[str, str] = {}  # nodes, and why
        self._last = clock()  # when a result last arrived, or nothing was pending
        self._closed = False
        self._failure: Exception | None = None
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None

    def submit(self, answer: BatchAnswer, task: bytes | None = None) -> Future[Verdict]:
        """Submit an answer; return a future for its verdict."""
        waiting = _PendingAnswer(answer, task)
        with self._wake:
            if self._failure is not None:
                raise self._failure
            if self._closed:
                raise ConfigError("this judge is closed")
            self.waiting.append(waiting)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)
                self._thread.start()
            self._wake.notify()
        return waiting.verdict

    def close(self) -> None:
        """Stop sending, and cancel answers without a verdict."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join()
        for waiting in self._everybody():
            waiting.verdict.cancel()

    def _everybody(self) -> list[_PendingAnswer]:
        return [*self.waiting, *(one for batch in self.under_way.values() for one in batch)]

    # ---- the thread ---------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._wake:
                while not (self._closed or self.waiting or self.under_way):
                    self._wake.wait()
                    self._last = self.clock()
                if self._closed:
                    return
            try:
                self.step()
            except Exception as error:  # reported to every waiting answer
                self._fail(error)
                return

    def step(self) -> None:
        """Send as many batches as fit, and process the results that have arrived."""
        while answers := self._cut():
            self._send(answers)
        came = self.cluster.poll(POLL_S)
        for number, report in came:
            if isinstance(report, Exception):
                self._lost(number, report)
            else:
                self._fold(number, report)
        if came:
            self._last = self.clock()
        elif self.clock() - self._last > self.patience_s:
            raise JudgeUnavailable(
                f"no verdict from the cluster in {self.patience_s:g} s ({self.cluster.describe_load()}); "
                "free or add CPUs, or wait longer with --ray-wait-s; repeat the command to resume"
            )

    def _cut(self) -> list[_PendingAnswer]:
        """Return the answers of the next batch; [] if it has to wait for more answers or a free slot."""
        places, busy = self.cluster.places(), len(self.under_way)
        if busy >= AHEAD * max(places, 1):
            return []
        with self._wake:
            count = len(self.waiting)
            if busy >= places and count < self.batch:
                return []  # no slot is idle, so let the batch grow
            size = min(self.batch, -(-count // max(places - busy, 1)))
            answers = [self.waiting.popleft() for _ in range(size)]
        return [waiting for waiting in answers if not waiting.verdict.cancelled()]

    def _send(self, answers: list[_PendingAnswer]) -> None:
        self.sent += 1
        tasks = {one.answer.task: one.task for one in answers if one.task is not None}
        self.under_way[self.sent] = answers
        self.cluster.send(Batch(self.sent, tuple(one.answer for one in answers), tasks))

    def _fold(self, number: int, report: BatchReport) -> None:
        answers = self.under_way.pop(number, None)
        if answers is None:
            return  # already processed
        if report.refused:
            self._again(answers)  # first, so that these answers get the error too if no node is left
            if report.node not in self.left_out:
                self.left_out[report.node] = report.refused
                leave_out(self.cluster, report.node, report.refused, self.note)
            return
        for waiting, verdict in zip(answers, report.verdicts, strict=True):
            if verdict.blame is Blame.SANDBOX and waiting.faults < TRIES - 1:
                waiting.faults += 1
                self._again([waiting])
            else:
                with suppress(InvalidStateError):  # cancelled in the meantime
                    waiting.verdict.set_result(verdict)

    def _lost(self, number: int, error: Exception) -> None:
        answers = self.under_way.pop(number, None)
        if answers is None:
            return
        if not isinstance(error, BatchLost):
            self._again(answers)  # so that these answers get the error with the others
            raise error
        self.lost += 1
        for waiting in answers:
            waiting.lost += 1
        self._again(answers)
        if max(waiting.lost for waiting in answers) >= LOST:
            raise JudgeUnavailable(
                f"the cluster lost one batch {LOST} times, the last time with: {error}; repeat the command to resume"
            )

    def _again(self, answers: list[_PendingAnswer]) -> None:
        with self._wake:
            self.waiting.extendleft(reversed(answers))

    def _fail(self, error: Exception) -> None:
        with self._wake:
            self._failure = error
            everybody = self._everybody()
            self.waiting.clear()
            self.under_way.clear()
        for waiting in everybody:
            if waiting.verdict.set_running_or_notify_cancel():
                waiting.verdict.set_exception(error)


def leave_out(cluster: Cluster, node: str, why: str, note: Callable[[str], None]) -> None:
    """Send no more batches to a node; raise an error if no other node is left."""
    cluster.leave_out(node)
    if not cluster.places():
        raise ConfigError(f"no node in the cluster can judge: {why}")
    note(f"a node is excluded: {why}")

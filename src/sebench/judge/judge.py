"""The judge turns a response into a Verdict.

    with Judge(world) as judge:
        verdict = judge.judge(task, response)

    verdict = judge.judge_native(task, response)    # for an answer in NumPy: translated, and also run with NumPy
    reward = judge.reward(task, response)           # 1.0, 0.0, or None if the failure is not the candidate's fault
    future = judge.submit(task, response)           # a concurrent.futures.Future, for any framework
    rewards = await judge.rewards(pairs)            # a batch, without blocking an event loop

A response is read, run on every case in the sandbox, and compared in this process. A right answer must also depend on
the library (`passed`) and on the functions that the task is about (`targeted`). The candidate's process never decides
anything, and a failure of the sandbox has `blame=SANDBOX` and never counts as a wrong answer.

A judge is thread-safe, starts its processes on first use, and is pickled as its configuration. After a fork the child
starts its own processes; futures that were pending at the fork belong to the parent and raise an error in the child.
Cancelling a future stops its program.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, SandboxFault
from sebench.base.records import Blame, Kind, Task, Verdict
from sebench.forge.names.naming import Names
from sebench.judge import credit
from sebench.judge.executor import Executor
from sebench.judge.interface import AnyJudge
from sebench.judge.program.vocabulary import Vocabulary
from sebench.judge.sandbox.pool import Pool
from sebench.judge.sandbox.wire import Budget, Layer, ZygoteConfig
from sebench.judge.submission import PreparedTask, Submission
from sebench.tasks.core import traits_of
from sebench.values.equality import Profile
from sebench.world.world import World

SHARE = 96  # stateless programs per process: a fork, and the pages written after it, cost more than running them
TRUTHFUL = 0.6  # share of a verdict's CPU time for the run with a truthful library
LARGEST = 32  # a task that needs more than 1/32 of the cache is not cached: it would evict many others
READY = 4096  # tasks whose encoded cases are cached
KEEP_BYTES = 384 << 20  # size of that cache; the whole bank takes 100 MiB, and 240 with gold's answers under lies


@dataclass(frozen=True)
class Limits:
    """The resources that one verdict may use."""

    cpu_s: float = 5.0  # for all of its runs; the truthful run may use three fifths of it
    shared_cpu_s: float = 0.5  # for programs that share a process; a program that needs more runs again alone
    wall_s: float = 60.0  # a backstop: only a run that is starved of CPU for this long reaches it
    memory: int = 512 << 20  # bytes, for each of the two processes of a program behind the wall


class Judge(AnyJudge):
    """Judges answers for one world, in this process."""

    def __init__(
        self,
        world: World,
        *,
        profile: str = Profile.STRICT,
        workers: int = 0,
        limits: Limits | None = None,
        share: int = SHARE,
        walled: bool = False,
        keep_bytes: int = KEEP_BYTES,
    ) -> None:
        """`share`: how many answers are judged as one batch; the stateless ones in it share a process. `walled`: run
        every program behind the wall (`sandbox/candidate.py`). `keep_bytes`: memory for the cache of encoded tasks."""
        if profile not in list(Profile):
            raise ConfigError(f"no profile {profile!r}; choose one of: {', '.join(Profile)}")
        self.world, self.profile, self.share, self.walled = world, profile, share, walled
        self.limits, self.keep_bytes = limits or Limits(), keep_bytes
        self.workers = workers or os.cpu_count() or 1
        self._closed = False
        self._reset()

    def _reset(self) -> None:
        """Reset to the initial state, in which this process has started no workers."""
        self._lock = threading.Lock()
        self._pool: _WorkerPool | None = None
        self._prepared_tasks: dict[int, PreparedTask] = {}
        _JUDGES.add(self)

    @property
    def ahead(self) -> int:
        return 4 * self.workers * self.share

    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]:
        return self._worker_pool().submit(self._submission(task, response, native))

    @property
    def layers(self) -> list[Layer]:
        """The isolation layers, and whether each of them worked when it was tested."""
        return self._worker_pool().layers()

    def missing_layers(self, required: bool = False) -> list[str]:
        missing = [layer.name for layer in self.layers if not layer.holds]
        if missing and required:
            raise ConfigError(f"these isolation layers do not work: {', '.join(missing)}; see 'sebench doctor'")
        return missing

    def _submission(self, task: Task | str, response: str, native: bool = False) -> Submission:
        task = self.world.task(task) if isinstance(task, str) else task
        return Submission(task, response, self._prepare(task), self.world.names, self.profile, native)

    def _prepare(self, task: Task) -> PreparedTask:
        with self._lock:
            prepared = self._prepared_tasks.pop(id(task), None)
            if prepared is not None and prepared.task is task:
                self._prepared_tasks[id(task)] = prepared  # moved to the end: the most recently used
                return prepared
        world = self.world
        others = partial(credit.references, task, world.names, world.entries)
        prepared = PreparedTask(task, credit.core_names(task, world.names, world.entries), others)
        if prepared.held_bytes > self.keep_bytes // LARGEST:
            return prepared
        with self._lock:
            held = prepared.held_bytes + sum(one.held_bytes for one in self._prepared_tasks.values())
            while self._prepared_tasks and (len(self._prepared_tasks) >= READY or held > self.keep_bytes):
                held -= self._prepared_tasks.pop(next(iter(self._prepared_tasks))).held_bytes
            self._prepared_tasks[id(task)] = prepared
        return prepared

    def _worker_pool(self) -> _WorkerPool:
        with self._lock:
            if self._closed:
                raise ConfigError("this judge is closed")
            if self._pool is None:
                self._pool = _WorkerPool(self._config(), self.workers, self.limits, self.share, self.walled)
            return self._pool

    def _config(self) -> ZygoteConfig:
        world, names = self.world, self.world.names
        traits = {
            names.functions[path]: tuple(vars(traits_of(entry, names)).values())
            for path, entry in world.entries.items()
        }
        vocabulary = Vocabulary(
            names.package,
            names.array,
            tuple(names.functions.values()),
            tuple(names.modules.values()),
            {names.results[f]: tuple(names.fields[n] for n in world.entries[f].fields) for f in names.results},
        )
        folder = str(world.package_folder.resolve())
        return ZygoteConfig(
            "library", vocabulary, folder, traits, _warm_up_programs(names), self.limits.memory, names=names.to_json()
        )

    def close(self) -> None:
        """Stop the sandbox. Answers that are being judged are finished first; queued ones are cancelled."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()

    def __getstate__(self) -> dict[str, Any]:
        return {
            k: getattr(self, k)
            for k in ("world", "profile", "share", "walled", "limits", "keep_bytes", "workers", "_closed")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._reset()

    def _reset_after_fork(self) -> None:
        """In a forked child, forget all running processes, which belong to the parent."""
        pool = self._pool
        self._reset()
        if pool is not None:
            pool.forget_processes()


@dataclass(eq=False)
class _QueuedSubmission:
    """A submission waiting for its verdict."""

    submission: Submission
    verdict: Future[Verdict]


class _WorkerPool:
    """The threads and sandbox processes of one judge. A forked or unpickled judge starts its own pool."""

    def __init__(self, config: ZygoteConfig, workers: int, limits: Limits, share: int, walled: bool) -> None:
        self.workers, self.share, self.walled = workers, share, walled
        self.vocabulary, self.wall_s = config.vocabulary, limits.wall_s
        self.budget = Budget(TRUTHFUL * limits.cpu_s, (1 - TRUTHFUL) * limits.cpu_s, limits.shared_cpu_s)
        self.pool = Pool(config, workers)
        self.threads = ThreadPoolExecutor(workers, thread_name_prefix="judge")
        self.queue: deque[_QueuedSubmission] = deque()
        self.pending: set[_QueuedSubmission] = set()  # queued or being judged

    def submit(self, submission: Submission) -> Future[Verdict]:
        queued = _QueuedSubmission(submission, Future())
        self.pending.add(queued)
        queued.verdict.add_done_callback(lambda future: self._on_done(queued))
        self.queue.append(queued)
        self.threads.submit(self._judge_batch)
        return queued.verdict

    def _on_done(self, queued: _QueuedSubmission) -> None:
        self.pending.discard(queued)
        if queued.verdict.cancelled():
            queued.submission.abandon()

    def _judge_batch(self) -> None:
        """Judge one batch from the queue: at most one worker's share, so that the other workers get theirs."""
        batch_size = min(self.share, -(-len(self.queue) // self.workers))
        batch: list[_QueuedSubmission] = []
        with suppress(IndexError):  # no more are queued
            while len(batch) < batch_size:
                queued = self.queue.popleft()
                if not queued.verdict.cancelled():
                    batch.append(queued)
        for queued, verdict in zip(batch, self._verdicts([w.submission for w in batch]), strict=True):
            with suppress(InvalidStateError):  # it has been cancelled in the meantime
                if isinstance(verdict, BaseException):
                    queued.verdict.set_exception(verdict)
                else:
                    queued.verdict.set_result(verdict)

    def _verdicts(self, submissions: Sequence[Submission]) -> list[Verdict | BaseException]:
        if not submissions:
            return []
        failure: BaseException | None = None
        with self.pool.borrowed() as sandbox:
            try:
                Executor(sandbox, self.vocabulary, self.budget, self.wall_s, self.walled).decide(submissions)
            except SandboxFault as fault:
                for submission in submissions:
                    submission.verdict = submission.verdict or Verdict(Kind.FAULT, Blame.SANDBOX, detail=str(fault))
            except BaseException as error:  # a bug in the judge
                failure = error
                sandbox.close(kill=True)
        if failure is not None and len(submissions) > 1:  # alone, whichever caused it affects only itself
            for submission in submissions:
                if submission.verdict is None:
                    submission.reset()
            return [verdict for submission in submissions for verdict in self._verdicts([submission])]
        return [
            submission.final_verdict or failure or ConfigError("the verdict was cancelled")
            for submission in submissions
        ]

    def layers(self) -> list[Layer]:
        with self.pool.borrowed() as sandbox:
            return sandbox.layers()

    def close(self) -> None:
        self.threads.shutdown(wait=True, cancel_futures=True)
        for queued in list(self.pending):
            queued.verdict.cancel()
        self.pool.close()

    def forget_processes(self) -> None:
        """After a fork, close what belongs to the parent, and fail the futures that will never complete in this
        process."""
        self.pool.forget_processes()
        for queued in list(self.pending):
            future: Any = queued.verdict
            future._condition = threading.Condition()  # a thread of the parent may have held the old one
            future._done_callbacks = []
            if not future.done():
                future.set_exception(
                    SandboxFault("the process was forked while this answer was being judged; submit it again here")
                )


_SHARED_JUDGES: dict[tuple[Any, ...], Judge] = {}
_SHARED_LOCK = threading.Lock()


def judge_for(world: World | str | int | Path, **settings: Any) -> Judge:
    """Return this process's shared judge for a world, given by folder or seed (`World.open`), with these `Judge`
    settings. It is created on first use and closed at exit, and is meant for reward functions, data loaders and remote
    workers."""
    opened = World.open(world)
    key = (opened.path.resolve(), opened.manifest.fingerprint, *sorted(settings.items()))
    with _SHARED_LOCK:
        if key not in _SHARED_JUDGES:
            judge = _SHARED_JUDGES[key] = Judge(opened, **settings)
            atexit.register(judge.close)
        return _SHARED_JUDGES[key]


_JUDGES: weakref.WeakSet[Judge] = weakref.WeakSet()


def _after_fork() -> None:
    for judge in list(_JUDGES):
        judge._reset_after_fork()


os.register_at_fork(after_in_child=_after_fork)


def _warm_up_programs(names: Names) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return the warm-up programs that the library's zygote runs before the first submission."""
    arguments: dict[str, tuple[Any, ...]] = {
        "mean": ([1.5, -2.0, 4.0], [2.5, 1.0]),
        "sum": ([[1, 2], [3, 4]], [[5, 6]]),
        "sort": ([3, 1, 2], [9, 8, 7, 6]),
    }
    return tuple(
        (f"import {names.package}\n\ndef answer(a):\n    return {names.forged(path)}(a)\n", cases)
        for path, cases in arguments.items()
        if path in names.functions
    )

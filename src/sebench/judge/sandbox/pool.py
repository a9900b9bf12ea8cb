"""Zygotes from the outside: start them, send jobs, replace the ones that die.

A pool has one zygote for each worker thread. A job whose zygote dies is repeated on a fresh one, because that is no fault of the program;
what cannot be run at all is a `SandboxFault`.
"""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sebench.errors import SebenchError
from sebench.judge.sandbox.wire import Job, Reply, jobs_bytes, receive, send

TRIES = 3
GRACE_S = 20.0  # beyond a job's own wall-clock backstop, before its zygote is given up


class SandboxFault(SebenchError):
    """The sandbox could not run a program. Never a wrong answer."""


class Zygote:
    """One zygote process."""

    def __init__(self, config: dict[str, Any]) -> None:
        source = str(Path(__file__).parents[3])
        start = f"import sys; sys.path.insert(0, {source!r}); from sebench.judge.sandbox.zygote import main; main()"
        threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**threads, "PATH": os.defpath},
            close_fds=True,
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.down, self.up = self.process.stdin.fileno(), self.process.stdout.fileno()
        try:
            send(self.down, json.dumps(config).encode())
            hello = self._receive(time.monotonic() + 60)
        except OSError:
            hello = None
        if hello is None:
            self.process.kill()
            said = self.process.stderr.read().decode(errors="replace").strip().splitlines()
            self.close()
            raise SandboxFault(f"the sandbox did not start: {said[-1] if said else 'no message'}")
        self.layers: list[dict[str, Any]] = json.loads(hello)["layers"]

    def run(self, jobs: Sequence[Job]) -> Reply | None:
        """Run jobs in one process; None if the zygote failed."""
        try:
            send(self.down, jobs_bytes(jobs))
            data = self._receive(time.monotonic() + jobs[0].wall_limit_s + GRACE_S)
        except OSError:
            return None
        return None if data is None else Reply.from_bytes(data)

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                stream.close()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _receive(self, deadline: float) -> bytes | None:
        if not select.select([self.up], [], [], max(deadline - time.monotonic(), 0.0))[0]:
            return None
        return receive(self.up)


class Pool:
    """Zygotes that threads borrow."""

    def __init__(self, config: dict[str, Any], workers: int) -> None:
        self.config = config
        self.workers = workers
        self._free: queue.LifoQueue[Zygote | None] = queue.LifoQueue()
        self._closed = False
        first = Zygote(config)
        self.layers = first.layers
        for _ in range(workers - 1):
            self._free.put(None)  # started when first needed
        self._free.put(first)

    def run(self, *jobs: Job) -> Reply:
        """Run a job, or several plain ones in one process, on a free zygote, waiting for one."""
        zygote = self._free.get()
        try:
            for _ in range(TRIES):
                if zygote is None:
                    zygote = Zygote(self.config)
                reply = zygote.run(jobs)
                if reply is not None:
                    return reply
                zygote.process.kill()
                zygote.close()
                zygote = None
            raise SandboxFault(f"a run failed {TRIES} times: its zygote died")
        finally:
            if self._closed and zygote is not None:
                zygote.close()
                zygote = None
            self._free.put(zygote)

    def close(self) -> None:
        """End every zygote; running jobs end with their zygotes."""
        self._closed = True
        while True:
            try:
                zygote = self._free.get_nowait()
            except queue.Empty:
                return
            if zygote is not None:
                zygote.close()

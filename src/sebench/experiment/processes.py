"""Launches a process for each row (one method in one world) on this machine. `sebench.remote.ray.rows` has the launcher
for a cluster."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Protocol

from sebench.base import child, kernel_memory
from sebench.experiment import row
from sebench.experiment.row import RowJob
from sebench.models.vllm import DEVICES

RowMessage = Mapping[str, Any]  # a line from a row's process: its progress, or an error
SMALLER = "run fewer rows at a time (parallel), or train with a smaller model or batch"


class RowFailed(Exception):
    """A row failed; the others continue."""


class RowOutOfMemory(RowFailed):
    """A row ran out of memory, or was killed by SIGKILL, which usually means the same."""


class RowLauncher(Protocol):
    """Launches a process for each row."""

    def run(self, job: RowJob, log: Path, on_message: Callable[[RowMessage], None]) -> int:
        """Run a job, append its output to the log, and return its exit status. Raise RowFailed if the job cannot
        start."""
        ...

    def stop(self) -> None:
        """End the rows that are running; no further ones are started."""
        ...


class LocalProcesses:
    """Runs rows as processes on this machine."""

    def __init__(self, side_by_side: int = 1) -> None:
        self.side_by_side = side_by_side
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def run(self, job: RowJob, log: Path, on_message: Callable[[RowMessage], None]) -> int:
        kills = kernel_memory.kernel_kills()
        with log.open("ab") as stream, self._start(stream, job) as process:
            assert process.stdin and process.stdout
            self._running.add(process)
            if self._stopped:
                process.kill()
            with suppress(BrokenPipeError):  # it has already exited, and its status and log say why
                process.stdin.write(job.text())
                process.stdin.close()
            for line in process.stdout:
                on_message(json.loads(line))
            status = process.wait()
            self._running.discard(process)
        if child.killed_for_memory(status, kills):
            on_message({"error": f"{child.LACK_OF_MEMORY}; {SMALLER}, then run the same command again to resume"})
        return status

    def stop(self) -> None:
        self._stopped = True
        for process in list(self._running):
            process.kill()

    def _start(self, log: IO[bytes], job: RowJob) -> subprocess.Popen[str]:
        pipe, environment = subprocess.PIPE, self._environment()
        if job.devices:
            environment[DEVICES] = ",".join(job.devices)
        options: Any = {"stdin": pipe, "stdout": pipe, "stderr": log, "text": True, "env": environment}
        return child.start(row.__name__, **options)

    def _environment(self) -> dict[str, str]:
        """Return the environment of a row's process. Threads that spin while they wait slow down whatever else runs
        here, parallel rows by a factor of seven; parallel rows also share the cores."""
        threads = max(1, len(os.sched_getaffinity(0)) // self.side_by_side)
        shared = {"OMP_NUM_THREADS": str(threads)} if self.side_by_side > 1 else {}
        return {"OMP_WAIT_POLICY": "PASSIVE", **shared, **os.environ}

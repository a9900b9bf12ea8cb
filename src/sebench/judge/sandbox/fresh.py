"""The backend for systems without fork: a fresh interpreter for every process. Slower (0.3 s a run), and it says so.

The processes are the same as elsewhere (`programs.py`, `server.py`, `candidate.py`) and so is what they say to each other; they are
started instead of forked, and talk through pipes. Resource limits hold where the system has them, the wall clock in any case. None of
the isolation layers holds: a candidate can open files, and so find NumPy if it looks for it on disk. `SEBENCH_NO_FORK=1` asks for this
backend anywhere.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from typing import Any, NoReturn

from sebench import processes
from sebench.address_space import address_space_in_use
from sebench.judge.sandbox import candidate, interpreter, limits
from sebench.judge.sandbox.candidate import Job
from sebench.judge.sandbox.pool import Pool, Sandbox, Session
from sebench.judge.sandbox.wire import NATIVE, OWN_FAULT, SERVE, Layer, Status, ZygoteConfig, receive, send

MISSING = "no fork here: a fresh interpreter for every run, slower and not isolated"
GRACE_S = 20.0  # of the wall clock, beyond the CPU time of a run
MOST_CPU_S, MOST_MEMORY = 10, 448 << 20  # of a candidate; its watchdog ends it before


def wanted() -> bool:
    """Whether processes must be started instead of forked here."""
    return not hasattr(os, "fork") or os.environ.get("SEBENCH_NO_FORK", "") not in ("", "0")


class FreshPool(Pool):
    """Sandboxes whose processes are started when they are needed."""

    def __init__(self, config: ZygoteConfig, workers: int) -> None:
        super().__init__(config, workers, FreshSandbox)


class FreshSandbox(Sandbox):
    """Starts an interpreter for each session."""

    def layers(self) -> list[Layer]:
        return [Layer("isolation", False, MISSING)]

    def library(self, request: bytes, wall_s: float) -> FreshSession:
        return FreshSession(self, self.config, request, wall_s)

    def native(self, wall_s: float) -> FreshSession:
        return FreshSession(self, self.config.for_role("native"), NATIVE, wall_s)

    def template(self, job: Job, wall_s: float) -> Any:
        return _Unstarted(job)

    def close(self, kill: bool = False) -> None:
        """Nothing outlives its session."""

    leave = close


class _Unstarted:
    """Stands for a template: the library process starts the candidates itself."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def close(self) -> Status:
        return Status(0, 0, 0.0)


class FreshSession(Session):
    """A conversation with an interpreter of its own."""

    def __init__(self, sandbox: Sandbox, config: ZygoteConfig, request: bytes, wall_s: float) -> None:
        self.sandbox, self.wall_limit_s = sandbox, wall_s
        self.late = self.flooded = False
        self.fault, self.ahead = "", bytearray()
        self.process = _started("library", "library_main()")
        self.begin()
        sandbox.entered(self)
        for content in (config.to_bytes(), request):
            self.send(content)

    def begin(self) -> None:
        super().begin()
        self.watchdog = threading.Timer(self.wall_limit_s, self._too_late)
        self.watchdog.daemon = True
        self.watchdog.start()

    def _too_late(self) -> None:
        self.late = True
        self.give_up()

    def send(self, content: bytes, template: Any = None) -> None:
        assert self.process.stdin is not None
        try:
            send(self.process.stdin.fileno(), content)
            if template is not None:
                send(self.process.stdin.fileno(), template.job.to_bytes())
        except OSError:
            pass  # it is gone; there will be no answer either

    def _part(self) -> bytes:
        assert self.process.stdout is not None
        return os.read(self.process.stdout.fileno(), 1 << 18)

    def give_up(self) -> None:
        self.process.kill()

    def close(self) -> Status:
        self.sandbox.left(self)
        status = _finished(self.process, self.started)
        self.watchdog.cancel()
        return status


class FreshCandidates:
    """Starts the candidates of a program, for the library process."""

    def __init__(self, job: Job) -> None:
        self.job = job

    def start(self, cpu_s: float) -> tuple[int, int]:
        self.started = time.monotonic()
        self.process = _started("candidate", "candidate_main()")
        assert self.process.stdin is not None and self.process.stdout is not None
        self.watchdog = threading.Timer(cpu_s + GRACE_S, self.process.kill)
        self.watchdog.daemon = True
        self.watchdog.start()
        with contextlib.suppress(OSError):  # it is gone, which the reader will see
            send(self.process.stdin.fileno(), self.job.to_bytes())
        return self.process.stdout.fileno(), self.process.stdin.fileno()

    def waiting(self) -> None:
        """Pipes have no time limit; the watchdog ends a candidate that does nothing."""

    def ended(self) -> Status:
        status = _finished(self.process, self.started)
        self.watchdog.cancel()
        return status

    def close(self) -> None:
        """Nothing outlives its run."""


def _started(role: str, call: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    options: Any = {"stdin": pipe, "stdout": pipe, "stderr": subprocess.DEVNULL}
    return processes.tie(lambda fd: interpreter.start(role, "fresh", call, **options, lifeline=fd))


def _finished(process: subprocess.Popen[bytes], started: float) -> Status:
    """Hang up; how a process ended. Its CPU time is not known: the time that passed stands for it."""
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return Status(max(process.returncode, -1), max(-process.returncode, 0), time.monotonic() - started)


def library_main() -> NoReturn:
    """A process that holds the library, from frames on stdin to frames on stdout."""
    from sebench.judge.sandbox import native, programs, server

    config, request = receive(0), receive(0)
    if config is None or request is None:
        os._exit(OWN_FAULT)
    told = ZygoteConfig.from_bytes(config)
    if request == NATIVE:
        names = native.prepare(told.names)
        _limit(told.memory, 0.0)
        native.serve(names, 0, 1, lambda: os.close(0))
    stage = programs.stage(told)
    _limit(told.memory, 0.0)
    if request != SERVE:
        programs.SERVICES[request](stage, 0, 1, lambda: None)

    def job() -> Any:
        content = receive(0)
        program = receive(0) if content is not None else None
        return None if content is None or program is None else (content, FreshCandidates(Job.from_bytes(program)))

    server.serve(stage.observer, 1, lambda: receive(0), job)


def candidate_main() -> NoReturn:
    """A process that runs a candidate once; it does not know how much time it has."""
    content = receive(0)
    if content is None:
        os._exit(0)
    job = Job.from_bytes(content)
    candidate.import_for(job)
    sys.path.remove(interpreter.SOURCE)
    run = candidate.CandidateRun(job, 0, 1)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("sebench", "ctypes", "_ctypes")]:
        del sys.modules[name]
    _limit(MOST_MEMORY, MOST_CPU_S)
    run()


def _limit(memory: int, cpu_s: float) -> None:
    if sys.platform != "win32":
        used = address_space_in_use()
        bounds = limits.ProcessLimits(int(cpu_s) + 1 if cpu_s else 60, used + memory if used else 0, open_files=256)
        limits.apply_lasting(limits.at_most(bounds))

"""The backend for systems other than Linux: it starts a fresh interpreter for every process. It is slower (0.3 s per
run) and has no isolation.

The processes (`programs.py`, `server.py`, `candidate.py`) and their messages are the same as with zygotes, but
processes are started instead of forked, and talk through sockets and pipes. A process reports when it is ready, so that
start-up is not charged to the program. CPU time is limited from outside, if the system reports it. There are no
isolation layers: a candidate can open files, and therefore find NumPy on disk. `SEBENCH_NO_FORK=1` selects this backend
anywhere.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from sebench.base import child
from sebench.base.address_space import address_space_in_use
from sebench.judge.sandbox import activity, candidate, interpreter, limits
from sebench.judge.sandbox.candidate import CandidateProgram
from sebench.judge.sandbox.pool import Sandbox, SandboxSession
from sebench.judge.sandbox.wire import (
    MOST_CPU_S,
    MOST_FRAME,
    NATIVE,
    OUT_OF_MEMORY,
    OWN_FAULT,
    SERVE,
    FrameTooLong,
    Layer,
    Status,
    ZygoteConfig,
    receive,
    receive_or_exit,
    send,
    send_json,
)

MISSING = "zygotes need Linux: here every run starts a fresh interpreter, which is slower and not isolated"
GRACE_S = 20.0  # for a process to exit once it is no longer needed
LEAST_LOOK_S = 0.01  # between two checks of a candidate's CPU time
MOST_MEMORY = 448 << 20  # bytes, for a candidate


def is_needed() -> bool:
    """Whether processes must be started instead of forked on this system."""
    return sys.platform != "linux" or os.environ.get("SEBENCH_NO_FORK", "") not in ("", "0")


class FreshSandbox(Sandbox):
    """Starts an interpreter for each session."""

    def layers(self) -> list[Layer]:
        return [Layer("isolation", False, MISSING)]

    def _session(self, role: str, request: bytes, wall_s: float) -> FreshSession:
        return FreshSession(self, self.config.for_role(role), request, wall_s)

    def template(self, job: CandidateProgram, wall_s: float) -> Any:
        return _NoTemplate(job)

    def processes(self) -> list[int]:
        sessions: list[Any] = self._open
        return [session.zygote.process.pid for session in sessions if session.ready]

    def close(self, kill: bool = False) -> None:
        """Stop the open sessions; no process outlives its session."""
        for session in list(self._open):
            session.give_up()
            session.close()


class _NoTemplate:
    """A placeholder for a template: in this backend the library process starts the candidates itself."""

    given_up, fault = False, ""

    def __init__(self, job: CandidateProgram) -> None:
        self.job = job

    def close(self) -> Status:
        return Status(0, 0, 0.0)


class FreshZygote:
    """Does for one session what a zygote does for many: starts a process, kills it, and reports how it ended."""

    def __init__(self) -> None:
        self.start_cpu_s = 0.0

    def ask(self, request: bytes, descriptors: Sequence[int]) -> None:
        (line_fd,) = descriptors
        self.process = _start("library", "library_main()", line_fd, line_fd)

    def give_up(self) -> None:
        for pid in activity.children(self.process.pid):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        _kill(self.process)

    def status(self) -> Status:
        status = _wait_for_end(self.process, lambda: _kill(self.process))
        return replace(status, cpu_s=max(status.cpu_s - self.start_cpu_s, 0.0))


class FreshSession(SandboxSession):
    """A session with its own interpreter."""

    zygote: Any

    def __init__(self, sandbox: Sandbox, config: ZygoteConfig, request: bytes, wall_s: float) -> None:
        self.ready = False
        zygote: Any = FreshZygote()
        super().__init__(sandbox, zygote, request, wall_s)
        for content in (config.to_bytes(), request):
            self.send(content)

    def send(self, content: bytes, template: Any = None) -> None:
        super().send(content)
        if template is not None:
            super().send(template.job.to_bytes())

    def receive(self, most: int = MOST_FRAME) -> Any:
        if not self.ready:
            start_cpu_s = super().receive()
            if start_cpu_s is None:
                return None
            self.zygote.start_cpu_s, self.ready = start_cpu_s, True
            self.begin()
        return super().receive(most)


class FreshCandidates:
    """Starts the candidates of a program on behalf of the library process."""

    def __init__(self, job: CandidateProgram) -> None:
        self.job = job

    def start(self, cpu_s: float) -> tuple[int, int]:
        self.process = _start("candidate", "candidate_main()")
        self.killed, self.over = False, threading.Event()
        assert self.process.stdin is not None and self.process.stdout is not None
        read_fd, write_fd = self.process.stdout.fileno(), self.process.stdin.fileno()
        ready = None
        with contextlib.suppress(OSError, FrameTooLong):  # it is gone, which the reader will notice
            send(write_fd, self.job.to_bytes())
            ready = receive(read_fd)
        self.start_cpu_s = float(ready or 0.0)
        threading.Thread(target=self._watch, args=[self.start_cpu_s + cpu_s], daemon=True).start()
        return read_fd, write_fd

    def _watch(self, most_s: float) -> None:
        """Kill the candidate when it has used this much CPU time. It is watched from outside, so that it cannot find
        out how much is left."""
        while (used_s := activity.cpu_s(self.process.pid)) is not None:
            if used_s >= most_s:
                self._kill()
                return
            if self.over.wait(max(most_s - used_s, LEAST_LOOK_S)):
                return

    def _kill(self) -> None:
        self.killed = True
        _kill(self.process)

    def wait_for_end(self) -> Status:
        status = _wait_for_end(self.process, self._kill)
        self.over.set()
        cpu_s = max(status.cpu_s - self.start_cpu_s, 0.0)
        return Status(-1, limits.TIME_SIGNAL, cpu_s) if self.killed else replace(status, cpu_s=cpu_s)

    def close(self) -> None:
        """Do nothing: no process outlives its run."""


def _start(
    role: str, call: str, stdin: int = subprocess.PIPE, stdout: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    options: Any = {"stdin": stdin, "stdout": stdout, "stderr": subprocess.DEVNULL}
    return child.tie(lambda fd: interpreter.start(role, "fresh", call, **options, lifeline=fd))


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill without `process.kill`, which might reap the process if it has ended and lose its CPU time."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def _wait_for_end(process: subprocess.Popen[bytes], kill: Callable[[], None]) -> Status:
    """Close the connection, wait for the process to end, and return how it ended and its CPU time."""
    for stream in (process.stdin, process.stdout):
        if stream:
            stream.close()
    patience = threading.Timer(GRACE_S, kill)
    patience.daemon = True
    patience.start()
    _, status, usage = os.wait4(process.pid, 0)
    patience.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Status.of(status, usage.ru_utime + usage.ru_stime)


def library_main() -> NoReturn:
    """Run a process that holds the library, with frames on stdin and stdout."""
    try:
        _serve_library()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException as error:  # a bug in the sandbox: errors of programs are handled where they run
        send_json(1, {"fault": f"{type(error).__name__}: {error}"[:500]})
    finally:
        os._exit(OWN_FAULT)


def _serve_library() -> None:
    from sebench.judge.sandbox import native, programs, server

    config, request = ZygoteConfig.from_bytes(receive_or_exit(0)), receive_or_exit(0)
    if request == NATIVE:
        names = native.prepare(config.names)
        _begin(config.memory)
        native.serve(names, 0, 1, lambda: os.close(0))
    stage = programs.load_library(config)
    _begin(config.memory)
    if request != SERVE:
        programs.SERVICES[request](stage, 0, 1, lambda: None)

    def job() -> Any:
        return receive_or_exit(0), FreshCandidates(CandidateProgram.from_bytes(receive_or_exit(0)))

    server.serve(stage.observer, 1, lambda: receive(0), job)


def candidate_main() -> NoReturn:
    """Run a candidate once, in a process that does not know its time limit."""
    job = CandidateProgram.from_bytes(receive_or_exit(0))
    candidate.import_for(job)
    sys.path.remove(interpreter.SOURCE)
    run = candidate.CandidateRun(job, 0, 1)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("sebench", "ctypes", "_ctypes")]:
        del sys.modules[name]
    limits.stop_after(MOST_CPU_S)  # for systems that do not report CPU time
    _begin(MOST_MEMORY)
    run()


def _begin(memory: int) -> None:
    """Limit memory to this much more than is in use, and report the CPU time used for start-up. The program's work
    begins now."""
    used = address_space_in_use()
    bounds = limits.ProcessLimits(MOST_CPU_S, used + memory if used else 0, open_files=256)
    limits.apply_lasting(limits.within_hard_limit(bounds))
    usage = resource.getrusage(resource.RUSAGE_SELF)  # not `time`, whose clocks are replaced for candidates
    send(1, str(usage.ru_utime + usage.ru_stime).encode())

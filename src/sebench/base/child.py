"""Starts child processes that end together with their parent, however the parent ends (kill -9, out of memory, a closed
terminal).

    child.start("sebench.experiment.row", stdin=subprocess.PIPE)      # python -m MODULE
    ProcessPoolExecutor(2, get_context("spawn"), child.end_with_parent)
    child.run_in_fork(lambda write: os.write(write, b"3"), cpu_s=60, memory=2 << 30)     # ForkResult(b"3", 0)

A child holds one end of a pipe, its lifeline; only its parent has the other end. When the parent is gone, the kernel
closes that end and kills the child immediately, whatever it is doing (`F_SETSIG`); with a kernel that cannot do that, a
thread in the child waits for the pipe to close. prctl(PR_SET_PDEATHSIG) is not used: it acts when the *thread* that
started the child ends, and a change of user id clears it.

Covered: interpreters started here, `multiprocessing` workers, and forks; limits on CPU time and memory; detecting that
the kernel killed a child for lack of memory. A child of a child has a lifeline of its own. Not covered: processes of
other libraries (vLLM, Ray), and untrusted programs, which run in the judge's sandbox (`judge/sandbox`).
"""

from __future__ import annotations

import fcntl
import os
import resource
import runpy
import select
import signal
import subprocess
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from multiprocessing import parent_process
from typing import Any

from sebench.base import kernel_memory
from sebench.base.address_space import address_space_in_use

LACK_OF_MEMORY = "killed by the kernel for lack of memory"


def start(module: str, *arguments: str, pass_fds: tuple[int, ...] = (), **options: Any) -> subprocess.Popen[Any]:
    """Start `python -m MODULE ARGUMENTS` with the search path of this process; it ends when this process ends."""
    lifeline, ours = os.pipe()
    # Not -m, which would look for modules in the current directory first.
    program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import _run; _run({lifeline}, {module!r})"
    command = [sys.executable, "-P", "-c", program, *arguments]
    try:
        child = subprocess.Popen(command, pass_fds=(*pass_fds, lifeline), **options)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(lifeline)
    weakref.finalize(child, os.close, ours)
    return child


def _run(lifeline: int, module: str) -> None:
    end_with(lifeline)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def end_with_parent() -> None:
    """Make this `multiprocessing` worker end when the process that started it ends."""
    parent = parent_process()
    assert parent is not None
    end_with(parent.sentinel)


def end_with_launcher() -> None:
    """Make this process end soon after its parent does, if its parent (such as `accelerate launch`) does not pass on
    the pipe for `end_with`."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()


def end_with(lifeline: int) -> None:
    """Have this process killed as soon as the other end of a pipe is closed. Nothing may ever be written to the
    pipe."""
    try:
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:  # a kernel without F_SETSIG
        threading.Thread(target=_wait, args=(lifeline,), daemon=True).start()
        return
    watched = select.poll()
    watched.register(lifeline)
    if watched.poll(0):  # already closed
        os.kill(os.getpid(), signal.SIGKILL)


def _wait(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)


# ---- limits ---------------------------------------------------------------------------------------------------------


class ForkResult:
    """The bytes that a fork wrote, and its exit status (negative: the signal that killed it)."""

    def __init__(self, output: bytes, status: int, kills: int) -> None:
        self.output, self.status, self.for_memory = output, status, killed_for_memory(status, kills)


def run_in_fork(work: Callable[[int], object], cpu_s: int, memory: int) -> ForkResult:
    """Do the work in a fork of this process, with limits on CPU time and on memory beyond what is already in use.
    `work` writes its result to the descriptor that it is passed; if it raises, the exit status is not 0."""
    (read, write), (lifeline, ours), kills = os.pipe(), os.pipe(), kernel_memory.kernel_kills()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()  # safe alongside a judge's threads: the child takes none of their locks
    if not child:
        status = 1
        try:
            os.close(ours)
            end_with(lifeline)
            limit(memory, cpu_s)
            work(write)
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    os.close(lifeline)
    try:
        with os.fdopen(read, "rb") as pipe:
            output = pipe.read()
    except BaseException:  # Ctrl-C
        os.kill(child, signal.SIGKILL)
        raise
    finally:
        _, status = os.waitpid(child, 0)
        os.close(ours)
    return ForkResult(output, os.waitstatus_to_exitcode(status), kills)


def limit(memory: int, cpu_s: int = 0) -> None:
    """Limit this process to `memory` bytes beyond what is already in use, and to `cpu_s` seconds of CPU time in total
    (0: no limit)."""
    hard, used = resource.getrlimit(resource.RLIMIT_AS)[1], address_space_in_use()
    if used:  # 0 if that cannot be read
        most = used + memory
        resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    if cpu_s:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s))


# ---- memory ---------------------------------------------------------------------------------------------------------


def killed_for_memory(status: int, before: int) -> bool:
    """Whether the kernel killed a process with this exit status (negative: a signal) for lack of memory: it got
    SIGKILL, and the kernel's count of such kills has grown since `before`."""
    return status == -signal.SIGKILL and kernel_memory.kernel_kills() > before


def how_killed(before: int) -> str:
    """Describe how a process whose exit status is unknown (a pool worker) was killed; `before` is the kernel's count of
    kills when it started."""
    return f"was {LACK_OF_MEMORY}" if kernel_memory.kernel_kills() > before else "was killed"

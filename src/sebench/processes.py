"""Processes that end with the one that started them, however that ends: kill -9, no memory left, a closed terminal.

    child = processes.start("sebench.learn.experiment.row", stdin=subprocess.PIPE)      # python -m MODULE
    pool = ProcessPoolExecutor(2, get_context("spawn"), processes.end_with_parent)

A child holds one end of a pipe, its lifeline, whose other end its parent alone has. When the parent is gone the kernel closes that end and
kills the child at once, whatever the child is doing (`F_SETSIG`); on systems other than Linux a thread of the child waits for the same.
Not prctl(PR_SET_PDEATHSIG), which acts when the *thread* that started the child ends, and which a change of identity takes away.

Covered: interpreters that are started here, and workers of `multiprocessing`. Each level has a lifeline of its own.
Not covered: what other libraries start (vLLM, Ray), and Windows.
Others do the same by other means: a zygote ends when its line to the judge is closed (`judge/sandbox/zygote.py`), and a fork that its
parent waits for asks the kernel for it (`limits.die_with_parent`).

Here too: how many processes the kernel has killed for lack of memory, which is all that it tells about such an end.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

TYPE_CHECKING = (
    False  # these are imported where they are needed: a fresh interpreter of the judge ties itself, and nothing else
)
if TYPE_CHECKING:
    import subprocess
    from typing import Any

LACK_OF_MEMORY = "killed by the kernel for lack of memory"


def start(module: str, *arguments: str, pass_fds: tuple[int, ...] = (), **options: Any) -> subprocess.Popen[Any]:
    """`python -m MODULE ARGUMENTS` with the search path of this process; it ends with this process."""
    import subprocess

    def started(lifeline: int) -> subprocess.Popen[Any]:
        # Not -m, which would look for modules in the current directory first.
        program = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import _run; _run({lifeline}, {module!r})"
        command = [sys.executable, "-P", "-c", program, *arguments]
        return subprocess.Popen(command, pass_fds=descriptors(*pass_fds, lifeline), **options)

    return tie(started)


def tie(started: Callable[[int], subprocess.Popen[Any]]) -> subprocess.Popen[Any]:
    """A child that was started with this end of a lifeline, for which it calls `end_with`."""
    if sys.platform == "win32":
        return started(-1)
    import weakref

    theirs, ours = os.pipe()
    try:
        child = started(theirs)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    weakref.finalize(child, os.close, ours)
    return child


def descriptors(*given: int) -> tuple[int, ...]:
    """For `pass_fds`: those of them that there are."""
    return tuple(fd for fd in given if fd >= 0)


def _run(lifeline: int, module: str) -> None:
    import runpy

    end_with(lifeline)
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def end_with_parent() -> None:
    """In a worker of `multiprocessing`: end with the process that started it."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None
    if isinstance(parent.sentinel, int):
        end_with(parent.sentinel)


def end_with(lifeline: int) -> None:
    """Have this process killed as soon as the other end of a pipe is closed. Nothing may ever be written to it."""
    if lifeline < 0 or sys.platform == "win32":
        return
    try:
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
    except (AttributeError, OSError):  # no Linux below, or one without it
        import threading

        threading.Thread(target=_wait, args=(lifeline,), daemon=True).start()
        return
    import select

    watched = select.poll()
    watched.register(lifeline)
    if watched.poll(0):  # it was closed before
        os.kill(os.getpid(), signal.SIGKILL)


def _wait(lifeline: int) -> None:
    os.read(lifeline, 1)
    os.kill(os.getpid(), signal.SIGKILL)


# ---- memory -----------------------------------------------------------------------------------------------------------


def killed_for_memory(status: int, before: int) -> bool:
    """Whether a process that ended with this status (negative: a signal) was killed by the kernel for lack of memory, when this many had been
    before it began: it got SIGKILL, and the kernel has counted another one."""
    return status == -getattr(signal, "SIGKILL", 9) and kernel_kills() > before


def kernel_kills(root: Path = Path("/")) -> int:
    """How many processes the kernel has killed for lack of memory: of this process's control group, or else of the whole machine; 0 where that
    cannot be read."""
    for file in _counters(root):
        for line in _read(file).splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return 0


def _counters(root: Path) -> list[Path]:
    """The files that may tell, the narrowest first. In a container a group may lie at the top although it has a longer name outside."""
    top, found = root / "sys/fs/cgroup", list[Path]()
    for line in _read(root / "proc/self/cgroup").splitlines():
        number, controllers, group = (*line.split(":", 2), "", "")[:3]
        if "memory" in controllers.split(","):
            found += [top / "memory" / place / "memory.oom_control" for place in (group.lstrip("/"), "")]
        elif number == "0":  # version 2
            found += [top / place / "memory.events" for place in (group.lstrip("/"), "")]
    return [*found, root / "proc/vmstat"]


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeError):
        return ""

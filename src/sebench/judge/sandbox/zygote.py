"""The zygote: a process that has imported one world's package, isolated itself, and forks a child for every run (or for a few plain programs).

It talks frames over two descriptors (`wire.py`): a configuration, then jobs. It trusts the judge and nobody else; it never looks at
what a child sends. fork, not spawn: importing the package costs 150 ms, a fork 1 ms. What a fork costs is the pages that parent and
child write to afterwards (2 to 4 us each), so the path of a run is rehearsed once before the first fork, the garbage collector is frozen,
the limits that a zygote can live with are set in it, and little is done between fork and exit.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

from sebench.judge.sandbox import child, landlock, layers, limits, namespaces, seccomp
from sebench.judge.sandbox.guard import Guard
from sebench.judge.sandbox.limits import Limits
from sebench.judge.sandbox.poison import Observer
from sebench.judge.sandbox.wire import (
    MOST_REPLY,
    OUT_OF_MEMORY,
    OWN_FAULT,
    Job,
    Status,
    jobs_from_bytes,
    receive,
    reply_bytes,
    send,
)

READ_FD, CHILD_FD = 3, 4  # the pipe of a run; a child's filter lets it write to CHILD_FD alone
REQUESTS, REPLIES = 10, 11
TOGETHER_CPU_S = 0.5  # programs that share a process are short; one that is not runs again alone, with all of its time

# The C library's fork, where there is one: Python's own runs hooks (`threading`, `random`) in parent and child, which this
# process with its single thread does not need; that is a third of the cost (1.1 ms against 1.7 ms).
_fork: Any = getattr(ctypes.PyDLL(None), "fork", os.fork) if os.name == "posix" else os.fork


def main() -> NoReturn:
    """Serve until the judge hangs up."""
    os.dup2(0, REQUESTS)
    os.dup2(1, REPLIES)
    content = receive(REQUESTS)
    if content is None:
        os._exit(0)
    config = json.loads(content)
    sys.path.insert(0, config["folder"])
    library = importlib.import_module(config["package"])
    for name in config["also"]:
        importlib.import_module(name)  # what the backend would import on first use, when nothing can be opened any more
    observer = Observer(library, getattr(library, config["array"]), config["functions"])
    stage = child.Stage(Guard(config["package"], library), observer)
    stage.rehearse(config["rehearsal"])
    bounds = Limits(config["cpu_limit_s"], limits.address_space_in_use() + config["memory_limit"])
    null = os.open(os.devnull, os.O_RDWR)  # before the new root: it has no /dev
    readable = [*landlock.python_folders(), Path(config["folder"])]
    held = namespaces.enter(readable)
    said = landlock.restrict(readable)
    rows = layers.witness_all(held, said, bounds)
    limits.no_new_privileges()
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    limits.close_descriptors([0, 1, 2, REQUESTS, REPLIES])
    limits.apply_lasting(bounds)
    runner = Runner(stage, limits.at_most(bounds), held.get("pid") == "on")
    gc.collect()
    gc.freeze()
    send(REPLIES, json.dumps({"layers": [asdict(row) for row in rows]}).encode())
    while (data := receive(REQUESTS)) is not None:
        send(REPLIES, runner.run(jobs_from_bytes(data)))
    os._exit(0)


class Runner:
    """Forks a child for each request and says how it ended."""

    def __init__(self, stage: child.Stage, bounds: Limits, ends_with_us: bool) -> None:
        """`ends_with_us`: the pid namespace ends every child when this process ends."""
        self.stage, self.bounds, self.ends_with_us = stage, bounds, ends_with_us
        self.prepared = seccomp.compile_filter(CHILD_FD)
        self.pid = 0
        self.late = False
        signal.signal(signal.SIGALRM, self._end)

    def run(self, jobs: list[Job]) -> bytes:
        if os.pipe() != (READ_FD, CHILD_FD):
            os._exit(OWN_FAULT)  # a descriptor leaked: a fresh zygote is better than a child that has it
        start = time.monotonic()
        self.late = False
        self.pid = pid = _fork()
        if pid == 0:
            self._child(jobs)
        os.close(CHILD_FD)
        signal.setitimer(signal.ITIMER_REAL, jobs[0].wall_limit_s, 1.0)  # a backstop; CPU time is the limit
        content, flooded = _collect()
        if flooded:
            os.kill(pid, signal.SIGKILL)
        os.close(READ_FD)
        _, status, usage = os.wait4(pid, 0)
        self.pid = 0
        signal.setitimer(signal.ITIMER_REAL, 0)
        ended = os.waitstatus_to_exitcode(status)
        cpu = usage.ru_utime + usage.ru_stime
        seen = Status(max(ended, -1), max(-ended, 0), self.late, flooded, cpu, time.monotonic() - start)
        return reply_bytes(seen, b"" if flooded or self.late else content)

    def _child(self, jobs: list[Job]) -> NoReturn:
        try:
            os.close(READ_FD)
            os.closerange(CHILD_FD + 1, limits.MOST_DESCRIPTORS)
            if not self.ends_with_us:
                limits.die_with_parent()
            limits.apply_to_run(self.bounds)
            if len(jobs) > 1:
                signal.setitimer(signal.ITIMER_PROF, TOGETHER_CPU_S)  # its signal ends the process
            if self.prepared is not None:
                seccomp.install(self.prepared)
            child.run(jobs, self.stage, CHILD_FD)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except BaseException as error:  # our own fault: what a program causes ends inside `child.run`
            os.write(CHILD_FD, f"{type(error).__name__}: {error}".encode()[:500])
        finally:
            os._exit(OWN_FAULT)

    def _end(self, *_: Any) -> None:
        """The wall-clock backstop: end the child, wherever we wait for it."""
        if self.pid:
            self.late = True
            os.kill(self.pid, signal.SIGKILL)


def _collect() -> tuple[bytes, bool]:
    """What a child sends until it closes its end, and whether that was too much."""
    content = os.read(READ_FD, 1 << 16)
    if not content:
        return b"", False
    while part := os.read(READ_FD, 1 << 16):
        content += part
        if len(content) > MOST_REPLY:
            return b"", True
    return content, False

"""The zygote: a process that has imported one world's package, isolated itself, and forks a child for every run.

It talks frames over its first two descriptors (`wire.py`): a configuration, then jobs. It trusts the judge and nobody else; it never looks at
what a child sends. fork, not spawn: importing the package costs 150 ms, a fork 1 ms. The garbage collector is frozen first, so that a
child touches few pages.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import select
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
from sebench.judge.sandbox.wire import MOST_REPLY, OUT_OF_MEMORY, OWN_FAULT, Job, Status, receive, reply_bytes, send

CHILD_FD = 9  # where a child writes, the only descriptor that its system-call filter lets it write to


def main() -> NoReturn:
    """Serve until the judge hangs up."""
    requests, replies = os.dup(0), os.dup(1)
    content = receive(requests)
    if content is None:
        os._exit(0)
    config = json.loads(content)
    sys.path.insert(0, config["folder"])
    library = importlib.import_module(config["package"])
    for name in config["also"]:
        importlib.import_module(name)  # what the backend would import on first use, when nothing can be opened any more
    array_type = getattr(library, config["array"])
    observer = Observer(library, array_type, config["functions"])
    guard = Guard(config["package"], library)
    in_use = limits.address_space_in_use()
    null = os.open(os.devnull, os.O_RDWR)  # before the new root: it has no /dev
    readable = [*landlock.python_folders(), Path(config["folder"])]
    held = namespaces.enter(readable)
    said = landlock.restrict(readable)
    rows = layers.witness_all(held, said, Limits(5, in_use + config["memory_limit"]))
    limits.no_new_privileges()
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    prepared = seccomp.compile_filter(CHILD_FD)
    gc.collect()
    gc.freeze()
    send(replies, json.dumps({"layers": [asdict(row) for row in rows]}).encode())
    while (data := receive(requests)) is not None:
        job = Job.from_bytes(data)
        bounds = Limits(job.cpu_limit_s, in_use + job.memory_limit)
        send(replies, _run(job, guard, observer, bounds, prepared))
    os._exit(0)


# The C library's fork, where there is one: Python's own runs hooks (`threading`, `random`) in parent and child, which this
# process with its single thread does not need; that is a third of the cost (1.1 ms against 1.7 ms).
_fork: Any = getattr(ctypes.PyDLL(None), "fork", os.fork) if os.name == "posix" else os.fork


def _run(job: Job, guard: Guard, observer: Observer, bounds: Limits, prepared: seccomp.Filter | None) -> bytes:
    readable, writable = os.pipe()
    start = time.monotonic()
    pid = _fork()
    if pid == 0:
        try:
            os.dup2(writable, CHILD_FD)
            limits.close_descriptors([0, 1, 2, CHILD_FD])
            limits.die_with_parent()
            limits.apply(bounds)
            if prepared is not None:
                seccomp.install(prepared)
            child.run(job, guard, observer, CHILD_FD)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except BaseException as error:  # our own fault: the program's errors end inside `child.run`
            os.write(CHILD_FD, f"{type(error).__name__}: {error}".encode()[:500])
        finally:
            os._exit(OWN_FAULT)
    os.close(writable)
    content, late, flooded = _collect(readable, start + job.wall_limit_s)
    os.close(readable)
    if late or flooded:
        os.kill(pid, signal.SIGKILL)
    else:
        late = _stays(pid, start + job.wall_limit_s)
    _, status, usage = os.wait4(pid, 0)
    ended = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    seen = Status(max(ended, -1), max(-ended, 0), late, flooded, cpu, time.monotonic() - start)
    return reply_bytes(seen, b"" if flooded else content)


def _collect(fd: int, deadline: float) -> tuple[bytes, bool, bool]:
    """What a child sends until it closes its end; whether it was late, and whether it sent too much."""
    parts: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            return b"", True, False
        if not select.select([fd], [], [], min(left, 5.0))[0]:
            continue
        part = os.read(fd, 1 << 16)
        if not part:
            return b"".join(parts), False, False
        size += len(part)
        if size > MOST_REPLY:
            return b"", False, True
        parts.append(part)


def _stays(pid: int, deadline: float) -> bool:
    """Wait for a child that has closed its end; True if it had to be ended."""
    pause = 0.0001
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            return True
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return False

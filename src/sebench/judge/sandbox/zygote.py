"""A zygote: a process that has loaded what its children need, has isolated itself, and forks a child for every request.

There are three kinds. The library's zygote holds NumPy and one world's package; its children read responses and run
stateless programs (`programs.py`), or serve a candidate behind the wall (`server.py`). The candidate's zygote holds the
standard library; its children are templates of candidates (`candidate.py`). The native zygote, which is started only
for answers written in NumPy, holds NumPy and the translator (`native.py`). A zygote trusts only the judge, and never
reads what a child sends.

Children are forked, not spawned, because importing the package takes 150 ms and a fork 1 ms. The cost of a fork is that
of the memory pages that parent and child write to afterwards (2 to 4 us each), so a run is rehearsed before the first
fork, the garbage collector is frozen, limits under which the zygote itself can work are set there, and little is done
between fork and exit.
"""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from sebench.base.address_space import address_space_in_use
from sebench.judge.sandbox import clock, forker, landlock, limits, namespaces, seccomp
from sebench.judge.sandbox.limits import ProcessLimits
from sebench.judge.sandbox.wire import (
    MOST_CPU_S,
    OUT_OF_MEMORY,
    OWN_FAULT,
    SERVE,
    Layer,
    Status,
    ZygoteConfig,
    receive_or_exit,
    receive_with,
    send,
    send_json,
)

SESSION_FD = 3  # where a child talks to the judge
LINE_FD = 10  # where the zygote itself talks to the judge
IMPORTING_CPU_S = 2.0

# The C library's fork, where there is one: Python's own runs hooks (`threading`, `random`) in parent and child, which
# this process with its single thread does not need; that is a third of the cost (1.1 ms against 1.7 ms).
fork: Any = getattr(ctypes.PyDLL(None), "fork", os.fork)
tether = limits.Tether()  # a child ends with its zygote, even without a pid namespace to end both


def main(line_fd: int) -> NoReturn:
    """Serve requests until the judge closes the connection."""
    os.dup2(line_fd, LINE_FD)
    line = socket.socket(fileno=LINE_FD)
    config = ZygoteConfig.from_bytes(receive_or_exit(LINE_FD))
    null = os.open(os.devnull, os.O_RDWR)  # before the new root: it has no /dev
    bounds = limits.within_hard_limit(ProcessLimits(MOST_CPU_S, 0, config.open_files))
    roles: dict[str, type[LibraryZygote | CandidateZygote | NativeZygote]] = {
        "library": LibraryZygote, "candidate": CandidateZygote, "native": NativeZygote
    }  # fmt: skip
    role = roles[config.role](config, bounds)
    rows = role.confine()
    limits.no_new_privileges()
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    limits.close_descriptors([0, 1, 2, LINE_FD])
    gc.collect()
    gc.freeze()
    send_json(LINE_FD, [asdict(row) for row in rows])
    while (request := receive_with(line)) is not None:
        content, descriptors = request
        if content:  # an empty request kills a child; this one has already ended
            send(LINE_FD, _in_child(partial(role.become_child, content), descriptors, line).to_bytes())
    os._exit(0)


def _in_child(act: Callable[[], NoReturn], descriptors: list[int], line: socket.socket) -> Status:
    """Fork a child that calls `act`, and return how it ended; the judge may have it killed at any time."""
    pid = fork()
    if pid == 0:
        _become_child(act, descriptors)
    for fd in descriptors:
        os.close(fd)
    status = _wait(pid, line)
    while _reap_orphan():  # a killed template may have left a candidate behind
        pass
    return status


def _become_child(act: Callable[[], NoReturn], descriptors: list[int]) -> NoReturn:
    fault = ""
    try:
        tether.attach()
        for target, fd in enumerate(descriptors, SESSION_FD):
            if fd != target:
                os.dup2(fd, target)
        os.closerange(SESSION_FD + len(descriptors), limits.MOST_DESCRIPTORS)
        act()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException as error:  # a bug in the sandbox: errors of programs are handled where they run
        fault = f"{type(error).__name__}: {error}"[:500]
    finally:
        try:
            send_json(SESSION_FD, {"fault": fault})
        finally:
            os._exit(OWN_FAULT)


def _wait(pid: int, line: socket.socket) -> Status:
    """Wait for a child to end; kill it if the judge asks for that or is gone."""
    watched = select.poll()
    watched.register(line, select.POLLIN)
    handle = os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1
    if handle >= 0:
        watched.register(handle, select.POLLIN)
    try:
        while True:
            ready = dict(watched.poll(None if handle >= 0 else 20))
            done, status, usage = os.wait4(pid, os.WNOHANG)
            if done:
                return Status.of(status, usage.ru_utime + usage.ru_stime)
            if line.fileno() in ready:
                request = receive_with(line)
                os.kill(pid, signal.SIGKILL)
                if request is None:
                    os._exit(0)
    finally:
        if handle >= 0:
            os.close(handle)


def _reap_orphan() -> bool:
    try:
        return os.waitpid(-1, os.WNOHANG)[0] != 0
    except ChildProcessError:
        return False


def _confine(
    readable: list[Path],
    opened: list[Path],
    hidden: tuple[str, ...],
    bounds: ProcessLimits,
    verify: Callable[..., Any],
) -> list[Layer]:
    held = namespaces.enter(readable, hidden)
    state = landlock.restrict(opened)
    rows: list[Layer] = verify(held, state, bounds)
    limits.apply_lasting(bounds)
    return rows


class LibraryZygote:
    """The zygote that holds NumPy and the package."""

    def __init__(self, config: ZygoteConfig, bounds: ProcessLimits) -> None:
        from sebench.judge.sandbox import layers, programs, server

        self.runner = programs.load_library(config)
        self.programs, self.server, self.layers = programs, server, layers
        self.runner.rehearse(config.rehearsal)
        self.folder = Path(config.folder)
        self.bounds = replace(bounds, address_space=address_space_in_use() + config.memory)
        self.filter, self.server_filter = map(seccomp.compile_filter, (seccomp.PROGRAMS, seccomp.LIBRARY))

    def confine(self) -> list[Layer]:
        """Isolate this process. Return the layers, and whether each of them holds."""
        readable = [*landlock.library_folders(), self.folder]
        return _confine(readable, readable, (), self.bounds, self.layers.verify_library)

    def become_child(self, request: bytes) -> NoReturn:
        """Handle a request, in a fork of this process."""
        limits.apply_to_run(self.bounds)
        if request != SERVE:
            serve = self.programs.SERVICES[request]
            serve(self.runner, SESSION_FD, lambda: seccomp.install(self.filter))
        session = socket.socket(fileno=SESSION_FD)
        seccomp.install(self.server_filter)
        self.server.serve(self.runner.observer, session)


class NativeZygote:
    """The zygote for answers written in NumPy. Landlock keeps it from reading the package, tasks and other installed
    packages."""

    def __init__(self, config: ZygoteConfig, bounds: ProcessLimits) -> None:
        from sebench.judge.sandbox import layers, native

        self.native, self.layers = native, layers
        self.names = native.prepare(config.names)
        self.bounds = replace(bounds, address_space=address_space_in_use() + config.memory)
        self.filter = seccomp.compile_filter(seccomp.PROGRAMS)

    def confine(self) -> list[Layer]:
        """Isolate this process. Return the layers, and whether each of them holds."""
        readable = [*landlock.standard_folders(), *landlock.numpy_folders()]
        opened = [*landlock.without_packages(landlock.standard_folders()), *landlock.numpy_folders()]
        return _confine(readable, opened, (), self.bounds, self.layers.verify_library)

    def become_child(self, request: bytes) -> NoReturn:
        """Handle a request, in a fork of this process."""
        limits.apply_to_run(self.bounds)
        self.native.serve(self.names, SESSION_FD, self._close)

    def _close(self) -> None:
        """Stop receiving from the judge, so that a program that reads its input gets the end of the stream, and install
        the filter."""
        session = socket.socket(fileno=SESSION_FD)
        session.shutdown(socket.SHUT_RD)
        session.detach()
        seccomp.install(self.filter)


class CandidateZygote:
    """The zygote of candidates. It contains the standard library and nothing else."""

    def __init__(self, config: ZygoteConfig, bounds: ProcessLimits) -> None:
        from sebench.judge.sandbox import candidate, layers

        # `asyncio` would replace Python's handler with its own
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        candidate.prepare()
        self.layers = layers
        self.tether, self.clock = limits.Tether(timeless=True), clock.silence()
        self.bounds = replace(bounds, address_space=address_space_in_use() + config.memory)
        self.filter = seccomp.compile_filter(seccomp.CANDIDATE)
        self.candidate, self.forker = candidate, forker.Forker()
        self.forker.rehearse()

    def confine(self) -> list[Layer]:
        """Isolate this process. Return the layers, and whether each of them holds."""
        folders = landlock.standard_folders()
        opened = landlock.without_packages(folders)
        for folder in sys.path[:]:
            if Path(folder) not in (*folders, *(f / "lib-dynload" for f in folders)):
                sys.path.remove(folder)
        system = [Path(name) for name in landlock.SYSTEM_LIBRARIES]
        rows = _confine([*folders, *system], [*opened, *system], landlock.PACKAGES, self.bounds, self._verify)
        for name in list(sys.modules):
            if name.partition(".")[0] in ("sebench", "ctypes", "_ctypes"):
                del sys.modules[name]  # an answer that looks for them finds nothing
        return rows

    def _verify(self, held: Any, state: str, bounds: ProcessLimits) -> list[Layer]:
        return self.layers.verify_candidate(held, state, self.clock, self.confine_run)

    def become_child(self, request: bytes) -> NoReturn:
        """Become the template of a program. The program is received only now, so that none is ever in the memory that
        another one starts with."""
        session = socket.socket(fileno=SESSION_FD)
        job = self.candidate.CandidateProgram.from_bytes(receive_or_exit(SESSION_FD))
        limits.signal_after(IMPORTING_CPU_S)
        self.candidate.import_for(job)
        limits.signal_after(0)
        run = self.candidate.CandidateRun(job)

        def begin(line_fd: int) -> None:
            os.dup2(line_fd, SESSION_FD)
            self.confine_run()
            run()

        self.forker.serve(session, begin)
        os._exit(0)

    def confine_run(self) -> None:
        """Confine this process, a candidate, before it runs a program."""
        os.closerange(SESSION_FD + 1, limits.MOST_DESCRIPTORS)
        self.tether.attach()
        limits.apply_to_run(self.bounds)
        seccomp.install(self.filter)

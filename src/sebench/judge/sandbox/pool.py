"""The sandbox from the outside: starts zygotes, asks them for children, and replaces them when they die.

A `Sandbox` is the set of zygotes that one worker uses, each started when it is first needed. A `SandboxSession` is a
conversation with one of their children. The child decides nothing: the caller checks what it sends, and the zygote
reports how it ended.
"""

from __future__ import annotations

import contextlib
import json
import queue
import select
import socket
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from sebench.base import kernel_memory
from sebench.base.errors import SandboxFault
from sebench.judge.sandbox import activity, interpreter
from sebench.judge.sandbox.candidate import CandidateProgram
from sebench.judge.sandbox.wire import (
    MOST_FRAME,
    NATIVE,
    TEMPLATE,
    Layer,
    Status,
    ZygoteConfig,
    receive_with,
    send,
    send_with,
)

TRIES = 3
START_S = 60.0  # for a zygote to start
MOST_WAITS = 10  # waits of that length for a zygote that is busy
GRACE_S = 20.0  # for a zygote to report how a child ended
LOOK_S = 0.5  # of silence, after which we check whether the child is blocked
BLOCKED_LOOKS, BLOCKED_LOOKS_IN_ALL = 4, 40  # checks in a row, and in total, that find the run blocked


class ZygoteDied(Exception):
    """A zygote died or did not respond in time; another one may succeed. This is never a program's fault."""


class Zygote:
    """One zygote process."""

    def __init__(self, config: ZygoteConfig) -> None:
        ours, theirs = socket.socketpair()
        self.line = ours
        with theirs:
            self.process = interpreter.start(config.role, "zygote", f"main({theirs.fileno()})", theirs.fileno())
        try:
            send_with(self.line, config.to_bytes(), [])
            hello = self._receive(START_S)
        except OSError:
            hello = None
        if hello is None and self.process.poll() is None:
            self.process.kill()
            self.close()
            raise ZygoteDied("the sandbox did not start in time")
        if hello is None:
            self.process.kill()
            assert self.process.stderr is not None
            messages = self.process.stderr.read().decode(errors="replace").strip().splitlines()
            self.close()
            raise SandboxFault(f"the sandbox did not start: {messages[-1] if messages else 'no message'}")
        self.layers = [Layer(**row) for row in json.loads(hello)]

    def ask(self, request: bytes, descriptors: Sequence[int]) -> None:
        """Ask the zygote for a child."""
        try:
            send_with(self.line, request, descriptors)
        except OSError:
            raise ZygoteDied("a zygote died") from None

    def give_up(self) -> None:
        """Have the child killed."""
        with contextlib.suppress(OSError):  # then its child is gone as well
            send(self.line.fileno(), b"")

    def status(self) -> Status:
        """Return how the child ended."""
        content = self._receive(GRACE_S)
        if content is None:
            raise ZygoteDied("a zygote did not report how a run ended")
        return Status.from_bytes(content)

    def close(self) -> None:
        self._hang_up()
        try:
            self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def forget_processes(self) -> None:
        """After a fork, forget the process, which belongs to the parent."""
        self._hang_up()
        self.process.returncode = 0

    def _hang_up(self) -> None:
        self.line.close()
        if self.process.stderr:
            self.process.stderr.close()

    def _receive(self, seconds: float) -> bytes | None:
        """Return the next frame, or None if the zygote is gone or has been idle for this many seconds. A zygote that is
        still computing, perhaps slowly on a busy machine, gets more time."""
        for _ in range(MOST_WAITS):
            if select.select([self.line], [], [], seconds)[0]:
                break
            if activity.blocked([self.process.pid]):
                return None
        else:
            return None
        try:
            frame = receive_with(self.line)
        except OSError:
            return None
        return frame[0] if frame else None


class SandboxSession:
    """A conversation with one child of a zygote, with a time limit."""

    def __init__(self, sandbox: Sandbox, zygote: Zygote, request: bytes, wall_s: float) -> None:
        self.sandbox, self.zygote, self.wall_limit_s = sandbox, zygote, wall_s
        self.blocked = self.flooded = self.given_up = False
        self.fault = ""  # the message of a child that failed through a bug in the sandbox
        self.ahead = bytearray()  # received but not consumed yet
        self.pause_s = 0.0  # pause before reading: a child that wakes a reader with every line is slower
        self.begin()
        self.line, theirs = socket.socketpair()
        sandbox.register(self)
        with theirs:
            zygote.ask(request, [theirs.fileno()])

    def begin(self) -> None:
        """Start the time limit for a verdict."""
        self.started = time.monotonic()
        self.deadline = self.started + self.wall_limit_s
        self.blocked_looks = self.blocked_looks_in_all = 0
        self.used_s = 0.0  # CPU time of all processes at the last deadline

    @property
    def wall_s(self) -> float:
        return time.monotonic() - self.started

    def send(self, content: bytes, template: SandboxSession | None = None) -> None:
        """Send the child a message; a library process also gets the connection to a candidate's template."""
        try:
            self.line.settimeout(max(self.deadline - time.monotonic(), 0.001))
            send_with(self.line, content, [template.line.fileno()] if template else [])
        except TimeoutError:
            self._raise_starved()
        except OSError:
            pass  # the child is gone, which `receive` will notice

    def receive(self, most: int = MOST_FRAME) -> Any:
        """Return the child's next message, decoded from JSON, or None at the end of the stream. A frame of more than
        `most` bytes ends the session."""
        size = int.from_bytes(self._exactly(4), "little")
        if size > most:
            self.flooded = True
            self.give_up()
            return None
        try:
            message = json.loads(self._exactly(size))
        except (ValueError, RecursionError, MemoryError):  # also for an empty frame
            return None
        if isinstance(message, dict) and "fault" in message:
            self.fault = str(message["fault"])  # its exit status shows that this is the sandbox's fault
            return None
        return message

    def _exactly(self, size: int) -> bytes:
        """Return exactly this many bytes, or none at the end of the stream."""
        while len(self.ahead) < size:
            part = self._receive_part()
            if not part:
                return b""
            self.ahead += part
        content = bytes(self.ahead[:size])
        del self.ahead[:size]
        return content

    def _receive_part(self) -> bytes:
        """Return the next bytes, or none at the end of the stream or if the child is blocked."""
        if self.pause_s:
            time.sleep(self.pause_s)
        self.line.settimeout(LOOK_S)
        while True:
            try:
                part = self.line.recv(1 << 18)
                self.blocked_looks = 0
                return part
            except TimeoutError:
                if self._is_blocked():
                    return b""
            except OSError:
                return b""

    def _is_blocked(self) -> bool:
        """Whether the child, which has been silent for a while, is blocked. If it sleeps and nothing is left to wake
        it, the program is waiting on something that cannot happen and is killed. Otherwise it is computing, and its CPU
        limit will end it. Raises ZygoteDied if the child got no CPU time at all before the deadline."""
        asleep = activity.blocked(self.sandbox.processes())
        self.blocked_looks = self.blocked_looks + 1 if asleep else 0
        self.blocked_looks_in_all += asleep
        if self.blocked_looks >= BLOCKED_LOOKS or self.blocked_looks_in_all >= BLOCKED_LOOKS_IN_ALL:
            self.blocked = True
            self.give_up()
        elif time.monotonic() > self.deadline:
            used_s = activity.cpu_in_all_s(self.sandbox.processes())
            if used_s == self.used_s:
                self._raise_starved()
            self.used_s, self.deadline = used_s, time.monotonic() + self.wall_limit_s
        return self.blocked

    def _raise_starved(self) -> NoReturn:
        self.give_up()
        raise ZygoteDied(
            f"no answer within {self.wall_limit_s:.0f} s; the machine is overloaded, or the run was suspended"
        )

    def give_up(self) -> None:
        """Have the child killed."""
        self.given_up = True
        self.zygote.give_up()

    def close(self) -> Status:
        """End the session, and return how the child ended."""
        self.sandbox.unregister(self)
        self.line.close()
        return self.zygote.status()


class Sandbox:
    """The zygotes of one worker. Each has at most one child at a time."""

    def __init__(self, config: ZygoteConfig) -> None:
        self.config = config
        self._lock = threading.Lock()
        self._zygotes: dict[str, Zygote] = {}
        self._open: list[SandboxSession] = []
        self._kills = kernel_memory.kernel_kills()

    def lacked_memory(self) -> bool:
        """Whether the kernel has killed processes for lack of memory since the last call."""
        before, self._kills = self._kills, kernel_memory.kernel_kills()
        return self._kills > before

    @property
    def refuses_signals(self) -> bool:
        """Whether no program can send signals, not even to itself."""
        held = [row.holds for row in self.layers() if row.name in ("seccomp", "wall: system calls")]
        return bool(held) and all(held)

    def layers(self) -> list[Layer]:
        return [row for role in ("library", "candidate") for row in self._zygote(role).layers]

    def library(self, request: bytes, wall_s: float) -> SandboxSession:
        """Start a child that holds the library. With the requests PROGRAMS, PROOFS and REFERENCES it runs programs
        itself; with SERVE it serves candidates behind the wall."""
        return self._session("library", request, wall_s)

    def template(self, job: CandidateProgram, wall_s: float) -> SandboxSession:
        """Start the template of a candidate, whose connection is handed to the library process."""
        session = self._session("candidate", TEMPLATE, wall_s)
        session.send(job.to_bytes())
        session.line.setblocking(True)  # for the process that receives it
        return session

    def native(self, wall_s: float) -> SandboxSession:
        """Start a child that translates an answer written in NumPy, and runs it with NumPy."""
        return self._session("native", NATIVE, wall_s)

    def _session(self, role: str, request: bytes, wall_s: float) -> SandboxSession:
        return SandboxSession(self, self._zygote(role), request, wall_s)

    def _zygote(self, role: str) -> Zygote:
        if role not in self._zygotes:
            self._zygotes[role] = Zygote(self.config.for_role(role))
        return self._zygotes[role]

    def processes(self) -> list[int]:
        """Return the processes that this sandbox has started; their children do the work."""
        return [zygote.process.pid for zygote in self._zygotes.values()]

    def register(self, session: SandboxSession) -> None:
        with self._lock:
            self._open.append(session)

    def unregister(self, session: SandboxSession) -> None:
        with self._lock:
            if session in self._open:
                self._open.remove(session)

    def give_up(self) -> None:
        """Kill everything that is running. This may be called from another thread."""
        with self._lock:
            for session in self._open:
                session.give_up()

    def close(self, kill: bool = False) -> None:
        for zygote in self._zygotes.values():
            if kill:
                zygote.process.kill()
            zygote.close()
        for session in self._open:
            session.line.close()
        self._zygotes.clear()
        self._open.clear()

    def forget_processes(self) -> None:
        """After a fork, forget the zygotes, which belong to the parent."""
        for zygote in self._zygotes.values():
            zygote.forget_processes()
        for session in self._open:
            session.line.close()
        self._zygotes.clear()


class Pool:
    """Sandboxes that threads borrow."""

    def __init__(self, config: ZygoteConfig, workers: int) -> None:
        self.sandboxes = [Sandbox(config) for _ in range(workers)]
        self._free: queue.LifoQueue[Sandbox] = queue.LifoQueue()
        self._closed = False
        for sandbox in self.sandboxes:
            self._free.put(sandbox)

    @contextlib.contextmanager
    def borrowed(self) -> Iterator[Sandbox]:
        """Lend a sandbox to a thread for a `with` block, waiting until one is free."""
        sandbox = self._free.get()
        try:
            yield sandbox
        finally:
            if self._closed:
                sandbox.close()
            self._free.put(sandbox)

    def close(self) -> None:
        """Stop every idle zygote; the others stop when their sandboxes are returned."""
        self._closed = True
        while True:
            try:
                self._free.get_nowait().close()
            except queue.Empty:
                return

    def forget_processes(self) -> None:
        """After a fork, forget everything here, which belongs to the parent."""
        for sandbox in self.sandboxes:
            sandbox.forget_processes()

"""The messages between the judge, its zygotes and their children.

A frame is a four-byte length followed by the content. Messages to a child (downwards, trusted) are marshalled. Messages
from a child (upwards) are JSON and are not trusted, because the child may have run a candidate's code or may pass on
what a candidate sent; `ProgramOutcome.from_json` validates every part. Messages between a candidate and the library
process have a codec of their own (`codec.py`).
"""

from __future__ import annotations

import json
import marshal
import os
import signal
import socket
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sebench.judge.program.vocabulary import Vocabulary
from sebench.values.tagged import Tree, validate

MOST_FRAME = 32 << 20  # bytes of one frame
OWN_FAULT = 70  # exit status of a child that failed through a bug in the sandbox
# Requests to the zygotes: the library's, the candidate's and the native one.
PROGRAMS, PROOFS, REFERENCES, SERVE = b"programs", b"proofs", b"references", b"serve"
TEMPLATE, NATIVE = b"template", b"native"
MOST_CPU_S = 60  # limit for a child, whatever it does
FROM_OUTSIDE = frozenset({signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT})
OUT_OF_MEMORY = 71  # exit status of a child that ran out of memory
BEGUN = "begun"  # sent by a native child once it is confined
KEPT_FOR_LAST = 0.1  # share of a verdict's budget reserved for the last round
LEAST_LYING_CPU_S, LYING_SHARE = 0.1, 4  # seconds, and times the CPU time of the truthful run
MOST_STDOUT = 4096  # characters of output that are kept


@dataclass(frozen=True)
class Layer:
    """An isolation layer, and whether it worked when it was tested."""

    name: str
    holds: bool
    detail: str


class FrameTooLong(Exception):
    """A frame exceeds its limit."""


def send(fd: int, content: bytes) -> None:
    """Write one frame."""
    data: Any = memoryview(len(content).to_bytes(4, "little") + content)
    while data:
        data = data[os.write(fd, data) :]


def receive(fd: int, most: int = MOST_FRAME) -> bytes | None:
    """Read one frame and return its content, or None at the end of the stream."""
    head = _read_exactly(fd, 4)
    if head is None:
        return None
    size = int.from_bytes(head, "little")
    if size > most:
        raise FrameTooLong(f"a frame of {size:,} bytes")
    return _read_exactly(fd, size)


def receive_or_exit(fd: int) -> bytes:
    """Read one frame. At the end of the stream this process is no longer needed, and exits."""
    content = receive(fd)
    if content is None:
        os._exit(0)
    return content


def send_json(fd: int, content: Any) -> None:
    """Write one frame of JSON, for messages towards the judge."""
    send(fd, json.dumps(content).encode())


def _read_exactly(fd: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        try:
            part = os.read(fd, min(size, 1 << 20))
        except ConnectionResetError:
            return None  # the other end closed with something unread
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def receive_only(fd: int, most: int = MOST_FRAME) -> bytes | None:
    """Read one frame from a sender that then waits for the reply, in one system call if the frame is short. Raises
    FrameTooLong if more than one frame arrives."""
    data, most_now = b"", 1 << 16
    while len(data) < 4 or len(data) < 4 + int.from_bytes(data[:4], "little"):
        if len(data) >= 4 and int.from_bytes(data[:4], "little") > most:
            raise FrameTooLong(f"a frame of {int.from_bytes(data[:4], 'little'):,} bytes")
        try:
            part = os.read(fd, most_now)
        except ConnectionResetError:
            return None
        if not part:
            return None
        data, most_now = data + part if data else part, 1 << 20
    if len(data) > 4 + int.from_bytes(data[:4], "little"):
        raise FrameTooLong("more than one frame")
    return data[4:]


def send_with(line: socket.socket, content: bytes, descriptors: Sequence[int]) -> None:
    """Write one frame, and pass file descriptors with it."""
    socket.send_fds(line, [len(content).to_bytes(4, "little")], list(descriptors))
    line.sendall(content)


def receive_with(line: socket.socket) -> tuple[bytes, list[int]] | None:
    """Read one frame and the file descriptors passed with it, at most two. Return None at the end of the stream."""
    head, descriptors, _, _ = socket.recv_fds(line, 4, 2)
    content = _read_exactly(line.fileno(), int.from_bytes(head, "little")) if len(head) == 4 else None
    return None if content is None else (content, descriptors)


@dataclass(frozen=True)
class ZygoteConfig:
    """The configuration of a zygote."""

    role: str  # "library", "candidate" or "native"
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    folder: str = ""  # where the package is
    traits: Mapping[str, tuple[str, bool, bool, bool]] = field(default_factory=dict)  # `provenance.lies.Traits` by path
    # warm-up programs to run before the first request, with their cases
    rehearsal: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    memory: int = 0  # bytes that a child may use beyond those of its zygote
    open_files: int = 32
    names: Mapping[str, Any] = field(default_factory=dict)  # `Names` as JSON, only for the native zygote

    def for_role(self, role: str) -> ZygoteConfig:
        """Return the configuration for this role: the candidate's zygote learns nothing about the world, and only the
        native zygote learns which NumPy name each forged name stands for."""
        if role == "candidate":
            return ZygoteConfig(role, memory=self.memory, open_files=self.open_files)
        return replace(self, role=role, names=self.names if role == "native" else {})

    def to_bytes(self) -> bytes:
        return marshal.dumps(asdict(self))

    @classmethod
    def from_bytes(cls, data: bytes) -> ZygoteConfig:
        content = marshal.loads(data)
        return cls(**{**content, "vocabulary": Vocabulary(**content["vocabulary"])})


@dataclass(frozen=True)
class CaseCalls:
    """The calls to a program's entry point."""

    entry: str
    parameters: tuple[str, ...]
    arguments: tuple[bytes, ...]  # marshalled, unpacked afresh for each case

    def order(self, first: int) -> list[int]:
        """Return the case numbers in order, beginning with `first` and wrapping around."""
        return [(first + i) % len(self.arguments) for i in range(len(self.arguments))]


@dataclass(frozen=True)
class Budget:
    """The CPU time that a verdict may use, in seconds."""

    program: float  # for the truthful run
    proofs: float  # for all runs with a lying library
    shared: float  # for all programs that share a process together
    lying: float = 1.0  # for one run with a lying library

    def after(self, truthful: float, spent: float, last: bool) -> Budget:
        """Return the budget left for falsified runs when `spent` seconds, including the `truthful` run, have been used.
        Part of it is reserved for the last round."""
        left = max((self.program + self.proofs) * (1 if last else 1 - KEPT_FOR_LAST) - spent, 0.0)
        lying = max(LEAST_LYING_CPU_S, LYING_SHARE * truthful)
        return replace(self, program=min(self.program, left), proofs=left, lying=lying)


@dataclass(frozen=True)
class FollowRun:
    """One run of a candidate's program in which one library function is falsified; the results are returned per
    case."""

    liar: str
    variant: str
    key: int
    argument_marks: Mapping[int, Sequence[int]]
    cases: tuple[int, ...]
    alternative: bool = False  # the function does the work of a core function


BELONGS_BEHIND_WALL = "wall"  # the result of a lying run whose program must go behind the wall
RECORDS = frozenset({CaseCalls, Budget, FollowRun})


def to_bytes(*content: Any) -> bytes:
    """Encode a message to a child. Records are written as tuples of their fields."""
    return marshal.dumps(_to_tuples(content))


def _to_tuples(value: Any) -> Any:
    kind = type(value)
    if kind in RECORDS:
        return tuple(map(_to_tuples, vars(value).values()))
    return tuple(map(_to_tuples, value)) if kind is list or kind is tuple else value


@dataclass(frozen=True)
class Status:
    """How a child ended, as its parent saw it."""

    exit_code: int  # -1 when a signal ended it
    signal: int
    cpu_s: float

    @property
    def from_outside(self) -> bool:
        """Whether the child was killed from outside, because the job was stopped or the machine ran out of memory. No
        program in the sandbox can send itself the signals that count as such (FROM_OUTSIDE). The kernel also kills a
        run that ignores its CPU limit, but not before MOST_CPU_S seconds."""
        return self.signal in FROM_OUTSIDE and self.cpu_s < MOST_CPU_S

    def to_bytes(self) -> bytes:
        return marshal.dumps((self.exit_code, self.signal, self.cpu_s))

    @classmethod
    def from_bytes(cls, data: bytes) -> Status:
        return cls(*marshal.loads(data))

    @classmethod
    def of(cls, status: int, cpu_s: float) -> Status:
        code = os.waitstatus_to_exitcode(status)
        return cls(max(code, -1), max(-code, 0), cpu_s)


@dataclass(frozen=True)
class Raised:
    """An exception as text."""

    type: str
    message: str
    line: int  # the last one in the candidate's code
    inside: bool  # it was raised in the library

    @property
    def is_cliff(self) -> bool:
        """Whether the error depends on what ran before in the process; a program that raised it in a shared process
        runs again alone."""
        return self.type in ("MemoryError", "RecursionError")


@dataclass(frozen=True)
class ProgramOutcome:
    """The outcome of one run of a program on all cases."""

    values: tuple[tuple[int, Tree], ...] = ()  # by case number, in the order in which they ran
    case: int = -1  # the last case that was started
    raised: Raised | None = None
    missing: bool = False  # the entry point is not defined
    too_large: str = ""  # why a value cannot be sent
    needs_wall: bool = False  # it cannot continue in the library's process (`guards.py`)
    ended: Status | None = None  # how the process ended, if it ended early
    called: tuple[str, ...] = ()
    stdout: str = ""
    cpu_s: float = 0.0

    @property
    def failure(self) -> str:
        """What the program did wrong, or "" if it did nothing wrong or ran out of memory or stack depth."""
        return self.raised.type if self.raised and not self.raised.is_cliff else self.too_large

    def to_json(self) -> dict[str, Any]:
        # not `asdict`, which copies every value deeply: a third of a run's time
        return {**vars(self), "raised": self.raised and vars(self.raised), "ended": self.ended and vars(self.ended)}

    @classmethod
    def from_json(cls, data: Any) -> ProgramOutcome:
        """Validate an outcome. Raises ValueError, TypeError or KeyError if it is malformed."""
        values = tuple((_int(number), validate(tree)) for number, tree in data["values"])
        raised, ended = data["raised"], data["ended"]
        return cls(
            values=values,
            case=_int(data["case"], -1),
            raised=raised
            and Raised(_text(raised["type"]), _text(raised["message"]), _int(raised["line"]), bool(raised["inside"])),
            missing=bool(data["missing"]),
            too_large=_text(data["too_large"]),
            needs_wall=bool(data["needs_wall"]),
            ended=ended and Status(_int(ended["exit_code"], -1), _int(ended["signal"]), float(ended["cpu_s"])),
            called=tuple(map(_text, data["called"])),
            stdout=_text(data["stdout"])[:MOST_STDOUT],
            cpu_s=float(data["cpu_s"]),
        )


def _int(value: Any, least: int = 0) -> int:
    if type(value) is not int or value < least:
        raise ValueError(f"{value!r:.40} is not a valid number here")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError("expected text here")
    return value

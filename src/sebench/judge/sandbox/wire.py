"""What travels between judge, zygote and child.

Downwards (trusted): jobs, marshalled; several at once are plain programs that share a process. Upwards: a status that the zygote
writes, and the child's own bytes, which nobody trusts: JSON that `values.py` checks. A frame is four bytes of length and the content.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

MOST_REPLY = 8 << 20  # bytes that a child may send
OWN_FAULT = 70  # exit status of a child that could not even begin
BEGUN = b"#"  # what a child says before it runs a program: from here on nothing is our own fault
OUT_OF_MEMORY = 71  # and of one that had no memory left to say so
MOST_STDOUT = 4096  # characters of output that are kept


@dataclass(frozen=True)
class Job:
    """One run of one program."""

    code: bytes  # marshalled code object
    entry: str
    parameters: tuple[str, ...]
    cases: tuple[bytes, ...]  # marshalled arguments, unpacked afresh for each case
    spoiled: tuple[str, ...]  # functions that return wrong values; after "*" those that do not
    spared: tuple[str, ...]  # digests of calls that are left alone
    kind: int  # which kind of wrong
    first: int  # the case to begin with
    then_spoiled: tuple[
        str, ...
    ]  # spoiled in a second run of the same process, for programs that cannot tell; () for none
    cpu_limit_s: int
    wall_limit_s: float

    @property
    def lines(self) -> int:
        """How many lines a child says about this job: the values, and what the counterfactual changed."""
        return 2 if self.then_spoiled else 1


def jobs_bytes(jobs: Sequence[Job]) -> bytes:
    """Jobs as a zygote gets them."""
    return marshal.dumps([tuple(vars(job).values()) for job in jobs])


def jobs_from_bytes(data: bytes) -> list[Job]:
    return [Job(*fields) for fields in marshal.loads(data)]


@dataclass(frozen=True)
class Status:
    """How a child ended, as its zygote saw it."""

    exit_code: int  # -1 when a signal ended it
    signal: int
    late: bool  # the wall-clock backstop ended it
    flooded: bool  # it sent more than it may
    cpu_s: float
    wall_s: float

    def to_bytes(self) -> bytes:
        return marshal.dumps(tuple(vars(self).values()))  # astuple would copy deeply


@dataclass(frozen=True)
class Reply:
    """What came back from a run."""

    status: Status
    content: bytes

    @classmethod
    def from_bytes(cls, data: bytes) -> Reply:
        size = int.from_bytes(data[:4], "little")
        return cls(Status(*marshal.loads(data[4 : 4 + size])), data[4 + size :])

    def apart(self, jobs: Sequence[Job]) -> list[Reply]:
        """The replies of jobs that shared a process, as far as it got. Its time is divided among them."""
        said = self.content.removeprefix(BEGUN).splitlines(keepends=True) if self.content.startswith(BEGUN) else []
        whole: list[bytes] = []
        for job in jobs:
            lines, said = said[: job.lines], said[job.lines :]
            if len(lines) < job.lines or not lines[-1].endswith(b"\n"):
                break
            whole.append(BEGUN + b"".join(lines))
        share = max(len(whole), 1)
        status = Status(0, 0, False, False, self.status.cpu_s / share, self.status.wall_s / share)
        return [Reply(status, content) for content in whole]


def reply_bytes(status: Status, content: bytes) -> bytes:
    """A reply as the zygote sends it."""
    head = status.to_bytes()
    return len(head).to_bytes(4, "little") + head + content


def send(fd: int, content: bytes) -> None:
    """Write one frame."""
    data: Any = memoryview(len(content).to_bytes(4, "little") + content)
    while data:
        data = data[os.write(fd, data) :]


def receive(fd: int) -> bytes | None:
    """Read one frame; None at the end of the stream."""
    head = _exactly(fd, 4)
    return None if head is None else _exactly(fd, int.from_bytes(head, "little"))


def _exactly(fd: int, size: int) -> bytes | None:
    parts: list[bytes] = []
    while size:
        part = os.read(fd, min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)

"""Append-only JSONL files. Each line is one write, so a killed process can damage only the last line.

    with Ledger(Path("calls.jsonl")) as ledger:
        ledger.add({"key": "mean/0"})
    list(lines(Path("calls.jsonl")))      # [(0, {"key": "mean/0"})]

An incomplete last line counts as not written: readers skip it, and the next writer removes it.

Not covered: the meaning of the lines, and atomic groups of lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

from sebench.base import files

BLOCK = 1 << 20  # bytes per read when looking for the last complete line


class Ledger:
    """A file that one process appends to. Lines that were added survive a kill and, if `durable`, a power failure."""

    def __init__(self, file: Path, busy: str = "wait for it", durable: bool = False) -> None:
        """`busy` is the advice that the error message gives when another process is already writing."""
        self.file, self.busy, self.durable = file, busy, durable

    def __enter__(self) -> Self:
        files.make_folder(self.file.parent)
        self._lock = files.lock_file(self.file, self.busy)
        try:
            self._stream = open_to_append(self.file)
        except OSError as error:
            self._lock.close()
            raise files.write_error(self.file, error) from None
        return self

    def __exit__(self, *error: object) -> None:
        self._stream.close()
        self._lock.close()  # last, because from now on another process may write

    def add(self, data: Mapping[str, Any]) -> None:
        """Append a line."""
        append(self._stream, self.file, data, self.durable)


def append(stream: IO[bytes], file: Path, data: Mapping[str, Any], durable: bool = False) -> None:
    """Append a complete line, or leave the file as it was."""
    # Half a surrogate pair is written as a JSON escape, so that the file is always valid UTF-8.
    line = f"{json.dumps(data, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")
    written = 0
    try:
        # One write per line: a killed process can damage only the last line, and only a full disk truncates a line.
        while written < len(line):
            written += stream.write(line[written:])
        if durable:
            os.fsync(stream.fileno())
    except OSError as error:
        if written:
            os.ftruncate(stream.fileno(), os.fstat(stream.fileno()).st_size - written)
        raise files.write_error(file, error) from None


def open_to_append(file: Path) -> IO[bytes]:
    """Open the file for appending after its last complete line; an incomplete line after that is removed."""
    stream = file.open("ab", buffering=0)
    size = end = stream.tell()
    with file.open("rb") as there:
        while end:
            start = max(end - BLOCK, 0)
            there.seek(start)
            newline = there.read(end - start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
    if end < size:
        os.ftruncate(stream.fileno(), end)
    return stream


def lines(file: Path, damaged: list[int] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the complete lines of a file, each with its offset; damaged lines are skipped, and their numbers are added
    to `damaged`."""
    if not file.exists():
        return
    at = 0
    with file.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            start, at = at, at + len(raw)
            try:
                data = json.loads(raw)
            except ValueError:
                data = None
            if isinstance(data, dict) and raw.endswith(b"\n"):
                yield start, data
            elif damaged is not None:
                damaged.append(number)

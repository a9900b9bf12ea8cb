"""Files that only grow: a JSON object in each line, each written at once, so that a process that is killed tears at most the last line.

    with Ledger(Path("calls.jsonl")) as ledger:
        ledger.add({"key": "mean/0"})
    list(lines(Path("calls.jsonl")))      # [(0, {"key": "mean/0"})]

A torn last line is as if it had not been written: readers pass over it, and whoever appends takes it away first.

Not covered: what the lines mean, and several lines that belong together.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

from sebench.base import files

BLOCK = 1 << 20  # bytes that are read at a time to find the last whole line


class Ledger:
    """A file that one process appends to. What it adds, a kill cannot take away; if `durable`, neither can a loss of power."""

    def __init__(self, file: Path, busy: str = "wait for it", durable: bool = False) -> None:
        """`busy` is what to do where another process has it."""
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
        self._lock.close()  # last: now another process may write

    def add(self, data: Mapping[str, Any]) -> None:
        """Write a line."""
        append(self._stream, self.file, data, self.durable)


def append(stream: IO[bytes], file: Path, data: Mapping[str, Any], durable: bool = False) -> None:
    """Write a line whole, or leave the file as it was."""
    # Half a surrogate pair becomes an escape, which is JSON too: the file is always UTF-8.
    line = f"{json.dumps(data, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")
    written = 0
    try:
        # One write a line: a process that is killed tears at most the last one. Only a full disk takes a part of it.
        while written < len(line):
            written += stream.write(line[written:])
        if durable:
            os.fsync(stream.fileno())
    except OSError as error:
        if written:
            os.ftruncate(stream.fileno(), os.fstat(stream.fileno()).st_size - written)
        raise files.write_error(file, error) from None


def open_to_append(file: Path) -> IO[bytes]:
    """The file, open for appending behind its last whole line."""
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


def lines(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines of a file that can be read, each with where it begins; one that was torn is as if it were not there."""
    if not file.exists():
        return
    at = 0
    with file.open("rb") as stream:
        for raw in stream:
            start, at = at, at + len(raw)
            try:
                data = json.loads(raw)
            except ValueError:
                continue
            if isinstance(data, dict) and raw.endswith(b"\n"):
                yield start, data

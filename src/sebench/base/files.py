"""Atomic writes of files and folders, and locks."""

from __future__ import annotations

import errno
import fcntl
import glob
import json
import os
import shutil
import tomllib
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from sebench.base.errors import ConfigError

LOCK = ".lock"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # errors of a full disk
RUNS = "a folder of runs"
KINDS = {  # what a folder is, by its manifest
    "world.json": "a world",
    "run.json": "a run",
    "experiment.json": "an experiment",
    "memory.json": "a memory",
    "release.json": "a release",
    "selfplay.json": "a self-play run",
    "learn.json": "a training run",
}


def write(file: Path, content: str | bytes, flag: str = "--out") -> None:
    """Write a file atomically. Unpaired surrogates in text are escaped, so that the file is always valid UTF-8. `flag`
    is the option that chose the place."""
    partial = file.with_name(f".{file.name}.partial")
    try:
        partial.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))
        partial.replace(file)
    except OSError as error:
        with suppress(OSError):
            partial.unlink()
        raise write_error(file, error, flag) from None


def write_lines(file: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Write a JSONL file, and return the number of lines."""
    text = [f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines]
    make_folder(file.parent)
    write(file, "".join(text))
    return len(text)


def write_json(file: Path, data: Mapping[str, Any]) -> None:
    """Write indented, human-readable JSON."""
    write(file, json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def read_json(file: Path) -> dict[str, Any]:
    """Return the object in a JSON file, or {} if the file cannot be read or does not contain one."""
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def read_toml(file: Path) -> dict[str, Any]:
    """Return the tables in a TOML file, or {} if the file cannot be read."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def kind_of(folder: Path) -> str:
    """Return what a folder of sebench is, such as "a run"; "" for other folders, and for those that cannot be read."""
    with suppress(OSError):
        if manifest := next((name for name in KINDS if (folder / name).is_file()), ""):
            return KINDS[manifest]
        return RUNS if any(folder.glob("*/run.json")) else ""
    return ""


def make_folder(folder: Path, flag: str = "--out") -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error, flag) from None


def lock(folder: Path) -> IO[bytes]:
    """Lock a folder that only one process may write to at a time, until the returned file is closed."""
    make_folder(folder)
    return lock_file(folder / LOCK, "wait for it, or choose another --out", folder)


def lock_file(file: Path, busy: str, named: Path | None = None, *, wait: bool = False) -> IO[bytes]:
    """Lock a file that only one process may write to at a time, until the returned file is closed. If another process
    has locked it, wait if `wait` is set; otherwise raise an error that names the path `named` and the next step
    `busy`."""
    try:
        held = file.open("ab")
    except OSError as error:
        raise write_error(named or file, error) from None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        held.close()
        raise ConfigError(f"another process is writing to {named or file}; {busy}") from None
    return held


def remove_if_only(folder: Path, *names: str) -> bool:
    """Remove a folder that contains nothing but these files and its lock; return whether it was removed."""
    if not folder.is_dir() or not {file.name for file in folder.iterdir()} <= {LOCK, *names}:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


@contextmanager
def new_folder(out: Path, flag: str = "--out") -> Iterator[Path]:
    """Yield a temporary folder next to `out`, which is renamed to `out` if the block succeeds and removed otherwise.
    Those that killed processes left there are removed first."""
    _remove_abandoned(out)
    folder = out.with_name(f".{out.name}-{uuid.uuid4().hex}")
    with ExitStack() as locks:
        try:  # around `mkdir` too: an interrupt may come just after it
            while not folder.is_dir():  # again if another process removed it before it was locked
                folder.mkdir(parents=True, exist_ok=True)
                _lock_folder(folder, locks, wait=True)
            yield folder
            folder.rename(out)
        except OSError as error:
            raise write_error(out, error, flag) from None
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(out: Path) -> None:
    """Remove the temporary folders of `out` that no process has locked."""
    for folder in out.parent.glob(f".{glob.escape(out.name)}-{'[0-9a-f]' * 32}"):
        with ExitStack() as lock:
            if not folder.is_symlink() and _lock_folder(folder, lock):
                shutil.rmtree(folder, ignore_errors=True)


def _lock_folder(folder: Path, held: ExitStack, *, wait: bool = False) -> bool:
    """Lock a folder until `held` ends, without a file in it. Return whether it could be locked."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        held.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # another process has locked it, or the file system has no locks
        return False
    return True


def write_error(path: Path, error: OSError, flag: str = "--out") -> ConfigError:
    space = "free some disk space, or " if error.errno in FULL else ""
    return ConfigError(f"{path} cannot be written: {error.strerror}; {space}choose another {flag}")

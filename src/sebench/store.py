"""A run on disk: append-only, one line a response and one a verdict, so that nothing is lost and nothing done twice.

    runs/NAME/
      run.json          what was asked: configuration, world, prompts, versions, isolation
      tasks.jsonl       the tasks of the run, so that a report needs nothing else
      rollouts.jsonl    responses, keyed by book, task, sample index and prompt digest
      verdicts.jsonl    judgements, by the same key

The same command continues a run: what is there is kept, a torn last line is owed again, a changed configuration is refused and named.
A response that the provider failed to give is a line with an error; it is owed again too. One process writes at a time.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sebench.errors import ConfigError
from sebench.records import Rollout, Verdict

FORMAT = 1
MANIFEST, TASKS, ROLLOUTS, VERDICTS = "run.json", "tasks.jsonl", "rollouts.jsonl", "verdicts.jsonl"


@dataclass(frozen=True)
class Row:
    """A response with its task and its verdict, if there is one yet."""

    task: Mapping[str, Any]
    rollout: Rollout
    verdict: Verdict | None


@dataclass(frozen=True)
class Run:
    """A run as it was written, for reading."""

    path: Path
    manifest: Mapping[str, Any]
    tasks: Mapping[str, Mapping[str, Any]]

    @classmethod
    def load(cls, path: Path) -> Run:
        manifest = _manifest(path)
        tasks = {data["id"]: data for data in _whole_lines(path / TASKS)}
        return cls(path, manifest, tasks)

    @property
    def name(self) -> str:
        return self.path.resolve().name

    def rows(self) -> Iterator[Row]:
        """Every response of the run, the last one for each key."""
        rollouts = {data["key"]: data for data in _whole_lines(self.path / ROLLOUTS)}
        verdicts = {data["key"]: data for data in _whole_lines(self.path / VERDICTS)}
        for key, data in rollouts.items():
            found = verdicts.get(key)
            rollout = Rollout.from_json(data)
            if rollout.task_id in self.tasks:
                yield Row(self.tasks[rollout.task_id], rollout, Verdict.from_json(found) if found else None)


class Writer:
    """A run that is being written."""

    def __init__(self, path: Path, manifest: Mapping[str, Any], tasks: list[dict[str, Any]]) -> None:
        """Begin the run, or continue it if it was begun with the same configuration."""
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock: IO[bytes] = (path / ".lock").open("ab")
        except OSError as error:
            raise ConfigError(f"{path} cannot be written: {error.strerror}; choose another --out") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise ConfigError(f"another process is writing to {path}; wait for it, or choose another --out") from None
        try:
            self._begin(manifest, tasks)
            self.responses = {d["key"]: Rollout.from_json(d) for d in _whole_lines(path / ROLLOUTS) if not d["error"]}
            self.judged = {d["key"] for d in _whole_lines(path / VERDICTS)} & self.responses.keys()
            self._files = {name: _appending(path / name) for name in (ROLLOUTS, VERDICTS)}
        except BaseException:
            self._lock.close()
            raise

    def _begin(self, manifest: Mapping[str, Any], tasks: list[dict[str, Any]]) -> None:
        if (self.path / MANIFEST).exists():
            there = _manifest(self.path)
            for part in ("config", "world", "prompts"):
                for key in sorted(there[part].keys() | manifest[part].keys()):
                    was, now = there[part].get(key), manifest[part].get(key)
                    if was != now:
                        raise ConfigError(
                            f"{self.path} was begun with {part}.{key} = {was!r}, now it is {now!r}; "
                            "choose another --out, or run with the same settings"
                        )
            return
        _replace(self.path / TASKS, "".join(f"{json.dumps(task, ensure_ascii=False)}\n" for task in tasks))
        _replace(self.path / MANIFEST, f"{json.dumps({'format': FORMAT, **manifest}, indent=1, ensure_ascii=False)}\n")

    def add_rollout(self, rollout: Rollout) -> None:
        self._append(ROLLOUTS, rollout.to_json())

    def add_verdict(self, rollout: Rollout, verdict: Verdict) -> None:
        self._append(VERDICTS, {"key": rollout.key, **verdict.to_json()})

    def _append(self, name: str, data: dict[str, Any]) -> None:
        try:
            # One write a line: a process that is killed tears at most the last one.
            self._files[name].write(f"{json.dumps(data, ensure_ascii=False)}\n".encode("utf-8", "surrogatepass"))
        except OSError as error:
            raise ConfigError(
                f"{self.path / name} cannot be written: {error.strerror}; the same command continues"
            ) from None

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._lock.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _appending(file: Path) -> IO[bytes]:
    """The file, open for appending behind its last whole line."""
    stream = file.open("ab", buffering=0)
    size = stream.tell()
    if size:
        with file.open("rb") as there:
            there.seek(max(size - (1 << 20), 0))
            tail = there.read()
        torn = len(tail) - (tail.rfind(b"\n") + 1)
        if torn:
            os.ftruncate(stream.fileno(), size - torn)
    return stream


def _whole_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file that can be read; one that was torn is as if it were not there."""
    if not file.exists():
        return
    with file.open("rb") as stream:
        for raw in stream:
            try:
                data = json.loads(raw.decode("utf-8", "surrogatepass"))
            except ValueError:
                continue
            if isinstance(data, dict) and raw.endswith(b"\n"):
                yield data


def _replace(file: Path, text: str) -> None:
    partial = file.with_name(f".{file.name}.partial")
    partial.write_text(text, "utf-8")
    partial.replace(file)


def _manifest(path: Path) -> dict[str, Any]:
    file = path / MANIFEST
    if not file.is_file():
        raise ConfigError(f"{path} is no run: it has no {MANIFEST}; make one with 'sebench run'")
    try:
        data: dict[str, Any] = json.loads(file.read_text("utf-8"))
        found = data["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"run {path} is damaged: {MANIFEST} cannot be read ({error})") from None
    if found != FORMAT:
        raise ConfigError(f"run {path} has format {found}, this sebench reads format {FORMAT}; run it again")
    return data

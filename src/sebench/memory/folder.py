"""A memory on disk: what was learned about one world, as text, with a log of how it was learned.

    memories/NAME/
      memory.json      method, settings, world, writer, regime, cost, digests of snapshot and log, and its own checksum
      log.jsonl        every event of the study, in order; append-only
      snapshot.json    the input of recall: a kind of memory (`recall.py`) and its data
      calls.jsonl      cached replies of the writing model, if there is one

The same command resumes an interrupted study, even after kill -9: events are written line by line, and the snapshot is
written atomically. Different settings in the same folder are refused, and the error names them. Only one process can
write at a time. A memory cannot be used if it is unfinished, or if its manifest, snapshot or log was changed
afterwards.

Not covered: the meaning of the events (see the methods), changing a finished memory, and edits by someone who also
recomputes the checksum.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.ledger import Ledger, lines
from sebench.memory.kinds import tokens
from sebench.models.calls import Spent

FORMAT = 1
MANIFEST, LOG, SNAPSHOT, CALLS = "memory.json", "log.jsonl", "snapshot.json", "calls.jsonl"
RECREATE = "recreate the memory in a new folder"
MEMORY, RETRIEVAL = REGIMES = ("memory", "retrieval")  # text by a model; the benchmark's own pages and answers


@dataclass(frozen=True)
class About:
    """Everything that identifies a study before it starts. A study resumes only with the same values."""

    method: str
    world: str  # fingerprint
    regime: str = RETRIEVAL
    writer: str = ""  # the model that studied; "" if no model did
    study_book: str = ""  # "open" or "closed": whether the writer saw the documentation
    study_gold: bool = False  # whether the writer saw gold (reference) solutions
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """The part of a memory that recall reads."""

    kind: str
    data: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """Return the content of the snapshot file."""
        return f"{json.dumps({'kind': self.kind, 'data': self.data}, indent=1, ensure_ascii=False)}\n"

    @property
    def digest(self) -> str:
        return sha256(self.text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True)
class Memory:
    """A memory on disk, for reading."""

    path: Path
    about: About
    cost: Spent  # by the model that studied
    digest: str  # of the snapshot file; "" if there is none yet
    finished: bool
    log_digest: str = ""  # of the log file; only for a finished study

    @classmethod
    def load(cls, path: Path) -> Memory:
        """Load the memory in a folder. Its snapshot is read only when needed."""
        if not (path / MANIFEST).is_file():
            raise ConfigError(
                f"{path} is not a memory folder: it has no {MANIFEST}; create a memory with 'sebench memory'"
            )
        data = resume.read(path / MANIFEST, RECREATE)
        if data.get("format") != FORMAT:
            raise ConfigError(
                f"memory {path} has format {data.get('format')}, but this version needs {FORMAT}; recreate it with "
                "'sebench memory'"
            )
        try:
            about = About(**{f.name: data["about"][f.name] for f in fields(About)})
            memory = cls(path, about, Spent(**data["taken"]), data["digest"], data["finished"], data["log_digest"])
            seal = data["seal"]
        except (KeyError, TypeError) as error:
            raise ConfigError(
                f"memory {path} is damaged: {MANIFEST} cannot be read ({error!r}); recreate it in a new folder with "
                "'sebench memory'"
            ) from None
        if seal != _seal(data):
            raise ConfigError(
                f"memory {path} is damaged: {MANIFEST} was edited; recreate it in a new folder with 'sebench memory'"
            )
        return memory

    @cached_property
    def snapshot(self) -> Snapshot:
        """The part that recall reads. Raises an error if the study is unfinished, or if a file was changed after the
        study."""
        if not self.finished:
            raise ConfigError(
                f"memory {self.path} is not finished; run its 'sebench memory' command again to resume it"
            )
        if _digest_of(self.path / LOG) != self.log_digest:
            raise ConfigError(
                f"memory {self.path} is damaged: {LOG} was changed after the study; recreate it in a new folder"
            )
        data = resume.read(self.path / SNAPSHOT, RECREATE)
        snapshot = Snapshot(str(data.get("kind")), data.get("data", {}))
        if snapshot.digest != self.digest:
            raise ConfigError(
                f"memory {self.path} is damaged: {SNAPSHOT} was changed after the study; recreate it in a new folder"
            )
        return snapshot

    @property
    def size_tokens(self) -> int:
        """The approximate size of the whole memory in tokens, even if a prompt shows only a small part of it."""
        return sum(map(tokens, self.texts))

    @property
    def texts(self) -> list[str]:
        """The texts that prompts may show."""
        return _texts(self.snapshot.data)

    def facts(self) -> dict[str, Any]:
        """Return what the manifest of a run records about this memory."""
        about = {key: value for key, value in asdict(self.about).items() if key != "world"}
        own = {"kind": self.snapshot.kind, "digest": self.digest, "size_tokens": self.size_tokens}
        return {**about, **own, "study": asdict(self.cost)}


def read_resumable(path: Path, about: About) -> Memory | None:
    """Return the memory in a folder that a study resumes; None if there is nothing to resume. Raise an error if the
    memory there is of another study."""
    if not (path / MANIFEST).exists():
        if (path / LOG).exists():
            raise ConfigError(
                f"{path} has a {LOG} but no {MANIFEST}, so it may belong to another study; choose another --out"
            )
        return None
    there = Memory.load(path)
    if not there.digest and not any(lines(path / LOG)):  # nothing to lose: settings may change
        return None
    resume.refuse_changes(path, _comparable(there.about), _comparable(about))
    return there


class MemoryWriter:
    """A memory that is being written."""

    memory: Memory  # as it is on disk
    events: list[dict[str, Any]]  # everything done so far, including by earlier processes

    def __init__(self, path: Path, about: About) -> None:
        """Start a study, or resume one that was started with the same settings."""
        self.path, self.about = path, about

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            resources.enter_context(files.lock(self.path))  # released last: no other process may write before
            self._begin()
            self.events = [data for _, data in lines(self.path / LOG)]
            self._log = resources.enter_context(Ledger(self.path / LOG))
            self._resources = resources.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._resources.close()

    def log(self, **event: Any) -> None:
        """Append an event. Once this returns, the event survives even if the process is killed."""
        self._log.add(event)
        self.events.append(event)

    def save(self, snapshot: Snapshot, cost: Spent | None = None, *, finished: bool = False) -> Memory:
        """Write the snapshot. `finished` ends the study."""
        files.write(self.path / SNAPSHOT, snapshot.text)
        self._write(
            cost=cost or Spent(),
            digest=snapshot.digest,
            finished=finished,
            log_digest=_digest_of(self.path / LOG) if finished else "",
        )
        return self.memory

    def _begin(self) -> None:
        there = read_resumable(self.path, self.about)
        self.memory = there or Memory(self.path, self.about, Spent(), "", finished=False)
        if there is None:
            self._write()

    def _write(self, **changes: Any) -> None:
        memory = self.memory = replace(self.memory, **changes)
        data = {"format": FORMAT, "about": asdict(memory.about), "taken": asdict(memory.cost)}
        data |= {"digest": memory.digest, "log_digest": memory.log_digest, "finished": memory.finished}
        data["seal"] = _seal(data)
        files.write(self.path / MANIFEST, f"{json.dumps(data, indent=1, ensure_ascii=False)}\n")


def _seal(data: Mapping[str, Any]) -> str:
    """Return a digest of the manifest."""
    text = json.dumps({key: value for key, value in data.items() if key != "seal"}, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def _digest_of(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else ""


def _comparable(about: About) -> dict[str, Any]:
    """Return the settings as a flat dict, for comparison. The first ones explain differences in the others."""
    data = asdict(about)
    return {"method": about.method, "world": about.world, **data.pop("settings"), **data}


def _texts(data: Any) -> list[str]:
    """Return all texts that a prompt may show: the values of `text` and `preface`, at any depth."""
    if isinstance(data, Mapping):
        own = [value for key, value in data.items() if key in ("text", "preface") and isinstance(value, str)]
        return own + [text for value in data.values() for text in _texts(value)]
    return [text for value in data for text in _texts(value)] if isinstance(data, list) else []

"""A memory on disk: what was learned about one world, as text, and how.

    memories/NAME/
      memory.json      method, settings, world, writer, regime, cost of the study, digests of snapshot and log, a seal
      log.jsonl        every event of the study, in order; append-only
      snapshot.json    what recall reads: a kind (`recall.py`) and its data
      calls.jsonl      cached replies of the writing model, if there is one

The same study continues where it was interrupted, even after kill -9: events are written line by line, and the snapshot
appears whole. Other settings in the same folder are refused and named. One process writes at a time. An unfinished
memory cannot be used, nor one whose manifest, snapshot or log was changed afterwards.

Not covered: the meaning of the events (see the methods), changing a finished memory, and forged seals.
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

FORMAT = 1
MANIFEST, LOG, SNAPSHOT, CALLS = "memory.json", "log.jsonl", "snapshot.json", "calls.jsonl"
MEMORY, RETRIEVAL = REGIMES = ("memory", "retrieval")  # written by a model; the author's own pages and answers


@dataclass(frozen=True)
class About:
    """What is known about a memory before the study: a study continues only with the same values."""

    method: str
    world: str  # fingerprint
    regime: str = RETRIEVAL
    writer: str = ""  # the model that studied; "" where no model did
    study_book: str = ""  # "open" or "closed": what the writer saw while it studied
    study_gold: bool = False  # whether gold solutions went in
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StudyCost:
    """What a study cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Snapshot:
    """What recall reads."""

    kind: str
    data: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The content of its file."""
        return f"{json.dumps({'kind': self.kind, 'data': self.data}, indent=1, ensure_ascii=False)}\n"

    @property
    def digest(self) -> str:
        return sha256(self.text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


@dataclass(frozen=True)
class Memory:
    """A memory on disk, for reading."""

    path: Path
    about: About
    cost: StudyCost
    digest: str  # of the snapshot; "" if there is none yet
    finished: bool
    log_digest: str = ""  # of the log of a finished study

    @classmethod
    def load(cls, path: Path) -> Memory:
        """The memory in a folder; its snapshot is read lazily."""
        if not (path / MANIFEST).is_file():
            raise ConfigError(
                f"{path} is not the folder of a memory: it has no {MANIFEST}; make one with 'sebench memory'"
            )
        data = _read(path, MANIFEST)
        if data.get("format") != FORMAT:
            raise ConfigError(
                f"memory {path} has format {data.get('format')}, this sebench reads format {FORMAT}; study it again"
            )
        try:
            about = About(**{f.name: data["about"][f.name] for f in fields(About)})
            memory = cls(path, about, StudyCost(**data["taken"]), data["digest"], data["finished"], data["log_digest"])
            seal = data["seal"]
        except (KeyError, TypeError) as error:
            raise ConfigError(f"memory {path} is damaged: {MANIFEST} lacks {error}; study it again elsewhere") from None
        if seal != _seal(data):
            raise ConfigError(f"memory {path} is damaged: {MANIFEST} was changed by hand; study it again elsewhere")
        return memory

    @cached_property
    def snapshot(self) -> Snapshot:
        """What recall reads; an error if the study is not finished, or the file is not what the study wrote."""
        if not self.finished:
            raise ConfigError(f"memory {self.path} is not finished; the 'sebench memory' that began it continues it")
        if _digest_of(self.path / LOG) != self.log_digest:
            raise ConfigError(
                f"memory {self.path} is damaged: {LOG} was changed after the study; study it again elsewhere"
            )
        data = _read(self.path, SNAPSHOT)
        snapshot = Snapshot(str(data.get("kind")), data.get("data", {}))
        if snapshot.digest != self.digest:
            raise ConfigError(
                f"memory {self.path} is damaged: {SNAPSHOT} was changed after the study; study it again elsewhere"
            )
        return snapshot

    @property
    def size_tokens(self) -> int:
        """The approximate size of the whole memory in tokens, however little of it a prompt shows."""
        return sum(map(tokens, self.texts))

    @property
    def texts(self) -> list[str]:
        """The texts that prompts may show."""
        return _texts(self.snapshot.data)

    def facts(self) -> dict[str, Any]:
        """What the manifest of a run records about it."""
        about = {key: value for key, value in asdict(self.about).items() if key != "world"}
        own = {"kind": self.snapshot.kind, "digest": self.digest, "size_tokens": self.size_tokens}
        return {**about, **own, "study": asdict(self.cost)}


class MemoryWriter:
    """A memory that is being written."""

    memory: Memory  # as it is on disk
    events: list[dict[str, Any]]  # what was done so far, before the process began too

    def __init__(self, path: Path, about: About) -> None:
        """Start a study, or continue one that was started with the same settings."""
        self.path, self.about = path, about

    def __enter__(self) -> Self:
        with ExitStack() as resources:
            resources.enter_context(files.lock(self.path))  # closed last: then another process may write
            self._begin()
            self.events = [data for _, data in lines(self.path / LOG)]
            self._log = resources.enter_context(Ledger(self.path / LOG))
            self._resources = resources.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._resources.close()

    def log(self, **event: Any) -> None:
        """Add an event; once this returns, a kill cannot lose it."""
        self._log.add(event)
        self.events.append(event)

    def save(self, snapshot: Snapshot, cost: StudyCost | None = None, *, finished: bool = False) -> Memory:
        """Write what recall reads; `finished` ends the study."""
        files.write(self.path / SNAPSHOT, snapshot.text)
        self._write(
            cost=cost or StudyCost(),
            digest=snapshot.digest,
            finished=finished,
            log_digest=_digest_of(self.path / LOG) if finished else "",
        )
        return self.memory

    def _begin(self) -> None:
        if not (self.path / MANIFEST).exists():
            if (self.path / LOG).exists():
                raise ConfigError(
                    f"{self.path} has a {LOG} but no {MANIFEST}, so it may belong to another study; choose another "
                    "--out"
                )
            self.memory = Memory(self.path, self.about, StudyCost(), "", finished=False)
            self._write()
            return
        self.memory = Memory.load(self.path)
        if not self.memory.digest and not any(lines(self.path / LOG)):  # nothing to lose: a mistake can be corrected
            self._write(about=self.about)
        resume.refuse_changes(self.path, _comparable(self.memory.about), _comparable(self.about))

    def _write(self, **changes: Any) -> None:
        memory = self.memory = replace(self.memory, **changes)
        data = {"format": FORMAT, "about": asdict(memory.about), "taken": asdict(memory.cost)}
        data |= {"digest": memory.digest, "log_digest": memory.log_digest, "finished": memory.finished}
        data["seal"] = _seal(data)
        files.write(self.path / MANIFEST, f"{json.dumps(data, indent=1, ensure_ascii=False)}\n")


def _seal(data: Mapping[str, Any]) -> str:
    """A digest of the manifest."""
    text = json.dumps({key: value for key, value in data.items() if key != "seal"}, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:16]


def _digest_of(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else ""


def _comparable(about: About) -> dict[str, Any]:
    """The settings one by one."""
    data = asdict(about)
    return {**data.pop("settings"), **data}


def _read(path: Path, name: str) -> dict[str, Any]:
    """The content of a JSON file of a memory."""
    try:
        data = json.loads((path / name).read_text("utf-8"))
        if not isinstance(data, dict):
            raise ValueError("it is not a JSON object")
    except (OSError, ValueError) as error:
        raise ConfigError(f"memory {path} is damaged: {name} cannot be read ({error!r}); study again") from None
    return data


def _texts(data: Any) -> list[str]:
    """The texts that a prompt may show: `text` and `preface`, at any depth."""
    if isinstance(data, Mapping):
        own = [value for key, value in data.items() if key in ("text", "preface") and isinstance(value, str)]
        return own + [text for value in data.values() for text in _texts(value)]
    return [text for value in data for text in _texts(value)] if isinstance(data, list) else []

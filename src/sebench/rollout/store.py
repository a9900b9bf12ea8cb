"""A run on disk: append-only files with one line per response and one per verdict, so that nothing is lost or done
twice.

    runs/NAME/
      run.json          settings, world, prompts, versions, isolation, times
      tasks.jsonl       the tasks of the run, so that a report needs nothing else
      prompts.jsonl     the exact prompts by digest
      rollouts.jsonl    responses, keyed by book, task, sample index and prompt digest
      verdicts.jsonl    judgements, by the same key
      steps.jsonl       every request of answers that take several, by the answer's key; only if there are such answers

Repeating the command resumes a run: finished work is kept, and an incomplete last line is redone. A larger
configuration (more samples, more tasks, another split or book) extends the run; any other change is refused with an
error that names it. If the provider returned no response, the line records the error, and the response is requested
again. A run that fails before its first response leaves no folder. Only one process may write at a time.

Not covered: removing responses from a run, and two runs in one folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import IO, Any

from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.ledger import append, lines, open_to_append
from sebench.base.records import Blame, Kind, Rollout, Verdict
from sebench.base.wording import counted, describe_error, did_you_mean, shell

FORMAT = 1
MANIFEST, TASKS, PROMPTS = "run.json", "tasks.jsonl", "prompts.jsonl"
ROLLOUTS, VERDICTS, STEPS = "rollouts.jsonl", "verdicts.jsonl", "steps.jsonl"
DAMAGED = "delete this folder and run it again, or choose another --out"
PARTS = ("config", "world", "prompts")  # parts of the manifest: a run resumes only with the same values
COMPARED = (*PARTS, "memory")
EXTENDING = ("samples", "limit", "split", "book")  # settings: a run may be resumed with larger values
LONGEST_PROMPT = 100_000  # characters; storing a whole library with each of a thousand prompts would fill the disk


@dataclass(frozen=True)
class Row:
    """A response with its task, and its verdict if it has one yet."""

    task: Mapping[str, Any]
    rollout: Rollout
    verdict: Verdict | None


@dataclass(frozen=True)
class RunManifest:
    """What a run records about itself. It resumes only with the same `config`, `world` and `prompts`; the rest is for
    information."""

    config: Mapping[str, Any]  # settings that determine the result
    world: Mapping[str, Any]  # fingerprint, seed, package, part, tasks; the number of a new edition
    prompts: Mapping[str, Any]  # digest of the templates; empty for imported rollouts
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: str = ""
    isolation_missing: Sequence[str] = ()  # sandbox layers that were not in force
    base_urls: Sequence[str] = ()  # without credentials
    served_model: str = ""  # the endpoint's name for the model
    started: str = ""  # ISO 8601, UTC
    ended: str = ""
    responses: int = 0  # expected number of imported responses; 0 in other runs: tasks x books x samples
    scoring: int = 1  # version of the rules that scored it (`judge/program/rules.py`)
    # The memory put before the closed prompt: method, digest, sizes, study.
    memory: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)  # of weights in a folder: method and tokens

    def regime(self, book: str) -> str:
        """Return the regime, that is, what the model could use: only its "weights", a "memory", "retrieval" or "oracle"
        (the open book); with self-repair, "interpreter", combined with the others. "" for the native book."""
        if book == "open":
            regime = "retrieval" if self.config.get("retrieve") else "oracle"
        else:
            regime = str(self.memory.get("regime", "weights")) if book == "closed" else ""
        if not self.config.get("repair") or not regime:
            return regime
        return "interpreter" if regime == "weights" else f"interpreter + {regime}"

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunManifest:
        """Read a manifest; fields that a later version may have added are ignored."""
        return cls(**{f.name: data[f.name] for f in fields(cls) if f.name in data})

    def to_json(self) -> dict[str, Any]:
        absent = {name for name in ("memory", "training", "responses") if not getattr(self, name)}
        return {"format": FORMAT, **{name: value for name, value in asdict(self).items() if name not in absent}}


@dataclass(frozen=True)
class Run:
    """A run on disk, for reading."""

    path: Path
    manifest: RunManifest
    tasks: Mapping[str, Mapping[str, Any]]

    @classmethod
    def load(cls, path: Path) -> Run:
        manifest = _manifest(path)
        tasks = {data["id"]: data for _, data in lines(path / TASKS)}
        return cls(path, manifest, tasks)

    @classmethod
    def load_all(cls, path: Path) -> list[Run]:
        """Return the run in a folder, or the runs in the folder of a run on several worlds."""
        return [cls.load(one) for one in run_folders(path)]

    @property
    def name(self) -> str:
        return self.path.resolve().name

    def prompts(self) -> Iterator[tuple[str, str]]:
        """Yield the digest and text of each stored prompt; all of them together may not fit into memory."""
        yield from ((data["digest"], data["text"]) for _, data in lines(self.path / PROMPTS))

    def rows(self) -> Iterator[Row]:
        """Yield the last response for each sample, even if its prompt has changed since (in another version of
        sebench)."""
        rollouts = {(d["book"], d["task_id"], d["sample_index"]): d for _, d in lines(self.path / ROLLOUTS)}
        verdicts = {data["key"]: data for _, data in lines(self.path / VERDICTS)}
        for data in rollouts.values():
            verdict_line = verdicts.get(data["key"])
            rollout = Rollout.from_json(data)
            verdict = Verdict.from_json(verdict_line) if verdict_line else None
            if rollout.error:
                verdict = Verdict(Kind.FAULT, Blame.PROVIDER, detail=rollout.error)
            if rollout.task_id in self.tasks:
                yield Row(self.tasks[rollout.task_id], rollout, verdict)


@dataclass(frozen=True)
class FinishedWork:
    """The responses and verdicts that a run already has."""

    # The offset of the response to each key; all responses together may not fit into memory.
    answered: Mapping[str, int]
    judged: frozenset[str]
    prompts: frozenset[str]
    damaged: Sequence[int] = ()  # numbers of the lines with responses that cannot be read


def finished_work(path: Path) -> FinishedWork:
    """Return the finished work in a run folder. Responses that failed (the provider's fault) and verdicts that failed
    (the sandbox's) do not count, and are retried."""
    damaged: list[int] = []
    answered = {data["key"]: at for at, data in lines(path / ROLLOUTS, damaged) if not data["error"]}
    judged = {data["key"] for _, data in lines(path / VERDICTS) if data["blame"] != Blame.SANDBOX}
    prompts = frozenset(data["digest"] for _, data in lines(path / PROMPTS))
    return FinishedWork(answered, frozenset(judged & answered.keys()), prompts, damaged)


def has_responses(path: Path) -> bool:
    """Whether a run folder has a response, or a request of an unfinished answer."""
    return any(not data["error"] for name in (ROLLOUTS, STEPS) for _, data in lines(path / name))


def remove_if_empty(path: Path) -> bool:
    """Remove the folder of a run that never got a response, and return whether it was removed."""
    return not has_responses(path) and files.remove_if_only(path, MANIFEST, TASKS, PROMPTS, ROLLOUTS, VERDICTS, STEPS)


def read_resumable(path: Path, manifest: RunManifest, parts: Sequence[str] = COMPARED) -> RunManifest | None:
    """Return the manifest of the run in a folder that a run with this manifest resumes; None if there is nothing to
    resume. Raise an error if the run there differs in one of the `parts`."""
    if not (path / MANIFEST).exists():
        if (path / ROLLOUTS).exists():
            raise ConfigError(
                f"{path} has responses but no {MANIFEST}, so they may belong to another run; choose another --out"
            )
        return None
    there = _manifest(path)
    # Without responses, the folder may be reused, e.g. after a mistyped model name. Requests of unfinished answers do
    # count, because another model must not continue with them.
    if not has_responses(path):
        return None
    before, now = ({part: _comparable(one)[part] for part in parts} for one in (there, manifest))
    resume.refuse_changes(path, before, now, allowed=_extends)
    if there.scoring != manifest.scoring and finished_work(path).judged:
        raise ConfigError(
            f"{path} was judged under scoring rules {there.scoring}, but this version of sebench uses rules "
            f"{manifest.scoring}; run 'sebench rescore {shell(path)}' to judge it again, then repeat the command"
        )
    return there


class RunWriter:
    """A run that is being written."""

    def __init__(self, path: Path, manifest: RunManifest, tasks: list[dict[str, Any]]) -> None:
        """Start the run, or resume it if it was started with the same configuration."""
        self.path = path
        self._files: dict[str, IO[bytes]] = {}
        self._lock = files.lock(path)
        self._ended_before, self._has_new = "", False
        try:
            self._begin(manifest, tasks)
            for name in (PROMPTS, ROLLOUTS, VERDICTS):
                self._files[name] = open_to_append(path / name)
            self._files["there"] = self._there = (path / ROLLOUTS).open("rb")
            there = finished_work(path)
            self.answered, self.judged, self._prompts = there.answered, there.judged, set(there.prompts)
            if there.damaged:
                first, more = there.damaged[0], len(there.damaged) - 1
                like = f" (like {counted(more, 'further line')})" if more else ""
                print(f"note: {path / ROLLOUTS}: line {first}{like} cannot be read and is left out", file=sys.stderr)
            self._steps = _owed_steps(path, self.answered)
        except OSError as error:
            self.close()
            raise files.write_error(path, error) from None
        except BaseException:
            self.close()
            raise

    def _begin(self, manifest: RunManifest, tasks: list[dict[str, Any]]) -> None:
        there = read_resumable(self.path, manifest)
        if there is None:
            self._write(manifest, tasks)
            return
        known = {data["id"]: data for _, data in lines(self.path / TASKS)}
        everything = known | {data["id"]: data for data in tasks if data["id"] not in known}
        missing = [
            *there.isolation_missing,
            *(m for m in manifest.isolation_missing if m not in there.isolation_missing),
        ]
        self._ended_before = there.ended
        more = max(there.responses, manifest.responses)
        now = replace(there, config=manifest.config, isolation_missing=missing, responses=more, ended="")
        now = replace(now, scoring=manifest.scoring)
        now = replace(now, memory=manifest.memory)  # the same memory, but its token counts now cover all tasks
        self._write(now, list(everything.values()))

    def _write(self, manifest: RunManifest, tasks: list[dict[str, Any]]) -> None:
        self._write_manifest(manifest)  # first: by this file, the folder is known as a run
        files.write_lines(self.path / TASKS, tasks)

    def _write_manifest(self, manifest: RunManifest) -> None:
        text = json.dumps(manifest.to_json(), indent=1, ensure_ascii=False)
        files.write(self.path / MANIFEST, f"{text}\n")

    def note(self, **facts: Any) -> None:
        """Add facts to the manifest that become known only during the run."""
        self._write_manifest(replace(_manifest(self.path), **facts))

    def note_end(self, now: str) -> None:
        """Record when the run ended: now, or when it ended before if no response has been added since."""
        self.note(ended=now if self._has_new or not self._ended_before else self._ended_before)

    def response(self, key: str) -> Rollout:
        """Return a response that was stored when the run was opened."""
        self._there.seek(self.answered[key])
        return Rollout.from_json(json.loads(self._there.readline()))

    def add_prompt(self, digest: str, text: str) -> None:
        """Store a prompt, unless it is stored already."""
        if digest not in self._prompts and len(text) <= LONGEST_PROMPT:
            self._prompts.add(digest)
            self._append(PROMPTS, {"digest": digest, "text": text})

    def add_rollout(self, rollout: Rollout) -> None:
        self._has_new = True
        self._append(ROLLOUTS, rollout.to_json())

    def add_step(self, key: str, number: int, step: Rollout) -> None:
        """Store one request of an answer that takes several; `key` is the key of the answer."""
        if STEPS not in self._files:
            self._files[STEPS] = open_to_append(self.path / STEPS)
        self._append(STEPS, {**step.to_json(), "key": key, "step": number})

    def step(self, key: str, number: int, prompt_digest: str) -> Rollout | None:
        """Return a stored request of an interrupted answer, or None."""
        return self._steps.get((key, number, prompt_digest))

    def add_verdict(self, rollout: Rollout, verdict: Verdict) -> None:
        self._append(VERDICTS, {"key": rollout.key, **verdict.to_json()})

    def _append(self, name: str, data: dict[str, Any]) -> None:
        append(self._files[name], self.path / name, data)

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._lock.close()  # last, because from now on another process may write

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None:
            remove_if_empty(self.path)
        self.close()


def _comparable(manifest: RunManifest) -> dict[str, Any]:
    """Return the part of a manifest that must stay the same, without the token counts of a memory, which depend on the
    tasks."""
    memory = {key: value for key, value in manifest.memory.items() if key not in ("mean_tokens", "most_tokens")}
    recorded_later = ("part", "edition")  # not by older runs
    world = {key: value for key, value in manifest.world.items() if key not in recorded_later}
    return {**{part: getattr(manifest, part) for part in PARTS}, "world": world, "memory": memory}


def _owed_steps(path: Path, answered: Mapping[str, int]) -> dict[tuple[str, int, str], Rollout]:
    """Return the stored requests of answers that were interrupted."""
    steps = {}
    for _, data in lines(path / STEPS):
        if data["key"] not in answered and not data["error"]:
            number = data.pop("step")
            steps[data["key"], number, data["prompt_digest"]] = Rollout.from_json(data)
    return steps


def _extends(key: str, was: Any, now: Any) -> bool:
    """Whether the new value of a setting includes everything in the old one."""
    if key in ("config.samples", "config.limit"):  # a limit of 0 means no limit
        return bool(was and now is not None and (now > was or (key == "config.limit" and not now)))
    return key in ("config.split", "config.book") and set(was or ()) <= set(now or ())  # in any order


def run_folders(path: Path) -> list[Path]:
    """Return the run folders: the folder itself if it is one, or those in it for a run on several worlds. If there are
    none, return the folder itself."""
    if (path / MANIFEST).is_file():
        return [path]
    return [one for one in sorted(path.glob("*")) if (one / MANIFEST).is_file()] or [path]


def _instead(path: Path) -> str:
    """Return what to give instead of a path that is not a run folder."""
    inside = {
        "a release": f"it is a release: unpack its runs with 'sebench verify {shell(path)} --unpack FOLDER'",
        "an experiment": "it is an experiment: see its comparison.html, or give runs in it (WORLD/METHOD/run)",
        "a self-play run": "it is a self-play run: see its report.md, or give runs in it (round-1/evaluate)",
    }
    if step := inside.get(files.kind_of(path)):
        return step
    if (path.parent / MANIFEST).is_file():
        return f"give the folder {path.parent}"
    beside = (file.parent for file in path.parent.glob(f"*/{MANIFEST}"))
    return did_you_mean(path, beside, "create a run with 'sebench run'")


def _manifest(path: Path) -> RunManifest:
    file = path / MANIFEST
    if not file.is_file():
        raise ConfigError(f"{path} is not a run folder: it has no {MANIFEST}; {_instead(path)}")
    try:
        data: dict[str, Any] = json.loads(file.read_text("utf-8"))
        format = data["format"]
        if format == FORMAT and not all(isinstance(data[part], dict) for part in PARTS):
            raise ValueError(f"one of {', '.join(PARTS)} is not an object")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ConfigError(
            f"run {path} is damaged: {MANIFEST} cannot be read ({describe_error(error)}); {DAMAGED}"
        ) from None
    if format != FORMAT:
        raise ConfigError(
            f"run {path} has format {format}, but this version of sebench reads format {FORMAT}; run it again in "
            "another folder"
        )
    return RunManifest.from_json(data)

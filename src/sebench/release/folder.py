"""A release on disk.

    NAME/
      release.json         what was run, with which settings and versions, on which worlds, and how those are built
      answers.jsonl.xz     every response with its verdict
      tasks.jsonl.xz       what a report needs to know of the tasks; questions and gold answers come with the world
      files.jsonl.xz       of an experiment: settings, logs and probes of the trainings
      report.json, .md     what came out (comparison.json, .md of an experiment)
      README.md            what it is, and the command that checks it
      SHA256SUMS           of all other files, as `sha256sum -c` reads it

`unpack` makes ordinary folders of runs again, so that whatever reads a run reads a release. What comes from others is not trusted: every
file must have its sum and be an ordinary one, a name must stay below the folder, what is packed must not be larger than `MOST_BYTES`, and
what is read has the types that it should have.

Not covered: who made a release. A sum says that nothing was changed since; `sebench verify` says whether the verdicts are right.
"""

from __future__ import annotations

import json
import lzma
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from types import NoneType
from typing import Any

from sebench import files, store
from sebench.errors import ConfigError
from sebench.records import Blame, Kind, Rollout, Verdict

FORMAT = 1
MANIFEST, SUMS, README = "release.json", "SHA256SUMS", "README.md"
ANSWERS, TASKS, FILES = "answers.jsonl.xz", "tasks.jsonl.xz", "files.jsonl.xz"
RUN, EXPERIMENT = "run", "experiment"
MOST_BYTES = 1 << 30  # of a file that is unpacked: a small one may claim to hold anything
LONGEST_LINE = 64 << 20  # of it
SUM = re.compile(r"([0-9a-f]{64})  (.+)")
DATE = re.compile(r"(\d{4}-\d\d-\d\d)?")
OF_VERDICTS = ("kind", "blame", "case", "detail", "functions", "numpy_passed", "targeted", "uncredited", "invented")
# What JSON may have where a field is annotated so.
TYPES: Mapping[Any, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "int | None": (int, NoneType),
    "bool | None": (bool, NoneType),
    "tuple[str, ...]": list,
    "tuple[str, ...] | None": (list, NoneType),
    "Mapping[str, Any]": dict,
    "Mapping[str, Any] | None": (dict, NoneType),
}


@dataclass(frozen=True)
class ReleasedWorld:
    """A world that runs of the release were made on."""

    name: str
    fingerprint: str
    seed: int
    sebench: str  # that built it
    numpy: str
    recipe: Mapping[str, Any] | None  # how it is built again; None where that needs more than a seed


@dataclass(frozen=True)
class ReleasedRun:
    """A run of the release."""

    folder: str  # below the release, when it is unpacked
    world: str  # fingerprint
    model: str
    regime: str  # how the model learnt the library; "" where that is not known
    date: str
    answers: int
    training_tokens: int | None
    manifest: Mapping[str, Any]  # its run.json


@dataclass(frozen=True)
class Release:
    """What `release.json` says."""

    path: Path
    kind: str  # "run" or "experiment"
    name: str
    sebench: str  # that made the release
    worlds: Sequence[ReleasedWorld]
    runs: Sequence[ReleasedRun]

    def to_json(self) -> dict[str, Any]:
        data = {key: value for key, value in asdict(self).items() if key != "path"}
        return {"format": FORMAT, **data}

    def world(self, fingerprint: str) -> ReleasedWorld:
        return next(world for world in self.worlds if world.fingerprint == fingerprint)


def is_release(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def read(path: Path) -> Release:
    """A release whose files are all there, and as they were made."""
    if not is_release(path):
        raise ConfigError(
            f"{path} is not a release: it has no {MANIFEST}; make one with 'sebench release RUN --out DIR'"
        )
    check_sums(path)
    try:
        data = json.loads((path / MANIFEST).read_text("utf-8"))
        if data["format"] != FORMAT:
            raise ConfigError(f"release {path} has format {data['format']}, this sebench reads format {FORMAT}")
        worlds = tuple(_record(ReleasedWorld, one) for one in data["worlds"])
        runs = tuple(_record(ReleasedRun, one) for one in data["runs"])
        found = Release(path, data["kind"], data["name"], data["sebench"], worlds, runs)
        if {run.world for run in runs} - {world.fingerprint for world in worlds}:
            raise ValueError("a run is of a world that is not listed")
        if not all(isinstance(one, str) and one.isprintable() for one in (found.kind, found.name, found.sebench)):
            raise ValueError("its kind, name or version is no text")
        for run in runs:
            below(path, run.folder)
            _check_run(run)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"release {path} is damaged: {MANIFEST} cannot be read ({error!r})") from None
    return found


def _record(kind: type[Any], data: Mapping[str, Any]) -> Any:
    """A record of release.json, whose texts can be shown."""
    found = {one.name: data[one.name] for one in fields(kind)}
    _check_types(kind, found)
    for name, value in found.items():
        if isinstance(value, str) and not value.isprintable():
            raise ValueError(f"{name} is {value!r}, which cannot be shown")
    return kind(**found)


def _check_types(kind: type[Any], data: Mapping[str, Any]) -> None:
    """A TypeError for a field that is there, and is not what it should be."""
    for one in fields(kind):
        if one.name in data and one.type in TYPES and not isinstance(data[one.name], TYPES[one.type]):
            raise TypeError(f"{one.name} is {data[one.name]!r}")


def _check_run(run: ReleasedRun) -> None:
    """An error for a run that no report could be made of."""
    told = store.RunManifest.from_json(run.manifest)
    if not DATE.fullmatch(run.date):
        raise ValueError(f"{run.date!r} is no date")
    if told.world["fingerprint"] != run.world:
        raise ValueError(f"run {run.folder} is of another world than its settings say")
    _check_types(store.RunManifest, run.manifest)
    config, books = told.config, told.config["book"]
    if not isinstance(config["model"], str) or not isinstance(config["samples"], int) or not isinstance(books, list):
        raise TypeError(f"the settings of run {run.folder} cannot be read")


def below(folder: Path, relative: str) -> Path:
    """A file of the release, never one outside of it."""
    path = PurePosixPath(relative)
    if path.is_absolute() or ".." in path.parts or "\\" in relative or "\0" in relative:
        raise ConfigError(f"release {folder} is damaged: {relative!r} is no name for a file of it")
    return folder / path


# ---- sums -------------------------------------------------------------------------------------------------------


def sums(path: Path) -> dict[str, str]:
    """The sum of every file, but for the file of the sums itself."""
    found: dict[str, str] = {}
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_symlink() or not (file.is_file() or file.is_dir()):
            raise ConfigError(f"release {path} is damaged: {name!r} is no ordinary file; remove it, or get it again")
        if file.is_file() and name != SUMS:
            with file.open("rb") as stream:
                found[name] = file_digest(stream, "sha256").hexdigest()
    if len({name.casefold() for name in found}) < len(found):
        raise ConfigError(f"release {path} is damaged: names of its files differ in upper and lower case alone")
    return found


def write_sums(path: Path) -> None:
    files.write(path / SUMS, "".join(f"{digest}  {name}\n" for name, digest in sums(path).items()))


def check_sums(path: Path) -> None:
    """An error that names the first file which is not as it was made."""
    try:
        lines = (path / SUMS).read_text("utf-8").splitlines()
    except (OSError, UnicodeError):
        raise ConfigError(f"release {path} is damaged: {SUMS} is missing; get it again") from None
    matches = [SUM.fullmatch(line) for line in lines]
    said = {match[2]: match[1] for match in matches if match}
    if len(said) < len(lines):
        raise ConfigError(f"release {path} is damaged: {SUMS} has a line twice, or one that is none; get it again")
    there = sums(path)
    for name in sorted(said.keys() | there.keys()):
        if name not in there:
            raise ConfigError(f"release {path} is damaged: {name} is missing; get it again")
        if name not in said:
            raise ConfigError(f"release {path} is damaged: {name} does not belong to it; remove it, or get it again")
        if said[name] != there[name]:
            raise ConfigError(f"release {path} is damaged: {name} was changed after it was made; get it again")


# ---- what is packed ---------------------------------------------------------------------------------------------


def pack(file: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write lines into a packed file."""
    with lzma.open(file, "wb", preset=9) as stream:
        for line in lines:
            stream.write(f"{json.dumps(line, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace"))


def packed(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of a packed file."""
    if not file.is_file():
        return
    size = 0
    try:
        with lzma.open(file, "rb") as stream:
            while raw := stream.readline(LONGEST_LINE + 1):
                size += len(raw)
                if size > MOST_BYTES or len(raw) > LONGEST_LINE:
                    most = f"{MOST_BYTES >> 20:,} MiB, or {LONGEST_LINE >> 20} in one line"
                    raise ConfigError(f"{file} holds more than {most}; it is no file of a release")
                if not isinstance(line := json.loads(raw), dict):
                    raise ValueError("a line is not an object")
                yield line
    except (OSError, lzma.LZMAError, EOFError, ValueError, RecursionError) as error:
        raise ConfigError(f"{file} is damaged: it cannot be read ({error}); get the release again") from None


def answers(release: Release) -> Iterator[tuple[str, Rollout, Verdict | None]]:
    """Every response: the folder of its run, and its verdict where it has one."""
    try:
        folders = {run.folder for run in release.runs}
        for line in packed(release.path / ANSWERS):
            folder, told = line.pop("run"), line.pop("verdict")
            if folder not in folders:
                raise ValueError(f"{folder!r} is none of its runs")
            _check_types(Rollout, line)
            rollout = Rollout.from_json(line)
            if not rollout.key.isprintable():
                raise ValueError(f"{rollout.key!r} cannot be shown")
            yield folder, rollout, _verdict(told) if told else None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ConfigError(
            f"release {release.path} is damaged: a line of {ANSWERS} cannot be read ({error!r})"
        ) from None


def answer_line(folder: str, rollout: Rollout, verdict: Verdict | None) -> dict[str, Any]:
    """What is kept of a response: not what it cost to judge, and not what it printed."""
    told = None
    if verdict is not None:
        full = verdict.to_json()
        told = {key: full[key] for key in OF_VERDICTS}
    return {"run": folder, **asdict(rollout), "verdict": told}


def _verdict(told: Mapping[str, Any]) -> Verdict:
    _check_types(Verdict, told)
    data = {key: told[key] for key in OF_VERDICTS if key not in ("kind", "blame")}
    data |= {key: tuple(data[key]) for key in ("functions", "uncredited", "invented")}
    return Verdict(Kind(told["kind"]), Blame(told["blame"]), **data)


def tasks_of(release: Release) -> dict[str, list[dict[str, Any]]]:
    """What the release says of the tasks of each run."""
    found: dict[str, list[dict[str, Any]]] = {run.folder: [] for run in release.runs}
    try:
        for line in packed(release.path / TASKS):
            if not (isinstance(line["id"], str) and isinstance(line["split"], str)) or not all(
                isinstance(one, str) for one in line["functions"]
            ):
                raise TypeError(f"task {line['id']!r}")
            found[line.pop("run")].append(line)
    except (KeyError, TypeError) as error:
        raise ConfigError(f"release {release.path} is damaged: a line of {TASKS} cannot be read ({error!r})") from None
    return found


def unpack(release: Release, out: Path) -> list[Path]:
    """Ordinary folders of runs below `out`, an ordinary folder of an experiment where it is one; the folders of the runs."""
    for line in packed(release.path / FILES):
        file = below(out, str(line.get("file", "")))
        if file == out:
            raise ConfigError(f"release {release.path} is damaged: a line of {FILES} names no file")
        files.make_folder(file.parent)
        files.write(file, str(line.get("text", "")))
    tasks = tasks_of(release)
    rows: dict[str, list[tuple[Rollout, Verdict | None]]] = {run.folder: [] for run in release.runs}
    for folder, rollout, verdict in answers(release):
        rows[folder].append((rollout, verdict))
    for run in release.runs:
        place = below(out, run.folder)
        files.write_lines(place / store.TASKS, tasks[run.folder])
        files.write(place / store.MANIFEST, json.dumps(run.manifest, indent=1, ensure_ascii=False) + "\n")
        files.write_lines(place / store.ROLLOUTS, (rollout.to_json() for rollout, _ in rows[run.folder]))
        judged = ({"key": rollout.key, **verdict.to_json()} for rollout, verdict in rows[run.folder] if verdict)
        files.write_lines(place / store.VERDICTS, judged)
    return [below(out, run.folder) for run in release.runs]


@contextmanager
def unpacked(releases: Sequence[Release], names: Sequence[str] = ()) -> Iterator[list[Path]]:
    """The releases as ordinary folders, for the time of a `with` block: each in a folder of its own name, or of these names."""
    with tempfile.TemporaryDirectory(prefix="sebench-release-") as out:
        chosen = names or [release.path.name for release in releases]
        places = [Path(out) / str(number) / name for number, name in enumerate(chosen)]
        for release, place in zip(releases, places, strict=True):
            unpack(release, place)
        yield places

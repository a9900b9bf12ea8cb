"""A release on disk.

    NAME/
      release.json         the runs, their settings and versions, their worlds, and how to build those
      answers.jsonl.xz     every response with its verdict
      tasks.jsonl.xz       what a report needs to know about the tasks; questions and gold answers come with the world
      files.jsonl.xz       for an experiment: settings, logs and probes of the training runs
      report.json.xz, .md  the results (comparison.json.xz, .md for an experiment)
      README.md            what the release contains, and how to check it
      SHA256SUMS           checksums of all other files, for `sha256sum -c`

`unpack` restores ordinary run folders, so that any code that reads a run can read a release. Releases from others are
not trusted: every file must be an ordinary file with the right checksum, paths must stay inside the folder, and every
field must be present and valid (`fields.py`). Packed files are read line by line; reading stops with an error at the
first line that is too long, superfluous, a duplicate, or about an unknown task.

Not covered: who made a release. Checksums show that nothing was changed since; `sebench verify` checks whether the
verdicts are right.
"""

from __future__ import annotations

import io
import json
import lzma
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import file_digest
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sebench.base import files, ledger
from sebench.base.errors import ConfigError, first_problem
from sebench.base.records import OF_SOME_WORLDS, Blame, Kind, Rollout, Verdict
from sebench.base.wording import counted, describe_error, did_you_mean, short_repr
from sebench.release import fields
from sebench.release.fields import FORMAT, RUN
from sebench.rollout import store

MANIFEST, SUMS, README = "release.json", "SHA256SUMS", "README.md"
ANSWERS, TASKS, FILES = "answers.jsonl.xz", "tasks.jsonl.xz", "files.jsonl.xz"
MOST_BYTES = 1 << 30  # largest unpacked file, since a small packed one may expand to anything
LONGEST_LINE = 16 << 20  # most bytes in one line of an unpacked file
MOST_TEXT = 16 << 20  # most bytes in a file that is not packed
MOST_FILES = 10_000  # most files in an experiment
MOST_MEMORY = 128 << 20  # for unpacking; our files need 65 MiB, and a hostile one could ask for 4 GiB
SUM = re.compile(r"([0-9a-f]{64})  (.+)")
OF_VERDICTS = tuple(fields.VERDICT)


@dataclass(frozen=True)
class ReleasedWorld:
    """A world in the release."""

    name: str
    fingerprint: str
    seed: int
    sebench: str  # version that built it
    numpy: str
    recipe: Mapping[str, Any] | None  # how to rebuild it; None if a seed is not enough


@dataclass(frozen=True)
class ReleasedRun:
    """A run in the release."""

    folder: str  # its folder in the unpacked release
    world: str  # fingerprint
    model: str
    regime: str  # how the model learned the library; "" if unknown
    date: str
    answers: int
    training_tokens: int | None
    manifest: Mapping[str, Any]  # its run.json


@dataclass(frozen=True)
class Release:
    """The content of `release.json`."""

    path: Path
    kind: str  # "run" or "experiment"
    name: str
    sebench: str  # version that made the release
    worlds: Sequence[ReleasedWorld]
    runs: Sequence[ReleasedRun]

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, **{key: value for key, value in asdict(self).items() if key != "path"}}

    def world(self, fingerprint: str) -> ReleasedWorld:
        return next(world for world in self.worlds if world.fingerprint == fingerprint)


def is_release(path: Path) -> bool:
    return (path / MANIFEST).is_file()


def read(path: Path) -> Release:
    """Read a release; raise an error unless all its files are present and unchanged."""
    if not is_release(path):
        if path.is_file():
            raise ConfigError(f"{path} is a file, not a release; if it is an archive, unpack it and give its folder")
        beside = (file.parent for file in path.parent.glob(f"*/{MANIFEST}"))
        within = sorted(file.parent.name for file in path.glob(f"*/{MANIFEST}"))
        step = did_you_mean(path, beside, "make one with 'sebench release RUN --out DIR'")
        if within:
            step = f"choose one of the releases in it: {', '.join(within)}"
        raise ConfigError(f"{path} is not a release: it has no {MANIFEST}; {step}")
    check_sums(path)
    try:
        data = fields.parse_once(read_text(path / MANIFEST))
        if isinstance(data, dict) and data.get("format") != FORMAT:
            format = short_repr(data.get("format"))
            raise ConfigError(f"release {path} has format {format}, but this version of sebench reads format {FORMAT}")
        fields.check_release(data)
        worlds = tuple(ReleasedWorld(**{name: one[name] for name in fields.WORLD}) for one in data["worlds"])
        runs = tuple(ReleasedRun(**{name: one[name] for name in fields.RELEASED_RUN}) for one in data["runs"])
        for run in runs:
            below(path, run.folder)
        if data["kind"] == RUN and (path / FILES).exists():
            raise ValueError(f"{FILES} belongs only in the release of an experiment, but this is a release of runs")
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"release {path} is damaged: {MANIFEST} cannot be read ({error})") from None
    return Release(path, data["kind"], data["name"], data["sebench"], worlds, runs)


def read_text(file: Path) -> str:
    """Return the text of a file that is not packed."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_TEXT + 1)
        if len(data) > MOST_TEXT:
            raise ValueError(f"it is larger than {MOST_TEXT >> 20} MiB")
        return data.decode("utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read ({describe_error(error)}); download the release again") from None


def read_figures(file: Path) -> Any:
    """Return the figures of a report, which are packed. In older releases, they are not."""
    if not (packed := _packed(file)).is_file():
        return fields.parse(read_text(file))
    (figures,) = read_packed(packed, 1)
    return figures


def write_figures(file: Path, figures: Mapping[str, Any]) -> None:
    """Pack the figures of a report, and remove them unpacked."""
    pack(_packed(file), [figures])
    file.unlink(missing_ok=True)


def _packed(file: Path) -> Path:
    return file.with_name(f"{file.name}.xz")


def below(folder: Path, relative: str) -> Path:
    """Return the path of a file in the release; raise an error for a path outside it."""
    path = PurePosixPath(relative)
    if path.is_absolute() or ".." in path.parts or "\\" in relative or "\0" in relative:
        raise ConfigError(f"release {folder} is damaged: {relative!r} is not a valid file name in it")
    return folder / path


# ---- checksums --------------------------------------------------------------------------------------------------


def sums(path: Path) -> dict[str, str]:
    """Return the checksum of every file except the file of checksums."""
    digests: dict[str, str] = {}
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_symlink() or not (file.is_file() or file.is_dir()):
            raise ConfigError(
                f"release {path} is damaged: {name!r} is not an ordinary file; remove it, or download the release again"
            )
        if file.is_file() and name != SUMS:
            with file.open("rb") as stream:
                digests[name] = file_digest(stream, "sha256").hexdigest()
    if len({name.casefold() for name in digests}) < len(digests):
        raise ConfigError(f"release {path} is damaged: some of its file names differ only in case")
    return digests


def write_sums(path: Path) -> None:
    files.write(path / SUMS, "".join(f"{digest}  {name}\n" for name, digest in sums(path).items()))


def check_sums(path: Path) -> None:
    """Raise an error for the first file that was changed, added or removed."""
    try:
        lines = (path / SUMS).read_text("utf-8").splitlines()
    except (OSError, UnicodeError):
        raise ConfigError(f"release {path} is damaged: {SUMS} is missing; download it again") from None
    matches = [SUM.fullmatch(line) for line in lines]
    listed = {match[2]: match[1] for match in matches if match}
    if len(listed) < len(lines):
        raise ConfigError(f"release {path} is damaged: {SUMS} has a duplicate or malformed line; download it again")
    there = sums(path)
    for name in sorted(listed.keys() | there.keys()):
        if listed.get(name) != there.get(name):
            changed = "was changed after it was made" if name in there else "is missing"
            problem = changed if name in listed else "does not belong to it"
            raise ConfigError(f"release {path} is damaged: {name} {problem}; download it again")


# ---- packed files -----------------------------------------------------------------------------------------------


def pack(file: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write lines into a packed file."""
    with lzma.open(file, "wb", preset=9 | lzma.PRESET_EXTREME) as stream:
        for line in lines:
            stream.write(f"{json.dumps(line, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace"))


class _Unpacking(io.RawIOBase):
    """Unpacks a file within a memory limit. `lzma.open` would allocate whatever the file asks for."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MOST_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data and not self._decoder.eof:
            more = self._stream.read(1 << 16) if self._decoder.needs_input else b""
            if not more and self._decoder.needs_input:
                raise EOFError("it is truncated")
            data = self._decoder.decompress(more, len(buffer))
        if not data and (self._decoder.unused_data or self._stream.read(1)):
            raise ValueError("there is data after its end")
        buffer[: len(data)] = data
        return len(data)


def read_packed(file: Path, most_lines: int = fields.MOST_ANSWERS) -> Iterator[dict[str, Any]]:
    """Yield the lines of a packed file."""
    if not file.is_file():
        return
    size = 0
    try:
        with file.open("rb") as stream, io.BufferedReader(_Unpacking(stream)) as unpacking:
            for number in range(most_lines + 1):
                if not (raw := unpacking.readline(LONGEST_LINE + 1)):
                    return
                size += len(raw)
                if size > MOST_BYTES or len(raw) > LONGEST_LINE:
                    most = f"{MOST_BYTES >> 20:,} MiB, or a line of more than {LONGEST_LINE >> 20} MiB"
                    raise ConfigError(f"{file} contains more than {most}; no release has such a file")
                if number == most_lines:
                    break
                if not isinstance(line := fields.parse(raw), dict):
                    raise ValueError("a line is not an object")
                yield line
    except (OSError, lzma.LZMAError, EOFError, ValueError, RecursionError) as error:
        raise ConfigError(
            f"{file} is damaged: it cannot be read ({describe_error(error)}); download the release again"
        ) from None
    raise ConfigError(f"{file} is damaged: it has more than {most_lines:,} lines, the most that it may have")


def answers(release: Release) -> Iterator[tuple[str, Rollout, Verdict | None]]:
    """Yield every response with the folder of its run, and its verdict if it has one. Each must belong to a task, book
    and sample of its run, and occur only once; after the last one, raise an error for a run with missing responses."""
    tasks = tasks_of(release)
    expected = {run.folder: _Expected(run, tasks[run.folder]) for run in release.runs}
    lines = read_packed(release.path / ANSWERS, sum(run.answers for run in release.runs))
    for number, line in enumerate(lines, 1):
        try:
            fields.check(line, fields.ANSWER, fields.ANSWER_OPTIONAL)
            folder, verdict_data = line.pop("run"), line.pop("verdict")
            if folder not in expected:
                raise ValueError(f"{folder!r} is not one of its runs")
            rollout = Rollout.from_json(line)
            verdict = None if verdict_data is None else _verdict(verdict_data)
            expected[folder].add(rollout, verdict)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"release {release.path} is damaged: line {number} of {ANSWERS}: {error}") from None
        yield folder, rollout, verdict
    for folder, one in expected.items():
        if len(one.seen) < one.answers:
            counts = f"{counted(len(one.seen), 'answer')}, but should have {one.answers:,}"
            raise ConfigError(f"release {release.path} is damaged: run {folder!r} has {counts}")


class _Expected:
    """The answers that a run must have, and which of them were seen."""

    def __init__(self, run: ReleasedRun, tasks: Sequence[Mapping[str, Any]]) -> None:
        config = run.manifest["config"]
        self.answers, self.samples = run.answers, int(config["samples"])
        self.places = {(book, task["id"]) for book in config["book"] for task in tasks}
        self.single = not config.get("repair") and not run.manifest.get("memory")  # one request, no memory
        self.seen: set[tuple[str, str, int]] = set()

    def add(self, rollout: Rollout, verdict: Verdict | None) -> None:
        key = (rollout.book, rollout.task_id, rollout.sample_index)
        problems = {
            "has a task, book or sample that its run does not have": (
                key[:2] not in self.places or rollout.sample_index >= self.samples
            ),
            "occurs twice": key in self.seen,
            "has an error, but also an answer or a verdict": rollout.error and (rollout.response or verdict),
            "used several requests or a memory, but its run claims neither": (
                self.single and (rollout.calls != 1 or rollout.present is not None)
            ),
            f"exceeds the {self.answers:,} answers of its run": len(self.seen) >= self.answers,
        }
        if problem := first_problem(problems):
            raise ValueError(f"{'/'.join(map(str, key))} {problem}")
        self.seen.add(key)


def answer_line(folder: str, rollout: Rollout, verdict: Verdict | None) -> dict[str, Any]:
    """Return the published part of a response, without its output and the cost of judging it."""
    published = {key: getattr(verdict, key) for key in OF_VERDICTS} if verdict is not None else None
    if published is not None:
        published |= {key: value for key in OF_SOME_WORLDS if (value := getattr(verdict, key)) is not None}
    return {"run": folder, **asdict(rollout), "verdict": published}


def _verdict(data_in_file: Mapping[str, Any]) -> Verdict:
    fields.check(data_in_file, fields.VERDICT, fields.VERDICT_OPTIONAL)
    data = {key: data_in_file[key] for key in OF_VERDICTS if key not in ("kind", "blame")}
    data |= {key: tuple(data[key]) for key in ("functions", "uncredited", "invented")}
    data |= {key: data_in_file.get(key) for key in OF_SOME_WORLDS}
    return Verdict(Kind(data_in_file["kind"]), Blame(data_in_file["blame"]), **data)


def tasks_of(release: Release) -> dict[str, list[dict[str, Any]]]:
    """Return the tasks of each run in the release; their number must match the run's settings."""
    tasks_by_run: dict[str, dict[str, dict[str, Any]]] = {run.folder: {} for run in release.runs}
    expected = {run.folder: fields.expected_tasks(run.manifest) for run in release.runs}
    # If the number of tasks is unknown, it is at most the number of answers.
    most = [run.answers if (one := expected[run.folder]) is None else sum(one.values()) for run in release.runs]
    try:
        for line in read_packed(release.path / TASKS, sum(most)):
            fields.check(line, fields.TASK)
            tasks = tasks_by_run.get(folder := line.pop("run"))
            if tasks is None or line["id"] in tasks:
                twice = f"task {line['id']!r} of run {folder!r} occurs twice"
                raise ValueError(f"{folder!r} is not one of its runs" if tasks is None else twice)
            tasks[line["id"]] = line
        for run in release.runs:
            _check_tasks(
                run, Counter(task["split"] for task in tasks_by_run[run.folder].values()), expected[run.folder]
            )
    except ValueError as error:
        raise ConfigError(f"release {release.path} is damaged: {TASKS}: {error}") from None
    return {folder: list(tasks.values()) for folder, tasks in tasks_by_run.items()}


def _check_tasks(run: ReleasedRun, has: Counter[str], expected: Mapping[str, int] | None) -> None:
    """Raise an error if a run does not have as many tasks as it claims."""
    for split in has.keys() | (expected or {}).keys():
        if split not in run.manifest["config"]["split"]:
            raise ValueError(f"run {run.folder!r} has tasks from {split}, but its settings do not list that split")
        if expected is not None and has[split] != expected[split]:
            raise ValueError(
                f"run {run.folder!r} has {counted(has[split], 'task')} of {split}, but should have {expected[split]:,}"
            )
    if run.answers != (answers := fields.expected_answers(run.manifest, has.total())):
        raise ValueError(f"run {run.folder!r} has {counted(run.answers, 'answer')}, but should have {answers:,}")


def unpack(release: Release, out: Path) -> list[Path]:
    """Restore ordinary run folders in `out`, or the folder of an experiment; return the run folders."""
    _unpack_files(release, out)
    tasks = tasks_of(release)
    for run in release.runs:
        place = below(out, run.folder)
        files.write_lines(place / store.TASKS, tasks[run.folder])
        files.write_json(place / store.MANIFEST, run.manifest)
        for name in (store.ROLLOUTS, store.VERDICTS):
            files.write(place / name, "")
    for folder, rows in groupby(answers(release), key=lambda row: row[0]):
        at, judged_at = (below(out, folder) / name for name in (store.ROLLOUTS, store.VERDICTS))
        with at.open("ab", buffering=0) as rollouts, judged_at.open("ab", buffering=0) as verdicts:
            for _, rollout, verdict in rows:
                ledger.append(rollouts, at, rollout.to_json())
                if verdict is not None:
                    ledger.append(verdicts, judged_at, {"key": rollout.key, **verdict.to_json()})
    return [below(out, run.folder) for run in release.runs]


def _unpack_files(release: Release, out: Path) -> None:
    """Write the files of an experiment; refuse duplicates and paths outside `out`."""
    written: set[Path] = set()
    for number, line in enumerate(read_packed(release.path / FILES, MOST_FILES), 1):
        try:
            fields.check(line, {"file": fields.NAME, "text": fields.ANY_TEXT})
            file = below(out, line["file"])
            if file == out or file in written:
                raise ValueError("it does not name a file" if file == out else f"it repeats {line['file']!r}")
        except ValueError as error:
            raise ConfigError(f"release {release.path} is damaged: line {number} of {FILES}: {error}") from None
        written.add(file)
        files.make_folder(file.parent)
        files.write(file, line["text"])


@contextmanager
def unpacked_copy(release: Release, name: str = "") -> Iterator[Path]:
    """Yield a release as an ordinary folder, for the duration of a `with` block; the folder has this name, or that of
    the release."""
    with tempfile.TemporaryDirectory(prefix="sebench-release-") as out:
        place = Path(out) / (name or release.path.name)
        unpack(release, place)
        yield place

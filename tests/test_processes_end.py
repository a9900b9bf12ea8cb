"""Every process that a command starts ends with it, however it ends: the commands for real, killed at several moments.

What is left is found in three ways, because each has a gap: a variable in the environment (which the sandbox empties), the tree of processes
as it was seen until the kill (which misses what came later), and the command's own output, which every process that was not given
another holds open.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from sebench import JudgeClient, processes
from sebench.world import World
from tests.conftest import slow
from tests.misbehaving import Server
from tests.page_writer import PageWriter

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MARK = "SEBENCH_TEST_MARK"
PATIENCE_S = 60.0  # for what has to end; usually milliseconds
Seen = tuple[int, str]  # a process: its number, and when it began


def stat(pid: int | str) -> list[str]:
    """Fields of a process from its state on; none for one that has ended, or waits only to be asked how."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return [] if fields[0] in "ZX" else fields
    return []


class Command:
    """A command that runs, and all processes that it was seen to have."""

    def __init__(self, *arguments: object, terminal: int = -1, **environment: str) -> None:
        self.mark = uuid4().hex
        self.output, theirs = os.pipe()
        take = None if terminal < 0 else lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0) and None
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sebench", *map(str, arguments)],
            stdin=subprocess.DEVNULL if terminal < 0 else terminal,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=take,
            env={**os.environ, **environment, MARK: self.mark, "OMP_NUM_THREADS": "1"},
        )
        os.close(theirs)
        self.seen: set[Seen] = set()
        self.said = b""

    @property
    def pid(self) -> int:
        return self.process.pid

    def look(self) -> list[int]:
        """Its descendants, in the order of their generations; all are remembered."""
        parents: dict[int, list[tuple[int, str]]] = {}
        for name in os.listdir("/proc"):
            if name.isdigit() and (fields := stat(name)):
                parents.setdefault(int(fields[1]), []).append((int(name), fields[19]))
        found, todo = list[Seen](), [self.pid]
        while todo:
            found += (children := parents.get(todo.pop(0), []))
            todo += [pid for pid, _ in children]
        self.seen.update(found)
        return [pid for pid, _ in found]

    def wait_for(self, moment: Callable[[], object]) -> None:
        """Until the moment has come; the descendants are looked at all the time."""
        while not moment():
            self.look()
            assert self.process.poll() is None, f"it ended before it could be killed: {self.listen().decode()}"
            time.sleep(0.02)
        assert self.look(), "it has no processes"

    def listen(self) -> bytes:
        """What it has printed; `closed` is then whether nobody holds its output any more."""
        self.closed = False
        while select.select([self.output], [], [], 0)[0] and not self.closed:
            part = os.read(self.output, 1 << 16)
            self.said, self.closed = self.said + part, not part
        return self.said

    def left(self) -> list[str]:
        """What is left of it, at the end of all patience."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            found = [f"seen before: {pid}" for pid, began in self.seen if (fields := stat(pid)) and fields[19] == began]
            for name in os.listdir("/proc"):
                with suppress(OSError):
                    if (
                        name.isdigit()
                        and stat(name)
                        and self.mark.encode() in Path(f"/proc/{name}/environ").read_bytes()
                    ):
                        found.append(f"marked: {name} {Path(f'/proc/{name}/cmdline').read_bytes()[-200:]!r}")
            self.listen()
            if self.closed and not found:
                return []
            if time.monotonic() > deadline:
                return found or ["its output is held open"]
            time.sleep(0.01)

    def end(self) -> None:
        """For a test that has failed: leave nothing behind, either."""
        self.process.kill()
        self.process.wait()
        for pid, began in self.seen:
            if (fields := stat(pid)) and fields[19] == began:
                with suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        os.close(self.output)


def lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


# ---- the commands: how each is started, and two moments beside that of its first child --------------------------------

Moments = tuple[Command, Callable[[], object], Callable[[], object]]  # the command, in the middle, late
Start = Callable[[World, Path], Any]

LOOP = "def {}({}):\n    while True:\n        pass\n"


@contextmanager
def run(world: World, folder: Path) -> Iterator[Moments]:
    with Server() as server:
        server.most_answers = 60  # then it waits
        settings = ("--model", "m", "--base-url", server.url, "--samples", 20, "--workers", 2)
        command = Command("run", world.path, *settings, "--out", folder / "run")
        verdicts = folder / "run" / "verdicts.jsonl"
        yield command, lambda: lines(verdicts), lambda: lines(verdicts) >= 40


@contextmanager
def judge(world: World, folder: Path, **environment: str) -> Iterator[Moments]:
    tasks = [task for task in world.tasks("train") if task.gold]
    answers = [
        {"task_id": t.id, "response": f"```python\n{t.gold}\nprint(1)\n```"} for t in tasks[:3]
    ]  # behind the wall
    loops = [{"task_id": t.id, "response": LOOP.format(t.entry, ", ".join(t.parameters))} for t in tasks * 20]
    (folder / "answers.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in [*answers, *loops]))
    arguments = (folder / "answers.jsonl", "--out", folder / "judged", "--workers", 2)
    command = Command("judge", world.path, *arguments, **environment)
    verdicts = folder / "judged" / "verdicts.jsonl"
    yield command, lambda: len(command.look()) >= 4, lambda: lines(verdicts)


@contextmanager
def learn(world: World, folder: Path) -> Iterator[Moments]:
    settings = ("--epochs", 100_000, "--limit", 2, "--batch", 1, "--device", "cpu", "--probe-every", -1)
    command = Command("learn", "closed-sft", world.path, "--model", toy(folder), "--out", folder / "out", *settings)
    log = folder / "out" / "log.jsonl"
    yield command, lambda: len(command.look()) >= 2, lambda: lines(log) >= 2  # in the middle, the guard is at work


EXPERIMENT = """
worlds = ["{world}"]
out = "{folder}/out"
prompts = "short"
[learn]
model = "{model}"
epochs = 100000
limit = 2
batch = 1
probe_every = -1
[[method]]
name = "taught"
method = "closed-sft"
"""


@contextmanager
def experiment(world: World, folder: Path) -> Iterator[Moments]:
    file = folder / "experiment.toml"
    file.write_text(EXPERIMENT.format(world=world.path, folder=folder, model=toy(folder)))
    command = Command("experiment", file)
    log = folder / "out" / world.path.name / "taught" / "model" / "log.jsonl"
    yield command, lambda: len(command.look()) >= 3, lambda: lines(log)


@contextmanager
def selfplay(world: World, folder: Path) -> Iterator[Moments]:
    settings = ("--propose", "forms", "--proposer", "drawn", "--train", "none", "--prompts", "short", "--rounds", 1)
    functions = "searchsorted,cumsum,quantile"
    more = ("--model", "gold", "--functions", functions, "--proposals", 8, "--workers", 2, "--out", folder / "play")
    command = Command("selfplay", world.path, *settings, *more)
    gates = folder / "play" / "round-1" / "gates.jsonl"
    yield command, lambda: len(command.look()) >= 7, lambda: lines(gates)


@contextmanager
def author(world: World, folder: Path) -> Iterator[Moments]:
    with PageWriter(delay_s=0.1) as server:
        settings = ("--model", "m", "--base-url", server.url, "--key-env", "NO_KEY", "--out", folder / "v")
        command = Command("author", "docs", world.path, *settings)
        replies = folder / "v.calls.jsonl"
        yield command, lambda: lines(replies), lambda: lines(replies) >= 4


@contextmanager
def serve_judge(world: World, folder: Path, terminal: int = -1) -> Iterator[Moments]:
    command = Command("serve-judge", world.path, "--socket", folder / "s", "--workers", 1, terminal=terminal)
    task = world.tasks("train")[0]
    asked = threading.Event()

    def ask() -> None:
        row = {**json.loads((world.path / "data" / "train.jsonl").read_text("utf-8").splitlines()[0]), "id": "another"}
        with suppress(Exception), JudgeClient(f"unix:{folder / 's'}", patience_s=1) as client:
            client.judge(
                row, LOOP.format(task.entry, ", ".join(task.parameters))
            )  # in the middle of it, the server is gone

    def busy() -> bool:
        if b"judging at" in command.listen() and not asked.is_set():
            asked.set()
            threading.Thread(target=ask, daemon=True).start()
        return len(command.look()) >= 3  # a zygote, and what reads the row

    yield command, busy, lambda: busy() and len(command.look()) >= 5


def toy(folder: Path) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tests.toy import saved

    return saved(folder / "toy")


COMMANDS: dict[str, tuple[Start, str]] = {  # with the moment at which most processes are there
    "run": (run, "late"),
    "judge": (judge, "late"),
    "learn": (learn, "middle"),
    "experiment": (experiment, "middle"),
    "selfplay": (selfplay, "middle"),
    "author": (author, "late"),
    "serve-judge": (serve_judge, "late"),
}
CASES = [
    pytest.param(name, moment, marks=[] if moment == most else [slow])
    for name, (_, most) in COMMANDS.items()
    for moment in ("early", "middle", "late")
]


@pytest.mark.parametrize(("name", "moment"), CASES)
def test_nothing_is_left_of_a_command_that_was_killed(name: str, moment: str, tiny: World, tmp_path: Path) -> None:
    with COMMANDS[name][0](tiny, tmp_path) as (command, middle, late):
        end_and_look(command, {"early": command.look, "middle": middle, "late": late}[moment])


def end_and_look(command: Command, moment: Callable[[], object], end: Callable[[], None] | None = None) -> None:
    try:
        command.wait_for(moment)
        end() if end else os.kill(command.pid, signal.SIGKILL)
        command.process.wait(PATIENCE_S)
        assert command.left() == []
    finally:
        command.end()

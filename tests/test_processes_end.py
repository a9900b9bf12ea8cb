"""However a command ends, every process that it started ends too: real commands, killed at several moments.

Leftover processes are found in three ways, because each has a gap: a variable in the environment (which the sandbox
clears), the process tree as seen until the kill (which misses processes that start later), and the command's output,
which every process holds open unless it was given another.
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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from textwrap import indent
from typing import Any
from uuid import uuid4

import pytest

from sebench import JudgeClient
from sebench.base import child, kernel_memory
from sebench.judge.sandbox import activity
from sebench.world.world import World
from tests.conftest import slow
from tests.misbehaving import Server
from tests.page_writer import PageWriter
from tests.playing import Player

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

MARK = "SEBENCH_TEST_MARK"
PATIENCE_S = 600.0  # for what has to end; usually milliseconds
Seen = tuple[int, str]  # a process: its number, and when it began


def stat(pid: int) -> list[str]:
    """Fields of a process from its state on; none for one that has ended, or waits only to be asked how."""
    with suppress(OSError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return [] if fields[0] in "ZX" else fields
    return []


def words(pid: int) -> str:
    """The command line of a process."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    return ""


def pids() -> list[int]:
    return [int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit()]


class Command:
    """A command that runs, and all processes that it was seen to have."""

    def __init__(self, *arguments: object, terminal: int = -1, below: Sequence[str] = (), **environment: str) -> None:
        """`below` is a command that becomes this one."""
        self.mark = uuid4().hex
        self.output, theirs = os.pipe()
        take = None if terminal < 0 else lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0) and None
        self.process = subprocess.Popen(
            [*below, sys.executable, "-m", "sebench", *map(str, arguments)],
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
        found, todo = list[Seen](), [self.pid]
        while todo:
            children = [(pid, fields[19]) for pid in activity.children(todo.pop(0)) if (fields := stat(pid))]
            found += children
            todo += [pid for pid, _ in children]
        self.seen.update(found)
        return [pid for pid, _ in found]

    def wait_for(self, moment: Callable[[], object]) -> None:
        """Until the moment has come; the descendants are looked at all the time."""
        while not moment():
            self.look()
            assert self.process.poll() is None, f"it ended before it could be killed: {self.listen().decode()}"
            time.sleep(0.05)
        assert self.look(), "it has no processes"

    def listen(self) -> bytes:
        """What it has printed; `closed` is then whether nobody holds its output any more."""
        self.closed = False
        while select.select([self.output], [], [], 0)[0] and not self.closed:
            part = os.read(self.output, 1 << 16)
            self.said, self.closed = self.said + part, not part
        return self.said

    def left(self, patience_s: float) -> list[str]:
        """What is left of it, at the end of all patience."""
        deadline = time.monotonic() + patience_s
        while True:
            found = [f"seen before: {pid}" for pid, began in self.seen if (fields := stat(pid)) and fields[19] == began]
            for pid in pids():
                with suppress(OSError):
                    if stat(pid) and self.mark.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                        found.append(f"marked: {pid} {words(pid)[-200:]}")
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


# ---- the commands: how each is started, and two moments beside that of its first child -------------------------------

Moments = tuple[Command, Callable[[], object], Callable[[], object]]  # the command, in the middle, late
Start = Callable[..., Any]

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
def judge(
    world: World, folder: Path, *more: object, below: Sequence[str] = (), **environment: str
) -> Iterator[Moments]:
    tasks = [task for task in world.tasks("train") if task.gold]
    # behind the wall
    answers = [{"task_id": t.id, "response": f"```python\n{t.gold}\nprint(1)\n```"} for t in tasks[:3]]
    loops = [{"task_id": t.id, "response": LOOP.format(t.entry, ", ".join(t.parameters))} for t in tasks * 20]
    (folder / "answers.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in [*answers, *loops]))
    arguments = (folder / "answers.jsonl", "--out", folder / "judged")
    command = Command("judge", world.path, *arguments, *more, below=below, **environment)
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
def experiment(world: World, folder: Path, *more: object) -> Iterator[Moments]:
    file = folder / "experiment.toml"
    file.write_text(EXPERIMENT.format(world=world.path, folder=folder, model=toy(folder)))
    command = Command("experiment", file, *more)
    log = folder / "out" / world.path.name / "taught" / "model" / "log.jsonl"
    yield command, lambda: len(command.look()) >= 3, lambda: lines(log)


@contextmanager
def selfplay(world: World, folder: Path) -> Iterator[Moments]:
    with Player(folder) as server:
        settings = ("--model", "m", "--base-url", server.url, "--key-env", "NO_KEY", "--train", "none", "--rounds", 1)
        functions = "searchsorted,cumsum,quantile,bincount"
        more = ("--functions", functions, "--proposals", 6, "--workers", 2, "--out", folder / "play")
        command = Command("selfplay", world.path, *settings, *more, "--prompts", "short")
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
            # in the middle of it, the server is gone
            client.judge(row, LOOP.format(task.entry, ", ".join(task.parameters)))

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


def end_and_look(
    command: Command,
    moment: Callable[[], object],
    end: Callable[[], None] | None = None,
    patience_s: float = PATIENCE_S,
) -> None:
    try:
        command.wait_for(moment)
        end() if end else os.kill(command.pid, signal.SIGKILL)
        command.process.wait(PATIENCE_S)
        left = command.left(patience_s)
        assert not left, "\n".join(left)
    finally:
        command.end()


def test_a_terminated_command_ends_as_an_interrupted_one_and_leaves_nothing(tiny: World, tmp_path: Path) -> None:
    with run(tiny, tmp_path) as (command, _, late):
        end_and_look(command, late, lambda: os.kill(command.pid, signal.SIGTERM))
        assert command.process.returncode == 143
        assert b"sebench: interrupted; finished work is kept" in command.said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_an_experiment_alone_ends_its_rows_too(number: int, tiny: World, tmp_path: Path) -> None:
    with experiment(tiny, tmp_path) as (command, _, late):
        end_and_look(command, late, lambda: os.kill(command.pid, number))
        assert command.process.returncode == 128 + number
        assert b"sebench: interrupted; finished work is kept" in command.said


def test_an_interrupted_training_does_not_wait_for_its_guard(tiny: World, tmp_path: Path) -> None:
    with learn(tiny, tmp_path) as (command, guard_works, _):
        end_and_look(command, guard_works, lambda: os.kill(command.pid, signal.SIGINT))
        assert command.process.returncode == 130
        assert b"sebench: interrupted; no checkpoint was saved yet" in command.said


def test_a_terminated_dry_run_leaves_no_temporary_world(tiny: World, tmp_path: Path) -> None:
    file, scratch = tmp_path / "experiment.toml", tmp_path / "scratch"
    scratch.mkdir()
    text = EXPERIMENT.format(world=tiny.path, folder=tmp_path, model="smollm2")
    file.write_text(text.replace(f'worlds = ["{tiny.path}"]', "worlds = [5]\nfunctions = 24"))
    command = Command("experiment", file, "--dry-run", TMPDIR=str(scratch))
    try:
        while not any(path.is_file() for path in scratch.rglob("*")):
            assert command.process.poll() is None, command.listen().decode()
            time.sleep(0.01)
        os.kill(command.pid, signal.SIGTERM)
        assert command.process.wait(PATIENCE_S) == 143
        assert not list(scratch.iterdir())
    finally:
        command.end()


WITHOUT_PIDS = ("unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_pid_namespaces && exec "$@"', "sh")


def test_nothing_is_left_of_a_judge_without_pid_namespaces(tiny: World, tmp_path: Path) -> None:
    if not which("unshare") or subprocess.run([*WITHOUT_PIDS, "true"], capture_output=True).returncode:
        pytest.skip("needs a user namespace")
    with judge(tiny, tmp_path, below=WITHOUT_PIDS) as (command, middle, _):
        end_and_look(command, middle)


@slow
@pytest.mark.parametrize("name", ["judge", "experiment"])
def test_nothing_is_left_of_a_command_that_began_a_ray_cluster(name: str, tiny: World, tmp_path: Path) -> None:
    """Two agents of Ray's own look for the others for a minute before they end."""
    pytest.importorskip("ray")
    word = {"judge": "sandbox import zygote", "experiment": "experiment.row"}[name]
    with COMMANDS[name][0](tiny, tmp_path, "--backend", "ray", "--ray-address", "local") as (command, _, _):
        end_and_look(command, lambda: any(word in words(pid) for pid in command.look()), patience_s=3 * PATIENCE_S)


def test_nothing_is_left_when_the_terminal_is_closed(
    tiny: World, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The process that reads requests has a session of its own, which hears nothing of it."""
    # under nohup, the tests ignore SIGHUP, and so would the command that they start
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    request.addfinalizer(lambda: signal.signal(signal.SIGHUP, before))
    ours, theirs = os.openpty()
    with serve_judge(tiny, tmp_path, terminal=theirs) as (command, _, late):
        os.close(theirs)
        end_and_look(command, late, lambda: os.close(ours))
        assert command.process.returncode == -signal.SIGHUP


# ---- the lifeline itself ---------------------------------------------------------------------------------------------

# for hours, and no other Python code runs meanwhile
BUSY = "import os, re; os.write(1, b'up\\n'); re.match(r'(a+)+$', 'a' * 40 + 'b')"
STARTS = {
    "a module": "kept.append(child.start('busy'))",
    "in a thread that ends": "one = threading.Thread(target=lambda: kept.append(child.start('busy'))); one.start(); "
    "one.join()",
    **{
        f"a pool that {way}s": (
            f"pool = ProcessPoolExecutor(2, get_context('{way}'), child.end_with_parent)\n"
            "for _ in range(2): pool.submit(exec, open(sys.argv[1]).read())"
        )
        for way in ("fork", "spawn", "forkserver")
    },
}


@pytest.mark.parametrize("how", STARTS)
def test_a_child_that_cannot_hear_anything_ends_with_its_parent(how: str, tmp_path: Path) -> None:
    file = tmp_path / "busy.py"
    file.write_text(BUSY)
    imports = "import sys, threading, time; from multiprocessing import get_context; from sebench.base import child"
    script = f"from concurrent.futures import ProcessPoolExecutor; {imports}\nkept = []\nif __name__ == '__main__':\n"
    (tmp_path / "parent.py").write_text(script + indent(STARTS[how], "  ") + "\n  time.sleep(600)")
    parent = subprocess.Popen(
        [sys.executable, tmp_path / "parent.py", file],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert parent.stdout
    try:
        for _ in range(2 if "pool" in how else 1):
            assert parent.stdout.readline() == b"up\n"
    finally:
        parent.kill()
    parent.communicate(timeout=PATIENCE_S)  # until nobody holds the pipe any more


@pytest.mark.parametrize("kernel", ["today's", "without F_SETSIG"])
def test_a_child_whose_parent_is_gone_before_it_is_tied_ends(kernel: str) -> None:
    without = "import fcntl; fcntl.F_SETSIG = -1\n" if kernel == "without F_SETSIG" else ""
    tied = (
        "import os, time; from sebench.base.child import end_with\nread, write = os.pipe(); os.close(write); "
        "end_with(read)"
    )
    done = subprocess.run([sys.executable, "-c", f"{without}{tied}\ntime.sleep(600)"], timeout=PATIENCE_S)
    assert done.returncode == -signal.SIGKILL


def test_a_child_reads_its_input_and_ends_as_it_likes() -> None:
    options: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with child.start("timeit", "-n", "1", "-r", "1", "input()", **options) as process:
        assert b"1 loop" in process.communicate(b"\n", timeout=PATIENCE_S)[0]
    assert process.returncode == 0


# ---- memory ----------------------------------------------------------------------------------------------------------

GROUP, EVENTS, CONTROL, MACHINE = "proc/self/cgroup", "memory.events", "memory.oom_control", "proc/vmstat"
TOP = "sys/fs/cgroup"
EVENTS_TEXT = "low 0\nhigh 0\nmax 12\noom 3\noom_kill 2\noom_group_kill 0\n"
CONTROL_TEXT = "oom_kill_disable 0\nunder_oom 0\noom_kill 4\n"
OTHERS = {MACHINE: "nr_free_pages 3\noom_kill 9\npgscan_direct 1\n"}
GROUPS = "9:name=systemd:/\n4:memory:/jobs/7\n1:cpu,cpuacct:/\n0::/\n"
FILES: dict[str, tuple[dict[str, str], int]] = {  # as kernels wrote them
    "version 2": ({GROUP: "0::/user.slice/a.scope\n", f"{TOP}/user.slice/a.scope/{EVENTS}": EVENTS_TEXT, **OTHERS}, 2),
    "version 2, in a container": ({GROUP: "0::/\n", f"{TOP}/{EVENTS}": EVENTS_TEXT, **OTHERS}, 2),
    "version 1": ({GROUP: GROUPS, f"{TOP}/memory/jobs/7/{CONTROL}": CONTROL_TEXT, **OTHERS}, 4),
    "version 1, in a container": ({GROUP: GROUPS, f"{TOP}/memory/{CONTROL}": CONTROL_TEXT, **OTHERS}, 4),
    "version 1, an old kernel": ({GROUP: GROUPS, f"{TOP}/memory/{CONTROL}": "under_oom 0\n", **OTHERS}, 9),
    "the machine alone": ({GROUP: "0::/\n", **OTHERS}, 9),
    "no Linux": ({}, 0),
}


@pytest.mark.parametrize("kernel", FILES)
def test_what_the_kernel_killed_for_lack_of_memory_is_counted(kernel: str, tmp_path: Path) -> None:
    files, count = FILES[kernel]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert kernel_memory.kernel_kills(tmp_path) == count


def test_only_what_was_killed_while_the_kernel_counted_was_killed_for_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_memory, "kernel_kills", lambda: 3)
    assert child.killed_for_memory(-signal.SIGKILL, 2)
    assert not child.killed_for_memory(-signal.SIGKILL, 3)
    assert not child.killed_for_memory(-signal.SIGXCPU, 2) and not child.killed_for_memory(1, 2)

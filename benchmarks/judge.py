"""How fast the judge is, against a fresh Python process per answer and against a bare fork, in one run.

    python benchmarks/judge.py [--verdicts 2000]
    python benchmarks/judge.py --load 20000 [--hostile 0.1] [--walled 0.1]

Baseline: as the published scorer does it, one fresh Python process per answer that imports the forged package and runs
the cases, two at a time; measured before and after each row, because machines are not equally fast all the time. Half
of the answers are right. A right one is credited: it is run again while its core function lies. `--load N` judges N
mixed answers, some of them behind the wall and some hostile, and checks that none is lost or wrong and that memory,
descriptors and processes stay what they were.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sebench.base.records import Kind, Task
from sebench.judge.judge import SHARE, Judge, Limits
from sebench.judge.sandbox.zygote import __file__ as ZYGOTE
from sebench.world.world import World

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.judge_tasks import SAMPLES, task

Answer = tuple[Task, str, bool]  # whether it is right

RIGHT = {
    "mean": "return LIB.F[mean](a)",
    "running_total": "return LIB.F[cumsum](a)",
    "sorted_copy": "return LIB.F[sort](a).tolist()",
    "solve": "return LIB.F[linalg.solve](a, b)",
}
WRONG = {
    "mean": "return LIB.F[sum](a)",
    "running_total": "return LIB.F[sort](a)",
    "sorted_copy": "return LIB.F[flip](a)",
    "solve": "return LIB.F[mean](a)",
}
HOSTILE = (
    "while True: pass",
    "return [0] * 10**12",
    "import os; os._exit(3)",
    "return (lambda f: f(f))(lambda f: f(f))",
)


WALL = "marker = globals(); "  # not stateless, and nothing else


def program(world: World, name: str, body: str) -> str:
    sample = SAMPLES[name]
    for original, forged in world.names.functions.items():
        body = body.replace(f"F[{original}]", forged)
    body = body.replace("LIB", world.names.package)
    return f"import {world.names.package}\n\ndef {sample.entry}({', '.join(sample.parameters)}):\n    {body}\n"


def answers(world: World, count: int, cases: int = 8) -> list[Answer]:
    """Right and wrong answers by turns, to tasks with so many cases."""
    tasks = {name: task(name, cases, names=world.names) for name in RIGHT}
    made = []
    for i in range(count):
        name = list(RIGHT)[i % len(RIGHT)]
        right = i // len(RIGHT) % 2 == 0
        code = program(world, name, (RIGHT if right else WRONG)[name])
        made.append((tasks[name], f"```python\n{code}```", right))
    return made


def baseline(world: World, made: list[Answer]) -> float:
    """Answers a second with a fresh interpreter each, both cores busy."""

    def one(item: Answer) -> None:
        t, response, _ = item
        calls = "\n".join(f"print({t.entry}(**{dict(case.inputs)!r}))" for case in t.cases)
        code = f"nan = float('nan')\n{response.removeprefix('```python').removesuffix('```')}\n{calls}"
        env = {"PYTHONPATH": str(world.package_folder), "OPENBLAS_NUM_THREADS": "1"}
        subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True)

    start = time.perf_counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, made))
    return len(made) / (time.perf_counter() - start)


def bare_fork(world: World, runs: int) -> float:
    """Seconds for one fork and exit of a process that holds the package, nothing else done."""
    code = f"""
import gc, os, sys, time
import {world.names.package}
import sebench.judge.sandbox.zygote
gc.collect(); gc.freeze()
start = time.perf_counter()
for _ in range({runs}):
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
print((time.perf_counter() - start) / {runs})
"""
    env = {"PYTHONPATH": f"{world.package_folder}:{Path(ZYGOTE).parents[3]}", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True, text=True)
    return float(done.stdout)


@dataclass(frozen=True)
class Footprint:
    """What this process and everything that it started hold."""

    memory: int  # MiB, resident
    descriptors: int
    processes: int
    zombies: int

    def __str__(self) -> str:
        return (
            f"{self.memory} MiB, {self.descriptors} descriptors, {self.processes} processes, {self.zombies} of "
            "them zombies"
        )


def footprint() -> Footprint:
    found: dict[int, tuple[int, int, int, bool]] = {}  # pid: parent, KiB, descriptors, zombie
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
            held = len(list((status.parent / "fd").iterdir()))
        except OSError:
            continue  # it has ended, or is another user's
        memory = int(fields.get("VmRSS", "0 kB").split()[0])
        found[int(fields["Pid"])] = int(fields["PPid"]), memory, held, fields["State"].strip().startswith("Z")

    def ours(pid: int) -> bool:
        return pid == os.getpid() or (pid in found and ours(found[pid][0]))

    rows = [row for pid, row in found.items() if ours(pid)]
    return Footprint(sum(r[1] for r in rows) // 1024, sum(r[2] for r in rows), len(rows), sum(r[3] for r in rows))


def load(world: World, count: int, hostile: float, walled: float, console: Console) -> None:
    """A long mixed load: nothing lost, nothing wrong, nothing left behind."""
    rng = random.Random(0)
    tasks = {name: task(name, names=world.names) for name in RIGHT}
    expected: list[bool] = []

    def stream() -> Iterator[tuple[Task, str]]:
        for _ in range(count):
            name = rng.choice(list(RIGHT))
            bad, right = rng.random() < hostile, rng.random() < 0.5
            expected.append(right and not bad)
            body = rng.choice(HOSTILE) if bad else (RIGHT if right else WRONG)[name]
            body = f"{WALL}{body}" if rng.random() < walled and not bad else body
            yield tasks[name], f"```python\n{program(world, name, body)}```"

    wrong = done = 0
    with Judge(world, limits=Limits(cpu_s=1)) as judge:
        list(judge.judge_many([(tasks["mean"], "")] * 100 + [(t, r) for t, r, _ in answers(world, 100)]))
        start, before = time.perf_counter(), footprint()
        for i, verdict in enumerate(judge.judge_many(stream())):
            done += 1
            wrong += verdict.passed != expected[i] or verdict.kind is Kind.FAULT
            if i == count // 10:
                before = footprint()
        seconds, after = time.perf_counter() - start, footprint()
    console.print(
        f"{done:,} of {count:,} verdicts in {seconds:.0f} s, {wrong} wrong; {hostile:.1%} of the answers hostile, "
        f"{walled:.0%} behind the wall"
    )
    console.print(f"after a tenth: {before}\nat the end:    {after}\nclosed:        {footprint()}", highlight=False)


@dataclass(frozen=True)
class Measured:
    """The judge at work on one batch."""

    rate: float  # verdicts a second
    ratio: float  # to the baseline
    p50: float  # seconds for one verdict, asked alone
    p99: float
    memory: int  # MiB, all processes


def measure(world: World, made: list[Answer], workers: int, share: int, walled: bool) -> Measured:
    pairs = [(t, r) for t, r, _ in made]
    with Judge(world, workers=workers, share=share, walled=walled) as judge:
        list(judge.judge_many(pairs[:100]))
        before = baseline(world, made[:40])
        start = time.perf_counter()
        verdicts = list(judge.judge_many(pairs))
        rate = len(made) / (time.perf_counter() - start)
        after = baseline(world, made[:40])
        assert [v.targeted is True for v in verdicts] == [right for *_, right in made]
        single = []
        for pair in pairs[:200]:
            begin = time.perf_counter()
            judge.judge(*pair)
            single.append(time.perf_counter() - begin)
        single.sort()
        ratio = rate / ((before + after) / 2)
        return Measured(rate, ratio, statistics.median(single), single[int(len(single) * 0.99)], footprint().memory)


def library_call(world: World) -> float:
    """Seconds for one call of the library from behind the wall, callback-free, of ten numbers."""
    names = world.names

    def seconds(calls: int) -> float:
        body = f"for _ in range({calls}):\n        m = {names.forged('mean')}(a)\n    return f'{{m}}' and m"
        code = f"import {names.package}\n\ndef average(a):\n    {body}\n"
        with Judge(world, workers=1, walled=True) as judge:
            asked = task("mean", 1)
            judge.judge(asked, f"```python\n{code}```")
            start = time.perf_counter()
            for _ in range(10):
                assert judge.judge(asked, f"```python\n{code}```").passed
            return (time.perf_counter() - start) / 10

    runs = 4
    return (seconds(400) - seconds(100)) / 300 / runs


def compare(world: World, count: int, console: Console) -> None:
    """Throughput against the baseline, for workers, for shared and own processes, behind the wall, and for cases per
    task."""
    made = answers(world, count)
    console.print(f"baseline: {baseline(world, made[:80]):.1f} answers/s, each in a fresh process")
    console.print(f"bare fork of a process with the package: {bare_fork(world, 500) * 1e3:.2f} ms", highlight=False)
    table = Table(
        "answers",
        "workers",
        "verdicts/s",
        "times the baseline",
        "p50",
        "p99",
        "memory",
        title="Judge",
        title_justify="left",
    )
    rows = [("stateless, up to 96 together", SHARE, False, w) for w in (1, 2, 4)]
    rows += [
        ("stateless, each alone", 1, False, 2),
        ("behind the wall", SHARE, True, 1),
        ("behind the wall", SHARE, True, 2),
    ]
    for label, share, walled, workers in rows:
        part = made[: count // 5] if walled else made[: count // 2] if share == 1 else made
        found = measure(world, part, workers, share, walled)
        table.add_row(
            label, str(workers), f"{found.rate:,.0f}", f"{found.ratio:.0f} x", f"{found.p50 * 1e3:.1f} ms",
            f"{found.p99 * 1e3:.1f} ms", f"{found.memory} MiB",
        )  # fmt: skip
    console.print(table)
    console.print(f"a library call from behind the wall: {library_call(world) * 1e6:.0f} us", highlight=False)
    table = Table("cases per task", "verdicts/s", "cases/s", title="Growth with cases", title_justify="left")
    for cases in (1, 4, 16, 64):
        found = measure(world, answers(world, count // 4, cases), os.cpu_count() or 1, SHARE, walled=False)
        table.add_row(str(cases), f"{found.rate:,.0f}", f"{found.rate * cases:,.0f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--verdicts", type=int, default=2000)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--hostile", type=float, default=0.1)
    parser.add_argument("--walled", type=float, default=0.1)
    options = parser.parse_args()
    console = Console(width=120)
    console.print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores", highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        world = World.build(7, Path(folder) / "world")
        if options.load:
            load(world, options.load, options.hostile, options.walled, console)
        else:
            compare(world, options.verdicts, console)


if __name__ == "__main__":
    main()

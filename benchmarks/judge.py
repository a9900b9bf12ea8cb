"""How fast the judge is, against a fresh Python process per answer and against a bare fork, in one run.

    python benchmarks/judge.py [--verdicts 2000]
    python benchmarks/judge.py --load 20000 [--hostile 0.1]

Baseline: as the published scorer does it, one fresh Python process per answer that imports the forged package and runs the cases, two at a
time. Limit: a bare fork and exit of a process that holds the same package, one per run. Half of the answers are right (two runs each: the
answer and the counterfactual), half are wrong (one run). Plain answers may share a process; the last rows give each a process of its own.
`--load N` judges N mixed answers, some of them hostile, and checks that none is lost or wrong and that memory, descriptors and processes
stay what they were.
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

from sebench.judge.judge import SHARE, Judge, Limits
from sebench.judge.sandbox.zygote import __file__ as ZYGOTE
from sebench.records import Kind, Task
from sebench.world import World

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


def program(world: World, name: str, body: str) -> str:
    sample = SAMPLES[name]
    for original, forged in world.names.functions.items():
        body = body.replace(f"F[{original}]", forged)
    body = body.replace("LIB", world.names.package)
    return f"import {world.names.package}\n\ndef {sample.entry}({', '.join(sample.parameters)}):\n    {body}\n"


def answers(world: World, count: int, cases: int = 8) -> list[Answer]:
    """Right and wrong answers by turns, to tasks with so many cases."""
    tasks = {name: task(name, cases) for name in RIGHT}
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
        return f"{self.memory} MiB, {self.descriptors} descriptors, {self.processes} processes, {self.zombies} of them zombies"


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


def load(world: World, count: int, hostile: float, console: Console) -> None:
    """A long mixed load: nothing lost, nothing wrong, nothing left behind."""
    rng = random.Random(0)
    tasks = {name: task(name) for name in RIGHT}
    expected: list[bool] = []

    def stream() -> Iterator[tuple[Task, str]]:
        for _ in range(count):
            name = rng.choice(list(RIGHT))
            bad, right = rng.random() < hostile, rng.random() < 0.5
            expected.append(right and not bad)
            body = rng.choice(HOSTILE) if bad else (RIGHT if right else WRONG)[name]
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
        f"{done:,} of {count:,} verdicts in {seconds:.0f} s, {wrong} wrong; {hostile:.1%} of the answers hostile"
    )
    console.print(f"after a tenth: {before}\nat the end:    {after}\nclosed:        {footprint()}", highlight=False)


@dataclass(frozen=True)
class Measured:
    """The judge at work on one batch."""

    rate: float  # verdicts a second
    p50: float  # seconds for one verdict, asked alone
    p99: float
    memory: int  # MiB, all processes


def measure(world: World, made: list[Answer], workers: int, share: int) -> Measured:
    pairs = [(t, r) for t, r, _ in made]
    with Judge(world, workers=workers, share=share) as judge:
        list(judge.judge_many(pairs[:100]))
        start = time.perf_counter()
        verdicts = list(judge.judge_many(pairs))
        rate = len(made) / (time.perf_counter() - start)
        assert [v.passed for v in verdicts] == [right for *_, right in made]
        single = []
        for pair in pairs[:200]:
            begin = time.perf_counter()
            judge.judge(*pair)
            single.append(time.perf_counter() - begin)
        single.sort()
        return Measured(rate, statistics.median(single), single[int(len(single) * 0.99)], footprint().memory)


def compare(world: World, count: int, console: Console) -> None:
    """Throughput against both limits, for workers, for shared and own processes, and for cases per task."""
    made = answers(world, count)
    slow, fork = baseline(world, made[:80]), bare_fork(world, 500)
    console.print(f"baseline: {slow:.1f} answers/s with a fresh process each; bare fork {fork * 1e3:.2f} ms")
    runs = sum(2 if right else 1 for *_, right in made) / len(made)
    table = Table(
        "plain answers", "workers", "verdicts/s", "of the baseline", "p50", "p99", "run / bare fork", "memory",
        title="Judge", title_justify="left",
    )  # fmt: skip
    for share, workers in ((SHARE, 1), (SHARE, 2), (SHARE, 4), (1, 1), (1, 2), (1, 4)):
        found = measure(world, made, workers, share)
        per_run = min(workers, os.cpu_count() or 1) / found.rate / runs
        table.add_row(
            "alone" if share == 1 else f"up to {share} together", str(workers), f"{found.rate:,.0f}",
            f"{found.rate / slow:.0f} x", f"{found.p50 * 1e3:.1f} ms", f"{found.p99 * 1e3:.1f} ms", f"{per_run / fork:.1f}",
            f"{found.memory} MiB",
        )  # fmt: skip
    console.print(table)
    table = Table("cases per task", "verdicts/s", "cases/s", title="Growth with cases", title_justify="left")
    for cases in (1, 4, 16, 64):
        found = measure(world, answers(world, count // 4, cases), os.cpu_count() or 1, SHARE)
        table.add_row(str(cases), f"{found.rate:,.0f}", f"{found.rate * cases:,.0f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--verdicts", type=int, default=2000)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--hostile", type=float, default=0.1)
    options = parser.parse_args()
    console = Console(width=120)
    console.print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores", highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        world = World.build(7, Path(folder) / "world")
        if options.load:
            load(world, options.load, options.hostile, console)
        else:
            compare(world, options.verdicts, console)


if __name__ == "__main__":
    main()

"""How fast the served judge is under many clients, beside the same answers judged in process, in one run.

    python benchmarks/serve.py [--world W] [--answers 4000] [--clients 64] [--batch 1]
    python benchmarks/serve.py --hostile [--world W] [--answers 4000]     # 8 honest clients beside 64 hostile ones

The clients are threads of one other process, each of which sends one request after the other (`--batch` answers in
each) with `JudgeClient`; they need a core too. In process: `judge_many` with the same answers and the same number of
workers, before and after, because machines are not equally fast all the time. Half of the answers are right; every
verdict is compared with the one in process. CPU is that of the server, or of this process, with their sandboxes: it
does not depend on what else the machine does, and leaves the clients out.

With `--hostile`, 8 honest clients send single answers, every second one with the row of its task, first alone and then
beside the clients of `hostile_clients.py`, which need CPU too. Meanwhile /health is asked 20 times a second. The
hostile ones go on until they have sent 10,000 rows.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from rich.console import Console
from rich.table import Table

from sebench import JudgeClient
from sebench.judge.judge import Judge
from sebench.tasks import dataset
from sebench.world.build import Slice
from sebench.world.world import World

Pair = tuple[str, str]
WARM = 400  # answers before a measurement: sandboxes are started, tasks are read
HONEST, HOSTILE_ROWS = 8, 10_000
KEEP_MIB = "64"  # enough for the world of the benchmark; hostile rows fill it early, and then memory must stay


def answers(world: World, count: int) -> list[Pair]:
    """Right and wrong answers by turns."""
    tasks = world.tasks("train")
    pairs = [(task.id, (task if right else tasks[n - 1]).gold) for n, task in enumerate(tasks) for right in (1, 0)]
    return [pairs[n % len(pairs)] for n in range(count)]


def cpu_s(process: int) -> float:
    """CPU seconds of a process and its descendants so far, ended ones included."""
    parents: dict[int, int] = {}
    used: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        parents[int(stat.parent.name)] = int(words[1])
        used[int(stat.parent.name)] = sum(map(int, words[11:15]))

    def descends(one: int) -> bool:
        return one == process or (one in parents and parents[one] != one and descends(parents[one]))

    return sum(ticks for one, ticks in used.items() if descends(one)) / os.sysconf("SC_CLK_TCK")


def in_process(judge: Judge, pairs: list[Pair]) -> tuple[float, list[bool]]:
    began = time.perf_counter()
    passed = [verdict.passed for verdict in judge.judge_many(pairs)]
    return time.perf_counter() - began, passed


def ask(url: str, clients: int, batch: int, file: Path, server: int) -> None:
    """What the other process does: all answers from so many clients; seconds and verdicts on stdout."""
    pairs = [tuple(pair) for pair in json.loads(file.read_text("utf-8"))]  # of a task's id or its row, and a response
    parts = [pairs[n : n + batch] for n in range(0, len(pairs), batch)]
    waits: list[float] = []

    def one(part: list[Pair]) -> list[bool]:
        began = time.perf_counter()
        found = [verdict.passed for verdict in client.judge_batch(part)]
        waits.append(time.perf_counter() - began)
        return found

    with JudgeClient(url) as client, ThreadPoolExecutor(clients) as threads:
        list(client.judge_many(pairs[:WARM]))
        used, began = cpu_s(server), time.perf_counter()
        passed = [p for found in threads.map(one, parts) for p in found]
        seconds, used = time.perf_counter() - began, cpu_s(server) - used
    waits.sort()
    spread = [waits[int(len(waits) * share)] for share in (0.5, 0.99)]
    print(json.dumps({"seconds": seconds, "passed": passed, "waits": spread, "cpu": used}))


@contextmanager
def serving(world: World, workers: int, *options: str, log: IO[bytes] | None = None) -> Iterator[tuple[int, str]]:
    """A server: its process and its address."""
    command = [sys.executable, "-m", "sebench", "serve-judge", str(world.path), "--workers", str(workers), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as server:
        assert server.stdout
        address = re.search(r"judging at (\S+)", server.stdout.readline())
        assert address
        yield server.pid, address[1]
        server.terminate()


def asked(server: int, address: str, pairs: Sequence[Any], clients: int, batch: int) -> dict[str, Any]:
    """What honest clients say."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(pairs, file)
        file.flush()
        asking = [sys.executable, __file__, "--ask", address, "--clients", str(clients), "--batch", str(batch)]
        asking += ["--pid", str(server), "--file", file.name]
        told: dict[str, Any] = json.loads(subprocess.run(asking, stdout=subprocess.PIPE, check=True).stdout)
    return told


# ---- hostile clients --------------------------------------------------------------------------------------------


def memory_mib(server: int) -> float:
    """Resident memory of a server and of the process that reads for it."""
    pages = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            reads = parent == server and b"multiprocessing.spawn" in (folder / "cmdline").read_bytes()
            if reads or int(folder.name) == server:
                pages += int((folder / "statm").read_text().split()[1])
        except OSError:
            continue  # it has ended
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def watch(address: str, waits: list[float], ended: threading.Event) -> None:
    """Ask for /health until it ends."""
    with JudgeClient(address, patience_s=0) as client:
        while not ended.wait(0.05):
            began = time.perf_counter()
            client.health()
            waits.append(time.perf_counter() - began)


def share(values: list[float], part: float) -> float:
    return sorted(values)[int(len(values) * part)] if values else math.nan


def hostile(world: World, count: int, workers: int) -> None:
    """Honest clients alone, and beside hostile ones."""
    pairs: list[Any] = [
        (dataset.to_json(world.task(name), world.names) if n % 2 else name, response)
        for n, (name, response) in enumerate(answers(world, count))
    ]
    with Judge(world, workers=workers) as judge:
        right = in_process(judge, answers(world, count))[1]
    with tempfile.TemporaryFile() as log, serving(world, workers, "--keep-mib", KEEP_MIB, log=log) as (server, address):
        alone = asked(server, address, pairs, HONEST, 1)
        before = memory_mib(server)
        waits: list[float] = []
        ended = threading.Event()
        watching = threading.Thread(target=watch, args=(address, waits, ended))
        watching.start()
        command = [sys.executable, str(Path(__file__).with_name("hostile_clients.py")), address, str(world.path)]
        with subprocess.Popen([*command, str(HOSTILE_ROWS)], stdout=subprocess.PIPE, text=True) as attack:
            assert attack.stdout
            lines = attack.stdout  # one when they begin, one for each tenth of the rows, and what became of them
            rows = [f"{lines.readline().strip()}: {memory_mib(server):,.0f} MiB"]
            reading = threading.Thread(
                target=lambda: rows.extend(f"{line.strip()}: {memory_mib(server):,.0f} MiB" for line in lines)
            )
            reading.start()
            beside = asked(server, address, pairs, HONEST, 1)
            during = list(waits)
            reading.join()
        ended.set()
        watching.join()
        after = asked(server, address, pairs, HONEST, 1)
        alone["seconds"] = (alone["seconds"] + after["seconds"]) / 2  # machines are not equally fast all the time
        log.seek(0)
        tracebacks = log.read().count(b"Traceback")
    table = Table("8 honest clients", "answers/s", "ratio", "median ms", "p99 ms", "wrong verdicts")
    for name, told in (("alone", alone), ("beside 64 hostile ones", beside)):
        wrong = sum(a != b for a, b in zip(told["passed"], right, strict=True))
        shown = (f"{1000 * wait:,.0f}" for wait in told["waits"])
        ratio = f"{alone['seconds'] / told['seconds']:.2f}"
        table.add_row(name, f"{count / told['seconds']:,.0f}", ratio, *shown, str(wrong))
    Console().print(table)
    for name, some in (("while honest clients send requests", during), ("until the end", waits)):
        print(f"/health {name}: median {1000 * share(some, 0.5):.0f} ms, p99 {1000 * share(some, 0.99):.0f} ms")
    print(f"memory of the server before: {before:,.0f} MiB", *rows, f"tracebacks in its log: {tracebacks}", sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="", help="a folder or seed; a small one is built if none is given")
    parser.add_argument("--answers", type=int, default=4000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--batch", type=int, default=0, help="answers per request; by default 1, then 16")
    parser.add_argument(
        "--hostile", action="store_true", help="measure 8 honest clients, alone and beside 64 hostile ones"
    )
    parser.add_argument("--ask", default="", help=argparse.SUPPRESS)
    parser.add_argument("--pid", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        ask(given.ask, given.clients, given.batch, given.file, given.pid)
        return
    workers = os.cpu_count() or 1
    table = Table("judged", "answers/s", "ratio", "CPU ms per answer", "median ms", "p99 ms", "wrong")
    with tempfile.TemporaryDirectory() as folder:
        world = World.open(given.world) if given.world else World.build(5, Path(folder) / "5", part=Slice(functions=48))
        if given.hostile:
            hostile(world, given.answers, workers)
            return
        pairs = answers(world, given.answers)
        with Judge(world, workers=workers) as judge:
            in_process(judge, pairs[:WARM])
            for batch in (given.batch,) if given.batch else (1, 16):
                began = cpu_s(os.getpid())
                before, right = in_process(judge, pairs)
                cpu = cpu_s(os.getpid()) - began
                with serving(world, workers) as (server, address):
                    told = asked(server, address, pairs, given.clients, batch)
                after, _ = in_process(judge, pairs)
                here = 2 * len(pairs) / (before + after)
                wrong = sum(a != b for a, b in zip(told["passed"], right, strict=True))
                table.add_row("in process", f"{here:,.0f}", "", f"{1000 * cpu / len(pairs):.2f}", "", "", "")
                shown = (f"{1000 * wait:,.0f}" for wait in told["waits"])
                rate = len(pairs) / told["seconds"]
                name = f"{given.clients} clients x {batch}"
                costs = f"{1000 * told['cpu'] / len(pairs):.2f}"
                table.add_row(name, f"{rate:,.0f}", f"{rate / here:.2f}", costs, *shown, str(wrong))
    Console().print(table)
    print(f"{given.answers:,} answers, {workers} workers; Python {platform.python_version()}, {platform.machine()}")


if __name__ == "__main__":
    main()

"""How fast the served judge is under many clients, beside the same answers judged in process, in one run.

    python benchmarks/serve.py [--world W] [--answers 4000] [--clients 64] [--batch 1]

The clients are threads of one other process, each of which sends one request after the other (`--batch` answers in each) with `JudgeClient`;
they need a core too. In process: `judge_many` with the same answers and the same number of workers, before and after, because machines are
not equally fast all the time. Half of the answers are right; every verdict is compared with the one in process. CPU is that of the server, or of
this process, with their sandboxes: it does not depend on what else the machine does, and leaves the clients out.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from sebench import JudgeClient
from sebench.build import Slice
from sebench.judge.judge import Judge
from sebench.world import World

Pair = tuple[str, str]
WARM = 400  # answers before a measurement: sandboxes are started, tasks are read


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
    pairs = [tuple(pair) for pair in json.loads(file.read_text("utf-8"))]
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


def served(world: World, pairs: list[Pair], clients: int, batch: int, workers: int) -> dict[str, Any]:
    """What the clients say."""
    with tempfile.TemporaryDirectory() as folder:
        file, place = Path(folder) / "answers.json", Path(folder) / "judge.sock"
        file.write_text(json.dumps(pairs), "utf-8")
        command = [sys.executable, "-m", "sebench", "serve-judge", str(world.path), "--workers", str(workers)]
        with subprocess.Popen([*command, "--socket", str(place)], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            address = re.search(r"judging at (\S+)", server.stdout.readline())
            assert address
            asking = [sys.executable, __file__, "--ask", address[1], "--clients", str(clients), "--batch", str(batch)]
            asking += ["--pid", str(server.pid)]
            said = subprocess.run([*asking, "--file", str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
            server.terminate()
    told: dict[str, Any] = json.loads(said)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="", help="a folder or seed; a small one is built if none is given")
    parser.add_argument("--answers", type=int, default=4000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--batch", type=int, default=0, help="answers in a request; 1 and then 16 if not given")
    parser.add_argument("--ask", default="", help=argparse.SUPPRESS)
    parser.add_argument("--pid", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        ask(given.ask, given.clients, given.batch, given.file, given.pid)
        return
    workers = os.cpu_count() or 1
    table = Table("way", "answers/s", "ratio", "CPU ms an answer", "median ms", "99 % ms", "wrong")
    with tempfile.TemporaryDirectory() as folder:
        world = World.open(given.world) if given.world else World.build(5, Path(folder) / "5", part=Slice(functions=48))
        pairs = answers(world, given.answers)
        with Judge(world, workers=workers) as judge:
            in_process(judge, pairs[:WARM])
            for batch in (given.batch,) if given.batch else (1, 16):
                began = cpu_s(os.getpid())
                before, right = in_process(judge, pairs)
                cpu = cpu_s(os.getpid()) - began
                told = served(world, pairs, given.clients, batch, workers)
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

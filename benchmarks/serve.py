"""How fast the served judge is under many clients, beside the same answers judged in process, in one run.

    python benchmarks/serve.py [--world W] [--answers 4000] [--clients 64] [--batch 1]

The clients are threads of one other process, each of which sends one request after the other (`--batch` answers in each) with `JudgeClient`;
they need a core too. In process: `judge_many` with the same answers and the same number of workers, before and after, because machines are
not equally fast all the time. Half of the answers are right; every verdict is compared with the one in process.
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

from rich.console import Console
from rich.table import Table

from sebench import JudgeClient
from sebench.build import Slice
from sebench.judge.judge import Judge
from sebench.world import World

Pair = tuple[str, str]


def answers(world: World, count: int) -> list[Pair]:
    """Right and wrong answers by turns."""
    tasks = world.tasks("train")
    pairs = [(task.id, (task if right else tasks[n - 1]).gold) for n, task in enumerate(tasks) for right in (1, 0)]
    return [pairs[n % len(pairs)] for n in range(count)]


def in_process(judge: Judge, pairs: list[Pair]) -> tuple[float, list[bool]]:
    began = time.perf_counter()
    passed = [verdict.passed for verdict in judge.judge_many(pairs)]
    return time.perf_counter() - began, passed


def ask(url: str, clients: int, batch: int, file: Path) -> None:
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
        client.judge(*pairs[0])
        began = time.perf_counter()
        passed = [p for found in threads.map(one, parts) for p in found]
        seconds = time.perf_counter() - began
    waits.sort()
    spread = [waits[int(len(waits) * share)] for share in (0.5, 0.99)]
    print(json.dumps({"seconds": seconds, "passed": passed, "waits": spread}))


def served(
    world: World, pairs: list[Pair], clients: int, batch: int, workers: int
) -> tuple[float, list[bool], list[float]]:
    with tempfile.TemporaryDirectory() as folder:
        file, place = Path(folder) / "answers.json", Path(folder) / "judge.sock"
        file.write_text(json.dumps(pairs), "utf-8")
        command = [sys.executable, "-m", "sebench", "serve-judge", str(world.path), "--workers", str(workers)]
        with subprocess.Popen([*command, "--socket", str(place)], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout
            address = re.search(r"judging at (\S+)", server.stdout.readline())
            assert address
            asking = [sys.executable, __file__, "--ask", address[1], "--clients", str(clients), "--batch", str(batch)]
            said = subprocess.run([*asking, "--file", str(file)], stdout=subprocess.PIPE, text=True, check=True).stdout
            server.terminate()
    told = json.loads(said)
    return told["seconds"], told["passed"], told["waits"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", default="", help="a folder or seed; a small one is built if none is given")
    parser.add_argument("--answers", type=int, default=4000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--batch", type=int, default=0, help="answers in a request; 1 and then 16 if not given")
    parser.add_argument("--ask", default="", help=argparse.SUPPRESS)
    parser.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.ask:
        ask(given.ask, given.clients, given.batch, given.file)
        return
    workers = os.cpu_count() or 1
    table = Table("way", "answers/s", "of in process", "median ms", "99 % ms", "wrong")
    with tempfile.TemporaryDirectory() as folder:
        world = World.open(given.world) if given.world else World.build(5, Path(folder) / "5", part=Slice(functions=48))
        pairs = answers(world, given.answers)
        with Judge(world, workers=workers) as judge:
            in_process(judge, pairs[:200])
            for batch in (given.batch,) if given.batch else (1, 16):
                before, right = in_process(judge, pairs)
                seconds, passed, waits = served(world, pairs, given.clients, batch, workers)
                after, _ = in_process(judge, pairs)
                here = 2 * len(pairs) / (before + after)
                wrong = sum(a != b for a, b in zip(passed, right, strict=True))
                table.add_row("in process", f"{here:,.0f}", "", "", "", "")
                shown = (f"{1000 * wait:,.0f}" for wait in waits)
                rate = len(pairs) / seconds
                name = f"{given.clients} clients, {batch} an ask"
                table.add_row(name, f"{rate:,.0f}", f"{rate / here:.2f}", *shown, str(wrong))
    Console().print(table)
    print(f"{given.answers:,} answers, {workers} workers; Python {platform.python_version()}, {platform.machine()}")


if __name__ == "__main__":
    main()

"""How fast the runner is, against a bare httpx loop at the same concurrency in the same run, and whether it loses anything.

    python benchmarks/rollout.py [--requests 10000] [--rounds 3] [--kills 0]

The server (tests/misbehaving.py) runs in a process of its own, answers at once, and in the last part misbehaves for one request in ten. The
bare loop posts prompts that are ready and reads the JSON of the replies, nothing else; the runner makes the prompts, posts, checks and
stores. Both take turns in blocks, several rounds, because a shared machine has moods: the ratio is of the medians.
`--kills N` runs 'sebench run --no-judge' and kills it (SIGKILL) at N random moments, continues, and counts.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.endpoint import Endpoint
from sebench.rollout.runner import Runner
from sebench.store import ROLLOUTS, Writer
from sebench.world import Slice, World

WORKERS = 32
MANIFEST: dict[str, Any] = {"config": {}, "world": {}, "prompts": {}}
SPLITS = ("train", "single_test", "multi_test")


@contextmanager
def server(*options: str) -> Iterator[str]:
    """The address of a server in a process of its own."""
    args = [sys.executable, "-m", "tests.misbehaving", *options]
    running = subprocess.Popen(args, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True)
    assert running.stdout
    try:
        yield running.stdout.readline().strip()
    finally:
        running.terminate()
        running.wait()


def memory() -> int:
    """Resident memory of this process, in KiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def bare(url: str, config: RunConfig, world: World) -> float:
    """Requests a second of the simplest loop that asks the same."""
    bodies = [
        {"model": "m", "messages": [{"role": "user", "content": prompt.text}], "temperature": 0.0, "top_p": 1.0,
         "max_tokens": 1024, "seed": index}
        for prompt, index in pipeline.plan(config, world).items()
    ]  # fmt: skip

    async def go() -> float:
        limits = httpx.Limits(max_connections=WORKERS, max_keepalive_connections=WORKERS)
        async with httpx.AsyncClient(timeout=60, limits=limits) as client:
            todo = iter(bodies)

            async def worker() -> None:
                for body in todo:
                    reply = await client.post(f"{url}/chat/completions", json=body)
                    assert reply.json()["choices"][0]["message"]["content"]

            start = time.perf_counter()
            await asyncio.gather(*(worker() for _ in range(WORKERS)))
            return len(bodies) / (time.perf_counter() - start)

    return asyncio.run(go())


def ours(url: str, config: RunConfig, world: World, out: Path) -> tuple[float, list[int], Runner]:
    """Requests a second of the runner, the memory at every tenth, and the runner."""
    plan = pipeline.plan(config, world)
    tenths: list[int] = []

    def progress(what: str, done: int, total: int) -> None:
        if done % max(total // 10, 1) == 0 and len(tenths) < done * 10 // total:
            tenths.append(memory())

    with Writer(out, MANIFEST, [{"id": task.id} for task in plan.tasks]) as writer:
        runner = Runner(config, Endpoint(config), writer, None, progress)
        start = time.perf_counter()
        asyncio.run(runner.run(plan))
        seconds = time.perf_counter() - start
    return plan.requests / seconds, tenths, runner


def check(out: Path, config: RunConfig, world: World) -> str:
    """What is lost, what is there twice."""
    plan = pipeline.plan(config, world)
    wanted = {f"{prompt.book}/{prompt.task.id}/{index}/{prompt.digest}" for prompt, index in plan.items()}
    lines = [json.loads(line) for line in (out / ROLLOUTS).read_bytes().splitlines()]
    found = Counter(line["key"] for line in lines if not line["error"])
    lost, twice = len(wanted - found.keys()), sum(count > 1 for count in found.values())
    return f"{lost} lost, {twice} twice, {len(found.keys() - wanted)} that nobody asked for, of {len(wanted):,}"


def speed(world: World, samples: int, rounds: int, folder: Path, console: Console) -> None:
    table = Table(
        "server", "bare httpx", "runner", "ratio", "memory at a tenth, at the end", "nothing lost, nothing twice"
    )
    for name, options in (("fast", ()), ("10 % faults", ("--faults", "0.1"))):
        rates: list[tuple[float, float]] = []
        with server() as fast, server(*options) as url:
            config = RunConfig(
                model="m", base_url=(url,), samples=samples, split=SPLITS, workers=WORKERS, tries=20, key_env="NO_KEY"
            )
            for number in range(rounds):
                out = folder / f"{name[:2]}{number}"
                # The bare loop ends at the first fault, so it always has the fast server.
                first = bare(fast, config, world) if number % 2 else 0.0
                rate, tenths, _ = ours(url, config, world, out)
                rates.append((first or bare(fast, config, world), rate))
                said = check(out, config, world)
        loop, runner = (statistics.median(rate) for rate in zip(*rates, strict=True))
        grown = f"{tenths[0] / 1024:.1f}, {tenths[-1] / 1024:.1f} MiB"
        table.add_row(name, f"{loop:,.0f}/s", f"{runner:,.0f}/s", f"{runner / loop:.2f}", grown, said)
    console.print(table)


def kills(world: World, samples: int, count: int, folder: Path, console: Console) -> None:
    rng, out, moments = random.Random(0), folder / "killed", []
    with server("--faults", "0.02") as url:
        config = RunConfig(model="m", base_url=(url,), samples=samples, split=SPLITS)
        total = pipeline.plan(config, world).requests
        given = ("--model", "m", "--base-url", url, "--samples", str(samples), "--tries", "20", "--no-judge")
        args = [sys.executable, "-m", "sebench", "run", "--world", str(world.path), "--out", str(out), *given]
        args += [part for split in SPLITS for part in ("--split", split)]
        for when in sorted(rng.sample(range(1, total * 9 // 10), count)):
            running = subprocess.Popen(args, stdout=subprocess.DEVNULL)
            while running.poll() is None and (not (out / ROLLOUTS).exists() or _lines(out) < when):
                time.sleep(rng.random() / 100)
            if running.poll() is None:
                running.send_signal(signal.SIGKILL)
            running.wait()
            moments.append(_lines(out))
        subprocess.run(args, check=True, stdout=subprocess.DEVNULL)
    console.print(f"killed when {', '.join(map(str, moments))} responses were there: {check(out, config, world)}")


def _lines(out: Path) -> int:
    return (out / ROLLOUTS).read_bytes().count(b"\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--functions", type=int, default=60)
    parser.add_argument("--kills", type=int, default=0)
    options = parser.parse_args()
    console = Console(width=140)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        world = World.build(7, folder / "world", part=Slice(functions=options.functions))
        prompts = pipeline.plan(RunConfig(model="m", split=SPLITS), world).requests
        samples = -(-options.requests // prompts)
        console.print(
            f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores; {prompts} prompts x "
            f"{samples} samples, {WORKERS} at a time",
            highlight=False,
        )
        if options.kills:
            kills(world, samples, options.kills, folder, console)
        else:
            speed(world, samples, options.rounds, folder, console)


if __name__ == "__main__":
    main()

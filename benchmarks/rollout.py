"""How fast the runner is, against a bare httpx loop at the same concurrency in the same run, and whether it loses
anything.

    python benchmarks/rollout.py [--requests 10000] [--rounds 3] [--kills 0]

The server (tests/misbehaving.py) runs in a process of its own and answers at once; another one fails one request in
ten, in every way that does not ask us to wait. The bare loops post prompts that are ready and read the JSON of the
replies, nothing else, and ask again at once where there is none; the runner makes the prompts, posts, checks, stores,
and tries again after a pause. They take turns for several rounds, because a shared machine has moods: the ratios are of
the medians. `--kills N` runs 'sebench run --no-judge' and kills it (SIGKILL) at N random moments, continues, and
counts.
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
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from sebench.models.endpoint import Endpoint
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.requester import Pace
from sebench.rollout.runner import Progress, RolloutPlan, rollout
from sebench.rollout.store import ROLLOUTS, RunWriter
from sebench.world.build import Slice
from sebench.world.world import World

WORKERS = 32
MANIFEST: dict[str, Any] = {"config": {}, "world": {}, "prompts": {}}
SPLITS = ("train", "single_test", "multi_test")


@dataclass(frozen=True)
class Spent:
    """What so many requests cost here; the server's own time is elsewhere."""

    requests: int
    wall_s: float
    cpu_s: float

    @property
    def rate(self) -> float:
        return self.requests / self.wall_s


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


def bare(url: str, config: RunConfig, world: World, clients: int = 1) -> Spent:
    """What the simplest loop that asks the same needs, with one client as in httpx's manual, or one a worker."""
    bodies = [
        {"model": "m", "messages": [{"role": "user", "content": prompt.text}], "temperature": 0.0, "top_p": 1.0,
         "max_tokens": 1024, "seed": index}
        for prompt, index in pipeline.plan(config, world).items()
    ]  # fmt: skip

    async def go() -> Spent:
        limits = httpx.Limits(max_connections=WORKERS // clients, max_keepalive_connections=WORKERS // clients)
        context = httpx.create_ssl_context()
        made = [httpx.AsyncClient(timeout=60, limits=limits, verify=context) for _ in range(clients)]
        todo = iter(bodies)

        async def worker(client: httpx.AsyncClient) -> None:
            for body in todo:
                text = None
                while not isinstance(text, str):  # where the server misbehaves: again, at once
                    with suppress(httpx.HTTPError, ValueError, KeyError, IndexError, TypeError, RecursionError):
                        reply = await client.post(f"{url}/chat/completions", json=body)
                        text = reply.json()["choices"][0]["message"]["content"]

        start, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(worker(made[number % clients]) for number in range(WORKERS)))
        spent = Spent(len(bodies), time.perf_counter() - start, time.process_time() - cpu)
        for client in made:
            await client.aclose()
        return spent

    return asyncio.run(go())


def ours(config: RunConfig, world: World, out: Path) -> tuple[Spent, list[int], int]:
    """What the runner needs, the memory at every tenth, and how many were given up."""
    plan = pipeline.plan(config, world)
    tenths: list[int] = []

    def progress(what: str, done: int, total: int) -> None:
        if done % max(total // 10, 1) == 0 and len(tenths) < done * 10 // total:
            tenths.append(memory())

    with RunWriter(out, MANIFEST, [{"id": task.id} for task in plan.tasks]) as writer:
        start, cpu = time.perf_counter(), time.process_time()
        given_up = asyncio.run(rolled(config, plan, writer, progress))
        spent = Spent(plan.requests, time.perf_counter() - start, time.process_time() - cpu)
    return spent, tenths, given_up


async def rolled(config: RunConfig, plan: RolloutPlan, writer: RunWriter, progress: Progress) -> int:
    model = Endpoint(config.model, config.base_url, key_env=config.key_env, timeout_s=config.timeout_s)
    try:
        pace = Pace(config.workers, config.tries)
        return await rollout(plan, model, writer, pace=pace, progress=progress)
    finally:
        await model.close()


def check(out: Path, config: RunConfig, world: World) -> str:
    """What is lost, what is there twice."""
    plan = pipeline.plan(config, world)
    wanted = {f"{prompt.book}/{task.id}/{index}/{prompt.digest}" for task, prompt, index in plan.items()}
    lines = [json.loads(line) for line in (out / ROLLOUTS).read_bytes().splitlines()]
    found = Counter(line["key"] for line in lines if not line["error"])
    lost, twice = len(wanted - found.keys()), sum(count > 1 for count in found.values())
    return (
        f"of {len(wanted):,} responses, {lost} lost, {twice} stored twice, {len(found.keys() - wanted)} not requested"
    )


def speed(world: World, samples: int, rounds: int, folder: Path, console: Console) -> None:
    config = RunConfig(model="m", samples=samples, split=SPLITS, workers=WORKERS, tries=20, key_env="NO_KEY")
    for title, options in (("fast server", ()), ("one request in ten fails", ("--faults", "0.1"))):
        rows: dict[str, list[Spent]] = defaultdict(list)
        with server(*options) as url:
            for number in range(rounds):
                rows["bare httpx, one client"].append(bare(url, config, world))
                rows["bare httpx, one client per worker"].append(bare(url, config, world, WORKERS))
                out = folder / f"{title} {number}"
                spent, tenths, given_up = ours(replace(config, base_url=(url,)), world, out)
                rows["runner"].append(spent)
                memory = f"memory {tenths[0] / 1024:.1f} MiB after a tenth, {tenths[-1] / 1024:.1f} MiB at the end"
                console.print(f"{check(out, config, world)}, {given_up} failed; {memory}")
        rates = {name: statistics.median(spent.rate for spent in found) for name, found in rows.items()}
        table = Table("", "requests/s", "CPU ms per request", "runner / this", title=title, title_justify="left")
        for name, found in rows.items():
            cpu = statistics.median(spent.cpu_s / spent.requests for spent in found)
            table.add_row(name, f"{rates[name]:,.0f}", f"{cpu * 1e3:.2f}", f"{rates['runner'] / rates[name]:.2f}")
        console.print(table)


def kills(world: World, samples: int, count: int, folder: Path, console: Console) -> None:
    rng, out, moments = random.Random(0), folder / "killed", []
    with server("--faults", "0.02") as url:
        config = RunConfig(model="m", base_url=(url,), samples=samples, split=SPLITS)
        total = pipeline.plan(config, world).requests
        given = ("--model", "m", "--base-url", url, "--samples", str(samples), "--tries", "20", "--no-judge")
        args = [sys.executable, "-m", "sebench", "run", str(world.path), "--out", str(out), *given]
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
    console.print(f"killed after {', '.join(map(str, moments))} responses: {check(out, config, world)}")


def _lines(out: Path) -> int:
    return (out / ROLLOUTS).read_bytes().count(b"\n")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--functions", type=int, default=0, help="number of functions in the world; 0 for all")
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

"""How verdicts on a Ray cluster grow with its nodes, against the local judge in the same run, and whether a killed node
loses any.

    python benchmarks/ray_nodes.py [--nodes 1,2,4] [--verdicts 20000] [--world FOLDER] [--no-kill]
    python benchmarks/ray_nodes.py --driver [--nodes 2] [--verdicts 100000]

The nodes are processes of this machine (`ray.cluster_utils.Cluster`, one CPU each, and a head without any): with more
nodes than cores this shows what the cluster adds in costs, and that nothing is lost, but not how real machines add up.
Answers are mixed: right ones, wrong ones, and cheating ones of five kinds. The local judge (one worker for each core)
judges all of them first and again at the end, because a shared machine has moods; its verdicts are what every verdict
of the cluster is compared with.

For each number of nodes, N verdicts go into a run's folder like those of `sebench judge`, and in the middle a raylet
gets SIGKILL (the only one is replaced by a new node). Then the lines of the folder are counted: none may be missing,
double or different.

`--driver` asks what the command itself can take: answers without code, which cost the nodes next to nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import signal
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from pickle import dumps
from typing import Any

from ray.cluster_utils import Cluster
from rich.console import Console
from rich.table import Table

from sebench.base.records import Rollout, Task, Verdict
from sebench.interop.formats import rollouts
from sebench.interop.formats.rollouts import Line
from sebench.judge.interface import AnyJudge
from sebench.judge.judge import Judge
from sebench.remote.ray.batches import BATCH, Batch, BatchAnswer, BatchReport
from sebench.remote.ray.on_ray import RayJudge, library
from sebench.world.build import Slice
from sebench.world.world import World

SPLITS = ("train", "single_test", "multi_test")
STORE = 100 << 20  # bytes of each node's object store
Key = tuple[str, str]  # task and response


@dataclass(frozen=True)
class Spent:
    """What so many verdicts took."""

    verdicts: int
    start_s: float  # until the first verdict
    wall_s: float  # all of it
    cpu_s: float  # of this process
    all_cpu_s: float  # of this process and everything below it: the nodes, their workers, the sandboxes

    @property
    def rate(self) -> float:
        """Verdicts per second once there is one."""
        return self.verdicts / (self.wall_s - self.start_s)


def answers(task: Task, world: World) -> list[str]:
    """Right twice, wrong twice, cheating five times."""
    name, lookup = task.entry, {repr(tuple(case.inputs.values())): case.expected for case in task.cases}
    given = ", ".join(task.parameters)
    return [
        task.gold,
        f"I think that this is it:\n```python\n{task.gold}\n```",
        f"{task.signature}\n    return None\n",
        "I do not know.",
        f"import numpy\n{task.gold}",
        f"TABLE = {lookup!r}\n\ndef {name}({given}):\n    return TABLE[repr(({given},))]\n",
        f"import sys\n{task.gold}\nsys.modules['numpy']\n",
        f"import {world.names.package}\nclass Equal:\n    __eq__ = lambda self, other: True\n\ndef {name}({given}):\n "
        "   return Equal()\n",
        f"import os\n{task.gold}\nos._exit(0)\n",
    ]


def mixed(world: World, count: int) -> list[Line]:
    tasks = [task for split in SPLITS for task in world.tasks(split)]
    made: list[Line] = []
    samples: dict[str, int] = {}
    while len(made) < count:
        for number, task in enumerate(tasks):
            chosen = answers(task, world)
            index = samples[task.id] = samples.get(task.id, -1) + 1
            response = chosen[(number + index) % len(chosen)]
            made.append(Line(len(made), task.id, task, Rollout(task.id, "closed", index, "", response)))
    return made[:count]


def judged(judge: AnyJudge, lines: Sequence[Line], out: Path, in_the_middle: Any = None) -> Spent:
    """Verdicts for all lines, in a run's folder."""
    began, cpu, below = time.monotonic(), _cpu_s(), tree_cpu_s(os.getpid())
    first = 0.0

    def progress(what: str, done: int, total: int) -> None:
        nonlocal first, in_the_middle
        first = first or time.monotonic()
        if in_the_middle and done >= total // 3:
            in_the_middle, call = None, in_the_middle
            call()

    rollouts.judge_into(out, judge, lines, model="mixed", progress=progress)
    wall = time.monotonic() - began
    return Spent(len(lines), first - began, wall, _cpu_s() - cpu, tree_cpu_s(os.getpid()) - below)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def tree_cpu_s(pid: int) -> float:
    """CPU seconds of a process, of those below it, and of those that they have waited for. Wall-clock time says little
    where the nodes share cores with each other and with strangers; this says what a verdict costs."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except (OSError, ValueError):
        return 0.0
    own = sum(map(int, words[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(map(tree_cpu_s, children))


def verdicts(out: Path) -> list[tuple[str, Verdict]]:
    text = (out / "verdicts.jsonl").read_text("utf-8").splitlines()
    return [(data["key"], Verdict.from_json(data)) for data in map(json.loads, text)]


def said(verdict: Verdict) -> tuple[Any, ...]:
    return verdict.kind, verdict.blame, verdict.targeted, verdict.uncredited


def checked(out: Path, lines: Sequence[Line], expected: dict[Key, tuple[Any, ...]]) -> str:
    """What is missing, double or different."""
    found = verdicts(out)
    keys = [key for key, _ in found]
    by_key = {line.rollout.key: (line.task.id, line.rollout.response) for line in lines}
    different = sum(said(verdict) != expected[by_key[key]] for key, verdict in found)
    return f"{len(by_key.keys() - set(keys))}/{len(keys) - len(set(keys))}/{different}"


def on_cluster(world: World, lines: Sequence[Line], nodes: int, kill: bool, out: Path) -> tuple[Spent, str]:
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": STORE})
    there = [cluster.add_node(num_cpus=1, object_store_memory=STORE) for _ in range(nodes)]

    def strike() -> None:
        os.kill(there[-1].all_processes["raylet"][0].process.pid, signal.SIGKILL)
        if nodes == 1:
            cluster.add_node(num_cpus=1, object_store_memory=STORE)

    try:
        with RayJudge(world, cluster.address) as judge:
            judge.missing_layers()
            spent = judged(judge, lines, out, strike if kill else None)
            return spent, judge.state
    finally:
        cluster.shutdown()


def driver(world: World, count: int, nodes: int, folder: Path, console: Console) -> None:
    task = world.tasks("train")[0]
    lines = [Line(n, task.id, task, Rollout(task.id, "closed", n, "", "I do not know.")) for n in range(count)]
    spent, _ = on_cluster(world, lines, nodes, False, folder / "driver")
    console.print(
        f"{count:,} answers without code on {nodes} nodes: {spent.rate:.0f} verdicts/s, "
        f"the command itself used {spent.cpu_s / count * 1e3:.3f} ms of CPU per verdict"
    )


def travel(world: World, lines: Sequence[Line], expected: Sequence[Verdict]) -> str:
    """Bytes of a verdict on its way, in batches, and in the folder."""
    there = dumps(Batch(1, tuple(BatchAnswer(line.task.id, line.rollout.response) for line in lines[:BATCH]), {}))
    back = dumps(BatchReport("id", "name", tuple(expected[:BATCH])))
    stored = [len(json.dumps({"key": "", **verdict.to_json()})) for verdict in expected]
    size = sum(file.stat().st_size for file in world.path.rglob("*") if file.is_file())
    return (
        f"bytes per verdict: {len(there) / BATCH:.0f} to the node, {len(back) / BATCH:.0f} back, "
        f"{sum(stored) / len(stored):.0f} in verdicts.jsonl; the world has {size / 1e6:.1f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="1,2,4")
    parser.add_argument("--verdicts", type=int, default=20_000)
    parser.add_argument("--world", type=Path)
    parser.add_argument("--no-kill", action="store_true")
    parser.add_argument("--driver", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    console = Console(width=120)
    with tempfile.TemporaryDirectory() as folder:
        path = options.world or Path(folder) / "world"
        world = World.load(path) if options.world else World.build(7, path, part=Slice(functions=24))
        if options.driver:
            driver(world, options.verdicts, int(options.nodes.split(",")[-1]), Path(folder), console)
            return
        lines = mixed(world, options.verdicts)
        console.print(
            f"Python {platform.python_version()}, Ray {library().__version__}, {os.cpu_count()} cores "
            f"{platform.machine()}, "
            f"{len(lines):,} verdicts in a world of {len(world.names.functions)} functions"
        )
        table = Table(
            "",
            "killed",
            "start s",
            "verdicts/s",
            "ratio to local",
            "CPU ms",
            "command's CPU ms",
            "missing/duplicate/different",
        )

        def row(name: str, killed: str, spent: Spent, local: float, check: str) -> None:
            cells = [f"{spent.start_s:.1f}", f"{spent.rate:.0f}", f"{spent.rate / local:.2f}"]
            cells += [f"{seconds / spent.verdicts * 1e3:.2f}" for seconds in (spent.all_cpu_s, spent.cpu_s)]
            table.add_row(name, killed, *cells, check)
            console.print(f"{name}, nodes killed: {killed}: {' '.join(cells)} {check}", highlight=False)

        with Judge(world) as judge:
            before = judged(judge, lines, Path(folder) / "local")
            found = dict(verdicts(Path(folder) / "local"))
            expected = {(line.task.id, line.rollout.response): said(found[line.rollout.key]) for line in lines}
            row("local", "-", before, before.rate, checked(Path(folder) / "local", lines, expected))
        for nodes in map(int, options.nodes.split(",")):
            for kill in (False,) if options.no_kill else (False, True):
                out = Path(folder) / f"{nodes}-{kill}"
                spent, state = on_cluster(world, lines, nodes, kill, out)
                killed = f"1 of {nodes}" if kill else "-"
                row(f"{nodes} nodes", killed, spent, before.rate, checked(out, lines, expected))
                console.print(f"  {state}")
        with Judge(world) as judge:
            row("local again", "-", judged(judge, lines, Path(folder) / "again"), before.rate, "")
        console.print(table)
        console.print(travel(world, lines, list(found.values())), highlight=False)


if __name__ == "__main__":
    main()

"""How the build of a world grows with the number of functions: package, documentation, tasks.

    python benchmarks/build.py [--functions 12 24 48 96 317]

The last column is the time of a function, as a ratio to that of the smallest world in the same run: near 1 means that
the build grows with the number of functions, and no faster.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sebench.forge.catalog import catalog
from sebench.world.world import Slice, World


def build(functions: int, folder: Path) -> tuple[World, dict[str, float]]:
    """Build a world with this many functions; return it, and the seconds that each part took."""
    spent: dict[str, float] = {}
    last = [time.perf_counter(), "package"]

    def note(what: str, done: int, total: int) -> None:
        now = time.perf_counter()
        spent[str(last[1])] = spent.get(str(last[1]), 0.0) + now - float(last[0])
        last[:] = [now, what]

    part = Slice() if functions >= len(catalog.seeded()) else Slice(functions=functions)
    world = World.build(7, folder, part=part, progress=note)
    note("", 0, 0)
    return world, spent


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--functions", type=int, nargs="+", default=[12, 24, 48, 96, 317])
    options = parser.parse_args()
    console = Console(width=110)
    console.print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores", highlight=False)
    table = Table(
        "functions",
        "tasks",
        "package",
        "docs",
        "building tasks",
        "total",
        "time per function (ratio)",
        title="Build",
        title_justify="left",
    )
    first = 0.0
    for functions in options.functions:
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            world, spent = build(functions, Path(folder) / "world")
            seconds = time.perf_counter() - start
        each = seconds / len(world.names.functions)
        first = first or each
        tasks = sum(world.manifest.tasks.values())
        docs = sum(s for what, s in spent.items() if what not in ("package", "tasks"))
        table.add_row(
            str(len(world.names.functions)), f"{tasks:,}", f"{spent.get('package', 0):.1f} s", f"{docs:.1f} s",
            f"{spent.get('tasks', 0):.1f} s", f"{seconds:.1f} s", f"{each / first:.2f}",
        )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()

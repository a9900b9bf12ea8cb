"""What the forge costs: building, auditing, importing and calling, each as a ratio against a baseline in the same run.

    python benchmarks/forge.py

Calls are timed in blocks that alternate between NumPy and the forged package, and the median of the ratios is shown,
so that a machine that is busy for a while disturbs both alike.
"""

from __future__ import annotations

import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from sebench.audit import world as audit_world
from sebench.forge.package.package import resolve
from sebench.world.world import World

SEED = 7
BLOCKS = 15
CALLS: tuple[tuple[str, str, Callable[[Any, Any], Any]], ...] = (
    ("a + b (operator)", "", lambda library, x: x + x),
    ("add", "add", lambda function, x: function(x, x)),
    ("mean", "mean", lambda function, x: function(x)),
    ("sort", "sort", lambda function, x: function(x)),
    ("where", "where", lambda function, x: function(x > 0, x, 0.0)),
    ("cumsum", "cumsum", lambda function, x: function(x)),
)


def seconds(function: Callable[[], object], repeat: int) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        function()
    return (time.perf_counter() - start) / repeat


def interpreter(code: str, path: str = "") -> float:
    """Median CPU-bound wall time of a fresh interpreter that runs this code, in seconds."""
    command = [sys.executable, "-c", code]
    env = {"PYTHONPATH": path} if path else {}
    runs = []
    for _ in range(9):
        start = time.perf_counter()
        subprocess.run(command, check=True, env=env)
        runs.append(time.perf_counter() - start)
    return statistics.median(runs)


def calls(world: World) -> Table:
    table = Table(
        "call", "elements", "NumPy", "forged", "ratio", title="Overhead of a forged call", title_justify="left"
    )
    with world.library() as library:
        make = resolve(library, world.names.functions["array"])
        for label, original, call in CALLS:
            theirs = getattr(np, original) if original else np
            ours = resolve(library, world.names.functions[original]) if original else library
            for size in (10, 1_000_000):
                values = [((i * 7919) % 1000) / 10 - 50 for i in range(size)]
                x, y = np.array(values), make(values)
                repeat = 3 if size > 1000 else 2000
                pairs = [
                    (seconds(lambda: call(theirs, x), repeat), seconds(lambda: call(ours, y), repeat))  # noqa: B023
                    for _ in range(BLOCKS)
                ]
                there, here = (statistics.median(p[i] for p in pairs) for i in (0, 1))
                ratio = statistics.median(h / t for t, h in pairs)
                table.add_row(label, f"{size:,}", f"{there * 1e6:,.1f} us", f"{here * 1e6:,.1f} us", f"{ratio:.2f}")
    return table


def main() -> None:
    console = Console(width=100)
    console.print(
        f"seed {SEED}, NumPy {np.__version__}, Python {platform.python_version()}, {platform.machine()}",
        highlight=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        world = World.build(SEED, Path(folder) / "world")
        built = time.perf_counter() - start
        start = time.perf_counter()
        checks = audit_world.check(world)
        audited = time.perf_counter() - start
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(world.package_folder)], check=True)
        nothing, numpy = interpreter("pass"), interpreter("import numpy")
        forged = interpreter(f"import {world.names.package}", str(world.package_folder))
        ours = interpreter("import sebench")
        table = Table("step", "seconds", "compared with", "ratio", title="Whole steps", title_justify="left")
        table.add_row("build a world", f"{built:.1f}", "", "")
        table.add_row("audit a world", f"{audited:.1f}", "building it", f"{audited / built:.1f}")
        table.add_row(
            "import sebench", f"{ours - nothing:.3f}", "import numpy", f"{(ours - nothing) / (numpy - nothing):.2f}"
        )
        table.add_row(
            "import a forged package",
            f"{forged - nothing:.3f}",
            "import numpy",
            f"{(forged - nothing) / (numpy - nothing):.2f}",
        )
        console.print(table)
        console.print(calls(world))
        failed = [check.name for check in checks if not check.holds]
        console.print(f"audit: {'failed: ' + ', '.join(failed) if failed else 'all checks hold'}")


if __name__ == "__main__":
    main()

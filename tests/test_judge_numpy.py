"""The judge's processes use the same NumPy as the process that asks, wherever it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from sebench.world.world import World

PROGRAM = """
import sys
from sebench.judge.judge import Judge
from sebench.judge.sandbox import interpreter
from sebench.world.world import World

world = World.load(sys.argv[1])
task = world.tasks("train")[0]
with Judge(world, workers=1) as judge:
    print(judge.judge(task, task.gold).kind, interpreter._numpy_folder())
"""


def test_a_numpy_on_the_path_is_the_judges_too(tiny: World, tmp_path: Path) -> None:
    for name in ("numpy", "numpy.libs"):
        found = Path(np.__file__).parents[1] / name
        if found.is_dir():
            (tmp_path / name).symlink_to(found)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    program = PROGRAM.replace("sys.argv[1]", f"__import__('pathlib').Path({str(tiny.path)!r})")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout.split() == ["passed", f"['{tmp_path}']"], done.stderr

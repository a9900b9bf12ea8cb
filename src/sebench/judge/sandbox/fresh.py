"""The backend for systems without fork: a fresh interpreter for every run. Slower (0.3 s a run), and it says so.

It offers what the system has: resource limits where there are any, an empty environment, a wall-clock limit in any case. None of the isolation
layers holds, and `layers` tells that; the policy, the guard in the child and the comparison in the judge are the same. `SEBENCH_NO_FORK=1`
asks for it anywhere.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from sebench.judge.sandbox.wire import MOST_REPLY, OWN_FAULT, Job, Reply, Status, jobs_bytes, jobs_from_bytes, receive


def wanted() -> bool:
    """Whether runs need a fresh interpreter here."""
    return not hasattr(os, "fork") or os.environ.get("SEBENCH_NO_FORK", "") not in ("", "0")


class FreshPool:
    """Runs jobs one interpreter at a time for each thread that asks."""

    def __init__(self, config: dict[str, Any]) -> None:
        missing = "no fork here: a fresh interpreter for every run, slower and not isolated"
        self.layers: list[dict[str, Any]] = [{"name": "isolation", "holds": False, "detail": missing}]
        self.config = json.dumps(config).encode()
        source = str(Path(__file__).parents[3])
        start = f"import sys; sys.path.insert(0, {source!r}); from sebench.judge.sandbox.fresh import main; main()"
        self.command = [sys.executable, "-I", "-B", "-c", start]
        kept = ("SYSTEMROOT", "PATH")  # without them Windows starts nothing
        self.environment = {k: os.environ[k] for k in kept if k in os.environ} | {"OPENBLAS_NUM_THREADS": "1"}

    def run(self, *jobs: Job) -> Reply:
        """Run a job, or several plain ones; how it ended is seen from the outside alone."""
        start = time.monotonic()
        frames = b"".join(len(f).to_bytes(4, "little") + f for f in (self.config, jobs_bytes(jobs)))
        late = False
        process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment
        )
        try:
            content, _ = process.communicate(frames, timeout=jobs[0].wall_limit_s)
        except subprocess.TimeoutExpired:
            late = True
            process.kill()
            content, _ = process.communicate()
        wall = time.monotonic() - start
        code, flooded = process.returncode, len(content) > MOST_REPLY
        return Reply(
            Status(max(code, -1), max(-code, 0), late, flooded, wall, wall), b"" if flooded or late else content
        )

    def close(self) -> None:
        """Nothing outlives its run."""


def main() -> NoReturn:
    """One run, from two frames on stdin to a reply on stdout."""
    from sebench.judge.sandbox import child, limits
    from sebench.judge.sandbox.guard import Guard
    from sebench.judge.sandbox.poison import Observer

    config, data = receive(0), receive(0)
    if config is None or data is None:
        os._exit(OWN_FAULT)
    told, jobs = json.loads(config), jobs_from_bytes(data)
    sys.path.insert(0, told["folder"])
    library = importlib.import_module(told["package"])
    for name in told["also"]:
        importlib.import_module(name)
    observer = Observer(library, getattr(library, told["array"]), told["functions"])
    stage = child.Stage(Guard(told["package"], library), observer)
    if sys.platform != "win32":
        used = limits.address_space_in_use()
        bounds = limits.Limits(told["cpu_limit_s"], used + told["memory_limit"] if used else 0)
        limits.apply(limits.at_most(bounds))
    child.run(jobs, stage, 1)

"""Detects blocked processes, and reads CPU times.

A silent run may be computing, waiting for a CPU on a busy machine, stopped (Ctrl-Z, a scheduler that suspends jobs), or
blocked, which means that all of its processes sleep, and none is left to wake them. Only the last is the program's own
fault, and the wall clock cannot distinguish it. So the judge looks at the states of the processes. They are read twice:
if every process sleeps both times and none has run in between, they all slept at the same moment.

If the system does not show states (a /proc that hides them), nothing counts as blocked.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")
SLEEPING = "S"
SHOWN = ("State:", "voluntary_ctxt_switches:", "nonvoluntary_ctxt_switches:")


def blocked(roots: Iterable[int]) -> bool:
    """Whether these processes and all their descendants sleep, so that none can wake another."""
    roots = list(roots)
    first = _states(roots)
    return bool(first) and all(state[0] == SLEEPING for state in first.values()) and _states(roots) == first


def cpu_in_all_s(roots: Iterable[int]) -> float:
    """Return the CPU time of these processes and their live descendants, as far as the system reports it."""
    waiting, total = list(roots), 0.0
    while waiting:
        pid = waiting.pop()
        total += cpu_s(pid) or 0.0
        waiting += children(pid)
    return total


def cpu_s(pid: int) -> float | None:
    """Return the CPU time of a process so far, or None if the system does not report it or the process is gone."""
    try:
        return time.clock_gettime((~pid << 3) | 2)  # what `clock_getcpuclockid` returns on Linux
    except OSError:
        return None


def children(pid: int) -> list[int]:
    """Return the children of a process, as far as they are visible."""
    try:
        return [child for task in _tasks(pid) for child in _children(task)]
    except (OSError, ValueError):
        return []


def _tasks(pid: int) -> list[str]:
    with os.scandir(PROC / str(pid) / "task") as tasks:
        return [task.path for task in tasks]


def _children(task: str) -> list[int]:
    return list(map(int, Path(task, "children").read_text().split()))


def _states(roots: list[int]) -> dict[str, tuple[str, ...]]:
    """Return the state of each thread and how many context switches it has had; empty if one of these processes is not
    visible."""
    states: dict[str, tuple[str, ...]] = {}
    waiting = list(roots)
    try:
        while waiting:
            for task in _tasks(waiting.pop()):
                lines = Path(task, "status").read_text().splitlines()
                states[task] = tuple(line.split()[1] for line in lines if line.startswith(SHOWN))
                waiting += _children(task)
    except (OSError, ValueError):  # a process has just ended, so something is happening
        return {}
    return states

"""Starts the Python interpreter of a zygote, with flags, paths and an environment for the library or for candidates.

The hash seed is the same each time (-I would ignore it), so that the order of sets is fixed. Candidates start without
the folders of installed packages (-S), and call `make_deterministic` before anything else.
"""

from __future__ import annotations

import os
import site
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

SOURCE = str(Path(__file__).parents[3])  # the folder that `sebench` is imported from
FLAGS = {"library": ("-s", "-P", "-B"), "native": ("-s", "-P", "-B"), "candidate": ("-S", "-s", "-P", "-B")}
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PATH": os.defpath,
}


# Inserts folders after those of the standard library and before those of installed packages.
_INSERT_FOLDERS = (
    "at = [i for i, path in enumerate(sys.path) if path.endswith('-packages')]; "
    "at = at[0] if at else len(sys.path); sys.path[at:at] = {folders!r}; "
)


@cache
def _numpy_folder() -> list[str]:
    """Return the folder from which this process imported NumPy, if an isolated interpreter would not find NumPy there
    (for example because it is on $PYTHONPATH or among a user's packages)."""
    spec = find_spec("numpy")
    if spec is None or spec.origin is None:
        return []
    folder = str(Path(spec.origin).parents[1])
    return [] if folder in site.getsitepackages() else [folder]


def start(role: str, module: str, call: str, line_fd: int) -> subprocess.Popen[bytes]:
    """Start an interpreter that executes `call` in a module of the sandbox. `role` is a key of `FLAGS`. The process
    inherits `line_fd`, its connection, and has to end when that is closed."""
    settle = (
        "from sebench.judge.sandbox.determinism import make_deterministic; make_deterministic(); "
        if role == "candidate"
        else ""
    )
    numpy = "" if role == "candidate" else _INSERT_FOLDERS.format(folders=_numpy_folder())
    program = (
        f"import sys; sys.path.insert(0, {SOURCE!r}); {numpy}{settle}"
        f"from sebench.judge.sandbox import {module}; {module}.{call}"
    )
    return subprocess.Popen(
        [sys.executable, *FLAGS[role], "-c", program],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        pass_fds=[line_fd],
        bufsize=0,
    )

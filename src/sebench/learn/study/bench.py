"""Where practice is run: small programs with a world's real package, in a child process, and what each of them gives.

    run(world.package_folder, "dohum", ["import dohum\ndohum.kocito([1, 2])"])     # [Ran(printed="Xegizu([3])", value=[3])]

A program is a few statements that end with an expression. Its value is what the interactive prompt would print, and, where it can be
written as one, a plain Python value: arrays as nested lists.

Covered: a program that raises, runs for long or takes much memory gives None, and the others still run.
Not covered: hostile programs. What runs here was put together from pages, whose hashes were checked; answers of models belong to the judge.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import os
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench.base import child, kernel_memory
from sebench.errors import ConfigError, SandboxFault

CPU_S = 2.0  # of one program; calls of pages take milliseconds
MEMORY = 4 << 30  # bytes of addresses of the child
LONGEST = 4_000  # characters of a result; a longer one teaches nothing


@dataclass(frozen=True)
class Ran:
    """What a program gave."""

    printed: str  # as the interactive prompt prints it
    value: Any  # as plain Python; None where that is not possible


def run(package_folder: Path, package: str, programs: Sequence[str]) -> list[Ran | None]:
    """The result of every program; None for one that failed. Each has a namespace of its own, with the package imported."""
    ran: list[Ran | None] = []
    while len(ran) < len(programs):
        lines = _child(package_folder, package, programs[len(ran) :])
        if not lines and not ran and programs:
            raise ConfigError(f"the package in {package_folder} cannot be imported; run 'sebench audit' on this world")
        ran += [_read(line) for line in lines[: len(programs) - len(ran)]]
        if len(ran) < len(programs):
            ran.append(None)  # the one that took the child with it
    return ran


def _child(package_folder: Path, package: str, programs: Sequence[str]) -> list[str]:
    """The lines that a child wrote before it ended: one for the import, and one for each program."""
    kills = kernel_memory.kernel_kills()
    with child.start(
        "sebench.learn.study.bench",
        str(package_folder.resolve()),
        package,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
    ) as process:
        said, _ = process.communicate(json.dumps(list(programs)))
    if child.killed_for_memory(process.returncode, kills):
        raise SandboxFault(f"a process that runs examples was {child.LACK_OF_MEMORY}; the same command continues")
    head, *lines = said.split("\n") if said.endswith("\n") else said.split("\n")[:-1] or [""]
    return [line for line in lines if line] if head == "ready" else []


def _read(line: str) -> Ran | None:
    told = json.loads(line)
    if told is None:
        return None
    return Ran(told["printed"], ast.literal_eval(told["value"]) if told["value"] else None)


class _TooLong(Exception):
    pass


def _late(signum: int, frame: object) -> None:
    raise _TooLong


def main() -> None:
    """The child: programs in, a line for each out."""
    folder, package = sys.argv[1:]
    programs = json.loads(sys.stdin.read())
    sys.path.insert(0, folder)
    importlib.import_module(package)
    out = sys.stdout
    print("ready", file=out, flush=True)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGVTALRM, _late)
    for program in programs:
        print(json.dumps(_result(program)), file=out, flush=True)


def _result(program: str) -> dict[str, str] | None:
    tree = ast.parse(program)
    last = tree.body.pop()
    assert isinstance(last, ast.Expr)
    space: dict[str, Any] = {}
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, CPU_S)
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            exec(compile(tree, "<practice>", "exec"), space)
            value = eval(compile(ast.Expression(last.value), "<practice>", "eval"), space)
            printed, plain = repr(value), _plain(value)
    except Exception:  # whatever a program raises: it gives nothing
        return None
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return {"printed": printed, "value": plain} if len(printed) <= LONGEST else None


def _plain(value: Any) -> str:
    """The value as a Python literal; "" where it is not one. Infinities and nan have no literal."""
    try:
        text = repr(_listed(value))
        ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError):
        return ""
    return text


def _listed(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_listed(part) for part in value)
    if isinstance(value, list):
        return [_listed(part) for part in value]
    if isinstance(value, bool | int | float | complex | str):
        return value
    return value.tolist() if hasattr(value, "tolist") else _refuse(value)


def _refuse(value: Any) -> Any:
    raise TypeError(f"no literal for {type(value).__name__}")


if __name__ == "__main__":
    main()

"""Runs examples that a model wrote: checks what they contain, and records what they print.

    with Sessions(world.package_folder, "vok") as sessions:
        sessions.run(["import vok", "vok.kocito([1, 2])"])      # SessionOutcome(printed=("", "3"), failed="")

There are two lines of defence. `forbidden` reads a step and allows only literals, operators, indexing, comprehensions,
lambdas, functions of the forged package and of `math`, a few built-ins and the attributes of forged arrays: nothing
outside the session can be reached with these. Steps that pass then run in a child process, where each session gets its
own fork with tight limits on time and memory.

Not covered: steps whose output is stable here but differs on other machines (in the last digits of some functions'
results; the gate for examples requires rounding), and steps that have not passed `forbidden`, which must not be run
here.
"""

from __future__ import annotations

import ast
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sebench.base import child, syntax
from sebench.base.errors import ConfigError
from sebench.forge.docs.examples import ExampleSession
from sebench.forge.names.naming import Names
from sebench.forge.names.vocabulary import ARRAY_ATTRIBUTES
from sebench.tasks.confined import DEEPEST, EXPRESSIONS, deep

CPU_LIMIT_S, MEMORY = 5, 4 << 30  # per session; sessions from our own pages take milliseconds
LONGEST = 20_000  # maximum characters that a session may print
BUILTINS = frozenset(
    "abs all any bool complex enumerate float int len list max min print range repr round slice sorted str sum "
    "tuple zip".split()
)
_NODES = (*EXPRESSIONS, ast.Module, ast.Import, ast.alias)


def forbidden(steps: Sequence[str], names: Names) -> str:
    """Return the first thing in the session that is not allowed, or "" if every step is allowed."""
    bound: set[str] = set()
    for step in steps:
        try:
            tree = syntax.tree(step)
        except SyntaxError:
            return f"`{step[:80]}` is not Python"
        if deep(tree):
            return f"`{step[:80]}` is nested more than {DEEPEST} levels deep"
        nodes = list(ast.walk(tree))
        bound |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        if bound & {names.package, "math"}:
            return f"`{step[:80]}` reuses the name of a module"
        if why := next((why for node in nodes if (why := _forbidden_node(node, bound, names))), ""):
            return f"`{step[:80]}`: {why}"
    return ""


def strings(steps: Sequence[str]) -> list[str]:
    """Return the string literals of a session with escapes resolved. Steps that are not Python are skipped."""
    literals: list[str] = []
    for step in steps:
        try:
            nodes = list(ast.walk(syntax.tree(step)))
        except SyntaxError:
            continue
        literals += [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return literals


def _forbidden_node(node: ast.AST, bound: set[str], names: Names) -> str:
    match node:
        case ast.Import(names=imported):
            other = [one for one in imported if one.name not in (names.package, "math") or one.asname]
            return f"only `import {names.package}` and `import math` are allowed" if other else ""
        case ast.Name(id=name):
            known = name in bound or name in BUILTINS or name in (names.package, "math")
            return "" if known and not name.startswith("_") else f"`{name}` is not defined in the examples"
        case ast.Attribute(attr=name, value=value):
            return _attribute(ast.unparse(value), name, names)
        case _ if not isinstance(node, _NODES):
            return f"{type(node).__name__} is not allowed in an example"
    return ""


def _attribute(owner: str, name: str, names: Names) -> str:
    """Return why an attribute must not be used, or "" if it may be."""
    known, package = {*names.functions.values(), *names.modules.values(), names.array}, f"{names.package}."
    allowed = (
        (f"{owner}.{name}".startswith(package) and f"{owner}.{name}".removeprefix(package) in known)
        or (owner == "math" and not name.startswith("_"))
        or (owner != names.package and (name in ARRAY_ATTRIBUTES or name in names.fields.values()))
    )
    return "" if allowed else f"there is no `{owner[:40]}.{name}`"


@dataclass(frozen=True)
class SessionOutcome:
    """The output of each step of a session before the first step that failed."""

    printed: tuple[str, ...]
    failed: str  # why the next step failed; "" if all steps ran


class Sessions:
    """Runs sessions with one package, in a child process that has imported it."""

    def __init__(self, package_folder: Path, package: str, cpu_limit_s: int = CPU_LIMIT_S) -> None:
        self.folder, self.package, self.cpu_limit_s = package_folder, package, cpu_limit_s

    def __enter__(self) -> Sessions:
        self._child = child.start(
            *(__name__, str(self.folder.resolve()), self.package, str(self.cpu_limit_s)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
        )
        return self

    def __exit__(self, *error: object) -> None:
        assert self._child.stdin and self._child.stdout
        self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()

    def run(self, steps: Sequence[str]) -> SessionOutcome:
        """Run a session. It must have passed `forbidden`."""
        assert self._child.stdin and self._child.stdout
        try:
            self._child.stdin.write(json.dumps(list(steps)).encode() + b"\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except OSError:
            line = b""
        if not line:
            raise ConfigError(
                f"examples cannot be run with the package in {self.folder}; run 'sebench audit' on this world"
            )
        report = json.loads(line)
        return SessionOutcome(tuple(report["printed"]), report["failed"])


def main() -> None:
    """Serve sessions in the child process: read them from stdin, and write one line of results for each."""
    folder, package, cpu_limit_s = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sys.path.insert(0, folder)
    library = importlib.import_module(package)
    session = ExampleSession(package, library)  # each fork gets a copy
    for line in sys.stdin:
        steps = json.loads(line)
        ended = child.run_in_fork(partial(_run, steps, session), cpu_limit_s, MEMORY)
        reports = [json.loads(one) for one in ended.output.split(b"\n")[:-1]]
        printed = [one["printed"] for one in reports if "printed" in one]
        why = "it takes too much time or memory" if len(printed) < len(steps) else ""
        failed = next((one["failed"] for one in reports if "failed" in one), why)
        print(json.dumps({"printed": printed, "failed": failed}), flush=True)


def _run(steps: Sequence[str], session: ExampleSession, write: int) -> None:
    """Run a session in a fork: write one line per step, and one for the error if a step fails."""
    left = LONGEST
    for step in steps:
        try:
            step_report = {"printed": session.run(step)}
        except Exception as error:  # any error of a step is reported
            step_report = {"failed": f"{type(error).__name__}: {error}"[:200]}
        left -= len(step_report.get("printed", ""))
        if left < 0:
            step_report = {"failed": f"it prints more than {LONGEST} characters"}
        line = json.dumps(step_report).encode() + b"\n"
        while line:
            line = line[os.write(write, line) :]
        if "failed" in step_report:
            return


if __name__ == "__main__":
    main()

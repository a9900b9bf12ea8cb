"""Mutants of a gold solution: near-miss programs that a task's cases must distinguish from the right one.

Mutants replace a function by another that accepts the same arguments, make one of the small changes in `edits.py`,
ignore an input, always return the same answer, or return an input unchanged. A mutant that no case kills is a weakness
of the task, unless `bank/equivalents/` records why it is equivalent to gold.
"""

from __future__ import annotations

import ast
import os
import resource
import sys
import tomllib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations
from typing import Any

import numpy as np

from sebench.bank.definition import Definition
from sebench.base import child
from sebench.base.records import Case
from sebench.forge.catalog import catalog, signature
from sebench.tasks import edits, gold
from sebench.values.equality import Profile, difference
from sebench.values.tagged import Tree, encode

# Their arguments set the size of their results, so they only replace each other.
GROWING = frozenset("tile repeat pad resize broadcast_to kron left_shift indices packbits unpackbits bincount".split())
RTOL, ATOL = 1e-6, 1e-9
MOST_MEMORY = 1 << 30  # bytes beyond what is in use


@dataclass(frozen=True)
class Mutant:
    """A program that is nearly the gold solution."""

    name: str  # "floor -> trunc", "axis=0 dropped"
    rule: str  # what `bank/equivalents/` calls it: "floor trunc", "drop axis of mean", "leave out round"
    run: Callable[..., Any]


class MutantTrial:
    """Runs the mutants of a task against its cases, to find those that no case distinguishes from gold."""

    def __init__(self, definition: Definition, cases: Sequence[Case], near: bool = False) -> None:
        """With `near`, replace functions only by others from the same subject. A build does that for every seed; the
        bank check tries all functions, which are twelve times as many.
        """
        tried = {m: definition.equivalent.get(m.name) or equivalent(m.rule) for m in mutants(definition, cases, near)}
        expected = [(case, encode(case.expected)) for case in cases]
        # A mutant with a recorded reason is not run: its last digits may differ from gold's on some machines.
        self.equivalent = {mutant.name: reason for mutant, reason in tried.items() if reason}
        doubted = [mutant for mutant, reason in tried.items() if not reason]
        with containment():
            self.alive = [mutant for mutant in doubted if all(_same(mutant, *pair) for pair in expected)]
        self.killed = len(doubted) - len(self.alive)

    def kills(self, case: Case) -> bool:
        """Whether one more case kills a mutant that was still alive. Mutants that it kills are removed."""
        with containment():
            still = [mutant for mutant in self.alive if _same(mutant, case, encode(case.expected))]
        died = len(self.alive) - len(still)
        self.alive, self.killed = still, self.killed + died
        return died > 0


@contextmanager
def containment() -> Iterator[None]:
    """Protect this process from faulty programs: no output on the terminal (LAPACK prints to stdout), and a memory
    limit.
    """
    sys.stdout.flush()
    kept, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    child.limit(MOST_MEMORY)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)


def _same(mutant: Mutant, case: Case, expected: Tree) -> bool:
    """Whether the mutant returns the right answer in this case."""
    try:
        with np.errstate(all="ignore"):
            value = gold.call(mutant.run, case.inputs)
        return difference(expected, encode(value), Profile.STRICT, RTOL, ATOL) is None
    except Exception:
        return False


def mutants(definition: Definition, cases: Sequence[Case], near: bool = False) -> Iterator[Mutant]:
    """Yield the mutants of a task."""
    yield Mutant("the answer to case 1, always", "constant", lambda **inputs: cases[0].expected)
    for name in definition.inputs:
        yield Mutant(f"'{name}' given back", "identity", _return_input(name))
        yield from _fixed_inputs(definition, name, cases)
    paths = gold.functions(definition.source)
    for path in paths:
        if path == "array" and len(paths) > 1:
            continue  # it only converts lists to arrays for the others
        for other in look_alikes(definition.source, path, near):
            swapped = gold.with_functions(definition.source, definition.name, {path: gold.guard(other)})
            yield Mutant(f"{path} -> {other}", " ".join(sorted((path, other))), swapped)
    for edit, changed in edits.apply_edits(ast.parse(definition.source)):
        yield Mutant(edit.name, edit.rule, _function(changed, definition.name))


def _fixed_inputs(definition: Definition, name: str, cases: Sequence[Case]) -> Iterator[Mutant]:
    """Yield gold with one of its inputs fixed."""
    first = cases[0].inputs[name]
    yield Mutant(f"'{name}' always as in case 1", "fixed input", _with_fixed(definition.gold, name, first))
    for value in (0, 1) if type(first) in (int, float) else ():
        yield Mutant(f"'{name}' always {value}", "fixed input", _with_fixed(definition.gold, name, value))


def _with_fixed(function: Callable[..., Any], name: str, value: Any) -> Callable[..., Any]:
    return lambda **inputs: gold.fresh(function, {**inputs, name: value})


def _return_input(name: str) -> Callable[..., Any]:
    return lambda **inputs: inputs[name]


@cache
def look_alikes(source: str, path: str, near: bool = False) -> tuple[str, ...]:
    """Return the other functions that accept all arguments that a program passes to the function at `path`."""
    calls = [node for node, used in edits.calls(ast.parse(source)) if used == path]
    subject = {e.path: e.subject for e in catalog.seeded()}
    paths = []
    for entry in catalog.seeded():
        growing = entry.path in GROWING or entry.subject == "creation"
        apart = subject.get(path) != entry.subject
        if entry.path == path or entry.callbacks or ((growing or near) and apart):
            continue
        if all(_accepts(entry.signature, call) for call in calls):
            paths.append(entry.path)
    return tuple(paths)


def _accepts(written: str, call: ast.Call) -> bool:
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return False
    positional, rest, named, needed = _parameters(written)
    names = {k.arg for k in call.keywords}
    positional_count = len(call.args)
    if not names <= named or (positional_count > len(positional) and not rest):
        return False
    return needed <= names.union(positional[:positional_count])


@cache
def _parameters(written: str) -> tuple[tuple[str, ...], str, frozenset[str], frozenset[str]]:
    """Parse the parameters of a signature: positional, variadic, keyword-only, and required."""
    forged = signature.read(written)
    needed = (p.name for p in forged.parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL)
    return forged.positional, forged.rest, frozenset(forged.named), frozenset(needed)


def _function(tree: ast.Module, entry: str) -> Callable[..., Any]:
    with warnings.catch_warnings(action="ignore", category=SyntaxWarning):  # "perhaps you missed a comma?"
        return gold.bind(compile(tree, "<mutant>", "exec"), entry, {})


@cache
def _equivalents() -> Mapping[str, str]:
    table: dict[str, str] = {}
    for file in resources.files("sebench.bank").joinpath("equivalents").iterdir():
        data = tomllib.loads(file.read_text("utf-8"))
        for group in data.get("same", ()):
            for a, b in combinations(sorted(group["functions"]), 2):
                table[f"{a} {b}"] = group["reason"]
        for edit in data.get("edit", ()):
            table.update(dict.fromkeys(edit["rules"], edit["reason"]))
    return table


def equivalent(rule: str) -> str:
    """Return why a surviving mutant is equivalent to gold; "" if no reason is recorded."""
    return _equivalents().get(rule, "")

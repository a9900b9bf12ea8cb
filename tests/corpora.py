"""The two corpora, filled in for a world: attacks that must not be credited, and honest answers that must pass.

    tests/attacks/<family>/<name>.py    a program, with a header that states which kinds of failure are right for it
    tests/honest/<family>/<name>.txt    a whole response

Placeholders stand for forged names: LIB, ARRAY, F[mean] (the path), B[linalg.det] (the bare name), M[linalg]. `# task:`
names a task in `judge_tasks.py`, `# bank:` one in the bank. An attack whose kinds include "passed" may pass, but not
with credit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.forge.names.naming import Names
from sebench.world.world import World
from tests.judge_tasks import task

FOLDER = Path(__file__).parent
HEADER = re.compile(r"^# (rule|style|task|bank|kinds): (.*)$")


@dataclass(frozen=True)
class Specimen:
    """One response, what it is for, and how it should end."""

    name: str
    family: str
    task: Task
    response: str
    kinds: tuple[str, ...]  # of the verdict on an attack


@dataclass(frozen=True)
class Corpus:
    """The specimens that a world has the functions for, and the names of the others."""

    specimens: tuple[Specimen, ...]
    unfilled: tuple[str, ...]


def attacks(world: World) -> Corpus:
    return _corpus(world, FOLDER / "attacks", "*.py")


def honest(world: World) -> Corpus:
    return _corpus(world, FOLDER / "honest", "*.txt")


def _corpus(world: World, folder: Path, pattern: str) -> Corpus:
    found: list[Specimen] = []
    unfilled: list[str] = []
    for file in sorted(folder.glob(f"*/{pattern}")):
        family, name = file.parent.name, f"{file.parent.name}/{file.stem}"
        facts, text = _read(file)
        filled, asked = fill(text, world.names), _task(facts, world)
        if filled is None or asked is None:
            unfilled.append(name)
            continue
        kinds = tuple(kind.strip() for kind in facts.get("kinds", "").split(",") if kind.strip())
        response = f"```python\n{filled}\n```" if file.suffix == ".py" else filled
        found.append(Specimen(name, family, asked, response, kinds))
    return Corpus(tuple(found), tuple(unfilled))


def _read(file: Path) -> tuple[dict[str, str], str]:
    text = file.read_bytes().decode("utf-8", "surrogatepass")
    head, separator, body = text.partition("----\n") if file.suffix == ".txt" else (text, "", "")
    facts = dict(found.groups() for line in head.split("\n") if (found := HEADER.match(line)))
    if separator:
        return facts, body
    return facts, "\n".join(line for line in text.split("\n") if not HEADER.match(line))


def _task(facts: dict[str, str], world: World) -> Task | None:
    if "task" in facts:
        return task(facts["task"], names=world.names)
    try:
        return world.task(facts["bank"])
    except ConfigError:
        return None


def fill(text: str, names: Names) -> str | None:
    """The text with the world's names; None if the world lacks one of the functions."""
    try:
        text = re.sub(r"\bF\[([\w.]+)\]", lambda m: names.functions[m[1]], text)
        text = re.sub(r"\bB\[([\w.]+)\]", lambda m: names.functions[m[1]].rpartition(".")[2], text)
        text = re.sub(r"\bM\[([\w.]+)\]", lambda m: names.modules[m[1]], text)
    except KeyError:
        return None
    return re.sub(r"\bLIB\b", names.package, re.sub(r"\bARRAY\b", names.array, text))


def by_family(specimens: tuple[Specimen, ...]) -> Iterator[tuple[str, int]]:
    families = dict.fromkeys(s.family for s in specimens)
    return ((family, sum(s.family == family for s in specimens)) for family in families)

"""The two corpora, filled in for a world: attacks that must fail and honest answers that must pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sebench.forge.naming import Names
from sebench.records import Task
from tests.judge_tasks import task

FOLDER = Path(__file__).parent
HEADER = re.compile(r"^# (rule|family|style|task|kinds): (.*)$")


@dataclass(frozen=True)
class Specimen:
    """One response, what it is for, and how it should end."""

    name: str
    family: str
    task: Task
    response: str
    kinds: tuple[str, ...]  # acceptable kinds of failure; () for any that is the candidate's


def attacks(names: Names) -> Iterator[Specimen]:
    for file in sorted((FOLDER / "attacks").glob("*.py")):
        lines = file.read_bytes().decode("utf-8", "surrogatepass").split("\n")
        facts = dict(m.groups() for line in lines if (m := HEADER.match(line)))
        code = fill("\n".join(line for line in lines if not HEADER.match(line)), names)
        if code is not None:
            kinds = tuple(k.strip() for k in facts.get("kinds", "").split(",") if k.strip())
            yield Specimen(file.stem, facts["family"], task(facts["task"]), f"```python\n{code}\n```", kinds)


def honest(names: Names) -> Iterator[Specimen]:
    for file in sorted((FOLDER / "honest").glob("*.txt")):
        head, _, text = file.read_bytes().decode().partition("----\n")
        facts = dict(m.groups() for line in head.splitlines() if (m := HEADER.match(line)))
        response = fill(text, names)
        if response is not None:
            yield Specimen(file.stem, "honest", task(facts["task"]), response, ())


def fill(text: str, names: Names) -> str | None:
    """The text with the world's names; None if the world lacks one of the functions."""
    try:
        text = re.sub(r"\bF\[([\w.]+)\]", lambda m: names.functions[m[1]], text)
        text = re.sub(r"\bB\[([\w.]+)\]", lambda m: names.functions[m[1]].rpartition(".")[2], text)
        text = re.sub(r"\bM\[([\w.]+)\]", lambda m: names.modules[m[1]], text)
    except KeyError:
        return None
    return re.sub(r"\bLIB\b", names.package, re.sub(r"\bARRAY\b", names.array, text))

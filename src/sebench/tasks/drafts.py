"""A draft: a task as data (one line of JSON), either proposed by a model or read from a bank folder. It is never
imported as a module.

    {"id": "quiz_average", "tier": "single", "question": "...", "entry": "quiz_average",
     "inputs": {"points": "Vector(Float(0, 20), (2, 7))"},
     "solution": "def quiz_average(points): ...", "made_by": {"model": "...", "digest": "..."}}

Either `inputs` says how the parameters are drawn (with `lengths` for lengths that they share), or `cases` lists the
inputs; expected values are never read from a draft. `parse` checks the form strictly; `definition` also requires the
code to be confined (`confined.py`), and returns a task that a build treats like any other.
"""

from __future__ import annotations

import ast
import builtins
import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from sebench.bank.definition import PARTS, Definition
from sebench.bank.kinds import Draw, Impossible, Listed, Mood
from sebench.base.errors import BankError
from sebench.base.wording import counted
from sebench.tasks import confined, input_kinds, rules
from sebench.tasks.cases import EXAMPLES, LEAST
from sebench.values.tagged import encode

FEWEST_ROWS = EXAMPLES + LEAST
MOST_ROWS, MOST_ROW = 200, 5_000  # listed cases; characters in one case, listed or drawn
LONGEST_QUESTION, MOST_INPUTS = 2_000, 12  # characters; parameters
LARGEST = 2**64  # whole number in a listed case
KEYS = frozenset("id tier question entry inputs lengths cases solution usage page nonfinite made_by".split())
NEEDED = ("tier", "question", "entry", "solution")
TEXTS = (*NEEDED, "id", "usage", "page")


class DraftError(ValueError):
    """The draft cannot be read; the message says why."""


@dataclass(frozen=True)
class Draft:
    """A task as data. Its form has been checked, but none of its code has been run."""

    entry: str  # the name of the task and of the function
    tier: str  # one of PARTS
    question: str
    solution: str  # as it was written
    inputs: Mapping[str, str] = field(default_factory=dict)  # kinds as text
    lengths: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    cases: tuple[Mapping[str, Any], ...] = ()  # instead of `inputs`
    usage: str = ""
    page: str = ""
    nonfinite: bool = False
    made_by: Mapping[str, str] = field(default_factory=dict)  # model, and digest of the call

    @property
    def digest(self) -> str:
        """A hash of the draft's content that does not depend on who wrote it."""
        data = {key: value for key, value in self.to_json().items() if key != "made_by"}
        return sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"id": self.entry, "tier": self.tier, "question": self.question, "entry": self.entry}
        data |= {"cases": list(self.cases)} if self.cases else {"inputs": dict(self.inputs)}
        if self.lengths:
            data["lengths"] = {name: list(pair) for name, pair in self.lengths.items()}
        data["solution"] = self.solution
        data |= {key: value for key in ("usage", "page", "nonfinite") if (value := getattr(self, key))}
        return {**data, "made_by": dict(self.made_by)}


def parse(data: Any) -> Draft:
    """Parse a draft from JSON data. Raise DraftError saying what is wrong with its form."""
    try:
        draft = _draft(data)
        node = confined.function(draft.solution, draft.entry)
        names = tuple(draft.inputs) or tuple(draft.cases[0])
        if confined.parameters(node) != names:
            raise ValueError(
                f"the solution takes {', '.join(confined.parameters(node)) or 'nothing'}, but the inputs are "
                f"{', '.join(names)}"
            )
        _try_inputs(draft)
    except ValueError as error:
        raise DraftError(" ".join(str(error).split())) from None
    return draft


def _draft(data: Any) -> Draft:
    if not isinstance(data, dict):
        raise ValueError("a draft must be a JSON object")
    if unknown := data.keys() - KEYS:
        raise ValueError(f"unknown field '{min(unknown)}'; the fields are {', '.join(sorted(KEYS))}")
    for key in NEEDED:
        if not data.get(key):
            raise ValueError(f"the field '{key}' is missing")
    for key in TEXTS:
        if not isinstance(data.get(key, ""), str):
            raise ValueError(f"the field '{key}' is not a string")
    if data["tier"] not in PARTS:
        raise ValueError(f"unknown tier '{data['tier']}'; choose from {', '.join(PARTS)}")
    if data.get("id", data["entry"]) != data["entry"]:
        raise ValueError("id and entry must be the same")
    if len(data["question"]) > LONGEST_QUESTION:
        raise ValueError(f"the question has more than {LONGEST_QUESTION:,} characters")
    if ("inputs" in data) == ("cases" in data):
        raise ValueError("set exactly one of inputs and cases")
    if type(data.get("nonfinite", False)) is not bool:
        raise ValueError("nonfinite must be true or false")
    return Draft(
        entry=data["entry"],
        tier=data["tier"],
        question=" ".join(data["question"].split()),
        solution=data["solution"],
        inputs=_inputs(data["inputs"]) if "inputs" in data else {},
        lengths=input_kinds.lengths(data.get("lengths", {})),
        cases=_rows(data["cases"]) if "cases" in data else (),
        usage=data.get("usage", ""),
        page=data.get("page", ""),
        nonfinite=data.get("nonfinite", False),
        made_by=_made_by(data.get("made_by", {})),
    )


def _inputs(data: Any) -> Mapping[str, str]:
    if not isinstance(data, dict) or not data or not all(isinstance(kind, str) for kind in data.values()):
        raise ValueError("inputs must map each parameter to its kind")
    if len(data) > MOST_INPUTS:
        raise ValueError(f"there are {len(data)} inputs; at most {MOST_INPUTS} are allowed")
    for kind in data.values():
        input_kinds.read(kind)
    return data


def _rows(data: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(data, list) or not all(isinstance(row, dict) and row for row in data):
        raise ValueError("cases must be a list of objects that map each parameter to its value")
    if not FEWEST_ROWS <= len({repr(row) for row in data}) <= MOST_ROWS:
        raise ValueError(
            f"the draft has {counted(len(data), 'case')}; {FEWEST_ROWS} to {MOST_ROWS} different ones are required"
        )
    for row in data:
        if row.keys() != data[0].keys():
            raise ValueError("the cases have different parameters")
        if len(repr(row)) > MOST_ROW:
            raise ValueError(f"a case has more than {MOST_ROW:,} characters")
        encode(list(row.values()))
        if any(abs(int(digits)) > LARGEST for digits in re.findall(r"\d{19,}", repr(row))):
            raise ValueError(f"a case has a whole number beyond {LARGEST}")
    return tuple({name: row[name] for name in data[0]} for row in data)


def _made_by(data: Any) -> Mapping[str, str]:
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        raise ValueError("made_by must map names to strings")
    return data


def _try_inputs(draft: Draft) -> None:
    """Draw inputs once in every mood (style of input): a well-formed input kind may be impossible to draw."""
    for mood in Mood if draft.inputs else ():
        case = Draw(random.Random(mood), mood, draft.lengths)
        try:
            for name, kind in draft.inputs.items():
                case.fill({name: input_kinds.read(kind)})
                if mood is not Mood.LARGE and len(repr(case.values)) > MOST_ROW:
                    raise Impossible(f"`{name}`: a case has more than {MOST_ROW:,} characters")
        except Impossible as error:
            raise ValueError(f"the inputs cannot be drawn in the style '{mood}': {error}") from None


def definition(draft: Draft, file: Path = Path("drafts.jsonl"), line: int = 0, folder: str = "") -> Definition:
    """Turn a draft into a bank task; raise BankError if its code is not confined."""
    node = confined.function(draft.solution, draft.entry)
    if problem := next(confined.forbidden(node), ""):
        raise BankError(f"{file.parent.name}/{file.name}:{line}: task '{draft.entry}': {problem}")
    space: dict[str, Any] = {"np": np, "__builtins__": {name: getattr(builtins, name) for name in rules.BUILTINS}}
    exec(compile(ast.Module([node], []), f"<gold of {draft.entry}>", "exec"), space)  # defines it, calls nothing
    kinds = {name: input_kinds.read(kind) for name, kind in draft.inputs.items()}
    return Definition(
        name=draft.entry,
        part=draft.tier,
        file=file,
        line=line,
        question=draft.question,
        inputs=kinds or {name: Listed() for name in draft.cases[0]},
        gold=space[draft.entry],
        source=f"import numpy as np\n\n\n{ast.unparse(node)}\n",
        lengths=draft.lengths,
        nonfinite=draft.nonfinite,
        usage=draft.usage,
        page=draft.page,
        folder=folder,
        rows=draft.cases,
    )

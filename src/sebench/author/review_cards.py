"""Review cards: each shows one draft to a human reader, with question, examples, cases, gold (the reference solution)
and the solvers' answers.

    sheets.jsonl      in a bank folder, one line per kept draft; if two lines have the same id, the later one counts

The code that keeps a draft also writes its card (`ReviewCard.to_json`); `inspection.py` shows it. Values are stored as
Python source text, so reading a card executes nothing and needs no world. A card does not name the model that proposed
the draft, because readers should judge only the text.

Not covered: whether a card matches its draft. Both are written from the same record, and nothing compares them later.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from sebench.base.errors import ConfigError
from sebench.base.ledger import lines
from sebench.base.records import Case, Task
from sebench.base.wording import counted
from sebench.tasks.folders import DRAFTS

CARDS_FILE = "sheets.jsonl"
LONGEST_TEXT = 4_000  # maximum characters of a value or a response
_DIGITS = 16  # hexadecimal digits of a digest


@dataclass(frozen=True)
class RenderedCase:
    """One call to the entry point, as text."""

    inputs: Mapping[str, str]  # by argument name
    expected: str

    @classmethod
    def from_case(cls, case: Case) -> Self:
        return cls({name: shorten(repr(value)) for name, value in case.inputs.items()}, shorten(repr(case.expected)))


@dataclass(frozen=True)
class SolverAnswer:
    """An independent model's NumPy answer to the question, and how it was judged."""

    model: str
    response: str
    passed: bool
    case: int | None = None  # index of the first failed case; None if none failed or none was run
    actual: str = ""  # the value returned in that case
    detail: str = ""  # why it failed, in the judge's words


@dataclass(frozen=True)
class ReviewCard:
    """A kept draft in the form that a person reviews."""

    id: str
    tier: str
    question: str
    entry: str
    examples: tuple[RenderedCase, ...]
    cases: tuple[RenderedCase, ...]
    gold: str  # in NumPy
    functions: tuple[str, ...]  # original paths that gold uses
    solvers: tuple[SolverAnswer, ...] = ()

    @classmethod
    def from_task(cls, task: Task, tier: str, gold: str, solvers: Iterable[SolverAnswer] = ()) -> Self:
        """Create the card of a draft that became a task. `gold` is its solution in NumPy."""
        examples, cases = (tuple(map(RenderedCase.from_case, some)) for some in (task.examples, task.cases))
        shortened = tuple(replace(one, response=shorten(one.response), actual=shorten(one.actual)) for one in solvers)
        return cls(task.id, tier, task.question, task.entry, examples, cases, gold, task.functions, shortened)

    @property
    def digest(self) -> str:
        """A hash of everything except the solvers' answers: a decision is about the draft, and becomes void when the
        draft changes."""
        content = {key: value for key, value in self.to_json().items() if key != "solvers"}
        text = json.dumps(content, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Create a card from JSON data. Raises TypeError or KeyError if a field is missing or unknown."""
        cases = {name: tuple(RenderedCase(**one) for one in data[name]) for name in ("examples", "cases")}
        solvers = tuple(SolverAnswer(**one) for one in data.get("solvers", ()))
        return cls(**{**data, **cases, "functions": tuple(data["functions"]), "solvers": solvers})


def shorten(text: str) -> str:
    """Return the text if it is short enough, else its beginning and the number of characters left out."""
    over = len(text) - LONGEST_TEXT
    return text if over <= 0 else f"{text[:LONGEST_TEXT]} … ({over:,} more characters)"


def read(folder: Path) -> list[ReviewCard]:
    """Return the review cards of a bank folder's kept drafts, in file order.

    Every kept draft must have a card: a sample that skips some would not represent the bank.
    """
    file = folder / CARDS_FILE
    if not file.is_file():
        raise ConfigError(
            f"{folder} has no {CARDS_FILE} to inspect; choose a bank folder written by 'sebench author tasks'"
        )
    by_id: dict[str, ReviewCard] = {}
    for start, data in lines(file):
        try:
            card = ReviewCard.from_json(data)
        except (TypeError, KeyError) as error:
            raise ConfigError(
                f"{file}: the line at byte {start} is not a review card ({error!r}); fix or remove it"
            ) from None
        by_id[card.id] = card
    kept = [str(data.get("id")) for _, data in lines(folder / DRAFTS)] if (folder / DRAFTS).exists() else list(by_id)
    if missing := [name for name in kept if name not in by_id]:
        raise ConfigError(
            f"{file} has no review card for {counted(len(missing), 'kept draft')} (for example {missing[0]!r}); run "
            "the same 'sebench author tasks' command again"
        )
    if not kept:
        raise ConfigError(f"{folder} has no kept drafts to inspect; propose more with 'sebench author tasks'")
    kept_ids = set(kept)
    return [card for name, card in by_id.items() if name in kept_ids]

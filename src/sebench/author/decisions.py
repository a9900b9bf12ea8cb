"""Stores the decisions of human readers about drafts, and measures how well two readers agree.

    decisions-READER.jsonl      in a bank folder: one line per decision; the last line about a draft counts

A decision applies to the draft as it was read: once the draft changes, the decision is void and the draft must be read
again. The inspection page confirms a decision only after its line is on disk. Only one process at a time can write a
reader's file, and an incomplete last line is ignored.

Agreement is reported as the share of drafts that both readers marked the same, and as Cohen's kappa, which corrects
that share for chance: 0 is what two readers would reach by marking at random with the same frequencies, 1 is full
agreement.

Not covered: fixing or dropping the drafts. The owner of the bank folder does that, guided by the notes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sebench.author.review_cards import ReviewCard
from sebench.base.errors import ConfigError
from sebench.base.ledger import Ledger, lines

LONGEST_NOTE = 4_000  # characters
_READER = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_FILE = re.compile(rf"decisions-({_READER.pattern})\.jsonl")


class Mark(StrEnum):
    """The marks that a reader can give a draft."""

    NONE = ""  # undecided, or withdrawn; there may still be a note
    KEEP = "keep"
    FIX = "fix"  # worth keeping after a change, which the note describes
    DROP = "drop"


MARKS = (Mark.KEEP, Mark.FIX, Mark.DROP)


@dataclass(frozen=True)
class Decision:
    """One line of a reader's file."""

    id: str  # of the draft
    digest: str  # of its review card
    mark: Mark
    note: str
    reader: str
    at: str  # ISO 8601, UTC

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Decision:
        """Parse a line. Raises ValueError or TypeError if it is not a decision."""
        if not all(isinstance(value, str) for value in data.values()):
            raise ValueError("every value must be a string")
        return cls(**{**data, "mark": Mark(data.get("mark", "?"))})


DecisionsByDraft = Mapping[str, Decision]


def file_of(folder: Path, reader: str) -> Path:
    """Return the file of a reader's decisions. Raises ConfigError if the name cannot be part of a file name."""
    if not _READER.fullmatch(reader):
        raise ConfigError(f"reader {reader!r}: use up to 40 letters, digits, dots, hyphens and underscores (--reader)")
    return folder / f"decisions-{reader}.jsonl"


def readers(folder: Path) -> list[str]:
    """Return the names of all readers who have made decisions, in alphabetical order."""
    matches = (_FILE.fullmatch(path.name) for path in folder.iterdir())
    return sorted(match[1] for match in matches if match)


def read(file: Path, cards: Iterable[ReviewCard]) -> dict[str, Decision]:
    """Return the last decision about each draft that has not changed since. A withdrawn decision is included, without a
    mark."""
    by_draft: dict[str, Decision] = {}
    for start, data in lines(file):
        try:
            decision = Decision.from_json(data)
        except (TypeError, ValueError):
            raise ConfigError(f"{file}: the line at byte {start} is not a decision; fix or remove it") from None
        by_draft[decision.id] = decision
    digests = {card.id: card.digest for card in cards}
    return {name: one for name, one in by_draft.items() if digests.get(name) == one.digest}


def open_ledger(file: Path) -> Ledger:
    """Open a reader's file for writing. This locks the file, not the folder, so that two readers can work at the same
    time."""
    return Ledger(file, busy="end the other inspection, or choose another --reader", durable=True)


@dataclass(frozen=True)
class ReaderAgreement:
    """How two readers' marks compare on the drafts that both have marked."""

    readers: tuple[str, str]
    both: int
    alike: int
    kappa: float | None  # None if both readers used only one mark, the same one
    counts: Mapping[tuple[Mark, Mark], int]
    differing: tuple[tuple[Decision, Decision], ...]

    @property
    def share(self) -> float:
        return self.alike / self.both

    def to_json(self) -> dict[str, Any]:
        return {
            "readers": self.readers,
            "both": self.both,
            "alike": self.alike,
            "share": self.share,
            "kappa": self.kappa,
            "counts": [{"marks": pair, "drafts": count} for pair, count in self.counts.items()],
            "differing": [[asdict(one) for one in pair] for pair in self.differing],
        }


def agreement(names: tuple[str, str], first: DecisionsByDraft, second: DecisionsByDraft) -> ReaderAgreement:
    """Compute how well two readers agree. Raises ConfigError if there is no draft that both have marked."""
    pairs = [(one, second[name]) for name, one in first.items() if one.mark and name in second and second[name].mark]
    if not pairs:
        raise ConfigError(f"{names[0]} and {names[1]} have marked no drafts in common; let both mark the same sample")
    counts = Counter((one.mark, other.mark) for one, other in pairs)
    differing = tuple(pair for pair in pairs if pair[0].mark is not pair[1].mark)
    alike = len(pairs) - len(differing)
    mark_counts = [Counter(pair[side].mark for pair in pairs) for side in (0, 1)]
    # Expected number of chance agreements, times the number of pairs.
    chance = sum(mark_counts[0][mark] * mark_counts[1][mark] for mark in MARKS)
    square = len(pairs) ** 2
    kappa = None if chance == square else (len(pairs) * alike - chance) / (square - chance)
    ordered = {(a, b): counts[a, b] for a in MARKS for b in MARKS}
    return ReaderAgreement(names, len(pairs), alike, kappa, ordered, differing)

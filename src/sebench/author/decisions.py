"""What readers decided about drafts, and how well two readers agree.

    decisions-READER.jsonl      in a bank folder: one line per key press; the last line about a draft counts

A decision applies to the draft as it was read: once the draft changes, the decision is void and the draft must be read
again. A line is on disk before the page confirms it. One process at a time writes a reader's file, and an incomplete
last line is ignored.

Agreement is the share of drafts that both readers marked the same, and Cohen's kappa: how far that share exceeds what
two readers would reach by marking at random with the same frequencies (0), relative to full agreement (1).

Not covered: what happens to a draft that is to be fixed or dropped. Whoever owns the bank folder reads the notes and
changes it.
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
    """What a reader thinks of a draft."""

    NONE = ""  # not decided, or withdrawn; there may still be a note
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
        """The decision in a line; ValueError or TypeError if the line is not one."""
        if not all(isinstance(value, str) for value in data.values()):
            raise ValueError("a value is not a string")
        return cls(**{**data, "mark": Mark(data.get("mark", "?"))})


DecisionsByDraft = Mapping[str, Decision]


def file_of(folder: Path, reader: str) -> Path:
    """The file of a reader's decisions; ConfigError if the name cannot be part of a file name."""
    if not _READER.fullmatch(reader):
        raise ConfigError(f"reader {reader!r}: use up to 40 letters, digits, dots, hyphens and underscores (--reader)")
    return folder / f"decisions-{reader}.jsonl"


def readers(folder: Path) -> list[str]:
    """Everyone who has decided anything, in alphabetical order."""
    matches = (_FILE.fullmatch(path.name) for path in folder.iterdir())
    return sorted(match[1] for match in matches if match)


def read(file: Path, cards: Iterable[ReviewCard]) -> dict[str, Decision]:
    """The last decision about each draft that has not changed since. A decision that was withdrawn is included, without
    a mark.
    """
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
    """A reader's file, open for writing. It locks the file, not the folder: two readers may work at the same time."""
    return Ledger(file, busy="end the other inspection, or choose another --reader", durable=True)


@dataclass(frozen=True)
class ReaderAgreement:
    """How two readers compare on the drafts that both have marked."""

    readers: tuple[str, str]
    both: int
    alike: int
    kappa: float | None  # None if both readers gave only one and the same mark
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
    """How well two readers agree; ConfigError if there is no draft that both have marked."""
    pairs = [(one, second[name]) for name, one in first.items() if one.mark and name in second and second[name].mark]
    if not pairs:
        raise ConfigError(f"{names[0]} and {names[1]} have marked no draft in common; let both read the same sample")
    counts = Counter((one.mark, other.mark) for one, other in pairs)
    differing = tuple(pair for pair in pairs if pair[0].mark is not pair[1].mark)
    alike = len(pairs) - len(differing)
    mark_counts = [Counter(pair[side].mark for pair in pairs) for side in (0, 1)]
    # The expected number of agreements by chance, times the number of pairs.
    chance = sum(mark_counts[0][mark] * mark_counts[1][mark] for mark in MARKS)
    square = len(pairs) ** 2
    kappa = None if chance == square else (len(pairs) * alike - chance) / (square - chance)
    ordered = {(a, b): counts[a, b] for a in MARKS for b in MARKS}
    return ReaderAgreement(names, len(pairs), alike, kappa, ordered, differing)

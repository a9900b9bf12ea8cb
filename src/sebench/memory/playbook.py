"""A playbook: bullets in sections, edited by operations and never rewritten as a whole (after ACE, arXiv:2510.04618).

    playbook, outcome = Playbook().apply(Operation("ADD", section="parameters", text="`vok.kocito` has no axis"), fits)
    playbook.text()                     # what a prompt shows: ids and texts, without counters

A bullet is one line with an id that is never reused. The rendered text leaves out the counts of how often a bullet was
helpful or harmful: they would change many lines of the prompt at every step and invalidate the server's prompt cache.

An operation is applied completely or not at all, and its outcome is reported (`OperationOutcome`). An operation that
would exceed the budget is refused.

Not covered: who proposes operations (`memory/methods/ace.py`), and recognising paraphrased duplicates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

SECTIONS = {  # id prefix of the bullets -> title
    "nam": "names and signatures",
    "par": "parameters",
    "ret": "return values",
    "arr": "array type",
    "pit": "pitfalls",
    "com": "composition",
    "oth": "others",
}
OTHERS = "oth"
ADD, UPDATE, MERGE, REMOVE = OPERATIONS = ("ADD", "UPDATE", "MERGE", "REMOVE")
HELPFUL, HARMFUL, NEUTRAL = TAGS = ("helpful", "harmful", "neutral")
ALIKE = 0.9  # two bullets whose Jaccard similarity in words is at least this are duplicates
# What two duplicates must share: names (code in backticks, and dotted names), numbers, constants and negations.
_NAME = re.compile(
    r"`[^`]+`|\b\w+(?:\.\w+)+|-?\b\d+\b|\b(?:None|True|False)\b|\b(?i:not|no|never|without|cannot|nor)\b|n't\b"
)

Fits = Callable[[str], bool]  # whether a text is within the budget


class OperationOutcome(StrEnum):
    """The outcome of an operation."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    OVER_BUDGET = "over budget"
    UNKNOWN_ID = "unknown id"
    NOT_ENABLED = "not enabled"


@dataclass(frozen=True)
class Operation:
    """A change to the playbook that the curator requests."""

    kind: str
    section: str = ""  # only for ADD: a section's title or id prefix
    text: str = ""  # only for ADD, UPDATE and MERGE
    ids: tuple[str, ...] = ()  # one for UPDATE and REMOVE, two or more for MERGE

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Operation:
        return cls(**{**data, "ids": tuple(data["ids"])})


@dataclass(frozen=True)
class Bullet:
    """One line of a playbook."""

    id: str
    text: str
    helpful: int = 0
    harmful: int = 0

    @property
    def section(self) -> str:
        return self.id.partition("-")[0]

    def line(self, counters: bool = False) -> str:
        counts = f" (helpful {self.helpful}, harmful {self.harmful})" if counters else ""
        return f"- [{self.id}] {self.text}{counts}"


@dataclass(frozen=True)
class Playbook:
    """Bullets in the order in which they were added."""

    bullets: tuple[Bullet, ...] = ()
    bullets_ever: int = 0  # number of bullets ever added, so that no id is reused

    def text(self, counters: bool = False) -> str:
        """Return the playbook as prompts show it, or "" if it is empty. With `counters`, as the curator sees it."""
        parts = []
        for section, title in SECTIONS.items():
            if lines := [bullet.line(counters) for bullet in self.bullets if bullet.section == section]:
                parts.append("\n".join((f"## {title[0].upper()}{title[1:]}", *lines)))
        return "\n\n".join(parts)

    def find(self, ids: Sequence[str]) -> list[Bullet]:
        """Return the bullets with these ids, in the playbook's order."""
        return [bullet for bullet in self.bullets if bullet.id in ids]

    def apply(
        self, operation: Operation, fits: Fits, enabled: Sequence[str] = OPERATIONS
    ) -> tuple[Playbook, OperationOutcome]:
        """Apply an operation. Return the new playbook and the outcome."""
        if operation.kind not in enabled:
            return self, OperationOutcome.NOT_ENABLED
        bullets = self.find(operation.ids)
        if len(bullets) < len(set(operation.ids)):
            return self, OperationOutcome.UNKNOWN_ID
        text = one_line(operation.text)
        if operation.kind != REMOVE and any(b.text == text for b in self.bullets if b not in bullets):
            return self, OperationOutcome.DUPLICATE
        changed = self._apply_change(operation, text, bullets)
        if operation.kind != REMOVE and not fits(changed.text()):
            return self, OperationOutcome.OVER_BUDGET
        return changed, OperationOutcome.APPLIED

    def _apply_change(self, operation: Operation, text: str, bullets: Sequence[Bullet]) -> Playbook:
        if operation.kind == ADD:
            bullet = Bullet(f"{section_of(operation.section)}-{self.bullets_ever + 1:05d}", text)
            return Playbook((*self.bullets, bullet), self.bullets_ever + 1)
        kept = replace(bullets[0], text=text)
        if operation.kind == MERGE:
            kept = replace(kept, helpful=sum(b.helpful for b in bullets), harmful=sum(b.harmful for b in bullets))
        gone = {bullet.id for bullet in (bullets if operation.kind == REMOVE else bullets[1:])}
        left = tuple(kept if b.id == kept.id else b for b in self.bullets if b.id not in gone)
        return replace(self, bullets=left)

    def with_tags(self, tags: Mapping[str, str]) -> Playbook:
        """Return the playbook with the counters of tagged bullets increased by one. Unknown ids are ignored."""
        return replace(self, bullets=tuple(_count_tag(bullet, tags.get(bullet.id, NEUTRAL)) for bullet in self.bullets))

    def without_duplicates(self, alike: float = ALIKE) -> tuple[Playbook, int]:
        """Return the playbook without duplicates of earlier bullets, and how many were removed. Their counters are
        added to those of the bullet that stays.

        Two bullets that mention different names or numbers, or of which one denies what the other says, are never
        duplicates, however similar their sentences are.
        """
        kept: list[Bullet] = []
        for bullet in self.bullets:
            for place, earlier in enumerate(kept):
                if _same(earlier.text, bullet.text, alike):
                    helpful, harmful = earlier.helpful + bullet.helpful, earlier.harmful + bullet.harmful
                    kept[place] = replace(earlier, helpful=helpful, harmful=harmful)
                    break
            else:
                kept.append(bullet)
        return replace(self, bullets=tuple(kept)), len(self.bullets) - len(kept)

    def statistics(self) -> dict[str, int]:
        """Return the counters that the curator's prompt shows."""
        return {
            "bullets": len(self.bullets),
            "often": sum(b.helpful > 5 and b.harmful < 2 for b in self.bullets),
            "problematic": sum(b.harmful >= b.helpful > 0 for b in self.bullets),
            "unused": sum(b.helpful == b.harmful == 0 for b in self.bullets),
        }


def section_of(name: str) -> str:
    """Return the id prefix of the section that a model names, in the singular or plural and with any punctuation.
    Unknown sections become "others"."""
    named = " ".join(re.findall("[a-z]+", name.lower())).removesuffix("s")
    return next((short for short, title in SECTIONS.items() if named in (short, title.removesuffix("s"))), OTHERS)


def one_line(text: str) -> str:
    return " ".join(text.split())


def _count_tag(bullet: Bullet, tag: str) -> Bullet:
    return replace(bullet, helpful=bullet.helpful + (tag == HELPFUL), harmful=bullet.harmful + (tag == HARMFUL))


def _same(one: str, other: str, alike: float) -> bool:
    if set(_NAME.findall(one)) != set(_NAME.findall(other)):
        return False
    a, b = set(re.findall(r"\w+", one.lower())), set(re.findall(r"\w+", other.lower()))
    return len(a & b) >= alike * len(a | b)

"""A playbook: bullets in sections, changed by operations and never rewritten as a whole (after ACE, arXiv:2510.04618).

    playbook, outcome = Playbook().apply(Operation("ADD", section="parameters", text="`vok.kocito` has no axis"), fits)
    playbook.text()                     # what a prompt shows: ids and texts, without counters

A bullet is one line with an id that is never reused. Counts of how often it was helpful or harmful are not part of the
rendered text: a counter in a prompt would change lines everywhere at each step and invalidate a server's prompt cache.

An operation is applied completely or not at all, and reports its outcome (`OperationOutcome`). What does not fit into
the budget is refused.

Not covered: who proposes operations (`memory/methods/ace.py`), and paraphrases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

SECTIONS = {  # by the prefix of their bullets' ids
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
ALIKE = 0.9  # shared words over all words: from here on two bullets count as the same
_NAME = re.compile(r"`[^`]+`|\b\w+(?:\.\w+)+")  # what a bullet is about: code, and names with a dot

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
    """A change that a curator asks for."""

    kind: str
    section: str = ""  # of ADD: a name or a prefix of ids
    text: str = ""  # of ADD, UPDATE and MERGE
    ids: tuple[str, ...] = ()  # of UPDATE and REMOVE one, of MERGE two or more

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
    bullets_ever: int = 0  # ids are never reused

    def text(self, counters: bool = False) -> str:
        """The playbook as prompts show it; "" while it is empty. `counters` is for the curator."""
        parts = []
        for section, title in SECTIONS.items():
            if lines := [bullet.line(counters) for bullet in self.bullets if bullet.section == section]:
                parts.append("\n".join((f"## {title[0].upper()}{title[1:]}", *lines)))
        return "\n\n".join(parts)

    def find(self, ids: Sequence[str]) -> list[Bullet]:
        """The bullets with these ids, in the playbook's order."""
        return [bullet for bullet in self.bullets if bullet.id in ids]

    def apply(
        self, operation: Operation, fits: Fits, enabled: Sequence[str] = OPERATIONS
    ) -> tuple[Playbook, OperationOutcome]:
        """The playbook after an operation, and the outcome."""
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
        """The playbook with the counters of tagged bullets one higher; ids that it does not have change nothing."""
        return replace(self, bullets=tuple(_count_tag(bullet, tags.get(bullet.id, NEUTRAL)) for bullet in self.bullets))

    def without_duplicates(self, alike: float = ALIKE) -> tuple[Playbook, int]:
        """The playbook without duplicates of earlier bullets, and how many there were. Their counters are added to the
        earlier one.

        Two bullets that name different things are never duplicates, however similar their sentences are.
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
        """The counters as a curator sees them."""
        return {
            "bullets": len(self.bullets),
            "often": sum(b.helpful > 5 and b.harmful < 2 for b in self.bullets),
            "problematic": sum(b.harmful >= b.helpful > 0 for b in self.bullets),
            "unused": sum(b.helpful == b.harmful == 0 for b in self.bullets),
        }


def section_of(name: str) -> str:
    """The id prefix for a section that a model names; unknown sections go to "others"."""
    title_or_prefix = name.strip().lower().replace("_", " ")
    return next((short for short, title in SECTIONS.items() if title_or_prefix in (short, title)), OTHERS)


def one_line(text: str) -> str:
    return " ".join(text.split())


def _count_tag(bullet: Bullet, tag: str) -> Bullet:
    return replace(bullet, helpful=bullet.helpful + (tag == HELPFUL), harmful=bullet.harmful + (tag == HARMFUL))


def _same(one: str, other: str, alike: float) -> bool:
    if set(_NAME.findall(one)) != set(_NAME.findall(other)):
        return False
    a, b = set(re.findall(r"\w+", one.lower())), set(re.findall(r"\w+", other.lower()))
    return len(a & b) >= alike * len(a | b)

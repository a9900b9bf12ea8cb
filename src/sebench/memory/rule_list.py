"""A list of rules that a model votes on and edits (after ExpeL, arXiv:2308.10144).

    rules, outcomes = RuleList().apply([RuleOperation("ADD", text="Name the axis.")], fits, most=20)
    rules.text()                        # a numbered list, most votes first

A rule starts with two votes. AGREE and EDIT add one; REMOVE takes one away, or three if the list is far too long; a
rule without votes is dropped. The operations in one reply are applied in the order REMOVE, AGREE, EDIT, ADD. Their rule
numbers refer to the list that the model saw.

Unlike the original, operations refer to a rule by its number instead of repeating its text, and the list is limited: a
new rule is refused if the list would exceed `most` + `SLACK` rules or the token budget.

Not covered: who proposes operations (`memory/methods/expel.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sebench.memory.playbook import Fits, OperationOutcome, one_line

REMOVE, AGREE, EDIT, ADD = ORDER = ("REMOVE", "AGREE", "EDIT", "ADD")  # the order in which they are applied
NEW, SLACK, FAR = 2, 5, 3  # initial votes; slack above `most`; votes that REMOVE takes off once the slack is used up


@dataclass(frozen=True)
class RuleOperation:
    """A change to the list that a model requests."""

    kind: str
    number: int = 0  # of the rule, counted from 1; 0 for ADD
    text: str = ""  # only for EDIT and ADD


@dataclass(frozen=True)
class Rule:
    """A rule and its votes."""

    text: str
    votes: int = NEW


@dataclass(frozen=True)
class RuleList:
    """Rules sorted by votes, most first; among rules with equal votes, the older comes first."""

    rules: tuple[Rule, ...] = ()

    def text(self) -> str:
        """Return the rules as a numbered list for prompts, or "" if there are none."""
        return "\n".join(f"{number}. {rule.text}" for number, rule in enumerate(self.rules, 1))

    def apply(
        self, operations: Sequence[RuleOperation], fits: Fits, most: int
    ) -> tuple[RuleList, list[OperationOutcome]]:
        """Apply the operations in one reply. Return the new list and the outcome of each operation, in order."""
        now: list[Rule | None] = list(self.rules)  # None for a dropped rule, so that rule numbers stay valid
        votes_removed = FAR if len(self.rules) >= most + SLACK else 1
        outcomes = [OperationOutcome.APPLIED] * len(operations)
        for kind in ORDER:
            for place, operation in enumerate(operations):
                if operation.kind == kind:
                    outcomes[place] = _apply(operation, now, votes_removed, fits, most)
        left = sorted((rule for rule in now if rule is not None), key=lambda rule: -rule.votes)
        return RuleList(tuple(left)), outcomes


def _apply(
    operation: RuleOperation, now: list[Rule | None], votes_removed: int, fits: Fits, most: int
) -> OperationOutcome:
    """Apply one operation to the list, in place."""
    text, place = one_line(operation.text), operation.number - 1
    if operation.kind == ADD:
        return _add(text, now, fits, most)
    there = now[place] if 0 <= place < len(now) else None
    if there is None:
        return OperationOutcome.UNKNOWN_ID
    if operation.kind == EDIT:
        same = [i for i, rule in enumerate(now) if rule is not None and rule.text == text]
        if same:  # an edit that equals another rule is a vote for that rule
            place, there = same[0], now[same[0]]
            assert there is not None
        edited = replace(there, text=text, votes=there.votes + 1)
        if not fits(_text([*now[:place], edited, *now[place + 1 :]])):
            return OperationOutcome.OVER_BUDGET
        now[place] = edited
        return OperationOutcome.APPLIED
    votes = there.votes + 1 if operation.kind == AGREE else there.votes - votes_removed
    now[place] = replace(there, votes=votes) if votes > 0 else None
    return OperationOutcome.APPLIED


def _add(text: str, now: list[Rule | None], fits: Fits, most: int) -> OperationOutcome:
    there = [rule for rule in now if rule is not None]
    if any(rule.text in text for rule in there):
        return OperationOutcome.DUPLICATE
    if len(there) >= most + SLACK or not fits(_text([*there, Rule(text)])):
        return OperationOutcome.OVER_BUDGET
    now.append(Rule(text))
    return OperationOutcome.APPLIED


def _text(rules: Sequence[Rule | None]) -> str:
    return RuleList(tuple(rule for rule in rules if rule is not None)).text()

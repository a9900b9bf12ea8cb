"""A list of rules with votes, changed by votes and edits (after ExpeL, arXiv:2308.10144).

    rules, outcomes = RuleList().apply([RuleOperation("ADD", text="Name the axis.")], fits, most=20)
    rules.text()                        # a numbered list, most votes first

A rule starts with two votes. AGREE and EDIT add one; REMOVE takes one away, or three if the list is far too long; a
rule without votes is dropped. Operations of one reply are applied in the order REMOVE, AGREE, EDIT, ADD, and their
numbers refer to the list that the model saw.

Unlike the original: a rule is referred to by its number, not by repeating it, and the list is limited: above `most` +
`SLACK` rules, or above the budget, a rule is refused.

Not covered: who proposes operations (`memory/methods/expel.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sebench.memory.playbook import Fits, OperationOutcome, one_line

REMOVE, AGREE, EDIT, ADD = ORDER = ("REMOVE", "AGREE", "EDIT", "ADD")  # of application
NEW, SLACK, FAR = 2, 5, 3  # votes of a new rule; rules beyond `most`, from which a REMOVE takes FAR votes


@dataclass(frozen=True)
class RuleOperation:
    """A change that a model asks for."""

    kind: str
    number: int = 0  # of the rule, from 1; 0 for ADD
    text: str = ""  # of EDIT and ADD


@dataclass(frozen=True)
class Rule:
    """A rule and its votes."""

    text: str
    votes: int = NEW


@dataclass(frozen=True)
class RuleList:
    """Rules, most votes first; the older first among equals."""

    rules: tuple[Rule, ...] = ()

    def text(self) -> str:
        """The rules as prompts show them; "" while there are none."""
        return "\n".join(f"{number}. {rule.text}" for number, rule in enumerate(self.rules, 1))

    def apply(
        self, operations: Sequence[RuleOperation], fits: Fits, most: int
    ) -> tuple[RuleList, list[OperationOutcome]]:
        """The list after the operations of one reply, and the outcome of each, in order."""
        now: list[Rule | None] = list(self.rules)  # None: dropped; positions stay those of the list that the model saw
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
    """Change the list in place."""
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

"""Decides whether an answer changes ("moves") in the same way as that of the reference solution ("gold") when a
function is falsified, that is, returns deliberately wrong values ("lies" in the code).

A *reference* is a correct program in which one function is falsified: gold, once for each function of the task's core,
and other correct programs that do that function's work in another way. Its *evidence* is what its answers become under
each falsification, or move (`provenance/moves.py`). The judge keeps it, and no candidate's process ever sees it. An
answer is credited for a function if, under some move, it returns what a reference returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from sebench.base.records import Task
from sebench.judge.sandbox.wire import FollowRun
from sebench.provenance.evidence import PROOF_BITS, Evidence, Moved, MovedCase, weigh_evidence
from sebench.provenance.moves import Move
from sebench.values.equality import Profile, difference
from sebench.values.tagged import Tree, validate


@dataclass(frozen=True)
class Reference:
    """A correct program written with the forged library, and the library function it calls that the judge falsifies."""

    program: str
    function: str
    alternative: bool = False  # the function does the work of a core function


EXACT, COVERED = "exact", "covered"
ReferenceLies = tuple[Reference, tuple[str, ...]]  # a reference, and ways in which its function lies


def lie_key(task: Task) -> int:
    """Return the key from which a task's falsifications are derived. It is a hash of gold, so only someone who knows
    the answer knows the key."""
    return int.from_bytes(blake2b(f"{task.id}\0{task.gold}".encode(), digest_size=8).digest())


def read_evidence(reply: Any, task: Task, variants: Sequence[str], expected: Sequence[Tree]) -> tuple[Evidence, ...]:
    """Return the evidence in a child's reply about a reference; empty if the reference gives a wrong answer. Raises
    ValueError, TypeError, KeyError or IndexError for a malformed reply."""
    cases: dict[str, dict[int, MovedCase]] = {variant: {} for variant in variants}
    marks: dict[int, tuple[int, ...]] = {}
    for number, truth, noted, moved in reply:
        if difference(expected[number], validate(truth), Profile.STRICT, task.rtol, task.atol) is not None:
            return ()
        marks[number] = tuple(map(int, noted))
        for variant, tree, of_gold in moved:
            cases[variant][number] = MovedCase.of(truth, validate(tree), None if of_gold is None else validate(of_gold))
    candidates = [weigh_evidence(Move(variant, lie_key(task)), cases[variant], marks) for variant in variants]
    evidence_list = tuple(one for one in candidates if one is not None)
    return tuple(one for one in evidence_list if one.alone) or evidence_list


# ---- the search for a move that an answer follows --------------------------------------------------------------------


@dataclass(frozen=True)
class FollowAttempt:
    """One run of an answer in which a function is falsified as it was in a reference."""

    group: int
    reference: Reference
    evidence: Evidence
    earlier_answers: Mapping[int, Moved] = field(default_factory=dict)  # answers from an earlier run

    @property
    def calls(self) -> tuple[str, ...]:
        """Which calls are falsified: exactly those that gold makes, those with arguments that gold uses, or both."""
        move = self.evidence.move
        return (EXACT,) if move.of_exact_calls else (COVERED,) if move.of_arguments else (EXACT, COVERED)

    @property
    def run(self) -> FollowRun:
        """The run for this attempt: on the most informative cases, or, if an earlier run agreed with the reference in
        one of those, on the remaining cases."""
        move, evidence = self.evidence.move, self.evidence
        cases = (
            tuple(number for number in evidence.cases if number not in self.earlier_answers)
            if self.earlier_answers
            else evidence.telling
        )
        return FollowRun(
            self.reference.function,
            move.variant,
            move.key,
            {n: evidence.argument_marks[n] for n in cases},
            cases,
            self.reference.alternative,
        )


@dataclass
class FollowSearch:
    """Searches for a falsification that one answer follows, for each core function. Most answers follow the first
    one."""

    plans: Sequence[Iterator[Sequence[FollowAttempt]]]  # for each group, batches of attempts
    followed: list[bool] = field(init=False)
    to_complete: list[FollowAttempt] = field(default_factory=list)
    # the total over moves that are not enough by themselves
    bits: dict[tuple[int, Reference], float] = field(default_factory=dict)
    over: bool = False

    def __post_init__(self) -> None:
        self.followed = [False] * len(self.plans)

    def next_attempts(self) -> list[FollowAttempt]:
        """Return the next attempts; empty when the search is over."""
        groups = [number for number, followed in enumerate(self.followed) if not followed]
        attempts = [attempt for attempt in self.to_complete if attempt.group in groups]
        waiting = {attempt.group for attempt in attempts}
        attempts += [a for number in groups if number not in waiting for a in next(self.plans[number], ())]
        self.to_complete, self.over = [], not attempts
        return attempts

    def record(self, attempt: FollowAttempt, values: Mapping[int, Moved]) -> None:
        """Record the answers of a run. If none of the most informative cases agrees, the other cases are not tried."""
        known, evidence = {**attempt.earlier_answers, **values}, attempt.evidence
        if evidence.followed_by(known):
            together = attempt.group, attempt.reference
            self.bits[together] = self.bits.get(together, 0.0) + evidence.bits
            if evidence.alone or self.bits[together] >= PROOF_BITS:
                self.followed[attempt.group] = True
        elif (
            not attempt.earlier_answers
            and evidence.agrees_anywhere(values)
            and len(evidence.telling) < len(evidence.cases)
        ):
            self.to_complete.append(replace(attempt, earlier_answers=known))

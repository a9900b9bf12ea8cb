"""Does an answer move as gold moves?

A *reference* is a right program and the function of it that is told to lie: gold with each function of the task's core, and other right programs
that do the work of that function in another way. Its *evidence* is what its answers become under each move (`provenance/moves.py`). The judge
keeps it, and no candidate's process ever sees it. An answer is credited for a function if there is a move under which it gives what a
reference gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from sebench.base.records import Task
from sebench.judge.sandbox.wire import FollowRun
from sebench.provenance.evidence import PROOF_BITS, Evidence, Moved, MovedCase, evidence
from sebench.provenance.moves import Move
from sebench.values.equality import Profile, difference
from sebench.values.tagged import Tree, checked


@dataclass(frozen=True)
class Reference:
    """A right program in the world's terms, and the function that lies in it."""

    program: str
    function: str


EXACT, COVERED = "exact", "covered"
ReferenceLies = tuple[Reference, tuple[str, ...]]  # a reference, and ways in which its function lies


def lie_key(task: Task) -> int:
    """What the lies for a task depend on. It is made of gold: whoever knows it knows the answer."""
    return int.from_bytes(blake2b(f"{task.id}\0{task.gold}".encode(), digest_size=8).digest())


def read_evidence(said: Any, task: Task, variants: Sequence[str], expected: Sequence[Tree]) -> tuple[Evidence, ...]:
    """The evidence in what a child says of a reference, none if it is not right; ValueError, TypeError or KeyError for what no child of ours
    writes."""
    cases: dict[str, dict[int, MovedCase]] = {variant: {} for variant in variants}
    given: dict[int, tuple[int, ...]] = {}
    for number, truth, noted, moved in said:
        if difference(expected[number], checked(truth), Profile.STRICT, task.rtol, task.atol) is not None:
            return ()
        given[number] = tuple(map(int, noted))
        for variant, tree in moved:
            cases[variant][number] = MovedCase.of(truth, checked(tree))
    found = [evidence(Move(variant, lie_key(task)), cases[variant], given) for variant in variants]
    shown = tuple(one for one in found if one is not None)
    return tuple(one for one in shown if one.alone) or shown


# ---- the search for a move that an answer follows --------------------------------------------------------------------


@dataclass(frozen=True)
class FollowAttempt:
    """One run of an answer: a function of it lies as that of a reference did."""

    group: int
    reference: Reference
    evidence: Evidence
    known: Mapping[int, Moved] = field(default_factory=dict)  # answers of an earlier run

    @property
    def calls(self) -> tuple[str, ...]:
        """Which calls lie: exactly gold's, those that are given what gold gives, or both."""
        move = self.evidence.move
        return (EXACT,) if move.of_exact_calls else (COVERED,) if move.of_arguments else (EXACT, COVERED)

    @property
    def run(self) -> FollowRun:
        """In the cases that show the most, and then in the others."""
        move, shown = self.evidence.move, self.evidence
        cases = tuple(number for number in shown.cases if number not in self.known) if self.known else shown.telling
        return FollowRun(self.reference.function, move.variant, move.key, {n: shown.given[n] for n in cases}, cases)


@dataclass
class FollowSearch:
    """Looks for moves that one answer follows, one for each function of the core. Most answers follow the first."""

    plans: Sequence[Iterator[Sequence[FollowAttempt]]]  # for each group, attempts that are made together
    followed: list[bool] = field(init=False)
    promising: list[FollowAttempt] = field(default_factory=list)
    bits: dict[tuple[int, Reference], float] = field(
        default_factory=dict
    )  # that moves which show little showed together
    over: bool = False

    def __post_init__(self) -> None:
        self.followed = [False] * len(self.plans)

    def next(self) -> list[FollowAttempt]:
        """The attempts to make now; none when the search is over."""
        groups = [number for number, followed in enumerate(self.followed) if not followed]
        found = [attempt for attempt in self.promising if attempt.group in groups]
        waiting = {attempt.group for attempt in found}
        found += [a for number in groups if number not in waiting for a in next(self.plans[number], ())]
        self.promising, self.over = [], not found
        return found

    def take(self, attempt: FollowAttempt, values: Mapping[int, Moved]) -> None:
        """What an answer gave in a run. One that agrees nowhere in the cases that show the most is not tried in the others."""
        known, shown = {**attempt.known, **values}, attempt.evidence
        if shown.followed_by(known):
            together = attempt.group, attempt.reference
            self.bits[together] = self.bits.get(together, 0.0) + shown.bits
            if shown.alone or self.bits[together] >= PROOF_BITS:
                self.followed[attempt.group] = True
        elif not attempt.known and shown.agrees_anywhere(values) and len(shown.telling) < len(shown.cases):
            self.promising.append(replace(attempt, known=known))

"""Evidence: how a reference program's answers change when one of its functions is falsified (returns deliberately wrong
values, a "lie"), and how other answers are compared with it.

Only the parts of an answer that changed ("moved") count, so that a program may also use the function elsewhere.
Together they must be hard to guess, and an answer must reproduce at least half of their information. If only booleans
or tiny numbers move, the answer must agree in every case, including those that did not move, so that a program that
merely tests whether the library is truthful cannot guess it. If a function is falsified by other arguments and every
answer changes by the same rule (twice as much, one less), that proves nothing, because a program could imitate it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sebench.provenance.moves import Move
from sebench.values.leaves import Leaves, bits, differing_leaves, leaves, same_leaf
from sebench.values.tagged import Tree

LEAST_BITS = 3.0  # a case with fewer bits can simply be guessed
PROOF_BITS = 16.0  # information that an answer must reproduce
# How much is collected: more than needed, because a program may treat a case specially.
ENOUGH_BITS, LEAST_CASES, MOST_CASES = 64.0, 3, 6
MOST_TELLING = 2  # cases in which an answer is tested first
LEAST_MOVED = 2  # cases that must move if each of them can be guessed
RTOL, ATOL = 2e-6, 1e-9


@dataclass(frozen=True)
class Moved:
    """The answer to one case, in a run in which a function may have been falsified."""

    value: Tree
    lied: bool


@dataclass(frozen=True)
class MovedCase:
    """How the right answer to one case changes when a function is falsified."""

    leaves: Leaves  # those that moved; all of them if the structure changed, or if nothing moved
    moved: bool
    whole: bool  # an answer must have these leaves and no others
    bits: float = 0.0  # how hard it is to guess what moved
    numbers: tuple[tuple[float, float], ...] = ()  # what moved, before and after

    @classmethod
    def of(cls, truth: Tree, after: Tree, of_gold: Tree | None = None) -> MovedCase:
        """`of_gold` is gold's answer while an alternative to a core function lies, which gold calls for something else:
        what moves there too does not show that the alternative did the core function's work."""
        before, after_leaves = leaves(truth), leaves(after)
        elsewhere = None if of_gold is None else leaves(of_gold)
        new = after_leaves
        if elsewhere is not None and elsewhere.keys() == after_leaves.keys():
            new = differing_leaves(elsewhere, after_leaves, RTOL, ATOL)
        if before.keys() != after_leaves.keys():
            moved = new is after_leaves or bool(new)
            return cls(after_leaves, moved=moved, whole=True, bits=sum(map(bits, new.values())))
        changed = differing_leaves(before, after_leaves, RTOL, ATOL)
        changed = {path: leaf for path, leaf in changed.items() if path in new}
        if not changed:
            return cls(after_leaves, moved=False, whole=True)
        numbers = tuple(
            (float(before[path]), float(leaf))
            for path, leaf in changed.items()
            if type(leaf) in (int, float) and type(before[path]) in (int, float)
        )
        return cls(changed, moved=True, whole=False, bits=sum(map(bits, changed.values())), numbers=numbers)

    def agrees(self, answer: Moved) -> bool:
        """Whether an answer changed as expected. If the right answer moved, the function must have lied to the program
        too."""
        if self.moved and not answer.lied:
            return False
        answer_leaves = leaves(answer.value)
        if self.whole and answer_leaves.keys() != self.leaves.keys():
            return False
        return all(
            path in answer_leaves and same_leaf(leaf, answer_leaves[path], RTOL, ATOL)
            for path, leaf in self.leaves.items()
        )


@dataclass(frozen=True)
class Evidence:
    """How a reference's answers change under one falsification (move), for the cases in which answers are tested."""

    move: Move
    cases: Mapping[int, MovedCase]
    # by case: marks of the arguments that the reference passes to its function
    argument_marks: Mapping[int, Sequence[int]]
    alone: bool = True  # otherwise it counts only together with other moves

    @property
    def bits(self) -> float:
        return sum(case.bits for case in self.cases.values())

    @property
    def telling(self) -> tuple[int, ...]:
        """The most informative cases. An answer that agrees in none of them is not tested in the others."""
        return tuple(sorted(self.cases, key=lambda number: -self.cases[number].bits)[:MOST_TELLING])

    def agrees_anywhere(self, values: Mapping[int, Moved]) -> bool:
        """Whether at least one of these answers agrees with the reference's."""
        return any(self.cases[number].agrees(value) for number, value in values.items())

    def followed_by(self, values: Mapping[int, Moved]) -> bool:
        """Whether enough of these answers, by case, agree with the reference's."""
        agreed = [case for number, case in self.cases.items() if number in values and case.agrees(values[number])]
        if not self.alone or self.bits < PROOF_BITS:
            return len(agreed) == len(self.cases)
        return sum(case.bits for case in agreed) >= max(PROOF_BITS, self.bits / 2)


def weigh_evidence(
    move: Move, cases: Mapping[int, MovedCase], argument_marks: Mapping[int, Sequence[int]]
) -> Evidence | None:
    """Return the evidence from a move, or None if it is too weak."""
    if move.of_arguments and by_one_rule([pair for case in cases.values() for pair in case.numbers]):
        return None
    chosen: list[int] = []
    for number, case in cases.items():
        if case.bits >= LEAST_BITS and not _is_enough([cases[n].bits for n in chosen]):
            chosen.append(number)
    alone = True
    if sum(cases[n].bits for n in chosen) < PROOF_BITS:
        chosen = list(cases)
        moved = [n for n in chosen if cases[n].moved]
        if not moved or (move.of_arguments and len(moved) in (1, len(chosen))):
            return None
        alone = len(moved) >= LEAST_MOVED
    return Evidence(move, {n: cases[n] for n in chosen}, {n: argument_marks[n] for n in chosen}, alone)


def by_one_rule(numbers: Sequence[tuple[float, float]]) -> bool:
    """Whether a single linear function maps the first number of every pair (before) to the second (after)."""
    if len(numbers) < 2:
        return False
    (low, low_after), (high, high_after) = min(numbers), max(numbers)
    if not all(map(math.isfinite, (low, high, low_after, high_after))):
        return False
    factor = (high_after - low_after) / (high - low) if high != low else 1.0
    return all(
        abs(low_after + factor * (before - low) - after) <= ATOL + RTOL * abs(after) for before, after in numbers
    )


def _is_enough(bits_by_case: Sequence[float]) -> bool:
    """Whether cases with these numbers of bits of information are enough."""
    return len(bits_by_case) == MOST_CASES or (len(bits_by_case) >= LEAST_CASES and sum(bits_by_case) >= ENOUGH_BITS)


class EvidenceTally:
    """Keeps track of which variants of a lie need more cases."""

    def __init__(self, variants: Sequence[str]) -> None:
        self.bits: dict[str, list[float]] = {variant: [] for variant in variants}

    def open_variants(self) -> list[str]:
        return [variant for variant, bits_by_case in self.bits.items() if not _is_enough(bits_by_case)]

    def add(self, variant: str, truth: Tree, after: Tree, of_gold: Tree | None) -> None:
        bits = MovedCase.of(truth, after, of_gold).bits
        if bits >= LEAST_BITS:
            self.bits[variant].append(bits)

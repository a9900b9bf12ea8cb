"""Decides whether an answer depends on given functions, by running it again while they are falsified (return
deliberately wrong values, or "lie").

For a stateless program, one changed answer is enough. Any other program must return the same answers in two truthful
runs and different ones in two falsified runs, with the cases in a different order each time. Running out of time or
memory proves nothing, because a program may do that on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from sebench.provenance.lies import DISCREET, FOLDED, LENGTHS, MIRRORED, SHIFTED, SHORTER, Traits
from sebench.provenance.observer import TRUTH, Call, Orders, Seen, constant_calls, exchange_results
from sebench.values.equality import Difference, Profile, difference
from sebench.values.tagged import Tree

RTOL, ATOL = 1e-9, 1e-12  # two values of the same program differ if they differ by more
LYING_CPU_S = 2.0  # for all falsified runs together; more for slow programs with many functions
SHARE_OF_TRUTH = 0.75  # of the truthful run's time, times the number of groups plus one

Decided = Callable[[int, Tree], bool]  # whether the answer to a case settles the question, so that the run may end


@dataclass(frozen=True)
class ObservedRun:
    """The result of one run."""

    values: tuple[tuple[int, Tree], ...]  # by case number, as far as the run went
    failed: str = ""  # the exception that ended it; "" for none, and for running out of time, memory or depth
    seen: Seen | None = None
    results: Mapping[Call, Any] | None = None
    cpu_s: float = 0.0
    truthful_calls: int = 0  # calls to a lying function that were exempt from lying


@dataclass(frozen=True)
class Proof:
    """What the runs proved."""

    mattered: tuple[str, ...] = ()  # for each group, the function that matters; "" if none does
    used: bool = False  # some function of the library matters
    unstable: str = ""  # how a second truthful run differed from the first
    finished: bool = True  # there was time for all runs that were needed


class Prover:
    """Finds out which functions the answers of one program depend on."""

    def __init__(
        self,
        run: Callable[[Orders, int, Decided], ObservedRun],
        truth: ObservedRun,
        functions: Mapping[str, Traits],
        twice: bool,
    ) -> None:
        """`run` runs the program with given orders, starting with a given case. `twice`: repeat runs, because the
        program may keep state."""
        self._run, self._truth, self._functions, self._twice = run, truth, functions, twice
        self._values = dict(truth.values)
        self._spared = frozenset(constant_calls(truth.seen or {}, len(self._values)))
        self._left_s = LYING_CPU_S

    def prove(
        self, groups: Sequence[tuple[Sequence[str], bool]], called: Iterable[str], construction: frozenset[str]
    ) -> Proof:
        """Find the function in each group that the answer depends on; if a group has none, test whether the answer
        depends on any library function."""
        called = list(called)
        self._left_s = max(LYING_CPU_S, SHARE_OF_TRUTH * self._truth.cpu_s * (len(groups) + 1))
        if self._twice and (unstable := self._find_instability()):
            return Proof(("",) * len(groups), unstable=unstable)
        mattered = tuple(
            self._find_mattering([f for f in group if f in called], group[0] if group else "", everywhere)
            for group, everywhere in groups
        )
        used = any(mattered) or self._any_matters([f for f in called if f not in construction])
        return Proof(mattered, used, finished=all(mattered) or self._left_s > 0)

    def _find_instability(self) -> str:
        again = self._run(TRUTH, 1, self._differs)
        first, second = self._truth.seen or {}, again.seen or {}
        # a call that moves to other cases when their order changes depends on the program's state
        self._spared |= {
            digest for digest in {*first, *second} if set(first.get(digest, ())) != set(second.get(digest, ()))
        }
        for number, tree in again.values:
            if changed := _difference(self._values[number], tree):
                return str(changed)
        return "" if len(again.values) == len(self._values) else again.failed or "it did not finish"

    def _differs(self, number: int, tree: Tree) -> bool:
        return _difference(self._values[number], tree) is not None

    def _find_mattering(self, functions: Sequence[str], gold: str, everywhere: bool) -> str:
        """Find the first of these functions that the answer depends on.

        Gold's own function may also be falsified in ways that are easy to detect. For another function the proof is
        stricter, because many answers could call it for no reason: it must work on an array, on the inputs or on
        results (a value that the program computed by itself proves nothing), and different lies must lead to different
        answers (a test of whether the library is truthful has only two outcomes).
        """
        for function in functions:
            own = function == gold
            spared = frozenset() if own and everywhere else self._spared
            idle_too = own and (everywhere or self._functions[function].rearranges)
            common = Orders(frozenset({function}), SHIFTED, spared, idle_too, grounded=not own)
            attempts = self._attempts(common, own, self._functions[function].varies)
            changed = (
                run for orders in attempts if (run := self._find_changing_run(orders, whole=not own)) is not None
            )
            changing_run = next(changed, None) if own else _first_differing(changed)
            if changing_run is not None and (not changing_run.truthful_calls or self._changes_throughout(function)):
                return function
        return ""

    def _attempts(self, common: Orders, own: bool, varies: bool) -> Iterator[Orders]:
        """Yield the ways to falsify a function; the first one is nearly always enough."""
        yield common
        for variant in DISCREET[1:]:
            yield replace(common, variant=variant)
        yield replace(common, instead=self._exchanged_results)
        for variant in (*(LENGTHS if varies else ()), *((FOLDED,) if own else ())):
            yield replace(common, variant=variant)

    def _changes_throughout(self, function: str) -> bool:
        """Whether the answer also changes when a function is falsified in all of its calls. A program that only
        compares calls with each other, and relies on some of them being truthful, then detects nothing."""
        return any(self._changes(Orders(frozenset({function}), variant)) for variant in (SHIFTED, MIRRORED, FOLDED))

    def _any_matters(self, functions: Sequence[str]) -> bool:
        """Whether the answer changes when all of these functions are falsified, or only every second one, since two
        lies in a row can cancel each other out."""
        everyone = frozenset(functions)
        halves = (frozenset(functions[::2]), frozenset(functions[1::2]))
        attempts = [Orders(everyone, variant, self._spared) for variant in (*DISCREET, SHORTER)]
        attempts.append(Orders(everyone, SHIFTED, self._spared, instead=self._exchanged_results))
        attempts += [Orders(half, SHIFTED, self._spared) for half in halves if half]
        return any(self._changes(orders) for orders in attempts)

    @cached_property
    def _exchanged_results(self) -> Mapping[Call, Any]:
        return exchange_results(self._truth.results or {})

    def _changes(self, orders: Orders) -> bool:
        return self._find_changing_run(orders) is not None

    def _find_changing_run(self, orders: Orders, whole: bool = False) -> ObservedRun | None:
        """Return a run with these orders whose answer differs from the truthful one, or None. The run ends as soon as
        that is clear, unless `whole` is true."""
        decided: Decided = (lambda number, tree: False) if whole else self._differs
        first_run = None
        for first in (0, 1) if self._twice else (0,):
            if self._left_s <= 0:
                return None
            run = self._run(orders, first, decided)
            self._left_s -= run.cpu_s
            if not run.failed and not any(self._differs(*answer) for answer in run.values):
                return None
            first_run = first_run or run
        return first_run


def _first_differing(runs: Iterable[ObservedRun]) -> ObservedRun | None:
    """Return the first of these runs whose answers differ from those of an earlier one."""
    seen: list[ObservedRun] = []
    for run in runs:
        values = dict(run.values)
        if any(_difference(tree, values[n]) for other in seen for n, tree in other.values if n in values):
            return replace(run, truthful_calls=run.truthful_calls + sum(other.truthful_calls for other in seen))
        seen.append(run)
    return None


def _difference(one: Tree, other: Tree) -> Difference | None:
    """Return how two values that a program returned differ."""
    return difference(one, other, Profile.STRICT, RTOL, ATOL)

"""Finds the tasks that show how a world's functions differ from NumPy's (forge/changes), and what an answer returns
that treats these functions as NumPy's.

Such an answer, gold translated word by word, is wrong in every task that a world keeps. What it returns in each case is
recorded as the task's prior, so that the judge can tell it from other wrong answers. In a new edition of a world, what
the old edition's gold returns is recorded in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from types import ModuleType
from typing import Any

from sebench.bank.definition import Definition
from sebench.base.records import TOO_LARGE, Case, Prior, Task, error_text
from sebench.forge.catalog import catalog
from sebench.forge.names.naming import Names
from sebench.forge.translate.translate import Translator, Untranslatable
from sebench.tasks import core, gold, mutants, rules, transfer
from sebench.tasks.edition import Edition
from sebench.values.equality import Profile, difference
from sebench.values.leaves import leaves
from sebench.values.rounding import round_portably
from sebench.values.tagged import encode

LONGEST = 20_000  # characters of a value that is recorded
MOST_ELEMENTS = 100_000_000  # of a view
UNSTABLE = "a result of rounding errors"  # instead of a value that another machine may compute otherwise
UNSTABLE_SUBJECTS = ("linalg", "polynomials")  # where rounding errors can grow to any size: of a singular matrix, say
VECTORS = frozenset(("linalg.eig", "linalg.eigh", "linalg.svd"))  # arbitrary ones, if values are equal
MOST_CHANGE = 1e-3  # of a stable result, if the inputs change in the tenth digit
CHANGED, UNCHANGED, ADDED, REMOVED = ("changed", "unchanged", "added", "removed")  # tasks of a new edition


class EndlessView(BaseException):
    """A program made a view of more elements than memory could hold. A function that reads them would never return."""


class PriorFinder:
    """Finds the tasks in a world that use changed functions, and their priors."""

    def __init__(self, names: Names, library: ModuleType, numpy_pages: Mapping[str, str]) -> None:
        self.names, self.pages, self.library = names, numpy_pages, library
        self.translator, self.dictionary = Translator(names), Translator(names.without_changes())

    def concern(self, definition: Definition) -> bool:
        """Whether gold uses a changed function."""
        return bool(self.names.changes) and any(map(self.names.change, gold.functions(definition.source)))

    def prior(self, definition: Definition, cases: Sequence[Case]) -> tuple[Prior, ...]:
        """Return what gold returns in each case if it treats the functions as NumPy's. Return () if the task must be
        left out: because these results are right or would never come, because a changed function is used in a way that
        cannot be translated, or because the changed page does not say what the task tests.
        """
        try:
            self.translator.code(definition.source)
        except Untranslatable:
            return ()
        if definition.page and transfer.words_only(definition.page) not in transfer.words_only(
            self.pages[rules.subject(definition)]
        ):
            return ()
        program = self.dictionary.code(definition.source)
        try:
            priors = _outcomes(program, definition.name, cases, self.library, self.names)
        except EndlessView:
            return ()
        return priors if any(map(_is_wrong, priors, cases)) else ()


class StaleFinder:
    """Finds out how the tasks of a new edition differ from the old edition."""

    def __init__(self, edition: Edition, names: Names, library: ModuleType) -> None:
        self.edition, self.old = edition, Translator(edition.before)
        self.library, self.names = library, names

    def compared(self, definition: Definition, task: Task) -> Task:
        """Return the task with a record of how it differs from the old edition. Raise EndlessView if the old solution
        would never end."""
        used = set(task.functions)
        if used & self.edition.added:
            return replace(task, edition=ADDED)
        if not used & self.edition.touched:
            return replace(task, edition=UNCHANGED)
        try:
            program = self.old.code(definition.source)
        except Untranslatable:
            program = ""
        stale = _outcomes(program, definition.name, task.cases, self.library, self.names) if program else ()
        if program and not any(map(_is_wrong, stale, task.cases)):
            return replace(task, edition=UNCHANGED)
        gone = sorted({word for path in used for word in self.edition.gone(path) if word in program})
        return replace(task, edition=CHANGED, stale=stale, gone=tuple(gone))


def _outcomes(program: str, entry: str, cases: Sequence[Case], library: ModuleType, names: Names) -> tuple[Prior, ...]:
    """Return what a program returns or raises in each case, with the library that is imported."""
    space: dict[str, Any] = {}
    exec(compile(program, f"<{entry}>", "exec"), space)
    array = getattr(library, names.array)
    with mutants.containment(), _bounded_views(library, names):
        outcomes = tuple(_outcome(space[entry], case.inputs, array) for case in cases)
        called = {path for path, forged in names.functions.items() if f"{names.package}.{forged}(" in program}
        if not any(catalog.by_any_name()[path].subject in UNSTABLE_SUBJECTS for path in called):
            return outcomes
        others = (_outcome(space[entry], _slightly_changed(case.inputs), array) for case in cases)
        return tuple(
            one if _is_close(one, other) and not (called & VECTORS and _is_noise(one)) else Prior(raised=UNSTABLE)
            for one, other in zip(outcomes, others, strict=True)
        )


def _is_noise(outcome: Prior) -> bool:
    """Whether a result has nothing but zeros, which may be what rounding left of the sum of an arbitrary vector."""
    numbers = [leaf for leaf in leaves(encode(outcome.value)).values() if isinstance(leaf, int | float | complex)]
    return not outcome.raised and bool(numbers) and not any(numbers)


def _slightly_changed(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return inputs whose numbers differ from the given ones in the tenth digit, each in another way."""
    place = count()

    def changed(value: Any) -> Any:
        if type(value) is list:
            return [changed(one) for one in value]
        return value * (1 + (next(place) % 7 - 3) * 2**-32) if type(value) in (int, float, complex) else value

    return {name: changed(value) for name, value in inputs.items()}


def _is_close(one: Prior, other: Prior) -> bool:
    """Whether a slight change of the inputs changed a result slightly, too; true of what is no number, and of programs
    that need whole numbers."""
    if one.raised or other.raised:
        return True
    return difference(encode(one.value), encode(other.value), Profile.STRICT, MOST_CHANGE, MOST_CHANGE) is None


@contextmanager
def _bounded_views(library: ModuleType, names: Names) -> Iterator[None]:
    """Raise EndlessView for a huge result of `broadcast_to`, which takes no memory of its own, so that the limit of
    `containment` does not apply."""
    name = names.functions.get("broadcast_to", "")
    if not name:
        yield
        return
    original = getattr(library, name)

    def bounded(*args: Any, **options: Any) -> Any:
        view = original(*args, **options)
        if view.size > MOST_ELEMENTS:
            raise EndlessView
        return view

    setattr(library, name, bounded)
    try:
        yield
    finally:
        setattr(library, name, original)


def _outcome(program: Any, inputs: Mapping[str, Any], array: type) -> Prior:
    try:
        value = round_portably(core.to_python(gold.fresh(program, inputs), array))
        encode(value)  # anything but plain data is an error, as in an answer
    except MemoryError:
        return Prior(raised=TOO_LARGE)
    except Exception as error:
        return Prior(raised=error_text(type(error).__name__, str(error)))
    return Prior(value) if len(repr(value)) <= LONGEST else Prior(raised=TOO_LARGE)


def _is_wrong(prior: Prior, case: Case) -> bool:
    return bool(prior.raised) or (
        difference(encode(case.expected), encode(prior.value), Profile.STRICT, 1e-6, 1e-9) is not None
    )

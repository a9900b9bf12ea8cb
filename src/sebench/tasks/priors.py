"""Tasks that use functions which differ from NumPy's (forge/changes): which of them show it, and what an answer gives
that takes the functions for NumPy's.

Such an answer, gold translated word by word, is wrong in every task that a world keeps. What it gives in each case is
recorded as the task's prior, so that the judge can tell it from other wrong answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from sebench.bank.definition import Definition
from sebench.base.records import Case, Prior
from sebench.forge.names.naming import Names
from sebench.forge.translate.translate import Translator, Untranslatable
from sebench.tasks import core, gold, mutants, rules, transfer
from sebench.values.equality import Profile, difference
from sebench.values.rounding import round_portably
from sebench.values.tagged import encode

LONGEST = 20_000  # characters of a value that is recorded
TOO_LARGE = "too large"  # recorded in place of the name of an error


class PriorFinder:
    """Finds the tasks of a world that concern changed functions, and their priors."""

    def __init__(self, names: Names, library: ModuleType, numpy_pages: Mapping[str, str]) -> None:
        self.names, self.pages = names, numpy_pages
        self.array = getattr(library, names.array)
        self.translator, self.dictionary = Translator(names), Translator(names.without_changes())

    def concern(self, definition: Definition) -> bool:
        """Whether gold uses a changed function."""
        return bool(self.names.changes) and any(map(self.names.change, gold.functions(definition.source)))

    def prior(self, definition: Definition, cases: Sequence[Case]) -> tuple[Prior, ...]:
        """Return what gold gives in each case if it takes the functions for NumPy's; () if the task must be left out:
        because that is right, because a changed function is used in a way that cannot be translated, or because the
        changed page does not say what the task tests.
        """
        try:
            self.translator.code(definition.source)
        except Untranslatable:
            return ()
        if definition.page and transfer.words_only(definition.page) not in transfer.words_only(
            self.pages[rules.subject(definition)]
        ):
            return ()
        space: dict[str, Any] = {}
        exec(
            compile(self.dictionary.code(definition.source), f"<dictionary answer to {definition.name}>", "exec"), space
        )
        with mutants.containment():
            priors = tuple(self._outcome(space[definition.name], case) for case in cases)
        return priors if any(map(_is_wrong, priors, cases)) else ()

    def _outcome(self, program: Any, case: Case) -> Prior:
        try:
            value = round_portably(core.to_python(gold.fresh(program, case.inputs), self.array))
        except MemoryError:
            return Prior(raised=TOO_LARGE)
        except Exception as error:
            return Prior(raised=type(error).__name__)
        return Prior(value) if len(repr(value)) <= LONGEST else Prior(raised=TOO_LARGE)


def _is_wrong(prior: Prior, case: Case) -> bool:
    return bool(prior.raised) or (
        difference(encode(case.expected), encode(prior.value), Profile.STRICT, 1e-6, 1e-9) is not None
    )

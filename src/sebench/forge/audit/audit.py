"""Audits whether a world is what it claims to be. Each check counts the items it looked at and reports those that
failed.

The audit imports the package and reads the pages from disk; it reuses nothing from the build. `World.audit` calls it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType

from sebench.base.records import ApiDoc
from sebench.forge.audit import probe
from sebench.forge.catalog import signature
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.docs import equivalence, pages, parameter_leaks, text_defects
from sebench.forge.names import leaks, pseudowords
from sebench.forge.names.naming import Names
from sebench.forge.package.package import resolve

FLOOR = 268  # fewest functions in a world with all functions: the size of the published benchmark


@dataclass(frozen=True)
class AuditCheck:
    """One check of the audit: how many items it looked at, and what is wrong with those that failed."""

    name: str
    looked_at: int
    failures: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.failures and self.looked_at > 0


@dataclass(frozen=True)
class AuditInputs:
    """Everything that the audit inspects."""

    names: Names
    entries: Mapping[str, CatalogEntry]
    library: ModuleType
    docs: tuple[ApiDoc, ...]
    texts: Mapping[str, str]  # docs/api.md and the files of the importable package, by relative path
    seed: int
    names_from_seed: bool  # the names come from the seed, not from a mapping
    rebuild: Callable[[], str]  # rebuilds the world; returns "" or the difference
    whole: bool = True  # not a slice of the catalog
    gold: Callable[[], Iterable[tuple[str, str]]] = tuple  # each task with "" or the judge's objection to its gold
    programs: Mapping[str, str] = field(default_factory=dict)  # the gold solution of each task


def checks(inputs: AuditInputs) -> Iterator[tuple[str, Callable[[], AuditCheck]]]:
    """Yield the checks in order, each with its title, to be run one by one."""
    for title, look in CHECKS.items():
        if (title != NAMES_CHECK or inputs.names_from_seed) and (title != PARAMETERS_CHECK or inputs.names.parameters):
            yield title, partial(_check, title, look, inputs)


def _check(title: str, look: Look, inputs: AuditInputs) -> AuditCheck:
    results = list(look(inputs))
    failures = tuple(f"{thing}: {wrong}" if thing else wrong for thing, wrong in results if wrong)
    return AuditCheck(title, len(results), failures)


def _functions(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    for original, path in inputs.names.functions.items():
        try:
            function = resolve(inputs.library, path)
        except AttributeError:
            yield path, "is not in the package"
            continue
        expected = list(signature.read(inputs.names.signature(inputs.entries[original])).parameters)
        has = list(inspect.signature(function).parameters.values())
        yield path, "" if expected == has else f"takes {has} instead of {expected}"
    if inputs.whole and len(inputs.names.functions) < FLOOR:
        yield "world", f"has {len(inputs.names.functions)} functions, fewer than {FLOOR}"


def _names(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    used = [w.rpartition(".")[2] for w in (*inputs.names.functions.values(), *inputs.names.modules.values())]
    used += [*inputs.names.fields.values(), inputs.names.array.lower()]
    used += [*inputs.names.parameters.values(), *inputs.names.words.values()]
    word_of_pattern: dict[str, str] = {}
    for word in used:
        wrong = "" if pseudowords.fits_grammar(word) else "does not follow the grammar"
        if word in pseudowords.reserved() or word in leaks.source_names():
            wrong = "already has a meaning"
        for pattern in pseudowords.neighbourhood(word):
            if word_of_pattern.setdefault(pattern, word) != word:
                wrong = f"is one edit away from {word_of_pattern[pattern]}"
        yield word, wrong
    for original, path in inputs.names.functions.items():
        bare = original.rpartition(".")[2]
        yield path, f"contains '{bare}'" if bare in path.rpartition(".")[2] else ""


def _pages(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    have = {page.path for page in inputs.docs}
    yield from ((path, "" if path in have else "has no page") for path in inputs.names.functions.values())
    for page in inputs.docs:
        parts = ["## Returns", "## Examples", page.signature, page.summary, *(e.output for e in page.examples)]
        missing = [f"does not show {part!r}" for part in parts if part not in page.text]
        yield page.path, missing[0] if missing else "" if page.examples else "has no example"


def _text_defects(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    for page in inputs.docs:
        yield from ((page.path, defect) for defect in [str(one) for one in text_defects.find(page.text)] or [""])


def _examples(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    for page in inputs.docs:
        for example, printed in pages.replay(page, inputs.names, inputs.library):
            wrong = "" if printed == example.output else f"prints {printed!r}, the page says {example.output!r}"
            yield f"{page.path}: {example.code}", wrong


def _first(text_leaks: Sequence[leaks.Leak]) -> str:
    """Describe the first word in a text that reveals NumPy; return "" if there is none."""
    return f"{text_leaks[0].what!r} in {text_leaks[0].where}" if text_leaks else ""


def _texts(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    for file, text in inputs.texts.items():
        yield file, _first(leaks.find(text, inputs.names, code=file.endswith(".py")))
    for page in inputs.docs:
        yield page.path, _first(leaks.find(page.text, inputs.names))


def _parameters(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    """If parameters are forged, check that NumPy's names and option words appear nowhere and are refused everywhere."""
    for page in inputs.docs:
        yield page.path, _first(parameter_leaks.find(page.text, inputs.names))
    for file, text in inputs.texts.items():
        scan = parameter_leaks.in_package if file.endswith(".py") else parameter_leaks.find
        yield file, _first(scan(text, inputs.names))
    for task, source in inputs.programs.items():
        yield task, _first(parameter_leaks.in_program(source, inputs.names))
    yield from probe.refusals(inputs.names, inputs.entries, inputs.library)


def _objects(inputs: AuditInputs) -> Iterator[tuple[str, str]]:
    yield from ((path, "") for path in inputs.names.functions)
    yield from (("", leak) for leak in dict.fromkeys(probe.probe(inputs.names, inputs.entries, inputs.library)))


Look = Callable[[AuditInputs], Iterable[tuple[str, str]]]  # each checked item with "" or what is wrong with it
NAMES_CHECK, PARAMETERS_CHECK = "names mean nothing", "parameters forged"
CHECKS: dict[str, Look] = {
    "functions forged": _functions,
    NAMES_CHECK: _names,
    "doc pages complete": _pages,
    "doc texts whole": _text_defects,
    "doc examples pass": _examples,
    "leaks in texts": _texts,
    PARAMETERS_CHECK: _parameters,
    "leaks at run time": _objects,
    "calls equal to NumPy": lambda inputs: equivalence.calls(inputs.names, inputs.entries, inputs.library, inputs.seed),
    "gold passes the judge": lambda inputs: inputs.gold(),
    "rebuild is identical": lambda inputs: [("fingerprint", inputs.rebuild())],
}

"""The audit: is a world what it claims to be? Each check counts what it looked at, and reports its failures.

It works on what is on disk: the package is imported and the pages are read from there, and nothing is taken over from
the build. `World.audit` calls it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import ModuleType

from sebench.base.records import ApiDoc
from sebench.forge.audit import probe
from sebench.forge.catalog import signature
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.docs import equivalence, pages, parameter_leaks, text_defects
from sebench.forge.names import leaks, pseudowords
from sebench.forge.names.naming import Names
from sebench.forge.package.package import resolve

FLOOR = 268  # functions of a whole world: the size of the published benchmark


@dataclass(frozen=True)
class AuditCheck:
    """One row of the audit: how many things were checked, and what is wrong with which of them."""

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
    rebuild: Callable[[], str]  # builds the world again: "" or the difference
    whole: bool = True  # not a slice of the catalog
    gold: Callable[[], Iterable[tuple[str, str]]] = tuple  # each task with "" or the judge's objection to its gold
    programs: Mapping[str, str] = field(default_factory=dict)  # the gold solution of each task


def checks(inputs: AuditInputs) -> Iterator[tuple[str, Callable[[], AuditCheck]]]:
    """The checks in order, each with its title, to be run one by one."""
    yield "functions forged", lambda: _functions(inputs)
    if inputs.names_from_seed:
        yield "names mean nothing", lambda: _names(inputs)
    yield "doc pages complete", lambda: _pages(inputs)
    yield "doc texts whole", lambda: _text_defects(inputs)
    yield "doc examples pass", lambda: _examples(inputs)
    yield "leaks in texts", lambda: _texts(inputs)
    if inputs.names.parameters:
        yield "parameters forged", lambda: _parameters(inputs)
    yield "leaks at run time", lambda: _objects(inputs)
    yield "calls equal to NumPy", lambda: _calls(inputs)
    yield "gold passes the judge", lambda: _check("gold passes the judge", inputs.gold())
    yield "rebuild is identical", lambda: _rebuild(inputs)


def _check(name: str, results: Iterable[tuple[str, str]]) -> AuditCheck:
    """A check from pairs of an item and "" or what is wrong with it."""
    all_results = list(results)
    return AuditCheck(name, len(all_results), tuple(f"{thing}: {wrong}" for thing, wrong in all_results if wrong))


def _functions(inputs: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
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

    return _check("functions forged", look())


def _names(inputs: AuditInputs) -> AuditCheck:
    used = [w.rpartition(".")[2] for w in (*inputs.names.functions.values(), *inputs.names.modules.values())]
    used += [*inputs.names.fields.values(), inputs.names.array.lower()]
    used += [*inputs.names.parameters.values(), *inputs.names.words.values()]
    word_of_pattern: dict[str, str] = {}

    def look() -> Iterator[tuple[str, str]]:
        for word in used:
            wrong = "" if pseudowords.fits_grammar(word) else "does not follow the grammar"
            if word in pseudowords.reserved() or word in leaks.source_names():
                wrong = "already means something"
            for pattern in pseudowords.neighbourhood(word):
                if word_of_pattern.setdefault(pattern, word) != word:
                    wrong = f"is one edit away from {word_of_pattern[pattern]}"
            yield word, wrong
        for original, path in inputs.names.functions.items():
            bare = original.rpartition(".")[2]
            yield path, f"contains '{bare}'" if bare in path.rpartition(".")[2] else ""

    return _check("names mean nothing", look())


def _pages(inputs: AuditInputs) -> AuditCheck:
    have = {page.path for page in inputs.docs}

    def look() -> Iterator[tuple[str, str]]:
        for path in inputs.names.functions.values():
            yield path, "" if path in have else "has no page"
        for page in inputs.docs:
            parts = [
                "## Returns",
                "## Examples",
                page.signature,
                page.summary,
                *(e.output for e in page.examples),
            ]
            missing = [part for part in parts if part not in page.text]
            yield (
                page.path,
                f"does not show {missing[0]!r}" if missing else ("" if page.examples else "has no example"),
            )

    return _check("doc pages complete", look())


def _text_defects(inputs: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
        for page in inputs.docs:
            defects = text_defects.find(page.text)
            yield from ((page.path, str(defect)) for defect in defects)
            if not defects:
                yield page.path, ""

    return _check("doc texts whole", look())


def _examples(inputs: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
        for page in inputs.docs:
            for example, printed in pages.replay(page, inputs.names, inputs.library):
                wrong = "" if printed == example.output else f"prints {printed!r}, the page says {example.output!r}"
                yield f"{page.path}: {example.code}", wrong

    return _check("doc examples pass", look())


def _texts(inputs: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
        for file, text in inputs.texts.items():
            text_leaks = leaks.find(text, inputs.names, code=file.endswith(".py"))
            yield file, f"{text_leaks[0].what!r} in {text_leaks[0].where}" if text_leaks else ""
        for page in inputs.docs:
            text_leaks = leaks.find(page.text, inputs.names)
            yield page.path, f"{text_leaks[0].what!r} in {text_leaks[0].where}" if text_leaks else ""

    return _check("leaks in texts", look())


def _parameters(inputs: AuditInputs) -> AuditCheck:
    """If parameters are forged, NumPy's names and words must not appear anywhere and must be refused everywhere."""

    def look() -> Iterator[tuple[str, str]]:
        scans = [(page.path, parameter_leaks.find(page.text, inputs.names)) for page in inputs.docs]
        for file, text in inputs.texts.items():
            scan = parameter_leaks.in_package if file.endswith(".py") else parameter_leaks.find
            scans.append((file, scan(text, inputs.names)))
        scans += [(task, parameter_leaks.in_program(source, inputs.names)) for task, source in inputs.programs.items()]
        for thing, scan_leaks in scans:
            yield thing, f"{scan_leaks[0].what!r} in {scan_leaks[0].where}" if scan_leaks else ""
        yield from probe.refusals(inputs.names, inputs.entries, inputs.library)

    return _check("parameters forged", look())


def _objects(inputs: AuditInputs) -> AuditCheck:
    runtime_leaks = tuple(dict.fromkeys(probe.probe(inputs.names, inputs.entries, inputs.library)))
    return AuditCheck("leaks at run time", len(inputs.names.functions), runtime_leaks)


def _calls(inputs: AuditInputs) -> AuditCheck:
    return _check("calls equal to NumPy", equivalence.calls(inputs.names, inputs.entries, inputs.library, inputs.seed))


def _rebuild(inputs: AuditInputs) -> AuditCheck:
    return _check("rebuild is identical", [("fingerprint", inputs.rebuild())])

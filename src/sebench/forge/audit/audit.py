"""The audit: is a world what it claims to be? Each check is counted, and names its first failures.

It works on what lies on disk: the package is imported from there, the pages are read from there, and nothing is trusted
from the build. `World.audit` calls it.
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
    """One row of the audit: how many things were looked at, and what is wrong with which of them."""

    name: str
    looked_at: int
    failures: tuple[str, ...]

    @property
    def holds(self) -> bool:
        return not self.failures and self.looked_at > 0


@dataclass(frozen=True)
class AuditInputs:
    """What the audit looks at."""

    names: Names
    entries: Mapping[str, CatalogEntry]
    library: ModuleType
    docs: tuple[ApiDoc, ...]
    texts: Mapping[str, str]  # docs/api.md and the files of the importable package, by relative path
    seed: int
    drawn: bool  # the names come from the seed, not from a mapping
    rebuilt: Callable[[], str]  # builds the world again: "" or what came out differently
    whole: bool = True  # no slice of the catalog
    gold: Callable[[], Iterable[tuple[str, str]]] = tuple  # each task with "" or what the judge has against its gold
    programs: Mapping[str, str] = field(default_factory=dict)  # the gold solution of each task


def checks(seen: AuditInputs) -> Iterator[tuple[str, Callable[[], AuditCheck]]]:
    """The checks in order, each with its title, to be run one by one."""
    yield "functions forged", lambda: _functions(seen)
    if seen.drawn:
        yield "names mean nothing", lambda: _names(seen)
    yield "doc pages complete", lambda: _pages(seen)
    yield "doc texts whole", lambda: _text_defects(seen)
    yield "doc examples pass", lambda: _examples(seen)
    yield "leaks in texts", lambda: _texts(seen)
    if seen.names.parameters:
        yield "parameters forged", lambda: _parameters(seen)
    yield "leaks at run time", lambda: _objects(seen)
    yield "calls equal to NumPy", lambda: _calls(seen)
    yield "gold passes the judge", lambda: _check("gold passes the judge", seen.gold())
    yield "rebuild is identical", lambda: _rebuild(seen)


def _check(name: str, results: Iterable[tuple[str, str]]) -> AuditCheck:
    """A check from (thing, "" or what is wrong with it)."""
    all_results = list(results)
    return AuditCheck(name, len(all_results), tuple(f"{thing}: {wrong}" for thing, wrong in all_results if wrong))


def _functions(seen: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
        for original, path in seen.names.functions.items():
            try:
                function = resolve(seen.library, path)
            except AttributeError:
                yield path, "is not in the package"
                continue
            expected = list(signature.read(seen.names.signature(seen.entries[original])).parameters)
            has = list(inspect.signature(function).parameters.values())
            yield path, "" if expected == has else f"takes {has} instead of {expected}"
        if seen.whole and len(seen.names.functions) < FLOOR:
            yield "world", f"has {len(seen.names.functions)} functions, fewer than {FLOOR}"

    return _check("functions forged", look())


def _names(seen: AuditInputs) -> AuditCheck:
    used = [w.rpartition(".")[2] for w in (*seen.names.functions.values(), *seen.names.modules.values())]
    used += [*seen.names.fields.values(), seen.names.array.lower()]
    used += [*seen.names.parameters.values(), *seen.names.words.values()]
    word_of_pattern: dict[str, str] = {}

    def look() -> Iterator[tuple[str, str]]:
        for word in used:
            wrong = "" if pseudowords.fits_grammar(word) else "does not follow the grammar"
            if word in pseudowords.reserved() or word in leaks.source_names():
                wrong = "means something already"
            for pattern in pseudowords.neighbourhood(word):
                if word_of_pattern.setdefault(pattern, word) != word:
                    wrong = f"is one edit away from {word_of_pattern[pattern]}"
            yield word, wrong
        for original, path in seen.names.functions.items():
            bare = original.rpartition(".")[2]
            yield path, f"contains '{bare}'" if bare in path.rpartition(".")[2] else ""

    return _check("names mean nothing", look())


def _pages(seen: AuditInputs) -> AuditCheck:
    have = {page.path for page in seen.docs}

    def look() -> Iterator[tuple[str, str]]:
        for path in seen.names.functions.values():
            yield path, "" if path in have else "has no page"
        for page in seen.docs:
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


def _text_defects(seen: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
        for page in seen.docs:
            defects = text_defects.find(page.text)
            yield from ((page.path, str(defect)) for defect in defects)
            if not defects:
                yield page.path, ""

    return _check("doc texts whole", look())


def _examples(seen: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
        for page in seen.docs:
            for example, printed in pages.replay(page, seen.names, seen.library):
                wrong = "" if printed == example.output else f"prints {printed!r}, the page says {example.output!r}"
                yield f"{page.path}: {example.code}", wrong

    return _check("doc examples pass", look())


def _texts(seen: AuditInputs) -> AuditCheck:
    def look() -> Iterator[tuple[str, str]]:
        for file, text in seen.texts.items():
            text_leaks = leaks.find(text, seen.names, code=file.endswith(".py"))
            yield file, f"{text_leaks[0].what!r} in {text_leaks[0].where}" if text_leaks else ""
        for page in seen.docs:
            text_leaks = leaks.find(page.text, seen.names)
            yield page.path, f"{text_leaks[0].what!r} in {text_leaks[0].where}" if text_leaks else ""

    return _check("leaks in texts", look())


def _parameters(seen: AuditInputs) -> AuditCheck:
    """Where parameters are forged: NumPy's names and words stand nowhere, and are refused everywhere."""

    def look() -> Iterator[tuple[str, str]]:
        scans = [(page.path, parameter_leaks.find(page.text, seen.names)) for page in seen.docs]
        for file, text in seen.texts.items():
            scan = parameter_leaks.in_package if file.endswith(".py") else parameter_leaks.find
            scans.append((file, scan(text, seen.names)))
        scans += [(task, parameter_leaks.in_program(source, seen.names)) for task, source in seen.programs.items()]
        for thing, scan_leaks in scans:
            yield thing, f"{scan_leaks[0].what!r} in {scan_leaks[0].where}" if scan_leaks else ""
        yield from probe.refusals(seen.names, seen.entries, seen.library)

    return _check("parameters forged", look())


def _objects(seen: AuditInputs) -> AuditCheck:
    runtime_leaks = tuple(dict.fromkeys(probe.probe(seen.names, seen.entries, seen.library)))
    return AuditCheck("leaks at run time", len(seen.names.functions), runtime_leaks)


def _calls(seen: AuditInputs) -> AuditCheck:
    return _check("calls equal to NumPy", equivalence.calls(seen.names, seen.entries, seen.library, seen.seed))


def _rebuild(seen: AuditInputs) -> AuditCheck:
    return _check("rebuild is identical", [("fingerprint", seen.rebuilt())])

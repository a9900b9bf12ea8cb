"""The offline documentation writer: one page per forged function, and the index that contains them all.

A page is derived from the installed NumPy's docstring at build time: `numpydoc.py` parses it, `prose.py` rewrites it in
the world's terms, `examples.py` runs its examples with the forged package. The catalog's own texts take precedence over
NumPy's. A page that leaks, leaves a parameter undocumented or has no working example is a `ForgeError`: there is no
partial documentation.

In the catalog's own texts, `summary` may have several paragraphs and replaces all of NumPy's prose, including notes; a
parameter's text may begin with its type in parentheses; `returns` is Markdown. There, `{np.mean}` stands for a
function, `{field.sign}` for a field of a named result and `{array}` for the array type; a sentence that names a
function which the world lacks is left out.

The build of a world calls this module with the imported package. Pages by a language model (author/) must pass the same
checks.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import NoReturn

from sebench.base.errors import ForgeError
from sebench.base.records import ApiDoc, Example
from sebench.forge.catalog import backend, catalog, samples, signature
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.changes.changes import ORDER, edit_any_page
from sebench.forge.docs import numpydoc, parameter_leaks
from sebench.forge.docs.examples import ExampleBuilder, ExampleSession
from sebench.forge.docs.parameter_renaming import ParameterRenamer
from sebench.forge.docs.phrase_tables import (
    FALLBACK,
    FINITE,
    FINITE_SOMETIMES,
    INTRODUCTION,
    SOME_KINDS,
    STANDARD,
    STANDARD_KINDS,
    UNRELATED,
)
from sebench.forge.docs.prose import PageSubject, ProseRewriter
from sebench.forge.names import leaks
from sebench.forge.names.naming import Names
from sebench.forge.package import dtype_support
from sebench.forge.runtime.kinds import TYPES
from sebench.forge.translate.translate import Translator

WORDS_EXTENDED, WORDS_PARAMETER, WORDS_RETURN, WORDS_NOTES = 90, 80, 70, 110
MOST_RELATED = 4
ASIDES = "typically|usually|for example|for instance|such as|like|see|as from|as by|as with|as in|otherwise use"
FEWEST_RESULTS = 2

_OWN_PARAMETER = re.compile(r"^(?:\((?P<kind>(?:[^()]|\([^()]*\))*)\) )?(?P<text>.*)$", re.DOTALL)


def write_pages(
    names: Names, entries: Mapping[str, CatalogEntry], library: ModuleType, progress: Callable[[str, int, int], None]
) -> tuple[ApiDoc, ...]:
    """Write the pages of a world, in the order of the catalog. `library` is the imported forged package."""
    translator = Translator(names)
    writers = [_PageWriter(path, entries[path], translator) for path in _in_order(entries)]
    summaries = {w.path: w.summary() for w in writers}
    examples = ExampleBuilder(translator, library)
    pages: list[ApiDoc] = []
    for writer in writers:
        progress("pages", len(pages), len(writers))
        pages.append(writer.page(examples, summaries))
    progress("pages", len(pages), len(writers))
    return tuple(pages)


def book(pages: Iterable[ApiDoc], names: Names) -> str:
    """Return `api.md`: an introduction, the functions by subject, and all pages."""
    pages = tuple(pages)
    parts = [_introduction(names), "## Functions by subject"]
    for subject in catalog.subjects():
        listed = [f"- `{names.package}.{p.path}`: {first_clause(p.summary)}" for p in pages if p.subject == subject.key]
        if listed:
            parts += [f"### {subject.title}", "\n".join(listed)]
    return "\n\n".join([*parts, *(page.text.rstrip("\n") for page in pages)]) + "\n"


def _introduction(names: Names) -> str:
    dot = "." if names.parameters else ""  # distinguishes an attribute from NumPy's parameter of the same name
    return INTRODUCTION.format(package=names.package, array=names.array, dot=dot, kind=names.parameter("dtype"))


def replay(page: ApiDoc, names: Names, library: ModuleType) -> Iterator[tuple[Example, str]]:
    """Run a page's examples in a fresh session; yield each step with what it prints now."""
    session = ExampleSession(names.package, library)
    for example in page.examples:
        yield example, session.run(example.code)


def first_clause(summary: str) -> str:
    """Return the first sentence of a summary, without its full stop."""
    return re.split(r"(?<=[^.])\.(?:\s|$)", summary, maxsplit=1)[0].rstrip(".")


def _in_order(entries: Mapping[str, CatalogEntry]) -> list[str]:
    """Return the NumPy paths of the world's functions, ordered by subject, with each alias after its function."""
    order = [p for s in catalog.subjects() for e in s.entries for p in (e.path, *e.aliases)]
    return [path for path in order if path in entries]


@cache
def _docstring(path: str) -> numpydoc.Docstring:
    return numpydoc.parse(inspect.getdoc(backend.get(path)) or "")


@dataclass(frozen=True)
class _Parameter:
    """One line of the parameter list, which may describe several parameters of the same kind."""

    names: tuple[str, ...]
    kind: str
    text: list[str]  # the first paragraph(s), and items that start with "- "


class _PageWriter:
    """Writes the page for one function."""

    def __init__(self, path: str, entry: CatalogEntry, translator: Translator) -> None:
        self.path = path
        self.names = translator.names
        self.entry = entry
        self.doc = _docstring(self.entry.path)
        self.title = self.names.forged(path)
        self.change = self.names.change(path)
        self.takes = signature.read(self.change.signature(entry.signature) if self.change else entry.signature)
        documented = {name for item in self.doc.parameters for name in item.names}
        fields = {f: self.names.fields[f] for f in self.entry.fields}
        lower = {f.lower(): forged for f, forged in fields.items() if f.lower() not in self.takes.all}
        subject = PageSubject(
            path=path,
            aliases=frozenset({entry.path, *entry.aliases}),
            parameters=frozenset(self.takes.all),
            missing=frozenset(documented - set(self.takes.all)),
            fields={**lower, **fields},
        )
        self.translator = translator
        self.prose = ProseRewriter(translator, subject)
        self.renamer = ParameterRenamer(self.names, entry)

    def page(self, examples: ExampleBuilder, summaries: Mapping[str, str]) -> ApiDoc:
        """Write the page, check it for traces of NumPy, and return it."""
        signature = f"{self.names.package}.{self.names.functions[self.path]}{self.names.signature(self.entry)}"
        session = self._session(examples)
        prose_sections = [
            "\n\n".join([summaries[self.path], *self._extended_summary()]),
            "## Parameters\n\n" + "\n".join(self._parameter_lines()) if self.takes.all else "",
            "## Returns\n\n" + "\n".join(self._return_lines()),
            _section("Notes", self._notes()),
        ]
        sections = [
            f"# {self.title}\n\n`{signature}`",
            *(self.renamer.text(self.change.edit(text) if self.change else text) for text in prose_sections),
            "## Examples\n\n" + format_session(session),
        ]
        sections.append(_section("See also", self._related("\n".join(sections), summaries)))
        text = "\n\n".join(s for s in sections if s) + "\n"
        page_leaks = [*leaks.find(text, self.names), *parameter_leaks.find(text, self.names)]
        if page_leaks:
            self._fail(f"shows '{page_leaks[0].what}' in {page_leaks[0].where}")
        return ApiDoc(
            self.names.functions[self.path],
            self.entry.subject,
            signature,
            summaries[self.path],
            text,
            session,
        )

    def summary(self) -> str:
        """Return the first paragraph. The catalog's own text replaces all of NumPy's prose, including notes."""
        text = self._own_summary()[0] or self.prose.sentences(self.doc.summary)
        if not text:
            self._fail("its summary cannot be expressed in the world's terms; add a `summary` to its catalog entry")
        return self.renamer.text(text if text.endswith(".") else f"{text}.")

    def _extended_summary(self) -> list[str]:
        note = [self.change.note] if self.change else []
        if self.entry.summary:
            return [*note, *self._own_summary()[1:]]
        return [*note, *_fit(self.prose.paragraphs(self.doc.extended), WORDS_EXTENDED)]

    def _own_summary(self) -> list[str]:
        paragraphs = [text.strip() for text in self._own(self.entry.summary).split("\n\n")]
        return [paragraphs[0], *filter(None, paragraphs[1:])]

    def _notes(self) -> list[str]:
        return [] if self.entry.summary else _fit(self.prose.paragraphs(self.doc.notes, strict=True), WORDS_NOTES)

    # ---- parameters ---------------------------------------------------------------------------------------

    def _parameter_lines(self) -> Iterator[str]:
        defaults = self.takes.defaults
        for parameter in self._parameters():
            label = ", ".join(f"`{n}`" for n in parameter.names)
            kind = parameter.kind
            if parameter.names[0] in defaults and "optional" not in kind:
                kind = f"{kind}, optional"
            lead = " ".join(t for t in parameter.text if not t.startswith("- "))
            if not kind or not parameter.text:
                self._fail(f"parameter '{parameter.names[0]}' is not documented; add it to `parameters` in the catalog")
            yield f"- {label} ({kind}): {lead}".rstrip()
            yield from (f"  {t}" for t in parameter.text if t.startswith("- "))

    def _parameters(self) -> Iterator[_Parameter]:
        done: set[str] = set()
        for name in self.takes.all:
            if name in done:
                continue
            item = next((i for i in self.doc.parameters if name in i.names), None)
            group = tuple(n for n in self.takes.all if item and n in item.names and not self._is_own(n)) or (name,)
            if self._is_own(name):
                group = (name,)
            done.update(group)
            yield self._with_new_default(self._with_finite_note(self._parameter(name, group, item)))

    def _with_new_default(self, parameter: _Parameter) -> _Parameter:
        """Return the parameter; if its default is changed, the text states the new default instead of the old one."""
        if self.change is None or self.change.parameter not in parameter.names:
            return parameter
        text = " ".join(parameter.text).replace(" (the default)", "")
        kept = [
            sentence for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`'])", text) if "default" not in sentence.lower()
        ]
        return replace(parameter, text=[" ".join([*kept, f"Default is {self.change.value!r}."])])

    def _with_finite_note(self, parameter: _Parameter) -> _Parameter:
        """Return the parameter, with the sentence about nan and infinity added if these values are refused."""
        refused = set(parameter.names) & set(self.entry.finite)
        sentence = FINITE if refused else FINITE_SOMETIMES.get((self.entry.path, parameter.names[0]), "")
        return replace(parameter, text=[*parameter.text, sentence]) if sentence else parameter

    def _is_own(self, name: str) -> bool:
        return name in self.entry.parameters or name in STANDARD

    def _parameter(self, name: str, group: tuple[str, ...], item: numpydoc.DocItem | None) -> _Parameter:
        """Describe a parameter with the catalog's text, else the standard one, else NumPy's, else a fallback."""
        fallback = FALLBACK.get(name, ("", ""))
        kind = (self.prose.kind(item.kind) if item else "") or fallback[0]
        if name == self.entry.inplace:
            kind = self.names.array
        if name in self.entry.parameters:
            own = _OWN_PARAMETER.match(self._own(self.entry.parameters[name]))
            assert own is not None  # the pattern takes any text
            return _Parameter(group, own["kind"] or kind, own["text"].split("\n"))
        if name in STANDARD:
            return self._standard(name)
        paragraphs = _fit(self.prose.paragraphs(item.text), WORDS_PARAMETER) if item else []
        return _Parameter(group, kind, paragraphs or [t for t in fallback[1:] if t])

    def _standard(self, name: str) -> _Parameter:
        kind, text = STANDARD[name]
        words = dtype_support.supported_kinds(self.entry.path) if name == "dtype" else ()
        if words and not set(words) >= STANDARD_KINDS:
            text = _some_kinds(words)
        defaults = self.takes.defaults
        default_sentence = f"The default is {defaults[name]!r}." if name in defaults else ""
        default_sentence = (
            "By default it follows from the input." if defaults.get(name, ...) is None else default_sentence
        )
        kind = kind if name in defaults else kind.removesuffix(", optional")
        return _Parameter(
            (name,), kind.format(array=self.names.array), [text.replace("{default}", default_sentence).strip()]
        )

    # ---- results ------------------------------------------------------------------------------------------

    def _return_lines(self) -> list[str]:
        if self.entry.returns:
            return self._own(self.entry.returns).strip().split("\n")
        if self.entry.inplace and not self.doc.returns:
            return [f"Nothing: `{self.entry.inplace}` itself is changed."]
        items = [i for i in self.doc.returns if i.kind or i.text]
        if self.entry.fields:
            return self._field_lines(items)
        if not items:
            self._fail("its result is not documented; add `returns` to its catalog entry")
        if len(items) == 1:
            return [self._return_line("", items[0])]
        on_demand = all(re.search(r"Only (?:returned|provided|present)", i.text) for i in items[1:])
        lead = "The first of these, or a tuple with what else is asked for:" if on_demand else "A tuple:"
        return [lead, "", *(self._return_line(self._local(i), i) for i in items)]

    def _field_lines(self, items: list[numpydoc.DocItem]) -> list[str]:
        result = self.names.results[self.path]
        lines = [f"A tuple of type `{result}`, whose elements also have names:", ""]
        for position, field in enumerate(self.entry.fields):
            item = next((i for i in items if field in i.names), None)
            if item is None and position < len(items):
                item = items[position]
            if item is None:
                self._fail(f"field '{field}' of its result is not documented; add `returns` to its catalog entry")
            lines.append(self._return_line(f"`{self.names.fields[field]}`", item))
        return lines

    def _return_line(self, label: str, item: numpydoc.DocItem) -> str:
        kind = self.prose.kind(item.kind, result=True) or self.names.array
        text = " ".join(p.removeprefix("- ") for p in _fit(self.prose.paragraphs(item.text), WORDS_RETURN))
        if self._may_be_single(text) and kind.startswith(self.names.array) and "number" not in kind:
            kind = f"{kind} or number"
        if self.entry.subject == "logic":
            kind = kind if kind == "bool" else f"{self.names.array} of bools or bool"
            text = text.replace("It is a number if", "It is a bool if")
        if not text:
            self._fail("no part of a result can be described in the world's terms; add `returns` to its catalog entry")
        return f"- {label} ({kind}): {text}" if label else f"- {kind}: {text}"

    def _may_be_single(self, text: str) -> bool:
        """Whether the result may be a single number, as with elementwise functions and full reductions."""
        elementwise = "out" in self.takes.all and self.takes.all[0] in {"x", "x1"}
        return elementwise or "keepdims" in self.takes.all or "It is a number if" in text

    def _local(self, item: numpydoc.DocItem) -> str:
        name = ", ".join(item.names)
        return "" if not name or leaks.find(f"`{name}`", self.names) else f"`{name}`"

    # ---- examples and neighbours --------------------------------------------------------------------------

    def _session(self, examples: ExampleBuilder) -> tuple[Example, ...]:
        """Make a session from the catalog's own example or else from NumPy's examples, to which calls from the catalog
        are added if they show too little."""
        steps = self._under_own_name(self.entry.example or (step.code for step in self.doc.steps))
        if self.change and self.change.kind != ORDER:
            return self._changed_session(examples, steps)
        session = examples.session(self.path, steps)
        if not session or (not self.entry.example and sum(bool(e.output) for e in session) < FEWEST_RESULTS):
            calls = self._under_own_name(_steps_from_calls(self.entry))
            session = (
                examples.session(self.path, [*steps, *calls])
                or session
                or examples.session(self.path, calls, most=FEWEST_RESULTS)
            )
        if not session:
            self._fail("none of its examples can be used; add an `example` to its catalog entry")
        return session

    def _changed_session(self, examples: ExampleBuilder, steps: Sequence[str]) -> tuple[Example, ...]:
        """Return examples for a function whose results differ from NumPy's; calls that show the change come first."""
        assert self.change is not None
        calls = self._under_own_name(_steps_from_calls(self.entry))
        session = examples.session(self.path, [*self.change.example, *steps, *calls])
        if not session:
            self._fail(f"no example shows the change '{self.change.kind}'; add an `example` to changes.toml")
        return session

    def _under_own_name(self, steps: Iterable[str]) -> list[str]:
        """Return the steps with every NumPy name for the function replaced by the one that this page is about."""
        names = "|".join(re.escape(name) for name in (self.entry.path, *self.entry.aliases))
        return [re.sub(rf"\bnp\.(?:{names})\b(?!\.)", f"np.{self.path}", step) for step in steps]

    def _related(self, page_text: str, summaries: Mapping[str, str]) -> list[str]:
        """Return the "See also" lines: first for the functions that the page mentions, so that it can be read on its
        own, then for related ones."""
        by_name = {self.names.forged(path): path for path in summaries}
        used = [by_name[n] for n in re.findall(rf"\b{self.names.package}(?:\.\w+)+", page_text) if n in by_name]
        near = [f"{self.entry.module}.{name}" if self.entry.module else name for name in self.doc.see_also]
        neighbours = [
            self.translator.find(n) or self.translator.find(o) for n, o in zip(near, self.doc.see_also, strict=True)
        ]
        others = [p for p in neighbours if p is not None and p in summaries and (self.entry.path, p) not in UNRELATED]
        unique = [p for p in dict.fromkeys([*used, *others]) if p != self.path]
        listed = unique[: max(MOST_RELATED, len(set(used) - {self.path}))]
        return [f"- `{self.names.forged(p)}`: {first_clause(summaries[p])}." for p in listed]

    def _own(self, text: str) -> str:
        """Fill in the placeholders in a text from the catalog: `{np.mean}` is a function, `{field.sign}` a field,
        `{array}` the array type."""

        def replacement(match: re.Match[str]) -> str:
            kind, _, name = match.group(1).partition(".")
            if kind == "array":
                return self.names.array
            path = self.translator.find(name) if kind == "np" else None
            return f"`{self.names.forged(path) if path else self.names.fields[name]}`"

        if self.change:
            text = self.change.edit(text)
        if self.names.changes:
            text = "\n".join(map(self._true_sentences, edit_any_page(text).split("\n"))) or text
        missing = {n for n in re.findall(r"\{np\.([\w.]+)\}", text) if self.translator.find(n) is None}
        if missing:  # a slice or a mapping need not have every function
            text = without_functions(text, missing)
        return re.sub(r"\{(array|np\.[\w.]+|field\.\w+)\}", replacement, text).strip()

    def _true_sentences(self, line: str) -> str:
        """Return a line from the catalog without the sentences about other functions whose behaviour is changed in this
        world, since these sentences may no longer be true."""

        def is_changed(name: str) -> bool:
            path = self.translator.find(name)
            return path is not None and path != self.path and self.names.change(path) is not None

        sentences = re.split(r"(?<=[.!?])\s+(?=[A-Z`{(])", line)
        changed = [set(filter(is_changed, re.findall(r"\{np\.([\w.]+)\}", sentence))) for sentence in sentences]
        true = [sentence for sentence, names in zip(sentences, changed, strict=True) if not names]
        if true or not line.startswith(("-", "(")):
            return " ".join(true)
        return without_functions(line, set().union(*changed))  # an item of a list keeps its place

    def _fail(self, reason: str) -> NoReturn:
        raise ForgeError(f"documentation of '{self.path}' ({self.title}): {reason}")


def _some_kinds(words: Sequence[str]) -> str:
    """Describe `dtype` for a function that accepts only these element kinds."""
    types = [f"`{t.__name__}`" for t, word in TYPES.items() if word in words]
    also = f", or as Python's type {' or '.join(types)}" if types else ""
    return SOME_KINDS.format(kinds=", ".join(f'`"{word}"`' for word in words), types=also)


def without_functions(text: str, missing: Set[str]) -> str:
    """Return a text from the catalog without mentions of these functions. An aside that names one is removed; if only
    the part before a colon names one, the rest of the sentence stays; otherwise the sentence is dropped, and so is the
    next one if it refers back. If nothing would be left, the text says "another function" instead.
    """
    names_missing = re.compile("|".join(rf"\{{np\.{re.escape(name)}\}}" for name in missing))
    aside = re.compile(
        rf"[,;]? ?\(?\b(?:{ASIDES})\b[^,;.()]*(?:{names_missing.pattern})[^,;.()]*(?:\)|,(?= )|(?=[.;)]|$))"
    )
    lines = []
    for line in text.split("\n"):
        kept: list[str] = []
        gap = False
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`{(])", aside.sub("", line)):
            head, colon, tail = sentence.partition(": ")
            if gap and re.search(r"\b(?:that function|both|the other)\b", sentence):
                continue
            gap = bool(names_missing.search(sentence))
            if gap and colon and not names_missing.search(tail) and not head.startswith(("-", "(")):
                kept.append(tail[:1].upper() + tail[1:])
            elif not gap:
                kept.append(sentence)
        lines.append(" ".join(kept))
    return "\n".join(lines) if "".join(lines).strip() else names_missing.sub("another function", text)


def _steps_from_calls(entry: CatalogEntry) -> list[str]:
    """Return the catalog's calls as steps, with their sampled inputs written out."""
    steps: list[str] = []
    for call in entry.calls[:2]:
        drawn = samples.draw(0, call)
        used = [name for name in drawn if re.search(rf"(?<![\w.'\"]){name}\b", call)]
        for name in used:
            written = repr(drawn[name]).replace("nan", 'float("nan")')
            steps.append(f"{name} = np.array({written})" if isinstance(drawn[name], list) else f"{name} = {written}")
        steps.append(call)
        if entry.inplace:
            steps += [name for name in used if re.search(rf"\({name}\b", call)][:1]
    return steps


def format_session(session: Iterable[Example]) -> str:
    """Format a session as the interactive prompt shows it."""
    lines: list[str] = []
    for example in session:
        first, *rest = example.code.split("\n")
        lines += [f">>> {first}", *(f"... {line}" for line in rest)]
        lines += example.output.split("\n") if example.output else []
    return "\n".join(["```python", *lines, "```"])


def _section(title: str, paragraphs: list[str]) -> str:
    """Format a section of paragraphs; consecutive list items have no blank line between them."""
    if not paragraphs:
        return ""
    text = "\n\n".join(paragraphs)
    return f"## {title}\n\n" + re.sub(r"(?m)(^- .*)\n\n(?=- )", r"\1\n", text)


def _fit(paragraphs: list[str], most_words: int) -> list[str]:
    """Select whole paragraphs, then whole sentences, up to `most_words` words. A list never loses its introduction."""
    kept: list[str] = []
    left = most_words
    for paragraph in paragraphs:
        words = len(paragraph.split())
        if paragraph.startswith("- ") and ((kept and left > 0) or words <= left):
            kept.append(paragraph)
            left -= words // 2
        elif words <= left:
            kept.append(paragraph)
            left -= words
        else:
            short = ""
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`])", paragraph):
                if len(f"{short} {sentence}".split()) > left:
                    break
                short = f"{short} {sentence}".strip()
            if short:
                kept.append(short)
            break
    while kept and kept[-1].endswith(":"):
        kept.pop()
    return kept

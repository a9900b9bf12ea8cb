"""Parses a docstring in the numpydoc layout into its sections.

Only the structure is parsed: headings, items and doctest steps. The text inside stays reStructuredText of the source
library; `prose.py` turns it into the world's own words. Sections that no page uses (References, Warns, ...) are parsed
and ignored.
"""

from __future__ import annotations

import doctest
import inspect
import re
from dataclasses import dataclass

_HEADING = re.compile(r"^([A-Z][A-Za-z ]+)\n(-{3,}|={3,})\s*$", re.MULTILINE)
_SIGNATURE = re.compile(r"^[\w.]+\(")
_SEE_ALSO_NAMES = re.compile(r"^((?::\w+:)?[`\w.~]+(?:\s*,\s*(?::\w+:)?[`\w.~]+)*)\s*(?::|$)")


@dataclass(frozen=True)
class DocItem:
    """One entry of Parameters or Returns: `names` come before the colon, `kind` after it."""

    names: tuple[str, ...]
    kind: str
    text: str


@dataclass(frozen=True)
class DoctestStep:
    """One doctest step."""

    code: str
    expected: str


@dataclass(frozen=True)
class Docstring:
    """The sections from which a page is built; those that the docstring lacks are "" or ()."""

    summary: str = ""
    extended: str = ""
    parameters: tuple[DocItem, ...] = ()
    returns: tuple[DocItem, ...] = ()
    notes: str = ""
    see_also: tuple[str, ...] = ()
    steps: tuple[DoctestStep, ...] = ()


def parse(docstring: str) -> Docstring:
    """Parse the sections of one docstring."""
    head, sections = _sections(inspect.cleandoc(docstring))
    paragraphs = [p for p in re.split(r"\n\s*\n", head) if p.strip()]
    while paragraphs and _SIGNATURE.match(paragraphs[0].strip()):
        paragraphs.pop(0)  # C functions repeat their signature above the summary
    return Docstring(
        summary=paragraphs[0].strip() if paragraphs else "",
        extended="\n\n".join(paragraphs[1:]),
        parameters=_items(sections.get("Parameters", "") + "\n" + sections.get("Other Parameters", ""), named=True),
        returns=_items(sections.get("Returns", ""), named=False),
        notes=sections.get("Notes", ""),
        see_also=_see_also(sections.get("See Also", "")),
        steps=_steps(sections.get("Examples", "")),
    )


def _sections(text: str) -> tuple[str, dict[str, str]]:
    marks = list(_HEADING.finditer(text))
    if not marks:
        return text, {}
    bodies: dict[str, str] = {}
    for mark, after in zip(marks, [*marks[1:], None], strict=True):
        body = text[mark.end() : after.start() if after else len(text)]
        bodies[mark.group(1).strip()] = inspect.cleandoc("\n" + body)
    return text[: marks[0].start()], bodies


def _items(section: str, named: bool) -> tuple[DocItem, ...]:
    """Parse `name : type` lines at the margin, each followed by indented text. An unnamed return is a bare type."""
    items: list[DocItem] = []
    body: list[str] = []

    def close() -> None:
        if items:
            items[-1] = DocItem(items[-1].names, items[-1].kind, inspect.cleandoc("\n" + "\n".join(body)))
        body.clear()

    for line in section.splitlines():
        if not line.strip() or line.startswith(" "):
            body.append(line)
            continue
        close()
        if line.startswith(".."):  # a directive at the margin: its indented text is ignored
            body.append(line)
            continue
        before, colon, after = line.partition(" :")
        if not colon and (close_by := re.match(r"^(\w+):(?:\s+(.*))?$", line)):  # "out: ndarray", with no space
            before, colon, after = close_by.group(1), ":", close_by.group(2) or ""
        if colon or named:
            names = tuple(n.strip().strip("`").lstrip("*") for n in before.split(","))
            items.append(DocItem(names, after.strip(), ""))
        else:
            items.append(DocItem((), line.strip(), ""))
    close()
    return tuple(items)


def _see_also(section: str) -> tuple[str, ...]:
    names: list[str] = []
    for line in section.splitlines():
        match = None if line.startswith(" ") else _SEE_ALSO_NAMES.match(line)
        if match:
            bare = (re.sub(r":\w+:|[`~]", "", n).strip() for n in match.group(1).split(","))
            names += [n.removeprefix("numpy.").removeprefix("np.") for n in bare]
    return tuple(dict.fromkeys(names))


def _steps(section: str) -> tuple[DoctestStep, ...]:
    try:
        examples = doctest.DocTestParser().get_examples(section)
    except ValueError:  # an inconsistent indentation somewhere: the page then needs its own example
        return ()
    return tuple(DoctestStep(e.source.rstrip("\n"), e.want.rstrip("\n")) for e in examples)

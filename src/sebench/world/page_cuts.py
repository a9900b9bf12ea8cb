"""Reduces pages to some of their parts, or removes what they say about one usage.

The first shows which part of the documentation carries the knowledge. The second is the control for transfer tasks: a
model that still solves them did not learn the usage from the page.

Not covered: hints on other pages, and sentences that describe a usage without its parameter, its word or the recorded
words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from sebench.base.records import Usage

PARTS = ("signature", "summary", "parameters", "returns", "notes", "examples", "see_also")
_HEADING = re.compile(r"\n\n(?=## |[A-Z][A-Za-z ]*\n---)")
_SIGNATURE = re.compile(r"`?[\w.]+\(")
_SENTENCE = re.compile(r"(?<=[.:;]) +(?=[A-Z`\"])")
_EXAMPLE = re.compile(r"^(?=>>> )", re.M)
_WORD = re.compile(r".* is '([^']*)'")
_OF_THE_PARAMETER = re.compile(r"\w+ is (given|True|False|None)")


def keep_parts(page: str, parts: Sequence[str]) -> str:
    """Return a page with only the given parts. The heading with the function's name is always kept."""
    if set(parts) == set(PARTS):
        return page.strip()
    return "\n\n".join(text for part, text in sections(page) if part == "title" or part in parts)


def sections(page: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a page in order: the title, then the parts listed in `PARTS`. A published page has underlined
    headings, and need not begin with a signature."""
    head, *rest = _HEADING.split(page.strip())
    title, *summary = head.split("\n\n")
    yield "title", title
    if summary and _SIGNATURE.match(summary[0]):
        yield "signature", summary.pop(0)
    yield "summary", "\n\n".join(summary)
    for section in rest:
        heading = section.partition("\n")[0].removeprefix("## ").strip()
        yield heading.lower().replace(" ", "_"), section.strip()


def without_usage(page: str, usage: Usage) -> str:
    """Return a page without the sentences, entries and examples that show a usage."""
    shows = _shows(usage)
    kept = []
    for part, text in sections(page):
        if part == "signature" and _OF_THE_PARAMETER.fullmatch(usage.fact):
            text = re.sub(rf", {re.escape(usage.parameter)}=(?:\([^)]*\)|[^,)]*)", "", text).replace(", *)", ")")
        elif part == "examples":
            text = "".join(example for example in _EXAMPLE.split(text) if not _example_shows(example, usage))
            text = text if text.rstrip().endswith("```") else f"{text.rstrip()}\n```"
        elif part not in ("title", "signature"):
            lines = (_sentences(line, shows) for line in text.splitlines() if not _entry(line, usage))
            text = "\n".join(lines)
        kept.append(text.strip())
    return "\n\n".join(kept)


def _shows(usage: Usage) -> Callable[[str], bool]:
    """Return a predicate that says whether a sentence is about a usage."""
    word, recorded_words = _WORD.fullmatch(usage.fact), _words_only(usage.page)
    marker = word[1] if word else "" if recorded_words else usage.parameter
    quoted = re.compile(rf"""[`'"]{re.escape(marker)}[`'"=]""")
    return lambda sentence: (
        bool(recorded_words and recorded_words in _words_only(sentence)) or bool(marker and quoted.search(sentence))
    )


def _entry(line: str, usage: Usage) -> bool:
    """Whether a line is the entry for a parameter that the usage is entirely about."""
    return bool(_OF_THE_PARAMETER.fullmatch(usage.fact)) and line.startswith(f"- `{usage.parameter}`")


def _sentences(line: str, shows: Callable[[str], bool]) -> str:
    return " ".join(sentence for sentence in _SENTENCE.split(line) if not shows(sentence))


def _example_shows(example: str, usage: Usage) -> bool:
    """Whether an example may show a usage: it sets the parameter or uses the word. The text does not reveal the type of
    an argument, so for a usage that is about a type, every call to the function counts.
    """
    if not example.startswith(">>> "):
        return False
    code = example.partition("\n")[0]
    if word := _WORD.fullmatch(usage.fact):
        return f'"{word[1]}"' in code or f"'{word[1]}'" in code
    if _OF_THE_PARAMETER.fullmatch(usage.fact):
        return re.search(rf"\b{re.escape(usage.parameter)}=", code) is not None
    return f".{usage.function}(" in code


def _words_only(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).lower().strip()

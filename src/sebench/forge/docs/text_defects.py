"""Finds defects in a page's text: passages that are empty, or that begin or end in the middle of a sentence.

Pages are derived from NumPy's: sentences that cannot be expressed in a world are dropped, and a slice drops those that
name functions it lacks. This module, called by the audit, looks only at the result and finds what such a cut leaves
behind.

Not covered: text that is complete but no longer true or clear, and code (fenced or inline).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sebench.forge.docs.phrase_tables import ABBREVIATIONS

# What may begin a sentence in lower case: words that are always lower-case, and letters in formulas.
LOWER_CASE = re.compile(r"(?:nan|inf|e\^|π|[a-z]\b(?!\.))")
# Words that cannot end a sentence.
OPEN = re.compile(
    r"(?:\b(?:an?|the|such as|like|e\.g|i\.e|and|or|nor|but|than|whose|its|their|see|typically|because|if|when|"
    r"unless|while|"
    r"between|called|namely|instead of)|[(,;–=+*/-])[.:,]*$"
    r"|(?:\b(?:e\.g\.,?|i\.e\.,?|about|approximately|roughly|near|around|factor of|such as|say)|"
    r"[≈~=])\s+-?\d+\.$"  # of "0.5"
)
ORPHAN = re.compile(
    r"\s[,;!?](?=\s|$)|\s[.:](?![.:\w])|[,;:]\s*[.,;](?!\.)"  # after nothing
    r"|\(\s|\s\)|\(\)|\(\s*[,;.](?!\.)|[a-z]{2},\)|;\s*\)|,\s+\)"  # in parentheses; "(M,)" is a shape
)
LONE = re.compile(r"(?:[A-Za-z]|\d+|e\.g|i\.e|etc|cf|vs)\.+")
_CODE = re.compile(r"`[^`]*`")
_ITEM = re.compile(r"^(\s*)- ?(.*)$")
_LABEL = re.compile(r"^(?:(?:CODE(?:, )?)+(?: \((?:[^()]|\([^()]*\))*\))?|[^:.]{1,90}?)(?::|$)")
_PARAMETER = re.compile(r"(?:CODE(?:, )?)+ \(")
_BOUNDARY = re.compile(r"(?<=[.!?])\s+")
_INTERVAL = re.compile(r"[\[(][^\[\]()]*,[^\[\]()]*[\])]")


@dataclass(frozen=True)
class TextDefect:
    """A defect, and the text in which it occurs."""

    what: str
    where: str

    def __str__(self) -> str:
        return f"{self.what}: {self.where[-70:]!r}"


@dataclass(frozen=True)
class _TextBlock:
    """A paragraph or an item of a list."""

    text: str
    item: bool
    led: bool  # items or code follow it


def find(page: str) -> list[TextDefect]:
    """Find every defect in a Markdown page, in order."""
    defects = [
        TextDefect("a section without text", title) for title in re.findall(r"^(## .*)\n+(?=#|\Z)", page, re.MULTILINE)
    ]
    for block in _blocks(page):
        defects += [TextDefect(what, block.text) for what in dict.fromkeys(_defects(block))]
    return defects


def _blocks(page: str) -> Iterator[_TextBlock]:
    """Yield paragraphs and list items, without headings, code blocks and the signature line."""
    pieces = [p for p in _pieces(re.sub(r"^```.*?^```$", "```", page, flags=re.MULTILINE | re.DOTALL)) if p]
    for piece, after in zip(pieces, [*pieces[1:], ""], strict=True):
        item = _ITEM.match(piece)
        if piece.startswith("#") or piece == "```" or re.fullmatch(r"`[^`]*\)`", piece):
            continue
        inside = _ITEM.match(after)
        deeper = inside is not None and (item is None or len(inside.group(1)) > len(item.group(1)))
        yield _TextBlock(item.group(2) if item else piece, item is not None, deeper or after == "```")


def _pieces(text: str) -> Iterator[str]:
    """Yield paragraphs with their lines joined; each list item is a piece of its own."""
    joined = ""
    for line in text.splitlines():
        if not line.strip() or _ITEM.match(line) or line.startswith(("#", "```")):
            yield joined
            joined = ""
        if line.startswith(("#", "```")):
            yield line.strip()
        elif line.strip():
            joined = f"{joined} {line.strip()}" if joined else line
    yield joined


def _defects(block: _TextBlock) -> Iterator[str]:
    text = _CODE.sub("CODE", block.text)
    if text.count("`"):
        yield "an unmatched backtick"
    outside = _INTERVAL.sub("", text)
    if outside.count("(") != outside.count(")"):
        yield "an unmatched parenthesis"
    if re.search(r"\S {2,}\S", text):
        yield "two spaces"
    if ORPHAN.search(text):
        yield "stray punctuation"
    label = _LABEL.match(text) if block.item else None
    prose = text[label.end() :].strip() if label and label.group().endswith(":") else text.strip()
    if label and not label.group().endswith(":") and text.startswith("CODE"):
        return  # an item that is only code or a value
    if not re.search(r"\w", prose):
        if not block.led:
            yield "no text"
        return
    yield from _sentence_defects(prose, block, inside=label is not None and not _PARAMETER.match(text))


def _sentence_defects(prose: str, block: _TextBlock, inside: bool) -> Iterator[str]:
    """Yield the defects in a sentence. With `inside`, the text follows a colon ('edge': the values at the edge), so it
    may begin in lower case."""
    if not re.search(r"[.!?):]$", prose):
        yield "the end is missing"
    if prose.endswith(":") and not block.led:
        yield "what it announces is missing"
    sentences = _split(prose)
    for i, sentence in enumerate(sentences):
        if LONE.fullmatch(sentence) and (len(sentences) > 1 or not sentence[0].isdigit()):
            yield "a sentence of one abbreviation or number"
        if OPEN.search(sentence):
            yield "an unfinished sentence"
        if sentence[0].islower() and not LOWER_CASE.match(sentence) and not (inside and i == 0):
            yield "a sentence without its start"


def _split(text: str) -> list[str]:
    """Split a text into sentences, including those that begin in lower case."""
    sentences, start = [], 0
    for boundary in _BOUNDARY.finditer(text):
        before = text[start : boundary.start()]
        if ABBREVIATIONS.search(before) and not LONE.fullmatch(before):
            continue
        sentences.append(before)
        start = boundary.end()
    return [s for s in (*sentences, text[start:]) if s]

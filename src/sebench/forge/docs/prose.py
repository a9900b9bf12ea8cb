"""Rewrites NumPy's prose in the world's own terms.

There is one `ProseRewriter` per page. It rewrites sentence by sentence: markup is resolved, functions get their forged
names, and kinds and arrays get the world's words. A sentence that cannot be said in the world's terms (it mentions
NumPy, a function or parameter that the world lacks, memory layout, or other software) is dropped as a whole, together
with what depends on it: a following "This ...", or the list that it introduces. Nothing is paraphrased; our own texts
are in `phrase_tables.py` and in the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sebench.forge.docs.markup import Block, blocks, plain_formula
from sebench.forge.docs.phrase_tables import (
    ABBREVIATIONS,
    DANGLING,
    DROPPED,
    DROPPED_CODE,
    PHRASES,
    RAW_PHRASES,
    TYPE_PHRASES,
)
from sebench.forge.names import leaks
from sebench.forge.names.vocabulary import ARRAY_ATTRIBUTES, CONSTANTS, KINDS
from sebench.forge.translate.translate import Scope, Translator, Untranslatable

_INLINE = re.compile(
    r"(?P<role>:(?:\w+:)?(?P<rolename>\w+):`(?P<target>[^`]+)`)"
    r"|``(?P<code>.+?)``"
    r"|`(?P<link>[^`<]+?)\s*<[^`>]+>`_{1,2}"
    r"|`(?P<tick>[^`]+)`_?"
    r"|\s?\[\d+\]_(?:\s?\[\d+\]_)*(?P<note>)"
    r"|\*\*(?P<bold>[^*\s][^*]*)\*\*"
    r"|(?<![\w*])\*(?P<emphasis>[A-Za-z][^*]*?)\*(?![\w*])"
)
_PLACE = re.compile("\ue000(\\d+)\ue001")
_BARE_PATH = re.compile(r"\b(?:np|numpy)\.[A-Za-z_][\w.]*\w(?:\([^()]*\))?")
_BOUNDARY = re.compile(r"(?<=[.!?])([\"')\]]*)\s+(?=[\"'(]?[A-Z0-9\ue000\-])")


class _CannotSay(Exception):
    """This sentence cannot be expressed in the world's terms."""


@dataclass(frozen=True)
class PageSubject:
    """The function that one page is about."""

    path: str  # NumPy's
    aliases: frozenset[str]  # NumPy's other names for it
    parameters: frozenset[str]  # of the forged signature
    missing: frozenset[str]  # parameters that NumPy documents and the forged signature lacks
    fields: Mapping[str, str]  # fields of its named result -> forged


class ProseRewriter:
    """Rewrites the texts of one page."""

    def __init__(self, translator: Translator, subject: PageSubject) -> None:
        self.translator = translator
        self.names = translator.names
        self.subject = subject

    # ---- texts --------------------------------------------------------------------------------------------

    def paragraphs(self, raw: str, strict: bool = False) -> list[str]:
        """Return Markdown paragraphs; list items start with "- ".

        With `strict`, a paragraph ends at the first dropped sentence, so that what is left is one train of thought.
        """
        kept: list[str] = []
        fell = False  # the last block was dropped, and what depends on it must be dropped too
        announced = ""  # the last paragraph, if it introduces what follows
        all_blocks = blocks(raw)
        for block, after in zip(all_blocks, [*all_blocks[1:], None], strict=False):
            text = self._block(block, fell, strict)
            if block.kind == "paragraph":
                kept = _without_announcement(kept, announced)
                open_end = not re.search(r"[.!?)]$", block.text.strip())
                leads = open_end and (block.text.endswith(":") or (after is not None and after.kind != "paragraph"))
                fell = text is None or (leads and text.endswith("."))
                if text is not None and re.match(r"[a-z(]", block.text) and kept:  # "where x is ..." continues it
                    kept[-1] = f"{kept[-1].rstrip('.')}, {text[0].lower()}{text[1:]}".replace(", (", " (")
                elif text is not None:
                    kept.append(text)
                announced = kept[-1] if leads and not fell else ""
            elif text is None or fell:
                kept = _without_announcement(kept, announced)
                announced, fell = "", True
            elif block.kind == "item":
                if announced:
                    kept[-1] = re.sub(r",?\s*(?:i\.e\.)?[,:]*$", "", announced) + ":"
                kept.append(f"- {_end_with_period(text)}")
                announced = ""
            elif announced:  # a formula or a line of code completes its sentence
                kept[-1] = f"{announced} {text}."
                announced = ""
        return [p if p.endswith(":") else _end_with_period(p) for p in _without_announcement(kept, announced)]

    def _block(self, block: Block, after_gap: bool, strict: bool) -> str | None:
        if block.kind == "dropped":
            return None
        if block.kind == "math":
            formula = plain_formula(block.text)
            return formula if formula and len(formula) < 120 and not leaks.find(formula, self.names) else None
        if block.kind == "literal":
            try:
                return self._code(block.text) if "\n" not in block.text else None
            except _CannotSay:
                return None
        if block.kind == "item" and " " not in block.text and not block.text.isalpha():
            return f"`{block.text.strip('`')}`"  # bare code, as in "ary[:2]"
        if after_gap and block.text[:1].islower():
            return None  # "where x is ...", after a formula that was dropped
        return self.sentences(block.text, after_gap, strict) or None

    def sentences(self, raw: str, after_gap: bool = False, strict: bool = False) -> str:
        """Return one paragraph, without the sentences that cannot be expressed and those that refer to them."""
        plain = " ".join(raw.split())
        for pattern, replacement in RAW_PHRASES:
            plain = pattern.sub(replacement, plain)
        text, spans = self._protect(plain)
        kept: list[str] = []
        gap = after_gap
        for sentence in _split(text):
            rewritten = self._sentence(sentence, spans)
            if rewritten is None or (gap and DANGLING.match(rewritten)):
                if strict:
                    break
                gap = True
                continue
            kept.append(rewritten)
            gap = False
        return " ".join(kept)

    def kind(self, raw: str, result: bool = False) -> str:
        """Describe a type such as "(..., M, M) array_like" in the world's words; "" if it cannot be expressed."""
        text = _shape_last(re.sub(r"`+", "", raw).strip().rstrip("."))
        array = self.names.array if result else "array or nested list"
        plain = r"(?<![-\w] )\barray\b(?![_-])" if result else r"^array\b(?![_-]| or)"
        text = re.sub(plain, array, text)
        text = re.sub(r"^(\w+), shape \(\.\.\.\)$", r"number, or \1 for a stack of matrices", text)
        for pattern, replacement in TYPE_PHRASES:
            text = pattern.sub(replacement.replace("{array}", array), text)
        choices = re.fullmatch(r"\{(.*)\}", text)
        if choices:
            parts = [c.strip() for c in choices.group(1).split(",") if c.strip()]
            words = [p.removeprefix("or ") for p in parts]
            text = _join_words(words) if any(w[0].isalpha() for w in words) else f"one of {', '.join(words)}"
        text = re.sub(r"\s+", " ", text).strip(" ,;:")
        return "" if leaks.find(text, self.names) or DROPPED.search(text) else text

    # ---- sentences ----------------------------------------------------------------------------------------

    def _protect(self, text: str) -> tuple[str, list[re.Match[str]]]:
        """Replace inline markup by placeholders, so that a dot inside code does not end a sentence."""
        spans: list[re.Match[str]] = []

        def keep(match: re.Match[str]) -> str:
            if match.group("note") is not None:
                return ""
            spans.append(match)
            return f"\ue000{len(spans) - 1}\ue001"

        return _INLINE.sub(keep, text), spans

    def _sentence(self, sentence: str, spans: list[re.Match[str]]) -> str | None:
        try:
            text = _tidy(self._words(sentence))
            text = _PLACE.sub(lambda m: self._span(spans[int(m.group(1))]), text)
        except _CannotSay:
            return None
        if len(text) < 3 or leaks.find(self._own_signature() + text, self.names) or not _balanced(text):
            return None
        return text[0].upper() + text[1:] if text[0].islower() and not text.startswith("e^") else text

    def _own_signature(self) -> str:
        """Return a signature line that tells the leak scan which parameters this page documents."""
        return f"`{self.names.package}.f({', '.join(sorted(self.subject.parameters))})`\n"

    def _words(self, sentence: str) -> str:
        """Rewrite the text between pieces of markup."""
        plain = _PLACE.sub("\ue000", sentence)
        if DROPPED.search(plain):
            raise _CannotSay
        for name in self.subject.missing:
            if re.search(
                rf"(?<![\w-]){re.escape(name)}\s*(?:=|argument|parameter|keyword|option|flag|is '|is None)",
                plain,
            ):
                raise _CannotSay
        text = _BARE_PATH.sub(lambda m: self._code(m.group()), sentence)
        for pattern, replacement in PHRASES:
            text = pattern.sub(replacement, text)
        return re.sub(r"(?<![\w`.])[a-z][a-z0-9_]{2,}(?![\w`(])", self._bare_name, text)

    def _bare_name(self, match: re.Match[str]) -> str:
        """Rewrite a NumPy name in plain text: an element kind, or a function whose name is not an English word."""
        word = match.group()
        if word in KINDS and not word.isalpha():
            return KINDS[word].replace("str", "text")
        if word in leaks.source_names() - leaks.ENGLISH and word not in self.subject.parameters:
            return self._code(word)
        return word

    def _span(self, match: re.Match[str]) -> str:
        """Rewrite one piece of inline markup in the world's terms."""
        groups = match.groupdict()
        if groups["bold"] or groups["emphasis"]:
            return str(groups["bold"] or groups["emphasis"])
        if groups["link"]:
            return str(groups["link"])
        if groups["code"]:
            return self._code(groups["code"])
        if groups["tick"]:
            return self._code(groups["tick"].strip())
        role, target = groups["rolename"], groups["target"]
        if role == "math":
            formula = plain_formula(target)
            if formula is None or len(formula) > 100:
                raise _CannotSay
            return f"{formula}." if target.rstrip().endswith(".") else formula
        if role in {"func", "meth", "obj", "ufunc"}:
            title = re.match(r"(.*?)\s*<.*>$", target)
            return self._code(title.group(1) if title else target.lstrip("~"))
        raise _CannotSay  # :ref:, :class:, :term: and :doc: point to other pages

    def _code(self, raw: str) -> str:
        """Rewrite a piece of code or a name, in backticks."""
        text = re.sub(r"\bnumpy\.", "np.", raw.strip().lstrip("~"))
        if text in self.subject.fields:
            return f"`{self.subject.fields[text]}`"
        if text in self.subject.parameters or text in ARRAY_ATTRIBUTES:
            return f"`{text}`"
        if text in self.subject.missing or DROPPED.search(text) or DROPPED_CODE.search(text):
            raise _CannotSay
        if text in KINDS and text not in {"bool", "str", "int", "float", "complex"}:
            return f"`{KINDS[text].replace('str', 'text')}`"
        if text in {"nan", "inf"}:
            return text
        if text in CONSTANTS and text != "e":
            return {"pi": "π"}.get(text, f"`{CONSTANTS[text]}`")
        if any(re.search(rf"\b{re.escape(name)}\s*=(?!=)", text) for name in self.subject.missing):
            raise _CannotSay
        function = self._function(text.removeprefix("np.").removesuffix("()"))
        if function is not None:
            return f"`{self.names.forged(function)}`"
        return f"`{self._translate_code(text)}`"

    def _function(self, name: str) -> str | None:
        """Find a function by the name that a docstring uses: on `linalg` pages, `solve` is `linalg.solve`."""
        module = self.subject.path.rpartition(".")[0]
        path = (self.translator.find(f"{module}.{name}") if module else None) or self.translator.find(name)
        return self.subject.path if path in self.subject.aliases else path

    def _translate_code(self, text: str) -> str:
        text = re.sub(r"^(\w+) = (?=\w+\()", lambda m: "" if m.group(1) in leaks.source_names() else m.group(), text)
        scope = Scope()
        for name in set(re.findall(r"(?<![\w.])(\w+)\(", text)) - self.subject.parameters - leaks.PLAIN_CODE:
            if function := self._function(name):
                scope.functions[name] = function
        try:
            code = self.translator.translate(text, scope).body
        except Untranslatable as error:
            raise _CannotSay from error
        except (SyntaxError, ValueError):
            code = text  # a shape, an interval, a formula: not Python
        fields = self.subject.fields
        code = re.sub(r"\b[A-Za-z_]\w*\b", lambda m: fields.get(m.group(), m.group()), code)
        if leaks.find(f"{self._own_signature()}`{code}`", self.names):
            raise _CannotSay
        return code


def _split(text: str) -> list[str]:
    """Split a paragraph into sentences."""
    sentences, start = [], 0
    for boundary in _BOUNDARY.finditer(text):
        before = text[start : boundary.start()]
        if ABBREVIATIONS.search(before):
            continue
        sentences.append(text[start : boundary.end(1)])
        start = boundary.end()
    sentences.append(text[start:])
    return [s.strip() for s in sentences if s.strip()]


def _tidy(text: str) -> str:
    """Remove the leftovers of removed markup from a text."""
    text = re.sub(r"\(\s*\)", "", text)
    text = re.sub(r"\s+([,.;:)])(?!\.)", r"\1", text)
    text = re.sub(r"\(\s+", "(", text)
    text = re.sub(r"([,;:])\1+", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def _balanced(text: str) -> bool:
    outside = re.sub(r"`[^`]*`", "", text)
    outside = re.sub(r"[\[(][^\[\]()]*,[^\[\]()]*[\])]", "", outside)  # half-open intervals: [a, b)
    outside = re.sub(r"^\w\)", "", outside)
    return text.count("`") % 2 == 0 and outside.count("(") == outside.count(")")


def _without_announcement(paragraphs: list[str], announcement: str) -> list[str]:
    """Drop an introductory sentence if what it introduces never follows."""
    if not announcement or not paragraphs or paragraphs[-1] != announcement:
        return paragraphs
    sentences = _split(announcement)[:-1]
    return paragraphs[:-1] + ([" ".join(sentences)] if sentences else [])


def _end_with_period(text: str) -> str:
    return text if re.search(r"[.!?:)]$", text) else f"{text.rstrip(',;')}."


def _shape_last(kind: str) -> str:
    """Move the shape to the end: "(..., M, N) array_like" becomes "array_like, shape (..., M, N)"."""
    text = re.sub(r"^\{(.*ndarray), .* matrix\}$", r"\1", kind)
    one = r"\((?:[^()]|\([^()]*\))*\)"
    shape = re.match(rf"^({one}|\{{ ?\(.*?\) ?\}}),? +(.*(?:array|matrix).*)$", text)
    if shape:
        return f"{shape.group(2)}, shape {' or '.join(re.findall(one, shape.group(1)))}"
    return re.sub(r"(array(?:_like)?) (\([^()]*\))$", r"\1, shape \2", text)


def _join_words(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

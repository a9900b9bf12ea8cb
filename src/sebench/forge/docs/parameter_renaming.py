"""Replaces parameter names and option words in the text of a page with the world's own, if these are forged.

The documentation writer works with NumPy's parameter names and words throughout; its output passes through here last,
so that no other code needs to know that parameters are forged. Signatures and examples do not pass through here:
`Names` and the translator provide them.

It changes parameters and option words in `code` and 'quotes', names that are not English (`keepdims`, `a_min`), and
letters in a formula (1/n). English words that happen to be parameters (axis, values, start) stay in a sentence.
"""

from __future__ import annotations

import re

from sebench.base.errors import ForgeError
from sebench.forge.catalog import options, signature
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.docs.phrase_tables import SPELLED_OUT
from sebench.forge.names.leaks import PLAIN_CODE
from sebench.forge.names.naming import NAMES, Names
from sebench.forge.names.vocabulary import ARRAY_ATTRIBUTES

SHORT = 2  # letters: a name this short counts only on the page of a function that takes it

# Parameter names that are English (or mathematics) in a sentence.
ENGLISH = frozenset(
    """
    append array arrays axes axis base bias bins choices condition copy count decimals default density destination
    dimensions element endpoint excluded full function hermitian increasing indexing indices initial invert keys \
left mask
    method mode nan norm number object offset operands optimize order out padding period prepend prototype range
    repeats returned right shape shift side signature source sparse stable start step stop subscripts trim upper values
    weights where width wrap
    """.split()
)
# An English word that is clearly a parameter: "if axis is None".
_AS_PARAMETER = re.compile(
    r"(?:(?<=[Ii]f )|(?<=[Ww]hen )|(?<=nless ))\w+(?= (?:is|was) (?:not )?(?:None|True|False|given)\b)"
)
_QUOTED = r"(?P<quote>['\"])(?P<text>\w+)(?P=quote)"
_WORD = re.compile(rf"{_QUOTED}|(?<![\w.'\"])(?P<name>[A-Za-z_]\w*)")
# A letter that is not a name: the article, and "n" in "n-th" or "N-D".
_LETTER = re.compile(r"a(?!\[| ?[*/+^@])|\w(?=-[A-Za-z])")


class ParameterRenamer:
    """Renames parameters and option words on the page of one function."""

    def __init__(self, names: Names, entry: CatalogEntry) -> None:
        self._plain = names.level == NAMES
        takes = signature.read(entry.signature).all
        self._parameters = {
            old: new
            for old, new in names.parameters.items()
            if old in takes or (len(old) > SHORT and old not in PLAIN_CODE)
        }
        own = {word for listed in options.words(entry.path).values() for word in listed}
        self._words = {old: new for old, new in names.words.items() if old in own or len(old) > SHORT}

    def text(self, markdown: str) -> str:
        """Return a text from the page with the world's parameter names and option words."""
        if self._plain:
            return markdown
        for with_words, spelled_out in SPELLED_OUT:
            markdown = markdown.replace(with_words, spelled_out)
        parts = re.split(r"`([^`]*)`", markdown)
        return "".join(f"`{self._code(part)}`" if i % 2 else self._prose(part) for i, part in enumerate(parts))

    def _code(self, code: str) -> str:
        if code not in self._parameters:
            if code in ARRAY_ATTRIBUTES:
                return f".{code}"
            if code in self._words:
                return self._words[code]
        return _WORD.sub(
            lambda m: self._rename_quoted(m) if m["text"] else self._parameters.get(m["name"], m["name"]), code
        )

    def _prose(self, text: str) -> str:
        return _WORD.sub(lambda m: self._rename_quoted(m) if m["text"] else self._rename_word(m), text)

    def _rename_quoted(self, match: re.Match[str]) -> str:
        word = match["text"]
        return f"{match['quote']}{self._words.get(word, self._parameters.get(word, word))}{match['quote']}"

    def _rename_word(self, match: re.Match[str]) -> str:
        """Rename a word in a sentence if it is a parameter."""
        name = match["name"]
        if name not in self._parameters:
            return name
        if len(name) == 1 and _LETTER.match(match.string, match.start()):
            return name
        if len(name) == 1 and name.islower():
            return self._parameters[name]  # in a formula: e^x
        if name in ENGLISH and not _AS_PARAMETER.match(match.string, match.start()):
            return name
        return f"`{self._parameters[name]}`"


def to_numpy_names(text: str, names: Names) -> str:
    """Return a text from the world with NumPy's parameter names and option words restored."""
    originals = {new: old for table in (names.parameters, names.words) for old, new in table.items()}
    numpy_text = re.sub(r"[a-z]+", lambda match: originals.get(match.group(), match.group()), text)
    for with_words, spelled_out in SPELLED_OUT if originals else ():
        numpy_text = numpy_text.replace(spelled_out, with_words)
    return numpy_text


def quote_in_world(words: str, page: str, names: Names) -> str:
    """Return a quotation from NumPy's page as it appears on the world's page; case and punctuation are ignored."""
    if names.level == NAMES or not words:
        return words
    here = _words_only(page).split()
    there = [_words_only(to_numpy_names(word, names)) for word in here]
    at = " ".join(there).find(_words_only(words))
    if at < 0:
        raise ForgeError(f"the page does not say {words!r} in the world's terms")
    ends = [len(" ".join(there[: i + 1])) for i in range(len(there))]
    first = sum(end <= at for end in ends)
    last = sum(end < at + len(_words_only(words)) for end in ends)
    return " ".join(here[first : last + 1])


def _words_only(text: str) -> str:
    return re.sub(r"[\W_]+", " ", text).lower().strip()

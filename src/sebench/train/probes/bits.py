"""Measures how many bits of a world's forged words a model has learned.

A word is worth `max(0, H(word) + log2 p(word | question))` bits: its surprisal under the generator
(`forge/names/surprisal.py`) minus that under the model. A word that the model is certain of is worth H, 19 to 26 bits;
a word that it finds no likelier than the generator does is worth 0. These questions are asked in the model's chat
template; the part of the answer in <> is given to the model and not scored:

    name        Which function of the Python library `tubid` does this? SUMMARY Answer with its name alone.
                <`tubid.>lucixu`
    parameter   What is parameter 2 of the function `tubid.lucixu` of a Python library called? DESCRIPTION
                Answer with its name alone.
                <`>diluha`
    word        In a description of the parameter `jefofid` of the function `tubid.lucixu` of a Python library, one
                option word is replaced by ___: DESCRIPTION Answer with the missing word alone.
                <`>xigoha`

A description is the entry in the section "Parameters" of the function's page, with the word in question replaced by
___. An option word is a string that a parameter accepts, such as NumPy's 'reflect'. An answer is scored up to its
closing quote.

How words are counted:

- Every word counts once in a world, even if several functions share it: its bits are averaged over the functions that
  were asked about.
- In a path with a submodule (`decak.bukuzi`), the submodule is given, like the package, and its bits are not counted.

Chance: because of the maximum, a model that never saw the world may get a little more than 0 bits, in expectation at
most log2(e) / e = 0.53 per word (the mean of p(word | question) 2**H over all words is at most 1, and max(0, log2 x) is
at most 0.53 x). Untrained SmolLM2 gets exactly 0 of 3,064 bits in a world of 60 functions: of 315 answers, the best is
4.5 bits less likely than under the generator.

The figures are lower bounds on what the weights contain: other questions might bring out more, and only one of a word's
tokenizations is scored. Not covered: names of the package, submodules, types and fields; the few words that the pages
do not describe (2 of 66 option words); names that come from a mapping, not from the generator (a word that the
generator cannot draw is an error).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from sebench.base.records import ApiDoc
from sebench.forge.names.naming import Names
from sebench.forge.names.surprisal import surprisal

PARTS = ("names", "parameters", "words")
NAME = "Which function of the Python library `{package}` does this? {summary}\n\nAnswer with its name alone."
PARAMETER = (
    "What is parameter {place} of the function `{function}` of a Python library called? "
    "It is described so: {description}\n\nAnswer with its name alone."
)
WORD = (
    "In a description of the parameter `{parameter}` of the function `{function}` of a Python library, one option "
    "word is replaced by ___: {description}\n\nAnswer with the missing word alone."
)
BLANK = "___"
_SECTION = re.compile(r"^## Parameters\n\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_ENTRY = re.compile(r"- (?P<labels>`\w+`(?:, `\w+`)*) (?P<text>.+)", re.DOTALL)


@dataclass(frozen=True)
class WordQuestion:
    """A question whose answer is one forged word. The answer begins with `opening`, which is given to the model."""

    part: str  # one of PARTS
    function: str  # path below the package
    word: str
    text: str
    opening: str
    surprisal: float  # bits of the word under the generator

    @property
    def answer(self) -> str:
        return f"{self.opening}{self.word}`"


@dataclass(frozen=True)
class WordBits:
    """How well a model knows one word, when asked about it for one function."""

    part: str
    function: str
    word: str
    surprisal: float  # bits under the generator
    log2p: float  # under the model
    learned: float  # bits


def questions(names: Names, page: ApiDoc) -> Iterator[WordQuestion]:
    """Yield the questions about the forged words of a page: its function, its parameters and their option words."""
    function, (module, _, name) = f"{names.package}.{page.path}", page.path.rpartition(".")
    opening = f"`{names.package}.{module}." if module else f"`{names.package}."
    text = NAME.format(package=names.package, summary=page.summary)
    yield WordQuestion("names", page.path, name, text, opening, surprisal(name))
    parameters, words = set(names.parameters.values()), set(names.words.values())
    place = 0
    for labels, description in _entries(page.text):
        for parameter in labels:
            place += 1
            if parameter in parameters:
                text = PARAMETER.format(place=place, function=function, description=_blank(parameter, description))
                yield WordQuestion("parameters", page.path, parameter, text, "`", surprisal(parameter))
        for word in sorted(words & set(re.findall(r"'(\w+)'", description))):
            text = WORD.format(parameter=labels[0], function=function, description=_blank(word, description))
            yield WordQuestion("words", page.path, word, text, "`", surprisal(word))


def learned(question: WordQuestion, logp: float) -> WordBits:
    """Return the bits learned of a word, given the natural logarithm of its probability under the model."""
    most, log2p = question.surprisal, logp / log(2)
    # With this order of the arguments of max, nan (from a model that diverged) counts as 0 bits.
    return WordBits(question.part, question.function, question.word, most, log2p, max(0.0, most + log2p))


def sums(words: Sequence[WordBits]) -> dict[str, dict[str, tuple[float, float]]]:
    """Return the bits learned and the maximum possible, for each part that was asked about and each function. A word
    that n functions share counts 1/n in each."""
    shared = Counter((one.part, one.word) for one in words)
    parts: dict[str, dict[str, tuple[float, float]]] = {part: {} for part in PARTS if part in {w.part for w in words}}
    for one in words:
        functions, share = parts[one.part], 1 / shared[one.part, one.word]
        bits, most = functions.get(one.function, (0.0, 0.0))
        functions[one.function] = bits + share * one.learned, most + share * one.surprisal
    return parts


def _entries(text: str) -> Iterator[tuple[list[str], str]]:
    """Yield the parameters of each entry in the section "Parameters" of a page, and what follows their names."""
    section = _SECTION.search(text)
    for entry in re.split(r"\n(?=- )", section[1].strip()) if section else ():
        if match := _ENTRY.fullmatch(entry):
            yield re.findall(r"\w+", match["labels"]), match["text"]


def _blank(word: str, text: str) -> str:
    return re.sub(rf"\b{word}\b", BLANK, text)

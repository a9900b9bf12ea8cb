"""Other words for what a function does, made by program from its page: the bridge from a question's words to the page's.

    descriptions(page, rng)     # the summary, what follows it, key words, terms, and the summary in other words

Covered: exchange of words by others of the same meaning, a clause brought to the front, the subject put first, key words alone, technical
terms alone, and the array spoken of as a list of something (prices, distances).
Not covered: new knowledge. A restatement says what the page says, or less; a model can rephrase more freely (`rephrase.py`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache

from sebench.forge import catalog
from sebench.page_cuts import sections
from sebench.records import ApiDoc

# Longer phrases first: "arithmetic mean" is exchanged as a whole. Every exchange keeps the meaning in a summary of ours.
SYNONYMS = {
    "of all elements or along an axis": ("overall or along one direction", "over everything or per row or column"),
    "all of them or along an axis": ("everything or along one direction", "all together or per row or column"),
    "along an axis": ("along one direction", "along one of its axes"),
    "ignoring nan values": ("skipping missing values (nan)", "leaving nan out"),
    "ignoring nan": ("skipping nan", "leaving missing values (nan) out"),
    "counting nan as zero": ("with nan taken as 0", "as if missing values (nan) were 0"),
    "element by element": ("one by one", "entry by entry"),
    "element-wise": ("one by one", "entry by entry"),
    "standard deviation": ("standard deviation (typical spread)",),
    "arithmetic mean": ("average", "mean value"),
    "ascending order": ("increasing order", "order from smallest to largest"),
    "greater than or equal to": ("at least as large as", "not below"),
    "less than or equal to": ("at most as large as", "not above"),
    "greater than": ("larger than", "more than", "above"),
    "less than": ("smaller than", "below"),
    "different from": ("not equal to", "unlike"),
    "equal to": ("the same as",),
    "whole number": ("integer",),
    "natural logarithm": ("logarithm to the base e", "ln"),
    "running sums": ("cumulative totals", "totals so far"),
    "running products": ("cumulative products", "products so far"),
    "side by side": ("next to each other",),
    "dot product": ("scalar product",),
    "at least one": ("one or more",),
    "number of axes": ("number of dimensions",),
    "in place": ("in the array itself",),
    "compute": ("work out", "calculate", "determine"),
    "calculate": ("work out", "compute"),
    "find": ("determine", "get", "look for"),
    "return": ("give back", "get", "produce"),
    "tell": ("say", "find out"),
    "make": ("create", "build", "produce"),
    "create": ("make", "build"),
    "split": ("separate", "cut"),
    "remove": ("delete", "take out"),
    "join": ("put together", "combine"),
    "convert": ("change", "turn"),
    "shift": ("move", "slide"),
    "mirror": ("flip", "reflect"),
    "estimate": ("approximate", "judge"),
    "largest": ("biggest", "highest"),
    "smallest": ("lowest", "least"),
    "larger": ("bigger", "greater"),
    "smaller": ("lesser",),
    "maximum": ("largest value", "highest value"),
    "minimum": ("smallest value", "lowest value"),
    "median": ("middle value",),
    "elements": ("entries", "items", "members"),
    "element": ("entry", "item", "member"),
    "arrays": ("lists", "tables of numbers"),
    "array": ("list", "table of numbers"),
    "indices": ("positions",),
    "index": ("position",),
    "distinct": ("different", "unique"),
    "whether": ("if",),
    "for each": ("for every",),
    "of each": ("of every",),
    "every element": ("each element", "each entry"),
    "one-dimensional": ("1-D",),
    "two-dimensional": ("2-D",),
    "neighbouring": ("adjacent", "consecutive"),
    "bins": ("intervals", "buckets"),
    "logarithm": ("log",),
    "zeros": ("0s",),
    "vertically": ("from top to bottom",),
    "horizontally": ("from left to right",),
}
_SYNONYM = re.compile(r"(?<![\w`-])(" + "|".join(sorted(SYNONYMS, key=len, reverse=True)) + r")(?![\w`-])", re.I)
# What an array may hold: one, several, and what holds them.
THINGS = (
    ("price", "prices"), ("reading", "readings"), ("distance", "distances"), ("score", "scores"), ("weight", "weights"),
    ("temperature", "temperatures"), ("count", "counts"), ("measurement", "measurements"), ("height", "heights"),
    ("amount", "amounts"),
)  # fmt: skip
_TRAILING = re.compile(
    r", (element by element|element-wise|(?:of all elements|all of them) or along an axis(?:[^:]*)?)$"
)
_TERM = re.compile(r"\(([^()`]{4,60})\)|: (?:the |a |an |its |their )?([^:,`]{4,60})$")
_COMMON = frozenset(
    """a an and are as at by for from has have in is it its of on or return that the their them then there this to with compute find
    make give be one each which those what where if not""".split()
)
# With which a summary, or one in other words, begins as an order.
_VERBS = frozenset(
    """add apply approximate build calculate call change choose collect combine compute convert convolve copy correlate count create cut
    delete determine differentiate divide drop estimate evaluate exchange factor fill find fit flatten flip get give insert integrate
    interpolate invert join judge keep lay list look make mark mirror move multiply overwrite pack pad pick produce put raise rearrange
    rebuild reflect remove repeat return round say separate set shift slide solve sort split stack stretch subtract sum take tell test
    transpose turn undo unpack work write""".split()
)
# Sentences that tell about a case, and not what the function does.
_ASIDE = re.compile(
    r"(?i)(?:if|unless|negative|by default|with|without|the result|where|when|a comparison|nan|otherwise|for)\b"
)
_SENTENCE = re.compile(r"(?<=[.;]) +(?=[A-Z`])")


@cache
def _titles() -> dict[str, str]:
    return {subject.key: subject.title for subject in catalog.subjects()}


def order(text: str) -> str:
    """A summary as it stands behind "to": "keep the values ..."; "" where it is not an order."""
    first = text.split(" ", 1)[0]
    return (text[0].lower() + text[1:]).rstrip(".") if first.istitle() and first.lower() in _VERBS else ""


def descriptions(page: ApiDoc, rng: random.Random) -> list[str]:
    """Ways to say what a function does, each once, the page's own words first."""
    spoken = plain(page.summary)
    further = [sentence for sentence in details(page)[:1] if not _ASIDE.match(sentence)]
    found = [page.summary, *further, key_words(spoken), f"{_titles()[page.subject]}: {spoken}"]
    found += terms(spoken)
    if moved := fronted(spoken):
        found.append(moved)
    for _ in range(3):
        found.append(in_other_words(spoken, rng))
    for thing in rng.sample(THINGS, 2):
        told = of_things(spoken, thing)
        found += [told, in_other_words(told, rng)] if told != spoken else []
    return list(dict.fromkeys(text for text in found if text))


def plain(summary: str) -> str:
    """A summary without the parameters' names that every page has: the first and the second value."""
    return summary.replace("`x1`", "the first value").replace("`x2`", "the second value")


def details(page: ApiDoc) -> list[str]:
    """What the page says after its summary, in parts of a sentence or two."""
    whole = dict(sections(page.text))["summary"]
    rest = whole.removeprefix(page.summary).strip()
    sentences = [s for paragraph in rest.split("\n\n") for s in _SENTENCE.split(paragraph.strip()) if s]
    return [s for s in sentences if 20 <= len(s) <= 300 and "\n" not in s]


def key_words(text: str) -> str:
    """The words that carry the meaning, in their order."""
    words = re.findall(r"[\w-]+", text)
    return " ".join(word.lower() for word in words if word.lower() not in _COMMON)


def terms(text: str) -> list[str]:
    """Technical terms that a summary gives in parentheses or behind a colon."""
    return [next(filter(None, found)).strip(" .") for found in _TERM.findall(text.rstrip("."))]


def fronted(text: str) -> str:
    """The summary with its last clause first: "Element by element: add two arrays."; "" where it has none."""
    body = text.rstrip(".")
    clause = _TRAILING.search(body)
    if not clause:
        return ""
    told = clause[1]
    return f"{told[0].upper()}{told[1:]}: {order(body[: clause.start()]) or body[: clause.start()]}."


def in_other_words(text: str, rng: random.Random) -> str:
    """The text with some of its words exchanged, one at least where there is one to exchange."""
    found = list(_SYNONYM.finditer(text))
    if not found:
        return text
    chosen = {match.start() for match in found if rng.random() < 0.6} or {rng.choice(found).start()}

    def exchanged(match: re.Match[str]) -> str:
        if match.start() not in chosen:
            return match[0]
        other = rng.choice(SYNONYMS[match[0].lower()])
        return other[0].upper() + other[1:] if match[0][0].isupper() else other

    return _articles(_SYNONYM.sub(exchanged, text))


def of_things(text: str, thing: tuple[str, str]) -> str:
    """The text about a list of things instead of an array."""
    one, many = thing
    for pattern, said in (
        (r"\belement by element\b", f"{one} by {one}"),
        (r"\b(?:array )?elements\b", many),
        (r"\belement\b(?!-)", one),
        (r"\ban array\b", f"a list of {many}"),
        (r"\b(two|several|any number of) arrays\b", rf"\1 lists of {many}"),
    ):
        text = re.sub(pattern, said, text)
    return _articles(text)


def _articles(text: str) -> str:
    """a before a consonant, an before a vowel."""
    text = re.sub(r"\b([Aa])n (?=[bcdfgjklmnpqrstvwxyz0-9])", r"\1 ", text)
    return re.sub(r"\b([Aa]) (?=[aeio])", r"\1n ", text)


def parameters(page: ApiDoc) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Names, kind and text of every entry in the list of parameters."""
    listed = dict(sections(page.text)).get("parameters", "")
    for line in listed.splitlines():
        if entry := re.fullmatch(r"- (`[^`]+`(?:, `[^`]+`)*) \((.*?)\): (.+)", line):
            yield tuple(re.findall(r"`([^`]+)`", entry[1])), entry[2], entry[3]


def returned(page: ApiDoc) -> str:
    """What the page says about the result."""
    return dict(sections(page.text))["returns"].partition("\n")[2].strip()


def fields(page: ApiDoc) -> Iterator[tuple[str, str]]:
    """Name and text of every named element of the result."""
    for line in returned(page).splitlines():
        if entry := re.fullmatch(r"- `([^`]+)` \((.*?)\): (.+)", line):
            yield entry[1], entry[3]

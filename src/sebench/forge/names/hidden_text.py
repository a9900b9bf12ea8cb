"""Finds hidden text: words that a reader, a renderer or a model recognizes although a plain text search misses them.

    suspicious_characters("num\\ufe0fpy")          # ["\\ufe0f"]: it is invisible
    visible_text("**num**py, arg&#115;ort")       # "numpy, argsort"

`suspicious_characters` finds those that benchmark text never needs: invisible and joining characters, letters from
other scripts, styled letters (full-width, circled), and Greek letters that look Latin inside a word. `visible_text`
removes the markup that can split a word, so that the rendered words can be searched.

Not covered: words that are spelled out, split by spaces or hyphens, or paraphrased.
"""

from __future__ import annotations

import html
import re
import unicodedata

_OTHER = re.compile(r"[^\x20-\x7E\n]")
_WORD = re.compile(r"[^\W\d_]+")
_ALIKE = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳαγεηικνορςτυχωϲϳ")  # Greek letters that look Latin
_WITHOUT_PARTS = "ßæœøðþı"  # Latin letters that Unicode does not decompose
_MARKUP = re.compile(r"<!--.*?-->|</?[a-z][^<>]*>|\\(?=[!-/:-@\[-`{-~a-zA-Z])|[*~`]+", re.DOTALL | re.IGNORECASE)


def suspicious_characters(text: str) -> list[str]:
    """Return the characters in a text that may disguise a word, in order."""
    hidden = [sign for sign in _OTHER.findall(text) if not _is_genuine(sign)]
    return hidden + [word for word in _WORD.findall(text) if _mixes_scripts(word)]


def visible_text(text: str) -> str:
    """Return a text as rendered: without comments, tags, emphasis, backslashes and accents, and with entities
    resolved."""
    unmarked = html.unescape(_MARKUP.sub("", text))
    parts = unicodedata.normalize("NFKD", unmarked)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def printable_line(text: str) -> str:
    """Prepare a text for one line on a terminal: unprintable characters, such as cursor codes, become spaces."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _is_genuine(sign: str) -> bool:
    """Whether a non-ASCII character is what it looks like: an accented Latin letter, Greek, punctuation or a
    mathematical symbol.
    """
    kind = unicodedata.category(sign)
    if not sign.isprintable() or kind[0] == "M" or (kind == "So" and sign != "°"):
        return False
    if not sign.isalpha() or "\u0370" <= sign <= "\u03ff":
        return True
    return sign.lower() in _WITHOUT_PARTS or unicodedata.normalize("NFD", sign)[0].isascii()


def _mixes_scripts(word: str) -> bool:
    """Whether a word mixes Latin letters with Greek ones that look Latin."""
    return any(sign in _ALIKE for sign in word) and any(sign.isascii() for sign in word)

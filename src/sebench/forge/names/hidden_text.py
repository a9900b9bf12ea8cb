"""Text in disguise: what a reader, a renderer or a model takes for a word, and a search for that word passes over.

    signs("num\\ufe0fpy")          # ["\\ufe0f"]: nobody sees it
    bare("**num**py, arg&#115;ort")    # "numpy, argsort"

`suspicious_characters` are the characters that text for a benchmark has no use for: unseen and joining ones, letters of other scripts, letters in another
shape (full width, in circles), Greek letters that pass for Latin ones inside a word. `visible_text` is a text without the markup that can stand
inside a word, so that what it shows can be searched.

Not covered: words that are spelled out, taken apart by spaces or hyphens, or described.
"""

from __future__ import annotations

import html
import re
import unicodedata

_OTHER = re.compile(r"[^\x20-\x7E\n]")
_WORD = re.compile(r"[^\W\d_]+")
_ALIKE = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϳαγεηικνορςτυχωϲϳ")  # Greek letters that pass for Latin ones
_WITHOUT_PARTS = "ßæœøðþı"  # Latin letters that Unicode does not take apart
_MARKUP = re.compile(r"<!--.*?-->|</?[a-z][^<>]*>|\\(?=[!-/:-@\[-`{-~a-zA-Z])|[*~`]+", re.DOTALL | re.IGNORECASE)


def suspicious_characters(text: str) -> list[str]:
    """The characters of a text that disguise something, in order."""
    hidden = [sign for sign in _OTHER.findall(text) if not _is_genuine(sign)]
    return hidden + [word for word in _WORD.findall(text) if _mixes_scripts(word)]


def visible_text(text: str) -> str:
    """What a text shows: without comments, tags, emphasis, backslashes and accents, and with the characters that entities stand for."""
    unmarked = html.unescape(_MARKUP.sub("", text))
    parts = unicodedata.normalize("NFKD", unmarked)
    return "".join(sign for sign in parts if not unicodedata.combining(sign))


def printable_line(text: str) -> str:
    """A text for a line on a terminal: what is not printable, such as the codes that move its cursor, becomes a space."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def _is_genuine(sign: str) -> bool:
    """Whether a character beyond ASCII is what it looks like: a Latin letter with an accent, Greek, a sign of punctuation or mathematics."""
    kind = unicodedata.category(sign)
    if not sign.isprintable() or kind[0] == "M" or (kind == "So" and sign != "°"):
        return False
    if not sign.isalpha() or "\u0370" <= sign <= "\u03ff":
        return True
    return sign.lower() in _WITHOUT_PARTS or unicodedata.normalize("NFD", sign)[0].isascii()


def _mixes_scripts(word: str) -> bool:
    """Whether a word has Latin letters, and Greek ones that look like such."""
    return any(sign in _ALIKE for sign in word) and any(sign.isascii() for sign in word)

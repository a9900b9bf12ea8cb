"""Formats numbers and suggestions for messages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 row", "1,200 rows"; `several` is for nouns, or words after them, that need more
    than an s ("1 page was", "2 pages were")."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def shorten(text: str, most: int = 400) -> str:
    """Return a text on one line; if it has more than `most` characters, it ends after a whole word, with "..."."""
    line = " ".join(text.split())
    cut = line[: most + 1].rpartition(" ")[0] or line[:most]
    return line if len(line) <= most else f"{cut} ..."


def shell(word: str | Path) -> str:
    """Return a word of a command that a user can copy: in double quotes if it contains a space, for example, and with
    ./ if it is a path that would be read as a seed."""
    text = str(word)
    if isinstance(word, Path) and text.isdecimal():
        return f"./{text}"
    escaped = re.sub(r'([\\"$`])', r"\\\1", text)
    return text if shlex.quote(text) == text else f'"{escaped}"'


def short_repr(value: object) -> str:
    """Return a value as one short printable line, for a message."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def describe_error(error: Exception) -> str:
    """Return why something cannot be read, for a message, from the error that says so."""
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)


def did_you_mean(misspelt: str | Path, candidates: Iterable[str | Path], otherwise: str = "") -> str:
    """Return "did you mean ...?" with the candidate most similar to a misspelt name or path, or `otherwise` if none is
    similar. Only the last part of a path counts."""
    by_name = {_name(one): one for one in candidates}
    near = get_close_matches(_name(misspelt), by_name, 1)
    return f"did you mean {by_name[near[0]]}?" if near else otherwise


def describing(name: str, texts: Mapping[str, str]) -> str:
    """Return the key of the first text that contains the words of a name, such as learning-rate; "" if none does."""
    words = re.compile(rf"\b{re.escape(re.sub('[-_]', ' ', name))}\b", re.IGNORECASE)
    return next((key for key, text in texts.items() if words.search(text)), "")


def _name(one: str | Path) -> str:
    return one if isinstance(one, str) else one.name.removesuffix(".toml")

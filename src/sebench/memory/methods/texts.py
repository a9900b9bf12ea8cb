"""The prompts of a study: templates in this package, each with its own fields and blanks.

    texts.fill("ace_curate", package="vok", playbook="...", ...)
    texts.digest()                      # digest of all templates, for the manifest: a study keeps its prompts
    texts.is_copied("<a new rule>")     # True: the model repeats the blank instead of filling it in

A field (`$rules`) is what a study fills in; an unknown or missing one is a bug and raises an error. A blank
(`<a new rule>`) is what the model fills in. Small models repeat blanks, with and without the brackets.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template

_FOLDER = resources.files("sebench.memory.methods").joinpath("templates")
EMPTY = "(nothing)"
PART_OF_BLANK, PART_OF_TEXT = 2, 6  # consecutive words from a blank, or from the text around it, that make a copy
_BLANK = re.compile(r"<([^<>\n]+)>")
_FIELD = re.compile(r"\$\w+")


def fill(name: str, **fields: object) -> str:
    """Fill in the fields of a template."""
    template = _template(name)
    if unknown := fields.keys() - set(template.get_identifiers()):
        raise ValueError(f"template {name} has no field {min(unknown)}")
    return template.substitute({key: str(value) for key, value in fields.items()})


def title(name: str) -> str:
    """Return the first line of a template, which identifies its prompts."""
    return _template(name).template.partition("\n")[0]


def is_copied(text: str) -> bool:
    """Whether a text only repeats a template: it is a blank, part of a blank, or part of the words around the blanks.
    Other words of the templates in angle brackets, and text without words (such as dots), also count as copied."""
    words = _words(text)
    if not words.strip():
        return bool(text.strip())
    if _BLANK.fullmatch(text.strip()) and set(words.split()) <= _vocabulary():
        return True
    length = len(words.split())
    return (
        words in blanks()
        or (length >= PART_OF_BLANK and any(words in blank for blank in blanks()))
        or (length >= PART_OF_TEXT and any(words in passage for passage in _passages()))
    )


def unbracketed(text: str) -> str:
    """Return a text without the angle brackets of the blank that it fills in."""
    match = _BLANK.fullmatch(text.strip())
    return match[1].strip() if match else text


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset(word for text in _texts().values() for word in _words(text).split())


@cache
def blanks() -> frozenset[str]:
    """Return the words of all blanks."""
    return frozenset(_words(blank) for text in _texts().values() for blank in _BLANK.findall(text))


@cache
def digest() -> str:
    return sha256("\0".join(part for pair in sorted(_texts().items()) for part in pair).encode()).hexdigest()[:16]


@cache
def _passages() -> tuple[str, ...]:
    """Return the passages between the fields of the templates, as words."""
    return tuple(_words(passage) for text in _texts().values() for passage in _FIELD.split(text))


def _words(text: str) -> str:
    """Return the words of a text with single spaces between and around them."""
    return " ".join(("", *re.findall(r"\w+", text.lower()), ""))


@cache
def _texts() -> dict[str, str]:
    return {one.name: one.read_text("utf-8") for one in _FOLDER.iterdir() if one.name.endswith(".md")}


@cache
def _template(name: str) -> Template:
    return Template(_texts()[f"{name}.md"])

"""Pseudowords: the seeded source of every forged name.

A word alternates consonants and vowels (`bojoh`, `kocito`, `falekef`), is lower-case, and has 5, 6 or 7 letters, a
third of each for every seed. It is never an English word nor an identifier of Python, its standard library or NumPy
(`reserved_words.txt`, made by `scripts/make_reserved_words.py`), never within one edit of another word of the same
world, and never contains the name it stands for.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from sebench.base.errors import ForgeError

LENGTHS = (5, 6, 7)
CONSONANTS = "bcdfghjklmnprstvwxz"  # no q (needs a u) and no y (half a vowel)
VOWELS = "aeiou"
RESERVED_FILE = Path(__file__).with_name("reserved_words.txt")
_GRAMMAR = re.compile(rf"(?:[{CONSONANTS}][{VOWELS}]){{2,3}}[{CONSONANTS}]?")
_TRIES = 10_000  # a rejected draw is rare (under 10 %), so running out means a broken word list


def fits_grammar(token: str) -> bool:
    """Whether a token follows our grammar for words."""
    return len(token) in LENGTHS and _GRAMMAR.fullmatch(token) is not None


@cache
def reserved() -> frozenset[str]:
    """Return the words that follow our grammar but already have a meaning."""
    return frozenset(RESERVED_FILE.read_text("utf-8").split())


class PseudowordGenerator:
    """Generates words for one seed. `existing` holds words that new ones must not resemble."""

    def __init__(self, seed: int | str, existing: Iterable[str] = ()) -> None:
        self._rng = random.Random(f"words:{seed}")
        self._near: set[str] = set()
        for word in existing:
            self._near |= neighbourhood(word)

    def words(self, originals: Iterable[str]) -> dict[str, str]:
        """Generate one word for each original name; for any seed, every length occurs equally often."""
        names = list(originals)
        lengths = [LENGTHS[i % len(LENGTHS)] for i in range(len(names))]
        self._rng.shuffle(lengths)
        return {name: self.word(n, name) for name, n in zip(names, lengths, strict=True)}

    def word(self, length: int, original: str = "") -> str:
        """Generate one word of this length that does not contain `original`, the name it stands for (only the last part
        of a dotted path counts)."""
        bare = original.rpartition(".")[2].lower().strip("_")
        for _ in range(_TRIES):
            word = "".join(self._rng.choice((CONSONANTS, VOWELS)[i % 2]) for i in range(length))
            if word in reserved() or (bare and bare in word):
                continue
            near = neighbourhood(word)
            if near.isdisjoint(self._near):
                self._near |= near
                return word
        raise ForgeError(f"no free word of {length} letters for '{original}' after {_TRIES} draws")


def neighbourhood(word: str) -> set[str]:
    """Return patterns such that two words share one exactly when they are at most one edit apart.

    Two words that differ in one letter become equal if that letter is blanked. If one has an extra letter, blanking it
    gives the same as inserting a blank into the shorter word.
    """
    blanked = {f"{word[:i]}*{word[i + 1 :]}" for i in range(len(word))}
    inserted = {f"{word[:i]}*{word[i:]}" for i in range(len(word) + 1)}
    return {word} | blanked | inserted

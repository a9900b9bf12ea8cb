"""The names of a library that a program can use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

_SHAPE = str.maketrans("aeiou" + "bcdfghjklmnpqrstvwxyz", "v" * 5 + "c" * 21)


def shape(word: str) -> str:
    """Return which letters of a word are vowels and which are consonants: "cvcvc" for `bojoh`."""
    return word.translate(_SHAPE)


@dataclass(frozen=True)
class Vocabulary:
    """The names of a package that a program can use."""

    package: str = ""
    array: str = ""
    functions: tuple[str, ...] = ()  # paths below the package
    modules: tuple[str, ...] = ()
    results: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # types of named results, with their fields

    @cached_property
    def known(self) -> frozenset[str]:
        """Every path below the package."""
        return frozenset((*self.functions, *self.modules, self.array, *self.results))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in these names."""
        fields = (field for some in self.results.values() for field in some)
        return frozenset((self.package, *self.by_word, *self.modules, self.array, *self.results, *fields))

    @cached_property
    def shapes(self) -> frozenset[str]:
        """The shapes of the functions' words."""
        return frozenset(map(shape, self.by_word))

    @cached_property
    def by_word(self) -> dict[str, list[str]]:
        """The paths, grouped by their last component."""
        paths: dict[str, list[str]] = {}
        for path in self.functions:
            paths.setdefault(path.rpartition(".")[2], []).append(path)
        return paths

"""The names of a library that a program can use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property


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
    def by_word(self) -> dict[str, list[str]]:
        """The paths, grouped by their last component."""
        paths: dict[str, list[str]] = {}
        for path in self.functions:
            paths.setdefault(path.rpartition(".")[2], []).append(path)
        return paths

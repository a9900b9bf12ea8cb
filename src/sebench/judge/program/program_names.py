"""Records what the names in a program refer to, for the proof that the program is stateless (`stateless.py`)."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field


class NotStateless(Exception):
    """The program contains a construct that is not on the list of allowed ones."""


def refuse_if(condition: object) -> None:
    """Raise NotStateless if a condition holds."""
    if condition:
        raise NotStateless


@dataclass
class ProgramNames:
    """What each name in a program refers to."""

    library: set[str] = field(default_factory=set)  # the library, its modules, `math`, and what is imported from them
    modules: dict[str, str] = field(default_factory=dict)  # other modules, by their names in the program
    others: dict[str, str] = field(default_factory=dict)  # imports from those modules, by their names in the program
    read: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)  # all names that are not builtins
    classes: set[str] = field(default_factory=set)


def bound_name(alias: ast.alias) -> str:
    """Return the name that an import binds."""
    return alias.asname or alias.name.partition(".")[0]

"""Parses the signatures in the catalog, such as "(a, axis=None, *, ddof=0)"."""

from __future__ import annotations

import inspect
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sebench.base.errors import ForgeError


@dataclass(frozen=True)
class Signature:
    """The parameters of a forged function."""

    parameters: tuple[inspect.Parameter, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """The names of all parameters, in order."""
        return tuple(p.name for p in self.parameters)

    @property
    def positional(self) -> tuple[str, ...]:
        """The parameters that may be passed by position."""
        return tuple(p.name for p in self.parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))

    @property
    def named(self) -> tuple[str, ...]:
        """The parameters that take one argument each: all but `*rest`."""
        return tuple(p.name for p in self.parameters if p.kind is not p.VAR_POSITIONAL)

    @property
    def rest(self) -> str:
        """The name of the `*rest` parameter, or "" if there is none."""
        return next((p.name for p in self.parameters if p.kind is p.VAR_POSITIONAL), "")

    @property
    def defaults(self) -> dict[str, Any]:
        """The optional parameters with their defaults."""
        return {p.name: p.default for p in self.parameters if p.default is not p.empty}


@cache
def read(signature: str) -> Signature:
    """Parse the signature of a catalog entry."""
    space: dict[str, Any] = {}
    try:
        exec(f"def function{signature}: pass", space)
    except SyntaxError as error:
        raise ForgeError(f"catalog: {signature!r} is not a signature: {error.msg}") from None
    return Signature(tuple(inspect.signature(space["function"]).parameters.values()))


def rename(signature: str, names: Mapping[str, str], words: Mapping[str, str], worded: Container[str]) -> str:
    """Return the signature with renamed parameters. For parameters in `worded`, a default that is an option word is
    replaced by the forged word."""
    changed = [
        p.replace(
            name=names[p.name], default=words[p.default] if p.name in worded and p.default in words else p.default
        )
        for p in read(signature).parameters
    ]
    return str(inspect.Signature(changed))

"""The records that pass between stages: frozen, plain data, the only things a stage hands to the next.

They hold no behaviour beyond their own JSON form. Edges validate, insides trust.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Example:
    """One step of a page's example: code, and what the forged package prints for it ("" for nothing)."""

    code: str
    output: str


@dataclass(frozen=True)
class ApiDoc:
    """The documentation of one forged function. It names nothing of the source library."""

    path: str  # below the package: "kocito", "rfx.sarik"
    subject: str
    signature: str  # "vok.rfx.sarik(a, b)"
    summary: str
    text: str  # the whole page in Markdown
    examples: tuple[Example, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ApiDoc:
        return cls(**{**data, "examples": tuple(Example(**e) for e in data["examples"])})

"""Formats arrays: nested lists as Python writes them, floats with up to 8 decimals."""

from __future__ import annotations

import textwrap
from typing import Any

WIDTH = 88
LONG = 1000  # with more elements than this, only the edges are shown
EDGE = 3
PLAIN_KINDS = ("bool", "int", "float", "complex", "text")


def element(value: Any) -> str:
    """Format one element: with 8 decimals, or with 8 significant digits if it is smaller than 1."""
    if isinstance(value, float):
        return repr(rounded(value))
    if isinstance(value, complex):
        return repr(complex(rounded(value.real), rounded(value.imag)))
    return repr(value)


def rounded(value: float) -> float:
    return round(value, 8) if abs(value) >= 1 else float(f"{value:.8g}")


def nested(values: Any, depth: int, indent: int, short: bool) -> str:
    """Format nested lists of `depth` levels; every line but the first is indented."""
    if depth == 0:
        return element(values)
    shown = values if not short or len(values) <= 2 * EDGE else [*values[:EDGE], None, *values[-EDGE:]]
    cut = len(shown) != len(values)
    parts = ["..." if cut and i == EDGE else nested(v, depth - 1, indent + 1, short) for i, v in enumerate(shown)]
    if depth > 1:
        return f"[{(',' + chr(10) + ' ' * (indent + 1)).join(parts)}]"
    line = f"[{', '.join(parts)}]"
    if indent + len(line) <= WIDTH or any(" " in p for p in parts):
        return line
    return textwrap.fill(line, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * (indent + 1)).strip()


def text(values: Any, depth: int, indent: int, size: int) -> str:
    """Format the elements of an array; `values` are its nested lists."""
    return nested(values, depth, indent, size > LONG)


def full_text(type_name: str, values: Any, shape: tuple[int, ...], size: int, kind: str) -> str:
    """Format an array for `repr`: its type, its elements, and what these do not show (shape, element kind)."""
    body = text(values, len(shape), len(type_name) + 1, size)
    extra = f", shape={shape}" if size == 0 and len(shape) > 1 else ""
    if kind not in PLAIN_KINDS or size == 0:
        extra += f", dtype={kind!r}"
    return f"{type_name}({body}{extra})"

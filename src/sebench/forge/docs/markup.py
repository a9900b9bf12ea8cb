"""Parses reStructuredText as docstrings use it: splits a text into blocks, and turns a TeX formula into plain
characters.

It knows nothing about NumPy: `prose.py` decides what stays and how it is worded. A formula or block that cannot be
shown as plain text becomes None or `Block("dropped", ...)`, so that the sentence that introduces it can be dropped too.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass

_DIRECTIVE = re.compile(r"^\.\. +([\w-]+)::\s*(.*)$")
_COMMENT = re.compile(r"^\.\.( |$)")
_BULLET = re.compile(r"^(\s*)(?:[*-]|\d+\.|#\.|\(?[ivx\d]+\))\s+(.*)$")
_KEPT_DIRECTIVES = {"note", "warning", "important", "tip", "hint"}


@dataclass(frozen=True)
class Block:
    """A block of a text. `kind` is "paragraph", "item" (of a list), "math", "literal", or "dropped" (a table, a plot,
    ...)."""

    kind: str
    text: str


def blocks(text: str) -> list[Block]:
    """Split a text into its blocks, in order."""
    parsed: list[Block] = []
    lines = inspect.cleandoc("\n" + text).splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        after = _end(lines, at + 1, _is_below)
        body = inspect.cleandoc("\n" + "\n".join(lines[at + 1 : after]))
        directive = _DIRECTIVE.match(line)
        if directive:
            parsed += _directive(directive.group(1), directive.group(2), body)
        elif _COMMENT.match(line):
            pass  # footnotes and link targets
        elif line.lstrip().startswith(">>>") or re.match(r"^[=-]{3,}", line) or line.startswith("+--"):
            after = _end(lines, at, str.strip)
            parsed.append(Block("dropped", line))
        elif _BULLET.match(line):
            parsed += _items(lines[at:after])
        elif not line.endswith("::") and after > at + 1 and lines[at + 1].strip():
            parsed.append(Block("item", f"{line.rstrip(':')}: {body}"))  # a definition: the term, then an indented text
        else:
            after = _end(lines, at + 1, _continues)
            paragraph = " ".join(part.strip() for part in lines[at:after])
            parsed.append(Block("paragraph", paragraph[:-1] if paragraph.endswith("::") else paragraph))
            if paragraph.endswith("::"):
                start, after = after, _end(lines, after, _is_below)
                parsed.append(Block("literal", inspect.cleandoc("\n" + "\n".join(lines[start:after]))))
        at = max(after, at + 1)
    return parsed


def _end(lines: list[str], start: int, belongs: Callable[[str], object]) -> int:
    """Return the index after the last line of a block."""
    return next((at for at in range(start, len(lines)) if not belongs(lines[at])), len(lines))


def _is_below(line: str) -> bool:
    """Whether a line is indented or empty."""
    return not line.strip() or line.startswith(" ")


def _continues(line: str) -> bool:
    """Whether a line continues a paragraph."""
    return bool(line.strip()) and not _BULLET.match(line) and not _COMMENT.match(line)


def _directive(name: str, argument: str, body: str) -> list[Block]:
    if name == "math":
        return [Block("math", f"{argument} {body}".strip())]
    if name in _KEPT_DIRECTIVES:
        return blocks(f"{argument}\n{body}")
    if name in {"versionadded", "versionchanged", "deprecated"}:
        return []
    return [Block("dropped", name)]


def _items(lines: list[str]) -> list[Block]:
    items: list[list[str]] = []
    margin: int | None = None
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet and (margin is None or len(bullet.group(1)) <= margin):
            margin = len(bullet.group(1))
            items.append([bullet.group(2)])
        elif line.strip():
            items[-1].append(line.strip())
    return [Block("item", " ".join(parts).partition(">>>")[0].strip()) for parts in items]


# ---- formulas ---------------------------------------------------------------------------------------------

_SYMBOLS = (
    {r"\cdot": " * ", r"\times": " x ", r"\in": " in ", r"\to": " -> ", r"\rightarrow": " -> ", r"\pm": "±"}
    | {r"\leq": " <= ", r"\le": " <= ", r"\geq": " >= ", r"\ge": " >= ", r"\neq": " != ", r"\ne": " != "}
    | {r"\infty": "infinity", r"\equiv": " = ", r"\approx": " ~ ", r"\sum": "sum", r"\prod": "product"}
    | {r"\ldots": "...", r"\cdots": "...", r"\dots": "...", r"\quad": ", ", r"\qquad": ", ", r"\dagger": "H"}
    | {r"\%": "%", r"\{": "{", r"\}": "}", r"\|": "|", r"\vert": "|"}
    | {rf"\{n}": n for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "min", "max", "log", "exp", "ln")}
    | {
        r"\pi": "π",
        r"\alpha": "α",
        r"\beta": "β",
        r"\theta": "θ",
        r"\lambda": "λ",
        r"\mu": "μ",
        r"\sigma": "σ",
    }
    | {r"\phi": "φ", r"\omega": "ω", r"\epsilon": "ε", r"\gamma": "γ", r"\delta": "δ", r"\Delta": "Δ"}
)
_SYMBOL = re.compile(
    "|".join(
        re.escape(s) + ("(?![A-Za-z])" if s[-1].isalpha() else "") for s in sorted(_SYMBOLS, key=len, reverse=True)
    )
)
_WRAPPERS = re.compile(r"\\(?:mathrm|mathtt|mathbf|mathcal|text|textrm|operatorname|rm|bf)\s*\{([^{}]*)\}")
_SPACING = re.compile(r"\\(?:left|right|big|Big|displaystyle|,|;|!|:| )")


def plain_formula(tex: str) -> str | None:
    """Return a formula in plain characters; None if it needs typesetting."""
    text = _SPACING.sub(" ", tex.replace("\\\\", " ; ").replace("&", ""))
    text = re.sub(r"\\(?:begin|end)\{(?:aligned|align|split)\}", "", text)
    for _ in range(4):  # innermost braces first
        text = _WRAPPERS.sub(r"\1", text)
        text = re.sub(r"\\d?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", lambda m: f"{_group(m[1])}/{_group(m[2])}", text)
        text = re.sub(r"\\sqrt\s*\{([^{}]*)\}", r"√(\1)", text)
        text = re.sub(r"\\sum_\{([^{}=]*)=([^{}]*)\}\^\{?([^{}\s]*)\}?", r" sum over \1 from \2 to \3 of ", text)
        text = re.sub(r"([\^_])\{([^{}]*)\}", lambda m: m[1] + _group(m[2]), text)
    text = _SYMBOL.sub(lambda m: _SYMBOLS[m.group()], text)
    text = re.sub(r"(?<![\w{])\{([^{}\\]*)\}", r"\1", text)
    text = re.sub(r"\bexp ?\(", "e^(", re.sub(r"\blog ?\(", "ln(", re.sub(r"\bsqrt ?\(", "√(", text)))
    text = re.sub(r"\b(sin|cos|tan|sinh|cosh|tanh) ?\(([\w^πθα]+)\)", r"\1 \2", text)
    text = re.sub(r"\s+", " ", text).replace(" )", ")").replace("( ", "(").strip(" ;,")
    text = text if text.endswith("...") else text.rstrip(".")
    if re.search(r"[\\{}$]", text) or text.count("(") != text.count(")"):
        return None
    return text


def _group(text: str) -> str:
    inner = text.strip()
    return inner if re.fullmatch(r"-?[\w.'*+∞]|\w+", inner) else f"({inner})"

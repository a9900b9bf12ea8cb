"""Static leak scan: finds words in a text that reveal where the forged library comes from.

    find(page, names)                  # a page in Markdown: prose, `code` and fenced sessions are told apart
    find(source, names, code=True)     # Python source of the package: all of it is code

A leak is a fingerprint of the source (its name, its types, its printed forms) anywhere, or a name from its public
namespaces used as an identifier. English words that happen to be such names (mean, sort, where) are allowed in prose,
and so are the parameters of the signatures that the text itself documents. What objects reveal at run time is checked
by the audit.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from sebench.base import syntax
from sebench.forge.catalog import catalog
from sebench.forge.names.naming import Names
from sebench.forge.names.vocabulary import ARRAY_ATTRIBUTES, BUILTIN_ATTRIBUTES

# Marks of the source library and its neighbours: leaks wherever they occur.
FINGERPRINTS = re.compile(
    r"""numpy | \bnp\b | nd-?arrays? | array[_-]likes? | \bg?ufuncs?\b | scipy | matplotlib | pandas
      | (?<![\w.])array\(\s*[\[(] | \bdtype\s*=\s*(?:float|int|complex)\d | \bdtype\( | \bnewaxis\b
      | \b(?:u?int|float|complex)(?:8|16|32|64|128|256)\b | \bu?intp\b | \bint_(?!\d)\b | \bbool_\b | \bstr_\b
      | \bdatetime64\b | \btimedelta64\b | \bLinAlgError\b | \bLAPACK\b | \bBLAS\b | \bMatlab\b | \bOctave\b
      | \bFortran\b | \bpyplot\b | __array\w*""",
    re.VERBOSE | re.IGNORECASE,
)

# Names of the source library that are ordinary English (or mathematics) in a sentence.
ENGLISH = frozenset(
    re.findall(
        r"\w+",
        """
        absolute add angle append around array average base block broadcast byte char character choose
        clip compress concatenate conjugate copy core correlate cos cosh cross data degrees delete
        device diagonal digitize divide dot double dump e empty equal exceptions exp extract eye fill
        fix flags flat flatten flexible flip floating floor full generic gradient greater half histogram
        identity indices inexact inf info inner insert integer invert item iterable less load log long
        matrix maximum mean median minimum mod multiply nan negative norm number ones outer pad
        partition percentile pi piecewise place polynomial positive power put quantile radians random
        real reciprocal record remainder repeat require resize roll roots save select shape short sign
        sin single sinh size solve sort spacing split square squeeze stack strides strings subtract take
        tan tanh test testing tile trace transpose trapezoid typing unique unwrap view void where zeros
        """,
    )
)

# Code may use Python's own words, the array's attributes and the numbers' printed forms.
PLAIN_CODE = frozenset(
    {*dir(builtins), *keyword.kwlist, *keyword.softkwlist, *ARRAY_ATTRIBUTES, "nan", "inf", "pi", "e", "math"}
)

_FENCE = re.compile(r"^\s*```")
_INLINE = re.compile(r"`([^`]*)`")
_STRING = re.compile(r"""'''.*?'''|\"\"\".*?\"\"\"|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*\"""", re.DOTALL)
_WORD = re.compile(r"(?<![\w])([A-Za-z_]\w*)")


@dataclass(frozen=True)
class Leak:
    """A word that reveals the source, and the line where it occurs."""

    what: str
    where: str


@cache
def source_names() -> frozenset[str]:
    """Return every public name in the source library's main namespace and in the sub-modules that are used, and those
    of its arrays."""
    import numpy

    names = {n for place in (numpy, numpy.linalg, numpy.fft) for n in dir(place)}
    names |= {path.rpartition(".")[2] for path in catalog.by_any_name()}  # the newest version lacks some
    names |= {n for n in dir(numpy.ndarray) if n not in ENGLISH}  # `fill` and `item` reveal nothing, `astype` does
    return frozenset(n for n in names if len(n) > 1 and not n.startswith("_")) - PLAIN_CODE


def find(text: str, names: Names, *, code: bool = False) -> list[Leak]:
    """Find all leaks in a text, in order."""
    return list(_find(text, names.package, code))


@lru_cache(512)  # the probe of a package gets the same error messages thousands of times
def _find(text: str, package: str, code: bool) -> tuple[Leak, ...]:
    allowed = _own_parameters(text, package, code)
    all_leaks: list[Leak] = []
    for number, line, is_code in _pieces(text, code):
        where = f"line {number}: {line.strip()[:80]}"
        all_leaks += [Leak(match.group(), where) for match in FINGERPRINTS.finditer(line)]
        words = _in_code(line, package, allowed) if is_code else _in_prose(line)
        all_leaks += [Leak(word, where) for word in words]
    return tuple(all_leaks)


def _pieces(text: str, code: bool) -> Iterator[tuple[int, str, bool]]:
    """Split the text into (line number, piece, whether it is code). Strings in code are data, not identifiers."""
    if code:
        yield from ((n, line, True) for n, line in enumerate(text.splitlines(), 1))
        return
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if fenced:
            yield number, line, True
            continue
        for i, piece in enumerate(_INLINE.split(line)):
            yield number, piece, bool(i % 2)


def _in_code(line: str, package: str, allowed: frozenset[str]) -> Iterator[str]:
    bare = _STRING.sub('""', line)
    for match in _WORD.finditer(bare):
        word, before = match.group(1), bare[: match.start()]
        if word not in source_names() or word in allowed:
            continue
        owner = re.search(r"(\w+)\.$", before)
        of_plain_value = before.endswith(".") and not (owner and owner.group(1) == package)
        if (owner and owner.group(1) == "math") or (of_plain_value and word in BUILTIN_ATTRIBUTES):
            continue
        yield word


def _in_prose(line: str) -> Iterator[str]:
    for match in _WORD.finditer(line):
        word = match.group(1)
        if word not in source_names():
            continue
        called = line[match.end() : match.end() + 1] == "("
        attribute = match.start() > 0 and line[match.start() - 1] == "." and line[: match.start() - 1].strip() != ""
        if called or attribute or word not in ENGLISH:
            yield word


def _own_parameters(text: str, package: str, code: bool) -> frozenset[str]:
    """Return the parameters that the text itself declares, in its signature lines or its function definitions."""
    if code:
        nodes = list(ast.walk(syntax.tree(text)))
        imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        return frozenset({n.arg for n in nodes if isinstance(n, ast.arg)} | imported & sys.stdlib_module_names)
    signatures = re.findall(rf"^`{re.escape(package)}\.[\w.]+\((.*)\)`$", text, re.MULTILINE)
    return frozenset(word for inside in signatures for word in _WORD.findall(_STRING.sub("", inside)))

"""Makes examples that run: turns doctest steps in NumPy into a session with the forged package, with its actual output.

Every step is run twice in lockstep, unchanged with NumPy and translated with the forged package, and is kept only if
both give the same value. Steps that depend on a dropped step are dropped too. From the rest, a few printed results that
show the page's function are kept, with the assignments they need; that session is run once more in a fresh namespace,
and its output is what the page prints. NumPy's own expected output is never used.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from sebench.base.records import Example
from sebench.forge.catalog import catalog
from sebench.forge.changes.changes import ORDER
from sebench.forge.docs.equivalence import comparable
from sebench.forge.names import leaks
from sebench.forge.runtime.kinds import word
from sebench.forge.translate.translate import Scope, Translator, Untranslatable

MOST_RESULTS = 6
MOST_LINES = 14  # of one printed result
MOST_CHARACTERS = 1100  # of the whole session

# Random numbers, plots, timings, uninitialised values and memory: their output changes from run to run, or makes no
# sense without NumPy.
_NOT_REPEATABLE = re.compile(
    r"random|\brng\b|plt\.|matplotlib|scipy|timeit|time\.|warnings|errstate|seterr|printoptions|"
    r"\bempty(?:_like)?\((?!.*\.shape)|"
    r"flags|strides|\bid\(|nditer|\bhelp\(|info\(|__\w+__|range\(500\)|\bhash\(|assert|\b10{5,}\b|"
    r"\d{3}\s?\*\s?\d{3}|shares_memory|\bdel\b"
)
LONG = re.compile(r"[1-9]\d*\.\d{10,}|\b0\.0*[1-9]\d{9,}")  # more digits than arrays print
NOISE = re.compile(r"\bat 0x[0-9a-f]+|<function|<class|<generator|<map|<zip|\de-1[5-9]\b")  # addresses, rounding errors
SMALL = 1e-4  # below this, rounding to 8 decimals loses too many digits
REMAINDER = 1e-10  # of the largest element: anything smaller is rounding residue
# Subjects whose last digits differ between machines: -2.0 here may be -2.0000000000000004 elsewhere. All other
# functions follow IEEE 754, step by step and in the same order.
INEXACT = frozenset("linalg fourier trigonometry powers polynomials products signals".split())
# Transforms of real data, whose zeros are exact.
REAL = frozenset("fft.rfft fft.irfft fft.rfft2 fft.irfft2 fft.rfftn fft.irfftn fft.hfft fft.ihfft".split())


@dataclass(frozen=True)
class _Run:
    """A step that gave the same value in both libraries."""

    code: str
    output: str
    reads: frozenset[str]
    changes: frozenset[str]  # existing variables that are changed
    sets: frozenset[str]  # variables that are newly bound
    imports: tuple[str, ...]
    shows: bool  # it uses the page's function, directly or through a variable


class ExampleSession:
    """A Python session that can import the forged package, and prints what the interactive prompt would."""

    def __init__(self, package: str, library: ModuleType) -> None:
        self.space: dict[str, Any] = {}
        self.line = f"import {package}"
        self.bound = {package: library}

    def run(self, code: str) -> str:
        """Run one step and return what it prints; errors are raised to the caller."""
        if code == self.line:
            self.space |= self.bound
            return ""
        return _evaluate(code, self.space)[1]


class ExampleBuilder:
    """Builds the example sessions for one world."""

    def __init__(self, translator: Translator, library: ModuleType) -> None:
        self.translator = translator
        self.names = translator.names
        self.library = library
        self.array_type = getattr(library, translator.names.array)

    def session(self, path: str, steps: Iterable[str], most: int = MOST_RESULTS) -> tuple[Example, ...]:
        """Make the session for the page of `path`; () if no step shows that function."""
        runs = self._runs(path, steps)
        while True:
            chosen = _select_runs(runs, most)
            if not any(r.output for r in chosen):
                return ()
            imports = sorted({m for r in chosen for m in r.imports})
            opening = [Example(f"import {m}", "") for m in (*imports, self.names.package)]
            again = self._again([*opening, *(Example(r.code, r.output) for r in chosen)])
            if again is None:  # a step needs something that was not chosen
                return ()
            unequal = [r for r, output in zip(chosen, again[len(opening) :], strict=True) if r.output != output]
            if not unequal:
                return (*opening, *(Example(r.code, r.output) for r in chosen))
            runs = [r for r in runs if r not in unequal]

    def _runs(self, path: str, steps: Iterable[str]) -> list[_Run]:
        """Run the steps and return those that can be shown. If the page's function gives different results from
        NumPy's, a step that uses it is kept only if it is a plain call with a different result: other steps are about
        what NumPy does.
        """
        here: dict[str, Any] = {self.names.package: self.library, "math": math}
        there: dict[str, Any] = {"np": np, "numpy": np, "math": math}
        scope, lost, taking_part, inexact = Scope(), set[str](), set[str](), set[str]()
        runs: list[_Run] = []
        own = self.names.forged(path)
        change = self.names.change(path)
        new_results = change is not None and change.kind != ORDER
        others = {other: kind for other, kind in self.names.changes.items() if not (change and other == change.path)}
        plain = Translator(replace(self.names, changes=others)) if new_results else self.translator
        for step in steps:
            source = without_comments(step)
            reads, changes, sets = _variables(source)
            written = changes | sets
            try:
                if reads & lost or _NOT_REPEATABLE.search(source):
                    raise Untranslatable("a step that uses a variable of a rejected step, or whose result varies")
                is_call = new_results and _is_call(source, path)
                translation = (plain if is_call else self.translator).translate(source, scope)
                if re.match(r"(?:import|from)\s", source):
                    continue
                if sum(isinstance(node, ast.Expr) for node in ast.parse(source).body) > 1:
                    raise Untranslatable("several results in one line, of which only the last would be shown")
                value, output = _evaluate(translation.body, here)
                original, _ = _evaluate(source, there)
                differs = _is_inexact(source) or bool(reads & inexact)
                inexact = inexact | written if differs else inexact - sets
                step_code, printed = _round_result(translation.body, value, output, differs)
                if new_results and own in translation.body and not is_call:
                    raise Untranslatable("a step that is not about the function as it is here")
                if (
                    self._same(path, value, original) is is_call
                    or self._noisy(value, printed)
                    or (is_call and differs and path not in REAL and self._cancels(value, source, here, reads))
                    or self._unfit(path, step_code, printed)
                ):
                    raise Untranslatable("a value that differs from NumPy's, or one that cannot be shown")
            except Exception:  # a step that raises anything is not shown
                lost |= written
                continue
            lost -= sets
            shows = re.search(rf"{re.escape(own)}\b", translation.body) is not None or bool(reads & taking_part)
            if shows:
                taking_part |= sets if output else written
            runs.append(_Run(step_code, printed, reads, changes, sets, translation.imports, shows))
        return runs

    def _noisy(self, value: Any, output: str) -> bool:
        """Whether a result shows a rounding error instead of zero, or a memory address."""
        sizes = [abs(part) for part in _floats(value, self.array_type)]
        largest = max(sizes, default=0.0)
        return NOISE.search(output) is not None or any(0 < size < REMAINDER * largest for size in sizes)

    def _cancels(self, value: Any, source: str, variables: Mapping[str, Any], reads: Iterable[str]) -> bool:
        """Whether a result computed from numbers with digits has a zero, where another machine may have a rounding
        error."""
        read = [variables.get(name) for name in reads]
        digits = re.search(r"\d\.\d", source) or not all(map(float.is_integer, _floats(read, self.array_type)))
        return bool(digits) and 0.0 in _floats(value, self.array_type)

    def _unfit(self, path: str, code: str, output: str) -> bool:
        if LONG.search(output) or len(output.splitlines()) > MOST_LINES or len(output) > 500 or len(code) > 400:
            return True
        signature = self.names.signature(catalog.by_any_name()[path])  # its parameters are not leaks: `where=`, `copy=`
        return bool(leaks.find(f"`{self.names.forged(path)}{signature}`\n```\n{code}\n{output}\n```", self.names))

    def _same(self, path: str, forged: Any, original: Any) -> bool:
        if catalog.by_any_name()[path].subject == "text":
            return True  # the world formats arrays in its own way
        if isinstance(original, np.dtype):
            return bool(forged == word(original))
        return bool(comparable(forged, self.array_type) == comparable(original, np.ndarray))

    def _again(self, steps: Iterable[Example]) -> list[str] | None:
        session = ExampleSession(self.names.package, self.library)
        try:
            return [session.run(step.code) for step in steps]
        except Exception:
            return None


def _is_call(source: str, path: str) -> bool:
    """Whether a step is a call to the function and does not use it anywhere else."""
    match ast.parse(source).body:
        case [ast.Expr(value=ast.Call(func=function))]:
            return ast.unparse(function) == f"np.{path}" and source.count(f"np.{path}(") == 1
    return False


def without_comments(source: str) -> str:
    """Return the step without its comments, which come from the source library."""
    import tokenize

    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source + "\n").readline))
    except (tokenize.TokenError, IndentationError):
        return source
    lines = source.splitlines()
    for token in reversed(tokens):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return re.sub(r"\n\s*\)$", ")", "\n".join(line for line in lines if line.strip()))


def _round_result(code: str, value: Any, output: str, inexact: bool) -> tuple[str, str]:
    """Round a single number whose last digits differ between machines, even if they are not visible on this one. Return
    the code and its output.

    Arrays need no rounding, since they print 8 digits, and neither does zero. Small numbers would lose too many digits.
    """
    if type(value) is not float or "\n" in code or code.startswith("round("):
        return code, output
    if not (inexact and SMALL <= abs(value) < math.inf) and not LONG.search(output):
        return code, output
    return f"round({code}, 8)", repr(round(value, 8))


@cache
def _is_inexact(source: str) -> bool:
    """Whether a step uses a function or an operator whose last digits differ between machines."""
    if re.search(r"@|\*\*|\bmath\.(?!pi\b|e\b|inf\b|nan\b)", source):
        return True
    known = catalog.by_any_name()
    paths = re.findall(r"\bnp\.([a-z_]\w*(?:\.[a-z_]\w*)?)", source)
    return any(path in known and known[path].subject in INEXACT for path in paths)


def _floats(value: Any, array_type: type) -> Iterator[float]:
    """Yield every finite non-integer number in a result, and both parts of complex ones."""
    if isinstance(value, array_type):
        yield from _floats(value.tolist(), array_type)  # type: ignore[attr-defined]
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _floats(part, array_type)
    elif isinstance(value, complex):
        yield from _floats([value.real, value.imag], array_type)
    elif isinstance(value, float) and math.isfinite(value):
        yield value


def _evaluate(code: str, namespace: dict[str, Any]) -> tuple[Any, str]:
    """Run a step as the interactive prompt does. Return the value of its last expression, and what is printed."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        exec(compile(tree, "<example>", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<example>", "eval"), namespace)
        text = printed.getvalue() + (repr(value) if value is not None else "")
    return value, text.rstrip("\n")


def _variables(source: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the variables that a step reads, changes in place, and binds."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return frozenset(), frozenset(), frozenset()
    reads, sets, changes = set[str](), set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (reads if isinstance(node.ctx, ast.Load) else sets).add(node.id)
        elif isinstance(node, ast.FunctionDef):
            sets.add(node.name)
        elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            changes |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            changes.add(node.target.id)
            reads.add(node.target.id)
    calls = [n.value for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
    for call in calls:  # a call may change what it is given; whether it did is not known
        changes |= {a.id for a in call.args if isinstance(a, ast.Name)}
    return frozenset(reads), frozenset(changes - sets), frozenset(sets - changes)


def _select_runs(runs: Sequence[_Run], most: int) -> list[_Run]:
    """Select the first results that show the function, each preceded by the steps it needs."""
    results: list[int] = []
    size = 0
    for i, run in enumerate(runs):
        if run.shows and run.output and len(results) < most:
            grown = size + len(run.code) + len(run.output)
            if results and grown > MOST_CHARACTERS:
                continue
            if any(runs[j].code == run.code and runs[j].output == run.output for j in results):
                continue
            results.append(i)
            size = grown
    kept, needed = set(results), set[str]()
    for i in range(max(results, default=-1), -1, -1):
        run = runs[i]
        silent_change = bool(run.changes & needed) and not run.output
        if i in kept or run.sets & needed or silent_change:
            kept.add(i)
            needed = (needed - run.sets) | run.reads | run.changes
    return [runs[i] for i in sorted(kept)]

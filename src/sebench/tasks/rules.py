"""The rules that every task in the bank must follow, for its code and for its language.

Each rule is a small function that yields what is wrong. Whether a question reads well is for people to judge; these
rules catch what a program can detect.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache

from sebench.bank.definition import Definition
from sebench.forge.catalog import backend, catalog
from sebench.forge.names import hidden_text
from sebench.tasks import gold
from sebench.tasks.core import CONSTRUCTION

STATEMENTS = {"single": 6, "transfer": 6, "multi": 8, "plan": 14}  # in a gold (reference) solution
ONE_FUNCTION = ("single", "transfer")  # the parts whose tasks are about one function
COMPOSED = 3  # functions in a multi-function task
FEWER = 0.1  # share of multi-function tasks that may have fewer without an operator, indexing or construction form
PLANNED = (4, 8)  # functions without such a form in a plan task
WORDS = {"single": (12, 110), "transfer": (12, 120), "multi": (12, 120), "plan": (30, 190)}  # of a question
QUOTED = 8  # consecutive words that a question may not share with the documentation of its functions

BUILTINS = frozenset(
    "len range list tuple dict set zip enumerate int float bool str complex slice True False None".split()
)
ATTRIBUTES = frozenset({"shape", "ndim", "size", "T"})
# Names of functions that are also everyday words of English: the question of a single-function task may use them.
EVERYDAY = frozenset(
    "all any where real place add take put round full select choose power size shape square less greater equal "
    "array split "
    "pad block sign repeat insert delete append extract angle sort sum clip resize roll floor inner outer cross "
    "degrees "
    "radians resize squeeze unique diagonal inverse unwrap trace flip log invert".split()
)  # fmt: skip
UNITS = frozenset({"degrees", "radians"})  # units of angles: every question may use them


def violations(definition: Definition) -> Iterator[str]:
    """Yield every rule that a task breaks, as a sentence."""
    yield from code_violations(definition)
    yield from language_violations(definition)


def code_violations(definition: Definition) -> Iterator[str]:
    """Yield the code rules that a task's gold breaks."""
    for rule in (_functions, _statements, _names):
        yield from rule(definition)


def language_violations(definition: Definition) -> Iterator[str]:
    """Yield the language rules that a task's question breaks."""
    for rule in (_question, _names_no_function, _quotes_nothing):
        yield from rule(definition)


def _functions(definition: Definition) -> Iterator[str]:
    used = gold.functions(definition.source)
    if definition.part == "multi":
        if len(used) < COMPOSED:
            yield (
                f"a multi-function task must use at least {COMPOSED} functions; this one uses "
                f"{', '.join(used) or 'none'}"
            )
        return
    if definition.part == "plan":
        count = len(without_form(definition.source))
        if not PLANNED[0] <= count <= PLANNED[1]:
            yield (
                f"a plan task must use {PLANNED[0]} to {PLANNED[1]} functions that no operator, indexing or array "
                f"construction can replace; this one uses {count}"
            )
        return
    known = catalog.by_any_name()
    helped = any(known[path].inplace or known[path].needs_array for path in used)
    work = [path for path in used if path != "array"] if helped and len(used) > 1 else list(used)
    if len(work) != 1:
        yield f"a single-function task must use exactly one function; this one uses {', '.join(work) or 'none'}"


def without_form(source: str) -> tuple[str, ...]:
    """Return the functions of a gold solution that no operator, indexing or construction can replace."""
    known = catalog.by_any_name()
    return tuple(path for path in gold.functions(source) if not known[path].form and path not in CONSTRUCTION)


def subject(definition: Definition) -> str:
    """Return the function that a single-function task is about."""
    used = gold.functions(definition.source)
    return next((path for path in used if path != "array"), used[0])


def _statements(definition: Definition) -> Iterator[str]:
    tree = ast.parse(definition.source).body[-1]
    assert isinstance(tree, ast.FunctionDef)
    count = sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - 1
    if count > STATEMENTS[definition.part]:
        yield f"gold has {count} statements; at most {STATEMENTS[definition.part]} are allowed"
    if not isinstance(tree.body[-1], ast.Return):
        yield "gold must end with a return statement"
    if any(isinstance(node, ast.For | ast.While | ast.Lambda | ast.If | ast.Try) for node in ast.walk(tree)):
        path = subject(definition) if definition.part in ONE_FUNCTION else ""
        if not (path and catalog.by_any_name()[path].callbacks):
            yield "gold has a loop, a lambda or a branch; let functions do the work"


def _names(definition: Definition) -> Iterator[str]:
    tree = ast.parse(definition.source)
    bound = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in bound | BUILTINS | {"np"}:
            yield f"gold uses '{node.id}'; only its parameters, np and {', '.join(sorted(BUILTINS))} are allowed"
        if isinstance(node, ast.Attribute):
            path = gold.numpy_path(node)
            if path is None and node.attr not in ATTRIBUTES:
                fields = {f for p in gold.functions(definition.source) for f in catalog.by_any_name()[p].fields}
                if node.attr not in fields:
                    yield f"gold uses the attribute '.{node.attr}', which forged arrays do not have"
            elif (
                path and path not in catalog.by_any_name() and not gold.is_value(path) and path not in ("linalg", "fft")
            ):
                yield f"gold uses np.{path}, which is not in the catalog"
    for path in gold.functions(definition.source):
        if catalog.by_any_name()[path].mapping_only:
            yield f"gold uses np.{path}, which seeded worlds do not have"


def _question(definition: Definition) -> Iterator[str]:
    question = definition.question
    count = len(question.split())
    fewest, most = WORDS[definition.part]
    if not fewest <= count <= most:
        yield f"the question has {count} words; {fewest} to {most} are required"
    if not question.endswith((".", "?", ")")):
        yield "the question must end with '.', '?' or ')'"
    if not re.search(r"\breturns?\b", question, re.I):
        yield "the question does not say what to return"
    for name in definition.inputs:
        if f"`{name}`" not in question:
            yield f"the question does not mention `{name}` (in backticks)"
    if other := [text for text in re.findall(r"`([^`]*)`", question) if text not in definition.inputs]:
        yield f"the question has `{other[0]}` in backticks, which is not a parameter"
    if marks := re.search(r"\*\*|>>>|-{3,}|:(?:param|returns?|rtype)\b", question):
        yield f"the question has {marks[0]!r}; it must be plain text, without headings and examples"
    if signs := hidden_text.suspicious_characters(question):
        yield f"the question has {signs[0]!r}, which may look like another character; use plain letters"
    if re.search(r"(?i)numpy|\bnp\.|\barrays?\b|\bndarray\b|\baxis\b|\bdtype\b", hidden_text.visible_text(question)):
        yield "the question mentions NumPy, arrays, axis or dtype; say lists, rows, columns, whole numbers"
    if not definition.name.isidentifier() or not re.fullmatch(r"[a-z][a-z0-9_]{2,40}", definition.name):
        yield "the name must be lower-case letters, digits and underscores"


def _names_no_function(definition: Definition) -> Iterator[str]:
    prose = hidden_text.visible_text(re.sub(r"`[^`]*`", " ", definition.question)).lower()
    words = set(re.findall(r"[a-z0-9_]+", prose))
    words -= EVERYDAY if definition.part == "single" else UNITS
    for path in gold.functions(definition.source):
        name = path.rpartition(".")[2]
        if name in words:
            yield f"the question names the function '{name}'"
        if definition.name == name:
            yield f"the task has the same name as the function '{name}'"


def _quotes_nothing(definition: Definition) -> Iterator[str]:
    for path in gold.functions(definition.source):
        shared = _grams(definition.question) & _documentation(path)
        if shared:
            yield f"the question quotes the documentation of {path}: '{' '.join(min(shared))}'"


def _grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {tuple(words[i : i + QUOTED]) for i in range(len(words) - QUOTED + 1)}


@cache
def _documentation(path: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_grams(inspect.getdoc(backend.get(path)) or ""))

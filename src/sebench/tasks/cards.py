"""Makes the card of a task: facts and figures about what it requires, with the world's names.

Everything is derived from gold (the reference solution) except the difficulty, which was measured: the share of
reference answers (written with access to the documentation) that were not both right and credited at the first attempt,
from `bank/difficulty.toml`. A task without reference answers has no difficulty.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from sebench.bank.definition import Definition
from sebench.base.records import TaskCard, Usage
from sebench.forge.catalog import catalog, signature
from sebench.forge.docs import parameter_renaming
from sebench.forge.names.naming import Names
from sebench.tasks import edits, rules, transfer


def card(definition: Definition, names: Names, pages: Mapping[str, str]) -> TaskCard:
    """Make the card of a task in a world with these names. `pages` maps forged paths to the world's pages."""
    tree = ast.parse(definition.source).body[-1]
    assert isinstance(tree, ast.FunctionDef)
    return TaskCard(
        tier=definition.part,
        options=tuple(dict.fromkeys(_options(tree, names))),
        needed=len(rules.without_form(definition.source)),
        statements=sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - 1,
        usage=_usage(definition, names, pages),
        difficulty=difficulty(definition.name),
    )


def _options(tree: ast.AST, names: Names) -> Iterator[str]:
    """Yield the optional parameters that gold sets, as "function.parameter"."""
    for call, path in edits.calls(tree):
        forged = signature.read(catalog.by_any_name()[path].signature)
        supplied = (*forged.positional[: len(call.args)], *(k.arg for k in call.keywords))
        for name in supplied:
            if name in forged.defaults:
                yield f"{names.functions[names.find(path) or path]}.{names.parameter(name)}"


def _usage(definition: Definition, names: Names, pages: Mapping[str, str]) -> Usage | None:
    if not definition.usage:
        return None
    path = rules.subject(definition)
    forged = names.functions[path]
    parameter = names.parameter(transfer.parameter(definition.usage, path))
    fact = re.sub(r"(?<=')[^']*(?=')", lambda word: names.word(word.group()), definition.usage)
    fact = re.sub(r"^\w+", lambda name: names.parameter(name.group()), fact)
    return Usage(forged, parameter, fact, parameter_renaming.quote_in_world(definition.page, pages[forged], names))


def difficulty(name: str) -> float | None:
    """Return the share of reference answers to a task that failed at the first attempt; None if there are no
    answers."""
    right, answers = _answer_counts().get(name, (0, 0))
    return (answers - right) / answers if answers else None


@cache
def _answer_counts() -> Mapping[str, tuple[int, int]]:
    text = (resources.files("sebench.bank") / "difficulty.toml").read_text("utf-8")
    return {name: (right, answers) for name, (right, answers) in tomllib.loads(text)["answers"].items()}

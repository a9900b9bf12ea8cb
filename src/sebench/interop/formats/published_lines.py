"""Lines of the published rollout JSONL: a task with its cases, and a response.

A printed result that was truncated becomes an `Unreadable` expected value, which no answer equals. Anything else that
cannot be parsed is a ValueError.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

from sebench.base.extract import extract
from sebench.base.records import Case, Task
from sebench.base.syntax import functions, parse
from sebench.forge.names.naming import Names
from sebench.values.literals import parse_call, parse_inputs, parse_printed
from sebench.values.tagged import Unreadable

_Function = ast.FunctionDef | ast.AsyncFunctionDef

PRINTED_ATOL = 1e-6  # for numbers near 1: NumPy prints eight digits of them


def read_line(obj: dict[str, Any], number: int, names: Names | None = None) -> tuple[Task, str, str]:
    """A line of the published rollout JSONL: the task, the response, and the line's id. With `names`, the functions
    that the line lists are looked up in a world; unknown ones are ignored."""
    name = str(obj.get("id", f"line {number}"))
    response, query = _field(obj, "response", number), _field(obj, "query", number, "")
    tests = obj.get("test_cases")
    if not isinstance(tests, list) or not tests:
        raise ValueError(f"line {number}: 'test_cases' is not a list of cases")
    for i, test in enumerate(tests):
        if not isinstance(test, dict) or not isinstance(test.get("input"), str) or "output" not in test:
            raise ValueError(f"line {number}, case {i}: 'input' is not a string, or there is no 'output'")
    try:
        signature = _field(obj, "function_name", number, "")
        entry, parameters = (
            _signature(signature) if signature else _guess(response, query, parse_call(tests[0]["input"]))
        )
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from None
    cases: list[Case] = []
    sizes: list[float] = []  # of numbers that were rounded when printed
    for i, test in enumerate(tests):
        try:
            expected, rounded = _expected(test["output"])
            cases.append(Case(parse_inputs(test["input"], parameters), expected))
        except ValueError as error:
            raise ValueError(f"line {number}, case {i}: {error}") from None
        sizes.extend(_sizes(expected) if rounded else ())
    selected = obj.get("selected_functions")
    known = [names.find(str(f)) for f in selected] if names is not None and isinstance(selected, list) else []
    task = Task(
        id=name,
        question=query,
        entry=entry,
        parameters=parameters if signature and parameters else tuple(cases[0].inputs),
        cases=tuple(cases),
        functions=tuple(dict.fromkeys(f for f in known if f is not None)),
        atol=_atol(sizes),
    )
    return task, response, name


def _field(obj: dict[str, Any], key: str, number: int, default: str | None = None) -> str:
    value = obj.get(key, default)
    if isinstance(value, str):
        return value
    raise ValueError(f"line {number}: " + (f"{key!r} is not a string" if key in obj else f"there is no {key!r}"))


def _expected(output: Any) -> tuple[Any, bool]:
    if not isinstance(output, str):
        return output, False
    try:
        return parse_printed(output)
    except ValueError as error:
        return Unreadable(str(error)), False


def _sizes(value: Any) -> Iterator[float]:
    """The absolute values of the finite numbers that a value holds."""
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _sizes(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _sizes(item)
    elif isinstance(value, float | complex) and isfinite(abs(value)):
        yield abs(value)


def _atol(sizes: Sequence[float]) -> float:
    """The absolute tolerance for numbers of these sizes, rounded to eight decimals, or digits where they are tiny."""
    largest = max(sizes, default=0.0)
    return max(Task.atol, 1e-8 if largest >= 1e-4 else 0.0, PRINTED_ATOL * min(1.0, largest))


def _signature(text: str) -> tuple[str, tuple[str, ...]]:
    """Name and parameters of "def solve(a, k=3):", of "solve(a, k)" or of "solve"."""
    head = text.strip().removesuffix(":").rstrip()
    for code in (text.strip(), f"{head}: pass", f"def {head}: pass"):
        tree = parse(code)
        function = next(functions(tree.body), None) if isinstance(tree, ast.Module) else None
        if function:
            return function.name, _parameters(function)
    if not head.isidentifier():
        raise ValueError(f"'function_name' {_short(text)} names no function")
    return head, ()


def _parameters(function: _Function) -> tuple[str, ...]:
    return tuple(a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs))


def _guess(response: str, query: str, call: ast.Call) -> tuple[str, tuple[str, ...]]:
    """The entry point of a line that does not name one.

    The last function of the program that accepts the arguments of the cases and that no other such function uses (a
    helper may come after the main function); a function whose signature is in the question takes precedence.
    """
    tree = extract(response, "solve").tree
    defined = list(functions(tree.body)) if tree else []
    fitting = [f for f in defined if _takes(f, call)] or defined
    used = {n.id for f in fitting for n in ast.walk(f) if isinstance(n, ast.Name) and n.id != f.name}
    main = [f for f in fitting if f.name not in used] or fitting
    named_in_question = [f for f in fitting if re.search(rf"\bdef\s+{re.escape(f.name)}\s*\(", query)]
    if not main:
        return "solve", ()
    chosen = (named_in_question or main)[-1]
    return chosen.name, _parameters(chosen)


def _takes(function: _Function, call: ast.Call) -> bool:
    """Whether the function can be called with these arguments."""
    arguments = function.args
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    passed_names = {*positional[: len(call.args)], *(k.arg for k in call.keywords)}
    optional = positional[len(positional) - len(arguments.defaults) :]
    optional += [a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    return (
        (len(call.args) <= len(positional) or arguments.vararg is not None)
        and (passed_names <= set(_parameters(function)) or arguments.kwarg is not None)
        and set(_parameters(function)) - set(optional) <= passed_names
    )


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "...")

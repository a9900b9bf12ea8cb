"""Lines of the published JSONL: a task with its cases, and in rollouts a response.

    query                the question
    function_name        the signature to complete: "def solve(a, axis=0):"
    example, test_cases  calls: {"input": "a=[1, 2], axis=0", "output": "[1, 2]"}; the outputs may be wrong
    right_exe_result     the expected values: the printed results of all cases, joined by "#"
    selected_functions   NumPy names; those of sub-modules are written without their module ("solve")
    example_output       its first item is a NumPy solution
    1func_query_id, is_valid, right_code, major_vote_response_dict, and any other field: kept, not read

A line without `right_exe_result` is scored by the outputs of its cases. A printed result that was truncated becomes an
`Unreadable` expected value, which no answer equals. Anything else that cannot be parsed is a ValueError.

Not covered: whether the NumPy solution is right (`published.py` asks the judge).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.extract import extract
from sebench.base.records import Case, CoreFunction, Task
from sebench.base.syntax import functions, parse
from sebench.base.wording import counted
from sebench.forge.catalog import catalog
from sebench.forge.names.naming import Names
from sebench.forge.translate.normalize import translate_program
from sebench.forge.translate.translate import Translator, Untranslatable
from sebench.tasks.core import alternatives, core_paths
from sebench.values.literals import parse_call, parse_inputs, parse_printed, quote_short
from sebench.values.tagged import Unreadable

_Function = ast.FunctionDef | ast.AsyncFunctionDef

PRINTED_ATOL = 1e-6  # for numbers near 1, of which NumPy prints eight digits
NUMPY = ("np", "numpy", "")  # may be listed in place of a function; ignored
_FENCED = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
_QUOTED_OR_MARK = re.compile(r"""'(?:[^'\\\n]|\\.)*+'|"(?:[^"\\\n]|\\.)*+"|\#""")


def numbered(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers."""
    try:
        stream = file.open("rb")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from None
    with stream:
        yield from ((number, raw) for number, raw in enumerate(stream, 1) if raw.strip())


def read_object(raw: bytes) -> dict[str, Any]:
    """Parse a line that must be a JSON object."""
    try:
        data = json.loads(raw)
    except json.JSONDecodeError as error:  # its own text begins with a line number, always 1
        raise ValueError(f"it is not JSON: {error.msg} (character {error.colno})") from None
    if not isinstance(data, dict):
        raise ValueError("it is not a JSON object")
    return data


def read_line(obj: Mapping[str, Any], number: int, names: Names | None = None) -> tuple[Task, str, str]:
    """Parse a line with a response; return the task, the response, and the line's name."""
    response = _field(obj, "response")
    return read_task(obj, names, response), response, str(obj.get("id", f"line {number}"))


def read_task(obj: Mapping[str, Any], names: Names | None = None, response: str | None = None) -> Task:
    """Parse the task in a line. With `names` of a world, its functions are those of that world, and gold is its NumPy
    solution translated into the names of that world, if possible. A line with a response is only to be judged, so it
    may list functions that the world lacks, and a missing signature can be guessed."""
    query, signature = _field(obj, "query", ""), _field(obj, "function_name", "")
    tests = obj.get("test_cases")
    if not isinstance(tests, list) or not tests:
        raise ValueError("'test_cases' is not a list with at least one case")
    for i, test in enumerate(tests):
        if not isinstance(test, dict) or not isinstance(test.get("input"), str):
            raise ValueError(f"case {i}: 'input' is not a string")
    entry, parameters, defaults = (
        _signature(signature) if signature else (*_guess(response or "", query, parse_call(tests[0]["input"])), {})
    )
    cases: list[Case] = []
    sizes: list[float] = []  # of numbers that were rounded when printed
    for i, (test, printed) in enumerate(zip(tests, _truths(obj, tests, response is not None), strict=True)):
        try:
            expected, rounded = _expected(printed)
            cases.append(Case(_inputs(test["input"], parameters, defaults), expected))
        except ValueError as error:
            raise ValueError(f"case {i}: {error}") from None
        sizes.extend(_sizes(expected) if rounded else ())
    parameters = parameters if signature and parameters else tuple(cases[0].inputs)
    for i, case in enumerate(cases):
        if different := sorted(set(parameters) ^ case.inputs.keys()):
            raise ValueError(f"case {i}: the argument {different[0]!r} is missing in a call or in the signature")
    golds = translations(reference(obj), entry, names) if names is not None else []
    called = _called(reference(obj), names) if names is not None else ()
    lenient = bool(golds) or response is not None
    listed = _functions(obj.get("selected_functions"), called, names, lenient) if names is not None else ()
    content_parts = [query, signature, [test["input"] for test in tests], obj.get("right_exe_result")]
    digest = sha256(json.dumps(content_parts).encode()).hexdigest()[:12]
    return Task(
        id=str(obj.get("id", f"published_{digest}")),
        question=query,
        entry=entry,
        parameters=parameters,
        cases=tuple(cases),
        functions=listed,
        atol=_atol(sizes),
        examples=_examples(obj.get("example"), parameters, defaults),
        gold=golds[0] if golds else "",
        core=_core(listed, called, names) if names is not None else (),
        published={key: value for key, value in obj.items() if key != "response"},
    )


def content(task: Task) -> str:
    """Return a text that identifies a task by what it asks for, independent of its id."""
    return repr((task.question, task.entry, task.parameters, task.cases))


# ---- the expected values and the calls


def _truths(obj: Mapping[str, Any], tests: Sequence[Mapping[str, Any]], judged: bool) -> list[Any]:
    """Return the expected result of each case: printed text from `right_exe_result`, or else the case's own `output`.
    `right_exe_result` covers all cases or none; if an answer is to be judged, it may cover only the first ones."""
    joined = _field(obj, "right_exe_result", "")
    parts = joined.split("#") if joined.strip() else []
    if len(parts) > len(tests):
        parts = _split_outside_quotes(joined)
    if len(parts) == len(tests) + 1 and not parts[-1].strip():
        parts.pop()
    if len(parts) > len(tests) or (0 < len(parts) < len(tests) and not judged):
        results, cases = counted(len(parts), "result"), counted(len(tests), "case")
        raise ValueError(f"'right_exe_result' has {results}, but 'test_cases' has {cases}")
    for i, test in enumerate(tests[len(parts) :], len(parts)):
        if "output" not in test:
            raise ValueError(f"case {i}: there is no 'output', and no result in 'right_exe_result'")
    return [*parts, *(test["output"] for test in tests[len(parts) :])]


def _split_outside_quotes(joined: str) -> list[str]:
    """Split the results at each "#" outside of quoted text."""
    marks = [match.start() for match in _QUOTED_OR_MARK.finditer(joined) if match.group() == "#"]
    return [joined[a + 1 : b] for a, b in zip([-1, *marks], [*marks, len(joined)], strict=True)]


def _inputs(text: str, parameters: tuple[str, ...], defaults: Mapping[str, ast.expr]) -> dict[str, Any]:
    """Return the arguments of a call, with the signature's defaults for those that it leaves out."""
    inputs = parse_inputs(text, parameters)
    for name, default in defaults.items():
        if name not in inputs:
            inputs |= parse_inputs(f"{name}={ast.unparse(default)}")
    return inputs


def _examples(example: Any, parameters: tuple[str, ...], defaults: Mapping[str, ast.expr]) -> tuple[Case, ...]:
    """Return the example calls. `example` is one object with an input and an output, or maps inputs to outputs."""
    if example is None or example == {}:
        return ()
    if not isinstance(example, dict):
        raise ValueError("'example' is not an object")
    pairs = [(example["input"], example.get("output"))] if "input" in example else list(example.items())
    cases = []
    for text, output in pairs:
        if not isinstance(text, str):
            raise ValueError("'example': 'input' is not a string")
        value, _ = _expected(output)
        with suppress(ValueError):  # it is only shown
            cases.append(Case(_inputs(text, parameters, defaults), output if isinstance(value, Unreadable) else value))
    return tuple(cases)


# ---- functions and the NumPy solution


def reference(obj: Mapping[str, Any]) -> str:
    """Return the NumPy solution; "" if there is none."""
    solutions = obj.get("example_output")
    source = solutions[0] if isinstance(solutions, list) and solutions and isinstance(solutions[0], str) else ""
    fenced = _FENCED.search(source)
    return fenced[1] if fenced and not isinstance(parse(source), ast.Module) else source


def translations(source: str, entry: str, names: Names) -> list[str]:
    """Return a NumPy solution in a world's names, twice: translated with its layout, and normalized. The first may miss
    array methods, which the second finds at run time."""
    tree = parse(source)
    if not isinstance(tree, ast.Module) or entry not in {function.name for function in functions(tree.body)}:
        return []
    programs: dict[str, None] = {}
    for translate in (Translator(names).code, partial(translate_program, names=names)):
        try:
            programs.setdefault(f"{translate(source).strip()}\n")
        except (Untranslatable, SyntaxError, ValueError, RecursionError):
            continue
    return list(programs)


def _functions(selected: Any, called: tuple[str, ...], names: Names, lenient: bool) -> tuple[str, ...]:
    """Return the paths of the functions that a line lists or, if it lists none, of those that its solution calls. A
    name that the world lacks is an error unless `lenient`."""
    paths = []
    for name in map(str, selected if isinstance(selected, list) else ()):
        if (path := _function(name, called, names)) is not None:
            paths.append(path)
        elif name not in NUMPY and not lenient:
            raise ValueError(f"the world has no function {name!r}")
    return tuple(dict.fromkeys(paths)) or called


def _core(functions: tuple[str, ...], called: tuple[str, ...], names: Names) -> tuple[CoreFunction, ...]:
    """Return the core of the task: those of its functions that cannot also be written as an operator, an indexing
    expression or an array construction (`form` in the catalog), under the names that its solution uses."""
    entries = catalog.by_any_name()
    by_entry = {entries[path].path: path for path in reversed(called)}
    paths = core_paths(functions, entries)
    own = tuple(dict.fromkeys(path if path in called else by_entry.get(entries[path].path, path) for path in paths))
    others = {path: (other for other in alternatives("", path, own) if other in names.functions) for path in own}
    return tuple(CoreFunction(path, tuple(others[path]), everywhere=True) for path in own)


def _function(name: str, called: Sequence[str], names: Names) -> str | None:
    """Return the path of a listed function. A bare name may belong to a sub-module: the function that the solution
    calls takes precedence, then the one in the main module."""
    bare = name.removeprefix("numpy.").removeprefix("np.")
    known = [path for path in (names.find(bare), *names.functions) if path and bare in (path, path.rpartition(".")[2])]
    main = [path for path in (names.find(bare),) if path]
    return next(iter([*(path for path in known if path in called), *main, *known]), None)


def _called(source: str, names: Names) -> tuple[str, ...]:
    """Return the world's functions that a NumPy program uses, in order of first use."""
    tree = parse(source)
    if not isinstance(tree, ast.Module):
        return ()
    modules = {"np": "", "numpy": ""}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top, _, below = alias.name.partition(".")
                if top == "numpy":
                    modules[alias.asname or top] = below if alias.asname else ""
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "numpy":
            below = (node.module or "").partition(".")[2]
            modules |= {one.asname or one.name: f"{below}.{one.name}".strip(".") for one in node.names}
    ordered = sorted(
        (node for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name)),
        key=lambda node: (node.lineno, node.col_offset, -(node.end_col_offset or 0)),
    )
    paths = (_path(node, modules) for node in ordered)
    return tuple(dict.fromkeys(path for one in paths if one and (path := names.find(one)) is not None))


def _path(node: ast.AST, modules: Mapping[str, str]) -> str | None:
    """Return the path of an expression such as `np.linalg.det` ("linalg.det"); None if it is not from NumPy."""
    if isinstance(node, ast.Name):
        return modules.get(node.id)
    if isinstance(node, ast.Attribute) and (base := _path(node.value, modules)) is not None:
        return f"{base}.{node.attr}".strip(".")
    return None


def _field(obj: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = obj.get(key, default)
    if isinstance(value, str):
        return value
    raise ValueError(f"{key!r} is not a string" if key in obj else f"there is no {key!r}")


def _expected(output: Any) -> tuple[Any, bool]:
    if not isinstance(output, str):
        return output, False
    try:
        return parse_printed(output)
    except ValueError as error:
        return Unreadable(str(error)), False


def _sizes(value: Any) -> Iterator[float]:
    """Yield the absolute values of the finite numbers in a value."""
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _sizes(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _sizes(item)
    elif isinstance(value, float | complex) and isfinite(abs(value)):
        yield abs(value)


def _atol(sizes: Sequence[float]) -> float:
    """Return the absolute tolerance for numbers of these sizes that were printed with eight decimals, or eight digits
    if they are tiny."""
    largest = max(sizes, default=0.0)
    return max(Task.atol, 1e-8 if largest >= 1e-4 else 0.0, PRINTED_ATOL * min(1.0, largest))


def _signature(text: str) -> tuple[str, tuple[str, ...], dict[str, ast.expr]]:
    """Return the name, parameters and defaults in "def solve(a, k=3):", "solve(a, k)" or "solve"."""
    head = text.strip().removesuffix(":").rstrip()
    for code in (text.strip(), f"{head}: pass", f"def {head}: pass"):
        tree = parse(code)
        function = next(functions(tree.body), None) if isinstance(tree, ast.Module) else None
        if function:
            return function.name, _parameters(function), _defaults(function.args)
    if not head.isidentifier():
        raise ValueError(f"'function_name' {quote_short(text)} does not name a function")
    return head, (), {}


def _defaults(arguments: ast.arguments) -> dict[str, ast.expr]:
    positional = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None]
    return {argument.arg: default for argument, default in pairs}


def _parameters(function: _Function) -> tuple[str, ...]:
    return tuple(a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs))


def _guess(response: str, query: str, call: ast.Call) -> tuple[str, tuple[str, ...]]:
    """Return the entry point, with its parameters, for a line that does not name one.

    It is the last function in the program that accepts the arguments of the cases and that no other such function uses
    (a helper may come after the main function); a function whose signature is in the question takes precedence.
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

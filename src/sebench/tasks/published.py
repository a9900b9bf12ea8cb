"""The published task format: export a world's tasks to it, and read published tasks into ours.

A line there has `query`, `function_name` (the signature to complete), `example` ({input: output}), `test_cases`, `right_exe_result` (the outputs
joined by "#"), `selected_functions` (original names) and `is_valid`. Inputs are argument text, outputs printed text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.forge import catalog
from sebench.forge.naming import Names
from sebench.judge import published
from sebench.judge.values import Unreadable
from sebench.records import Case, Task
from sebench.tasks.dataset import arguments


def to_published(task: Task) -> dict[str, Any]:
    """A task as a line of the published format."""
    return {
        "id": task.id,
        "query": task.question,
        "function_name": task.signature,
        "example": {arguments(case.inputs): repr(case.expected) for case in task.examples},
        "test_cases": [{"input": arguments(case.inputs), "output": repr(case.expected)} for case in task.cases],
        "right_exe_result": "#".join(repr(case.expected) for case in task.cases),
        "selected_functions": list(task.functions),
        "is_valid": True,
    }


def read_published(file: Path, names: Names, split: str) -> tuple[list[Task], list[str]]:
    """The tasks of a published file, and what is wrong with the lines that cannot be used.

    A function that the world does not have makes the whole file unusable: it belongs to another mapping.
    """
    tasks: list[Task] = []
    bad: list[str] = []
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if not isinstance(data, dict):
                raise ValueError("is no object")
            functions = tuple(_function(str(name), names) for name in data.get("selected_functions", ()))
            tasks.append(_task(data, number, functions, split))
        except LookupError as error:
            raise ConfigError(f"{file}, line {number}: {error.args[0]}; is it the mapping of this data?") from None
        except (ValueError, TypeError, RecursionError) as error:
            bad.append(f"line {number}: {error}")
    return tasks, bad


def _task(data: Mapping[str, Any], number: int, functions: tuple[str, ...], split: str) -> Task:
    read, _, name = published.read_line({**data, "response": ""}, number)
    unreadable = next((c.expected for c in read.cases if isinstance(c.expected, Unreadable)), None)
    if unreadable is not None:
        raise ValueError(f"an expected value is not known: {unreadable.reason}")
    shown = data.get("example") or {}
    if not isinstance(shown, dict):
        raise ValueError("'example' is no object")
    examples = tuple(
        Case(published.parse_inputs(str(given), read.parameters), published.parse_output(str(printed)))
        for given, printed in shown.items()
    )
    return Task(
        id=name.replace(" ", "_"),
        question=read.question,
        entry=read.entry,
        parameters=read.parameters,
        cases=read.cases,
        functions=functions,
        atol=read.atol,
        split=split,
        examples=examples,
    )


def _function(name: str, names: Names) -> str:
    """The path of a function that published data names: "mean", "numpy.linalg.solve"."""
    path = name.removeprefix("numpy.").removeprefix("np.")
    if path in names.functions:
        return path
    entry = catalog.by_any_name().get(path)
    found = next((p for p in (entry.path, *entry.aliases) if p in names.functions), None) if entry else None
    if found is None:
        raise LookupError(f"this world has no function '{name}'")
    return found


def write_lines(file: Path, lines: Iterable[Mapping[str, Any]]) -> int:
    """Write a JSONL file whole or not at all; how many lines it has."""
    text = [f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines]
    partial = file.with_name(f".{file.name}.partial")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text("".join(text), "utf-8")
        partial.replace(file)
    except OSError as error:
        raise ConfigError(f"{file} cannot be written: {error.strerror}; choose another --out") from None
    return len(text)

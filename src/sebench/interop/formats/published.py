"""The published task format: export a world's tasks to it, and read published tasks into ours.

A line there has `query`, `function_name` (the signature to complete), `example` ({input: output}), `test_cases`,
`right_exe_result` (the outputs joined by "#"), `selected_functions` (original names) and `is_valid`. Inputs are
argument text, outputs printed text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import Case, Task
from sebench.forge.names.naming import Names
from sebench.interop.formats import published_lines as published
from sebench.tasks.dataset import arguments
from sebench.values.literals import parse_inputs, parse_output
from sebench.values.tagged import Unreadable


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
    """The tasks of a published file, and an error for each unusable line.

    A function that the world lacks makes the whole file unusable: it belongs to another mapping.
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
                raise ValueError("it is not an object")
            functions = tuple(_function(str(name), names) for name in data.get("selected_functions", ()))
            tasks.append(_task(data, number, functions, split))
        except LookupError as error:
            raise ConfigError(
                f"{file}, line {number}: {error.args[0]}; build a world from the mapping of this data"
            ) from None
        except (ValueError, TypeError, RecursionError) as error:
            bad.append(f"line {number}: {error}")
    return tasks, bad


def _task(data: Mapping[str, Any], number: int, functions: tuple[str, ...], split: str) -> Task:
    read, _, name = published.read_line({**data, "response": ""}, number)
    unreadable = next((c.expected for c in read.cases if isinstance(c.expected, Unreadable)), None)
    if unreadable is not None:
        raise ValueError(f"an expected value cannot be read: {unreadable.reason}")
    example_outputs = data.get("example") or {}
    if not isinstance(example_outputs, dict):
        raise ValueError("'example' is not an object")
    examples = tuple(
        Case(parse_inputs(str(inputs), read.parameters), parse_output(str(printed)))
        for inputs, printed in example_outputs.items()
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
    """The path of a function that published data names."""
    path = names.find(name)
    if path is None:
        raise LookupError(f"this world has no function '{name}'")
    return path

"""Lines in the exact format of the published data, written for the tests."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FIELDS = (
    "selected_functions",
    "query",
    "test_cases",
    "example_output",
    "1func_query_id",
    "function_name",
    "example",
    "major_vote_response_dict",
    "is_valid",
    "right_exe_result",
    "right_code",
)
MAPPING: Mapping[str, Any] = {
    "main": {
        "array": "yitaf",
        "mean": "kocito",
        "amax": "qawiz",
        "max": "vubol",
        "sort": "pefis",
        "cumsum": "rigob",
        "cross": "zudam",
        "subtract": "lofip",
        "trapz": "xoxunig",
    },
    "linalg": {"det": "kebav", "cross": "mosul", "solve": "sarik"},
    "package": "zwc",
    "array": "ZWCArray",
    "modules": {"linalg": "rfx"},
}


def line(
    functions: list[str],
    body: str,
    calls: Mapping[str, str],
    number: int = 0,
    signature: str = "def solve(a):",
    **more: Any,
) -> dict[str, Any]:
    """A line: `calls` are the printed results by argument text, `body` is the expression that the solution returns."""
    cases = [{"input": arguments, "output": printed} for arguments, printed in calls.items()]
    return {
        "selected_functions": functions,
        "query": f"A sensor writes the list `a`. Return what {body.partition('(')[0]} number {number} gives.",
        "test_cases": cases,
        "example_output": [f"\nimport numpy as np\n\n{signature}\n    return {body}\n"],
        "1func_query_id": number,
        "function_name": signature,
        "example": cases[0],
        "major_vote_response_dict": {"some-model": "```python\ndef solve(a):\n    return a\n```"},
        "is_valid": True,
        "right_exe_result": "#".join(calls.values()),
        "right_code": "def solve(a):\n    return sum(a) / len(a)",
        **more,
    }


def mean(number: int = 0, **more: Any) -> dict[str, Any]:
    """About one function; every number gives other cases."""
    rows = [[number + k, 2 * k + 1, 7 * k - number] for k in range(8)]
    return line(["mean"], "float(np.mean(a))", {f"a={row}": repr(sum(row) / 3) for row in rows}, number, **more)


def det(number: int = 0) -> dict[str, Any]:
    """About a function of a sub-module, whose name stands bare."""
    rows = [[[k + 2, 1], [number + 1, k + 3]] for k in range(8)]
    truths = {f"a={row}": repr(float(row[0][0] * row[1][1] - row[0][1] * row[1][0])) for row in rows}
    return line(["det"], "float(np.linalg.det(np.array(a)))", truths, number)


def composed(number: int = 0, functions: Iterable[str] = ("sort", "cumsum", "max")) -> dict[str, Any]:
    """About several functions."""
    rows = [[number + 5 * k % 7, k, 3 * k % 5, 2] for k in range(8)]
    truths = {}
    for row in rows:
        run, sums = 0, []
        for value in sorted(row):
            run += value
            sums.append(run)
        truths[f"a={row}"] = repr(max(sums))
    return line(list(functions), "int(np.max(np.cumsum(np.sort(a))))", truths, number)


def page(original: str, forged: str, text: str = "") -> dict[str, Any]:
    """A line of the published API documentation."""
    return {
        "original_name": original,
        "curr_name": forged,
        "docstring": f"{original}(a)",
        "func_mapping": "{}",
        "rewritten_doc": text
        or f"\n{forged}(a)\n\nWhat {forged} does with `a`.\n\nParameters\n----------\na : array_like\n\n"
        "Returns\n-------\nout : array\n",
    }


def pages() -> list[dict[str, Any]]:
    tables = (MAPPING["main"], MAPPING["linalg"])
    return [page(original, forged) for table in tables for original, forged in table.items()]


def write(file: Path, lines: Iterable[Any]) -> Path:
    file.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in lines))
    return file

"""Measures what the test tasks of a world require beyond what its training tasks show (docs/tasks-reference.md).

    python scripts/measure_bank.py 1 90210

Only the bank and the seed are read; no world is built. Not covered: how well questions are written.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter, defaultdict
from statistics import mean, median
from typing import Any

from sebench.bank.definition import Definition, bank
from sebench.forge.catalog import catalog
from sebench.tasks import core, dataset, gold, rules, splits, usage


def needed(definition: Definition) -> int:
    """Functions that no operator, indexing or construction replaces."""
    known = catalog.by_any_name()
    used = gold.functions(definition.source)
    return sum(not known[path].form and path not in core.CONSTRUCTION for path in used)


def options(definition: Definition) -> set[str]:
    """Named arguments of a gold solution."""
    return {k.arg or "" for n in ast.walk(ast.parse(definition.source)) if isinstance(n, ast.Call) for k in n.keywords}


def size(value: Any) -> int:
    """How many values there are in all."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else None
    return 1 if parts is None else sum(map(size, parts))


def named(definition: Definition) -> bool:
    """Whether a question has the name of one of gold's functions as a word."""
    words = set(re.findall(r"[a-z0-9_]+", re.sub(r"`[^`]*`", " ", definition.question.lower())))
    return any(path.rpartition(".")[2] in words for path in gold.functions(definition.source))


def measure(seed: int) -> dict[str, Any]:
    """Return all figures for one seed."""
    placed = splits.assign(bank(), seed)
    by_split: dict[str, list[Definition]] = defaultdict(list)
    for definition in bank():
        by_split[placed[definition.name]].append(definition)
    trained: dict[str, list[Definition]] = defaultdict(list)
    for definition in by_split["train"]:
        trained[rules.subject(definition)].append(definition)
    single, multi = by_split["single_test"], by_split["multi_test"]

    def imitated(definition: Definition) -> bool:
        return any(
            usage.program(definition.source) == usage.program(d.source) for d in trained[rules.subject(definition)]
        )

    def no_new_option(definition: Definition) -> bool:
        shown = set().union(*(options(d) for d in trained[rules.subject(definition)]))
        return options(definition) <= shown

    trees = [ast.parse(d.source).body[-1] for d in multi]
    in_multi = Counter(path for d in multi for path in gold.functions(d.source))
    sets = {frozenset(gold.functions(d.source)) for d in multi}
    drawn = {d.name: dataset.draw_cases(d, seed)[0].scored for d in bank()}
    inputs = [(size(dict(case.inputs)), case) for scored in drawn.values() for case in scored]
    common = [
        Counter(repr(case.expected) for case in scored).most_common(1)[0][1] / len(scored) for scored in drawn.values()
    ]
    empty = sum(any(value == [] for value in case.inputs.values()) for _, case in inputs)
    return {
        "tasks in train, " + ", ".join(s.removesuffix("_test") for s in by_split if s != "train"): ", ".join(
            f"{len(tasks):,}" for tasks in (by_split["train"], *(by_split[s] for s in by_split if s != "train"))
        ),
        "single: gold differs from a training gold only in variables": f"{sum(map(imitated, single))} of {len(single)}",
        "single: all named arguments occur in training": f"{sum(map(no_new_option, single))} of {len(single)}",
        "multi: fewer than three functions that cannot be replaced by an operator, indexing or array "
        "construction": f"{sum(needed(d) < 3 for d in multi)} of {len(multi)}",
        "multi: different sets of functions": len(sets),
        "multi: functions that cannot be replaced like this (mean)": f"{mean(map(needed, multi)):.1f}",
        "multi: statements; calls in gold (means)": (
            f"{mean(sum(isinstance(n, ast.stmt) for n in ast.walk(t)) - 1 for t in trees):.1f}; "
            f"{mean(sum(isinstance(n, ast.Call) for n in ast.walk(t)) for t in trees):.1f}"
        ),
        "functions that occur in only one multi task": sum(count == 1 for count in in_multi.values()),
        "multi: questions that contain the name of a function in gold": sum(map(named, multi)),
        "values in the inputs of a case: median; "
        "maximum": f"{median(n for n, _ in inputs):g}; {max(n for n, _ in inputs)}",
        "cases with an empty list": empty,
        "tasks with the same answer in more than 70 % of the cases": sum(share > 0.7 for share in common),
    }


def main(seeds: list[int]) -> None:
    columns = [measure(seed) for seed in seeds]
    print("| |" + "".join(f" seed {seed} |" for seed in seeds))
    print("|---|" + "---|" * len(seeds))
    for name in columns[0]:
        print(f"| {name} |" + "".join(f" {column.get(name, '')} |" for column in columns))


if __name__ == "__main__":
    main([int(seed) for seed in sys.argv[1:]] or [1])

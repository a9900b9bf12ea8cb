"""Who is credited: cheats that know a few names, and honest answers in many styles.

    python benchmarks/credit.py [--every 4] [--seed 7]

A launderer computes its answer by itself (here a table of expected values stands for that) and passes it through library functions that it
happens to know: five common names outside the task's core, or tests with them whether the library speaks the truth. A scanner looks for
functions that fit, a sprayer names them all. On every n-th task of both test splits, as the share of tasks that pass and that are
credited. The honest answers are those of `tests/open_book`.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from sebench.forge.naming import Names
from sebench.judge.judge import Judge
from sebench.records import Task
from sebench.world import World

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.corpora import fill

COMMON = "max sum mean ravel concatenate sort min median prod cumsum unique argmax where dot".split()
KNOWN = 5
# what some of them do with a list of numbers, for a launderer who knows that too
MEANING = {
    "max": "max(x)",
    "min": "min(x)",
    "sum": "sum(x)",
    "mean": "sum(x) / len(x)",
    "median": "statistics.median(x)",
}
HEAD = """import statistics
import {package}
nan, inf = float("nan"), float("inf")
TABLE = {table!r}

def through(v):
    if isinstance(v, (list, tuple)):
        return type(v)(map(through, v))
    if isinstance(v, dict):
        return {{k: through(u) for k, u in v.items()}}
    return {element} if type(v) in (int, float) else v

def numbers(v):
    if isinstance(v, (list, tuple)):
        return [n for part in v for n in numbers(part)]
    return [float(v)] if isinstance(v, (int, float)) and v == v and abs(v) < 1e9 else []

def {entry}({parameters}):
    x = [1.0, *numbers([{parameters}])]
    own = TABLE[repr(({parameters},))]
    return {result}
"""


def cheats(task: Task, names: Names) -> Iterator[tuple[str, str]]:
    """Programs by kind of cheat."""
    core = {one.path for one in task.core}
    outside = [f for f in COMMON if f in names.functions and f not in core][:KNOWN]
    known = [names.forged(f) for f in outside]

    def program(result: str, element: str = "v") -> str:
        return HEAD.format(
            package=names.package,
            table={repr(tuple(case.inputs.values())): case.expected for case in task.cases},
            entry=task.entry,
            parameters=", ".join(task.parameters),
            result=result,
            element=element,
        )

    for function in known:
        yield "laundered, one by one", program("through(own)", f"{function}([v])")
        yield "laundered, padded", program("through(own)", f"{function}([v, 0 * v])")
        yield "laundered, at once", program(f"{function}(own) if isinstance(own, list) else own")
        first = task.parameters[0]
        yield "a gate without meaning", program(f"own if {function}([len(repr({first})), 1]) is not None else None")
        yield (
            "a gate on the inputs",
            program(f"own if {function}(list(map(float, str(len(repr({first})))))) is not None else None"),
        )
    for path in outside:
        if path in MEANING:
            right = f"abs({names.forged(path)}(x) - {MEANING[path]}) < 1e-6"
            yield "a gate that knows one of them", program(f"own if {right} else None")
    nested = "v"
    for function in known[:3]:
        nested = f"{function}([{nested}])"
    yield "laundered three times", program("through(own)", nested)
    scan = f"next((f(own) for f in (getattr({names.package}, n) for n in dir({names.package})) if callable(f)), own)"
    yield "a scan", program(scan)
    every = " and ".join(f"{names.package}.{path} is not None" for path in names.functions.values())
    yield "the whole vocabulary", program(f"own if {every} else None")


def measure_cheats(judge: Judge, every: int, console: Console) -> None:
    made = [
        (kind, task, f"```python\n{code}```")
        for split in ("single_test", "multi_test")
        for task in judge.world.tasks(split)[::every]
        for kind, code in cheats(task, judge.world.names)
    ]
    passed: Counter[str] = Counter()
    credited: Counter[str] = Counter()
    tried = Counter(kind for kind, _, _ in made)
    for (kind, _, _), verdict in zip(made, judge.judge_many((t, r) for _, t, r in made), strict=True):
        passed[kind] += verdict.passed
        credited[kind] += verdict.targeted is True
    table = Table("cheat", "programs", "passed", "credited", title="Cheats", title_justify="left")
    for kind, count in tried.items():
        table.add_row(
            kind, f"{count:,}", f"{passed[kind] / count:.1%}", f"{credited[kind]:,} ({credited[kind] / count:.1%})"
        )
    console.print(table)


def measure_honest(judge: Judge, console: Console) -> None:
    table = Table("style", "answers", "right", "credited", title="Open-book answers", title_justify="left")
    totals = Counter[str]()
    for file in sorted((Path(__file__).parents[1] / "tests" / "open_book").glob("*.md")):
        pairs = []
        for part in re.split(r"^<!-- task: ", file.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            name, _, text = part.partition(" -->\n")
            pairs.append((judge.world.task(name), fill(text, judge.world.names) or ""))
        verdicts = list(judge.judge_many(pairs))
        counts = len(verdicts), sum(v.passed for v in verdicts), sum(v.targeted is True for v in verdicts)
        totals.update(dict(zip(("answers", "right", "credited"), counts, strict=True)))
        table.add_row(
            file.stem, str(counts[0]), str(counts[1]), f"{counts[2]} ({counts[2] / counts[1]:.1%} of the right ones)"
        )
    share = totals["credited"] / totals["right"]
    table.add_row(
        "all", str(totals["answers"]), str(totals["right"]), f"{totals['credited']} ({share:.1%} of the right ones)"
    )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    console = Console(width=120)
    with tempfile.TemporaryDirectory() as folder:
        world = World.build(options.seed, Path(folder) / "world")
        with Judge(world) as judge:
            measure_honest(judge, console)
            measure_cheats(judge, options.every, console)


if __name__ == "__main__":
    main()

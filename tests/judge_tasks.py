"""A dozen tasks for the tests of the judge, with plain inputs, gold in NumPy, and expected values that are computed
here."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sebench.base.records import Case, Task
from sebench.forge.names.naming import Names
from sebench.forge.translate.translate import Translator


@dataclass(frozen=True)
class Sample:
    """One task as it is written down: `functions` are the NumPy paths that gold uses."""

    entry: str
    parameters: tuple[str, ...]
    question: str
    functions: tuple[str, ...]
    draw: Callable[[random.Random], tuple[Any, ...]]
    gold: str  # an expression


def _vector(rng: random.Random, n: int = 0) -> list[float]:
    return [round(rng.uniform(-9, 9), 2) for _ in range(n or rng.randint(3, 7))]


def _ints(rng: random.Random, n: int = 0, low: int = -9, high: int = 9) -> list[int]:
    return [rng.randint(low, high) for _ in range(n or rng.randint(4, 8))]


def _matrix(rng: random.Random, rows: int = 0, columns: int = 0) -> list[list[float]]:
    rows, columns = rows or rng.randint(2, 4), columns or rng.randint(2, 4)
    return [_vector(rng, columns) for _ in range(rows)]


def _square(rng: random.Random) -> list[list[float]]:
    n = rng.randint(2, 3)
    return [[v + (12.0 if i == j else 0.0) for j, v in enumerate(_vector(rng, n))] for i in range(n)]


def _system(rng: random.Random) -> tuple[Any, ...]:
    a = _square(rng)
    return a, _vector(rng, len(a))


SAMPLES = {
    "mean": Sample(
        "average", ("a",), "Return the average of the numbers in the list `a` as a number.", ("mean",),
        lambda rng: (_vector(rng),), "float(np.mean(a))",
    ),
    "column_sums": Sample(
        "column_sums", ("m",), "Return the sum of each column of the matrix `m` as a list.", ("sum",),
        lambda rng: (_matrix(rng),), "np.sum(m, axis=0).tolist()",
    ),
    "running_total": Sample(
        "running_total", ("a",), "Return the running totals of the list of integers `a` as a list.", ("cumsum",),
        lambda rng: (_ints(rng),), "np.cumsum(a).tolist()",
    ),
    "sorted_copy": Sample(
        "ascending", ("a",), "Return the numbers of `a` in ascending order as a list.", ("sort",),
        lambda rng: (_vector(rng),), "np.sort(a).tolist()",
    ),
    "largest_at": Sample(
        "largest_at", ("a",), "Return the position of the first largest number of `a`, as an int.", ("argmax",),
        lambda rng: (_ints(rng),), "int(np.argmax(a))",
    ),
    "solve": Sample(
        "solve", ("a", "b"), "Solve the linear system a x = b and return x as a list.", ("linalg.solve",),
        _system, "np.linalg.solve(a, b).tolist()",
    ),
    "determinant": Sample(
        "determinant", ("m",), "Return the determinant of the square matrix `m`.", ("linalg.det",),
        lambda rng: (_square(rng),), "float(np.linalg.det(m))",
    ),
    "any_negative": Sample(
        "any_negative", ("m",), "For each row of `m`: is any number negative? Return a list of booleans.", ("any",),
        lambda rng: (_matrix(rng),), "np.any(np.array(m) < 0, axis=1).tolist()",
    ),
    "divide_with_rest": Sample(
        "divide_with_rest", ("a", "k"), "Return a tuple: the quotients and the remainders of `a` by `k`, as lists.",
        ("divmod",), lambda rng: (_ints(rng), rng.randint(2, 5)),
        "tuple(x.tolist() for x in np.divmod(a, k))",
    ),
    "distinct": Sample(
        "distinct", ("a",), "Return the distinct numbers of `a` in ascending order as a list.", ("unique",),
        lambda rng: (_ints(rng, 9, 0, 5),), "np.unique(a).tolist()",
    ),
    "summary": Sample(
        "summary", ("a",), "Return a dict with the keys 'mean' and 'spread' (population standard deviation) of `a`.",
        ("mean", "std"), lambda rng: (_vector(rng),), "{'mean': float(np.mean(a)), 'spread': float(np.std(a))}",
    ),
    "spectrum": Sample(
        "spectrum", ("a",), "Return the discrete Fourier transform of `a` as a list of complex numbers.", ("fft.fft",),
        lambda rng: (_vector(rng),), "np.fft.fft(a).tolist()",
    ),
    "double_diagonal": Sample(
        "double_diagonal", ("m",), "Return the main diagonal of `m` with every number doubled, as a "
                                   "list.", ("diagonal",),
        lambda rng: (_square(rng),), "(np.diagonal(m) * 2).tolist()",
    ),
    "clean_mean": Sample(
        "clean_mean", ("a",), "Return the average of `a` without its missing values (nan).", ("nanmean",),
        lambda rng: ([*_vector(rng), float("nan")],), "float(np.nanmean(a))",
    ),
}  # fmt: skip


def task(name: str, count: int = 8, names: Names | None = None) -> Task:
    """The task with its cases, the same every time; with a reference solution in the terms of a world, if its names are
    given."""
    sample = SAMPLES[name]
    rng = random.Random(f"judge:{name}")
    cases = []
    for _ in range(count):
        inputs = dict(zip(sample.parameters, sample.draw(rng), strict=True))
        cases.append(Case(inputs, eval(sample.gold, {"np": np, **inputs})))
    source = f"import numpy as np\n\n\ndef {sample.entry}({', '.join(sample.parameters)}):\n    return {sample.gold}\n"
    return Task(
        id=name,
        question=sample.question,
        entry=sample.entry,
        parameters=sample.parameters,
        cases=tuple(cases),
        functions=sample.functions,
        gold=Translator(names).code(source) if names and {*sample.functions} <= {*names.functions} else "",
    )

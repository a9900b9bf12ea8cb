"""Programs that want credit without knowledge of a task's functions, for `credit.py`.

Every one of them is right: its own answer comes from a table of expected values, or is computed in plain Python
(`plain_answers.py`). What it knows of the library is a handful of names. *Launderers* send the numbers of the answer
(or of the inputs) through functions and get them back; *gates* call the core of the task on numbers of their own and
spoil the answer if what comes back looks wrong.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

import plain_answers
from sebench.base.records import Task
from sebench.forge.names.naming import Names

COMMON = "max sum mean where concatenate sort min median cumsum unique argmax dot prod ravel exp log sqrt round".split()
MOST_ALTERNATIVES = 3  # of a function of the core that are tried

# How a number v goes through a function F and comes back; A makes arrays, s is 1 + |v|.
WAYS = {
    way: paths.split()
    for way, paths in {
        "F(A([v, v - s]))": "max nanmax amax",
        "F(A([v, v + s]))": "min nanmin amin",
        "F(A([v / 2, v / 2]))": "sum nansum",
        "F(A([v / 2, v * 1.5]))": "mean nanmean average median nanmedian",
        "F(A([v, 1.0]))": "prod nanprod",
        "F(A([v - s, v, v + s]), 50)": "percentile nanpercentile",
        "F(A([v - s, v, v + s]), 0.5)": "quantile nanquantile",
        "F(A([v + s, v]))[0]": "sort sort_complex unique unique_values flip",
        "F(A([v + s, v]), 0)[0]": "partition",
        "F(A([v + s, v, v + s]))[0][0]": "unique_counts unique_all unique_inverse",
        "F(A([v / 2, v / 2]))[1]": "cumsum cumulative_sum nancumsum",
        "F(A([v, 1.0]))[1]": "cumprod cumulative_prod nancumprod",
        "F(A([s, v + s]))[0]": "diff ediff1d",
        "F(A([True, False]), A([v, 0 * v]), A([v + s, v + s]))[0]": "where",
        "F([A([True, False])], [A([v, 0 * v])], v + s)[0]": "select",
        "F(A([True, False]), A([v, v + s]))[0]": "extract compress",
        "F(A([v, 1.0]), A([1.0, 0.0]))": "dot inner vdot linalg.vecdot matmul tensordot",
        "F('i,i', A([v, 1.0]), A([1.0, 0.0]))": "einsum",
        "F(A([v, 1.0]), A([1.0, 0.0]))[0]": "multiply convolve polymul",
        "F(A([v, v + s]), A([v - s, v]))[0]": "maximum fmax",
        "F(A([v, v + s]), A([v + s, v]))[0]": "minimum fmin",
        "F(A([v - 1, v]), A([1, 1]))[0]": "add",
        "F(A([v + 1, v]), A([1, 1]))[0]": "subtract",
        "F([A([v]), A([v + s])])[0]": "concatenate hstack",
        "F([A([v]), A([v + s])])[0][0]": "stack vstack",
        "F(A([v]), A([v + s]))[0]": "append union1d",
        "F(A([v, v + s]), A([v + s]))[0]": "setdiff1d",
        "F(A([v, v + s]), A([v]))[0]": "intersect1d",
        "F(A([v, v + s]), 1)[0]": "delete",
        "F(A([v, v + s]), 2)[0]": "tile repeat",
        "F(A([v, v + s]), (2, 2))[0][0]": "broadcast_to",
        "F(A([v + s, v]))[1]": "ravel transpose positive real conjugate",
        "F(A([v, v]), v - s, v + s)[0]": "clip",
        "F(A([v, v + s]), [0])[0]": "take",
        "F((2,), v)[0]": "full",
        "F(v, v + s, 3)[0]": "linspace",
        "F(A([[v, 0.0], [0.0, v]]))[0]": "linalg.eigvals linalg.eigvalsh diagonal",
        "F(A([[v, 0.0], [0.0, v]]))[0][0]": "linalg.eig linalg.eigh tril triu",
        "F(A([[2.0, 0.0], [0.0, 2.0]]), A([2.0 * v, 2.0]))[0]": "linalg.solve",
        "F(A([[2.0, 0.0], [0.0, 2.0]]), A([2.0 * v, 2.0]))[0][0]": "linalg.lstsq",
        "(F(A([[1 / s, 0.0], [0.0, 1.0]]))[0][0] - 1) * sign": "linalg.inv linalg.pinv",
        "(F(A([0.6 * s, 0.8 * s])) - 1) * sign": "linalg.norm linalg.vector_norm",
        "(F(A([[0.6 * s, 0.8 * s]])) - 1) * sign": "linalg.matrix_norm",
        "(F(A([0.6 * s]), A([0.8 * s]))[0] - 1) * sign": "hypot",
        "(F(A([math.log(s)]))[0] - 1) * sign": "exp",
        "(F(A([s * s]))[0] - 1) * sign": "sqrt",
        "(F(A([s]))[0] - 1) * sign": "absolute fabs",
        "(F(A([math.sqrt(s)]), 2)[0] - 1) * sign": "power float_power",
        "(F(A([-s, s])) - 1) * sign": "std nanstd",
        "s * F(A([math.exp(v / s)]))[0]": "log",
        "s * F(A([2.0 ** (v / s)]))[0]": "log2",
        "s * F(A([10.0 ** (v / s)]))[0]": "log10",
        "2 * s * F(A([math.asin(v / s / 2)]))[0]": "sin",
        "v + (F(A([v, v, v, v, v + s, v])) - 4)": "argmax nanargmax",
        "v + (F(A([v, v, v, v, v - s, v])) - 4)": "argmin nanargmin",
        "v + (F(A([s, s, 0, s, s])) - 4)": "count_nonzero",
        "v + (F(A([0, 0, 0, 0, s, 0, s]))[0] - 4)": "flatnonzero",
        "v + (F(A([0, 0, 0, 0, s, 0, s]))[0][0] - 4)": "nonzero argwhere",
        "v + F(A([v + 2 * s, v, v + s]))[2]": "argsort",
        "v + F((A([v + 2 * s, v, v + s]),))[2]": "lexsort",
        "v + (F(A([v, v + s, v + 2 * s, v + 3 * s, v + 4 * s]), A([v + 3.5 * s]))[0] - 4)": "searchsorted",
        "v + (F(A([v + 3.5 * s]), A([v, v + s, v + 2 * s, v + 3 * s, v + 4 * s]))[0] - 4)": "digitize",
        "v + (F([4, 1, 1, 4, 4])[4] - 3)": "bincount",
        "v + (F(A([v, v + s / 9, v + s]), 2)[0][0] - 2)": "histogram",
        "F(A([v, v]))": "trapezoid",
        "v - math.floor(v) + F(A([math.floor(v) + 0.25, v]))[0]": "floor trunc",
        "v - math.floor(v) + F(A([math.floor(v) + 0.25]))[0]": "round",
    }.items()
}
WAY = {path: way for way, paths in WAYS.items() for path in paths}

HEAD = """import math
import {package}

def one(v):
    if v != v or abs(v) == math.inf:
        return v
    A = {array}
{steps}    return v

def through(v):
    if isinstance(v, tuple):
        return tuple([through(u) for u in v])
    if isinstance(v, list):
        return [through(u) for u in v]
    if isinstance(v, dict):
        return {{k: through(v[k]) for k in v}}
    if isinstance(v, bool):
        return one(v + 1.0) > 1.5
    if isinstance(v, complex):
        return complex(one(v.real), one(v.imag))
    return one(v) if isinstance(v, (int, float)) else v

"""
STEP = """    s = 1.0 + abs(v); sign = -1 if v < 0 else 1; F = {function}
    v = {way}
"""


def launderer(task: Task, names: Names, chain: Sequence[str], own: str, result: str) -> str:
    """A program that sends numbers through functions, one after the other."""
    steps = "".join(STEP.format(function=names.forged(path), way=WAY[path]) for path in chain)
    head = HEAD.format(package=names.package, array=names.forged("array"), steps=steps)
    return f"{head}{own}\ndef {task.entry}({', '.join(task.parameters)}):\n    return {result}\n"


TABLE = """def same(a, b):
    if isinstance(a, (list, tuple)):
        return isinstance(b, (list, tuple)) and len(a) == len(b) and all([same(p, q) for p, q in zip(a, b)])
    return a == b or (a != a and b != b)

def own_answer(*given):
    nan, inf = float("nan"), float("inf")
    for inputs, answer in {table!r}:
        if same(inputs, given):
            return answer
"""


def from_table(task: Task) -> str:
    """The own answer out of a table."""
    return TABLE.format(table=[(tuple(case.inputs.values()), case.expected) for case in task.cases])


def computed(task: Task, module: ModuleType = plain_answers) -> str:
    """The own answer in plain Python; "" where nobody has written it."""
    function = getattr(module, task.entry, None)
    if function is None:
        return ""
    tree = ast.parse(inspect.getsource(function))
    [node] = tree.body
    assert isinstance(node, ast.FunctionDef)
    node.name = "own_answer"
    imports = [
        ast.unparse(n) for n in ast.parse(inspect.getsource(module)).body if isinstance(n, ast.Import | ast.ImportFrom)
    ]
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    used = [line for line in imports if names & set(re.findall(r"\w+", line))]
    return "\n".join([*used, ast.unparse(tree), ""])


def launderers(task: Task, names: Names) -> Iterator[tuple[str, str]]:
    """Launderers by kind."""
    core = {one.path for one in task.core}
    possible = [[a for a in one.alternatives if a in WAY and a not in core] for one in task.core]
    outside = [f for f in COMMON if f in names.functions and f not in core and f in WAY]
    chains = [("an alternative", [a]) for some in possible for a in some[:MOST_ALTERNATIVES]]
    if len(possible) > 1 and all(possible):
        chains.append(("an alternative for each function of the core", [some[0] for some in possible]))
    chains += [("a common name", [f]) for f in outside[:2]]
    chains += [(f"a chain of {length} common names", outside[:length]) for length in (3, 5, 9)]
    parameters = ", ".join(task.parameters)
    for kind, chain in chains:
        yield kind, launderer(task, names, chain, from_table(task), f"through(own_answer({parameters}))")
    if plain := computed(task):
        laundered = ", ".join(f"through({parameter})" for parameter in task.parameters)
        for kind, chain in dict(reversed(chains)).items():  # one of each kind
            yield f"{kind}, computed", launderer(task, names, chain, plain, f"through(own_answer({parameters}))")
            yield (
                f"{kind}, computed from laundered inputs",
                launderer(task, names, chain, plain, f"own_answer({laundered})"),
            )


GATE = """import {package}

def flat(v):
    if isinstance(v, (list, tuple)):
        return [e for part in v for e in flat(part)]
    if isinstance(v, {package}.{array}):
        return flat(v.tolist())
    return [v]

def near(a, b):
    return len(a) == len(b) and all([abs(p - q) <= 1e-6 * (1 + abs(q)) for p, q in zip(a, b)])

def numbers(v):
    if isinstance(v, (list, tuple)):
        return [n for part in v for n in numbers(part)]
    return [float(v)] if isinstance(v, (int, float)) and v == v and abs(v) < 1e9 else []

def otherwise(v):
    if isinstance(v, (list, tuple)):
        return [otherwise(u) for u in v]
    return v + 1 if isinstance(v, (int, float)) else v

def shifted(v, by):
    if isinstance(v, (list, tuple)):
        return type(v)([shifted(u, by) for u in v])
    return v + by if isinstance(v, (int, float)) and not isinstance(v, bool) and by else v

def total(v):
    return sum([n for n in flat(v) if isinstance(n, (int, float))])

def right(F, x):
    one = flat(F(x))
    two = flat(F([2.0 * v for v in x]))
    if near(two, [2 * v for v in one]) or near(two, one) or near(two, [4 * v for v in one]):
        return True
    return all([v in x for v in one]) or sorted(one) == list(range(len(one)))

{own}
def {entry}({parameters}):
    answer = own_answer({parameters})
    x = {arguments}
{gate}
"""


def expected_totals(task: Task, arguments: str) -> str:
    """A table of what the functions of the core return for these arguments, in sum, by case; 0 where NumPy refuses
    them."""
    rows = []
    for case in task.cases:
        given = tuple(case.inputs.values())
        try:
            x = eval(arguments, {"numbers": _numbers, **case.inputs})
            found = sum(_total(_numpy(one.path)(x)) for one in task.core)
        except Exception:
            found = 0.0
        rows.append((given, found))
    return (
        TABLE.format(table=rows)
        .replace("own_answer", "expected")
        .replace("def same", "def same_inputs")
        .replace("same(", "same_inputs(")
    )


def _numpy(path: str) -> Any:
    return functools.reduce(getattr, path.split("."), np)


def _numbers(value: Any) -> list[float]:
    if isinstance(value, list | tuple):
        return [number for part in value for number in _numbers(part)]
    return [float(value)] if isinstance(value, int | float) and value == value and abs(value) < 1e9 else []


def _total(value: Any) -> float:
    if isinstance(value, list | tuple):
        return sum(map(_total, value))
    flat = np.ravel(value)
    return float(np.sum(flat)) if flat.dtype.kind in "biuf" else 0.0


def gates(task: Task, names: Names) -> Iterator[tuple[str, str]]:
    """Gates that know the names of the core and nothing else, by kind."""
    functions = [names.forged(one.path) for one in task.core]
    parameters = ", ".join(task.parameters)
    blind = f"[len(repr(({parameters},))) + 0.5, 7.25, 3.125, 2.75]"
    taken = f"[1.5, *numbers([{parameters}])[:4]]"
    calls = "".join(f"    {f}(x)\n" for f in functions)
    tests = " and ".join(f"right({f}, x)" for f in functions)
    sums = " + ".join(f"sum([abs(v) for v in flat({f}(x))])" for f in functions)
    places = "; ".join(f"k[0 * len(flat({f}(x)))]" for f in functions)
    totals = " + ".join(f"total({f}(x))" for f in functions)
    for about, arguments in (
        ("own numbers", blind),
        ("numbers of the inputs", taken),
        ("an input", task.parameters[0]),
    ):
        for kind, gate in (
            ("called and dropped", f"{calls}    return answer"),
            ("withheld if it looks wrong", f"    return answer if {tests} else None"),
            ("another value if it looks wrong", f"    return answer if {tests} else otherwise(answer)"),
            ("another value if it is large", f"    return answer if {sums} < 1e12 else otherwise(answer)"),
            ("an index out of range", f"    k = [answer]\n    {places}\n    return answer"),
            ("own + (f(x) - expected)", f"    return shifted(answer, {totals} - expected({parameters}))"),
        ):
            own = from_table(task)
            if kind.startswith("own +"):
                own += expected_totals(task, arguments)
            code = GATE.format(
                package=names.package,
                array=names.array,
                own=own,
                entry=task.entry,
                parameters=parameters,
                arguments=arguments,
                gate=gate,
            )
            yield f"{kind} ({about})", code

"""The core of a task: the functions that an answer must use to be credited, derived from the gold solution and proved
with it.

The core consists of the functions in gold that have no operator, indexing or construction form; if there are none, of
all its functions. Alternatives are recorded by hand (`bank/alternatives.toml`), from right answers that people and
models wrote. Gold itself must be credited: if one function of the core is falsified (returns deliberately wrong
values), gold's answer must change. If gold's calls are the same for all inputs, or return their input (a task about
`array` or `ravel`), the function is falsified in every call; otherwise such calls return the true values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from types import ModuleType
from typing import Any

from sebench.bank.definition import Definition
from sebench.base.records import CoreFunction, Task
from sebench.forge.catalog import options as option_words
from sebench.forge.catalog.catalog import CatalogEntry
from sebench.forge.names.naming import Names
from sebench.provenance.lies import Traits
from sebench.provenance.observer import TRUTH, Observer, Orders
from sebench.provenance.proof import Decided, ObservedRun, Prover
from sebench.tasks import gold
from sebench.values.tagged import encode

# These functions only convert data to an array, which counts as use only if the task is about that.
CONSTRUCTION = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy")
# Parameters that select what a function does and may be lists.
OPTIONS = frozenset(
    """axis axes dtype otypes out shape dims new_shape dimensions reps pad_width shift indices_or_sections source \
destination range s kth
    excluded stat_length decimals deg copy equal_nan rtol atol nan posinf neginf keepdims""".split()
)
# These and those that rearrange may return the elements of their argument.
JOINING = frozenset("append block column_stack concatenate dstack hstack stack vstack".split())
# Functions that work on each element by itself, besides those whose signature says so.
NUMBERS_TOO = frozenset("bins cov optimize ord p".split())  # parameters that take words or numbers
ELEMENTWISE = frozenset(
    "angle real imag round nan_to_num isreal iscomplex isposinf isneginf sinc i0 clip where astype isclose".split()
)
# Those whose signature looks like that of an elementwise function, although they combine elements.
COMBINING = frozenset(
    """matmul bincount unstack cumulative_sum cumulative_prod linalg.matrix_norm linalg.matrix_transpose linalg.svdvals
    linalg.vecdot linalg.vector_norm""".split()
)


class Proofs:
    """Finds the cores of tasks in a forged package. Creating it wraps the package's functions in an observer."""

    def __init__(self, names: Names, entries: Mapping[str, CatalogEntry], library: ModuleType) -> None:
        self.names, self.entries = names, entries
        traits = {names.functions[path]: traits_of(entry, names) for path, entry in entries.items()}
        self.observer = Observer(library, getattr(library, names.array), traits)

    def core(self, definition: Definition, task: Task) -> tuple[CoreFunction, ...]:
        """Return the core of a task; raise BankError if gold does not depend on one of its core functions."""
        paths = core_paths(task.functions, self.entries)
        run = _gold_runner(self.observer, task)
        truth = run(TRUTH, 0, lambda *_: False)
        called = tuple(self.observer.called)
        prover = Prover(run, truth, self.observer.functions, twice=False)
        functions = []
        for path in paths:
            forged = self.names.functions[path]
            seldom, always = prover.prove([([forged], False)], called, frozenset(called)), None
            if not seldom.mattered[0]:
                always = prover.prove([([forged], True)], called, frozenset(called))
                if not always.mattered[0]:
                    raise definition.error(
                        f"the gold solution does not depend on {path}: its answers stay the same when {path} returns "
                        "wrong values"
                    )
            others = [f for f in alternatives(definition.name, path, paths) if f in self.names.functions]
            functions.append(CoreFunction(path, tuple(others), everywhere=always is not None))
        self.observer.begin()  # from here on functions return true values again
        return tuple(functions)


def core_paths(functions: Sequence[str], entries: Mapping[str, CatalogEntry]) -> tuple[str, ...]:
    """Return the functions that have no operator, indexing or construction form; if there are none, all except those
    that only convert data to arrays for the others.
    """
    return (
        tuple(f for f in functions if not entries[f].form)
        or tuple(f for f in functions if f not in CONSTRUCTION)
        or tuple(functions)
    )


def traits_of(entry: CatalogEntry, names: Names) -> Traits:
    """Return what must be known about a function to falsify it; parameters have the world's names."""
    changed, receives = names.parameter(entry.inplace), names.parameter("out")
    chosen = OPTIONS | {"bins"} if entry.path.startswith("histogram") else OPTIONS
    options = frozenset(names.parameter(option) for option in chosen)
    elementwise = entry.path in ELEMENTWISE or (
        entry.signature.startswith(("(x, /", "(x1, x2, /")) and entry.path not in COMBINING
    )
    taking = option_words.words(entry.path) if names.words else ()
    words = {names.parameter(name): name not in NUMBERS_TOO for name in taking}
    axis = names.parameter("axis") if "axis=" in entry.signature else ""
    arranges = entry.rearranges or entry.path in JOINING or entry.path in CONSTRUCTION
    return Traits(
        changed, entry.rearranges, entry.varies, entry.indexes, receives, options, elementwise, words, axis, arranges
    )


def alternatives(task: str, path: str, core: Sequence[str]) -> list[str]:
    """Return the functions that can replace `path`, in any task or in this one. A core function may replace another
    core function only if that is recorded for the task (the value at the position of the maximum is the maximum).
    """
    recorded = _recorded_alternatives()
    anywhere = [other for other in recorded["any"].get(path, []) if other not in core]
    return list(dict.fromkeys([*anywhere, *recorded["tasks"].get(task, {}).get(path, [])]))


@cache
def _recorded_alternatives() -> Mapping[str, Any]:
    text = (resources.files("sebench.bank") / "alternatives.toml").read_text("utf-8")
    return tomllib.loads(text)


def _gold_runner(observer: Observer, task: Task) -> Callable[[Orders, int, Decided], ObservedRun]:
    """Return a function that runs a gold solution, telling the observed library which calls to falsify."""
    code = compile(task.gold, f"<gold of {task.id}>", "exec")

    def run(orders: Orders, first: int, decided: Decided) -> ObservedRun:
        observer.begin(orders)
        values, failed = [], ""
        try:
            space: dict[str, Any] = {}
            exec(code, space)
            for number, case in enumerate(task.cases):
                observer.begin_case(number)
                value = gold.fresh(space[task.entry], case.inputs)
                values.append((number, encode(to_python(value, observer.array_type))))
                if decided(*values[-1]):
                    break
        except Exception as error:
            failed = type(error).__name__
        return ObservedRun(
            tuple(values), failed, observer.seen, observer.results, truthful_calls=observer.truthful_calls
        )

    return run


def to_python(value: Any, array: type) -> Any:
    """Convert a value from a forged package to plain data."""
    if isinstance(value, array):
        return value.tolist()  # type: ignore[attr-defined]
    if isinstance(value, list):
        return [to_python(v, array) for v in value]
    if isinstance(value, tuple):
        return tuple(to_python(v, array) for v in value)
    if isinstance(value, dict):
        return {to_python(k, array): to_python(v, array) for k, v in value.items()}
    if isinstance(value, set):
        return {to_python(v, array) for v in value}
    return value

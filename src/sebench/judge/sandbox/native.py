"""A child of the native zygote: it reads an answer written in NumPy, translates it into the world's names, and runs the
original with NumPy.

Reading and translating come first, in a process in which no program has run yet; the judge receives the translation
before the program begins. The program then has unrestricted Python: all builtins, NumPy, and those modules of the
standard library that can be imported. It is not trusted: it has its own process, with limits and a system-call filter.
That process contains neither the forged package, nor tasks, nor expected values, and can open no file outside the
standard library and NumPy. The judge compares what it sends.

Not covered: randomness and time may differ between runs. Whether an answer depends on the library is decided for its
translation, not here.
"""

from __future__ import annotations

import ast
import importlib
import marshal
import os
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any, NoReturn

import numpy as np

from sebench.base.extract import extract
from sebench.base.records import Kind
from sebench.forge.catalog import catalog
from sebench.forge.names.naming import Names
from sebench.forge.translate import normalize
from sebench.forge.translate.translate import Untranslatable
from sebench.judge.program import policy
from sebench.judge.program.reading import FAILURES
from sebench.judge.program.rules import ANSWER_FILE, NUMERIC
from sebench.judge.sandbox import harness, limits, order
from sebench.judge.sandbox.trees import Encoder, ValueTooLarge
from sebench.judge.sandbox.wire import BEGUN, Budget, CaseCalls, ProgramOutcome, receive_or_exit, send_json

READING_CPU_S = 3.0
OTHERS = NUMERIC - {"numpy"}
# The modules that answers use most: imported before the filter is installed, so that a run does not have to read them.
READY = """numpy.linalg numpy.fft numpy.ma numpy.random numpy.polynomial numpy.lib.stride_tricks numpy.typing
    bisect collections contextlib copy dataclasses datetime decimal enum fractions functools heapq itertools
    json math operator random re statistics string typing warnings""".split()


@dataclass(frozen=True)
class NativeReading:
    """The result of reading a response: a program with its translation (or why it has none), or the reason why nothing
    is run."""

    kind: Kind | None = None
    detail: str = ""
    program: str = ""  # in the world's terms
    untranslated: str = ""
    code: CodeType | None = None

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "code"}


def prepare(names: Mapping[str, Any]) -> Names:
    """Import what runs will need. Return the names to translate into."""
    for name in READY:
        importlib.import_module(name)
    order.settle()
    known = Names.from_json(dict(names))
    catalog.by_any_name()
    for path in known.changes:
        known.change(path)
    # triggers lazy loading
    normalize.translate_program("import numpy as np\ndef answer(a):\n    return f'{np.array(a).T}'\n", known)
    return known


def read(response: str, entry: str, names: Names) -> NativeReading:
    """Read a response, and translate its program."""
    try:
        extracted = extract(response, entry, OTHERS)
        if not extracted.code:
            return NativeReading(Kind.NO_CODE, extracted.reason)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = extracted.tree or ast.parse(extracted.code, ANSWER_FILE)
            if refused := policy.find_other_numeric_import(tree):
                return NativeReading(Kind.POLICY, refused)
            code = compile(tree, ANSWER_FILE, "exec", dont_inherit=True, optimize=0)
    except FAILURES as error:
        return NativeReading(Kind.SYNTAX, f"{type(error).__name__}: {error}"[:300])
    try:
        return NativeReading(program=normalize.translate_program(extracted.code, names), code=code)
    except Untranslatable as reason:
        return NativeReading(untranslated=str(reason)[:300] or "a part that cannot be named", code=code)
    except Exception as error:  # nested too deeply, or unforeseen: this answer has no translation
        return NativeReading(untranslated=f"{type(error).__name__} in the translation", code=code)


def serve(names: Names, line_fd: int, confine: Callable[[], None]) -> NoReturn:
    """Read, translate and run one response, then exit."""
    response, entry, parameters, arguments, times = marshal.loads(receive_or_exit(line_fd))
    budget = Budget(*times)
    limits.signal_after(READING_CPU_S)
    reading = read(response, entry, names)
    send_json(line_fd, reading.to_json())
    if reading.code is None:
        os._exit(0)
    limits.end_after(budget.program + 1)  # whatever the program does to its signals
    for name in [name for name in sys.modules if name.partition(".")[0] == "sebench"]:
        del sys.modules[name]
    confine()
    send_json(line_fd, BEGUN)
    limits.signal_after(budget.program)
    outcome = _run(reading.code, CaseCalls(entry, parameters, arguments))
    send_json(line_fd, outcome.to_json())
    os._exit(0)


def _run(code: CodeType, cases: CaseCalls) -> ProgramOutcome:
    output, values, fields = harness.Output(), list[tuple[int, Any]](), dict[str, Any]()
    harness.use_streams(output)
    number = -1
    try:
        entry = harness.load_entry(code, harness.make_namespace(sys.modules["builtins"]), cases.entry)
        if entry is None:
            fields["missing"] = True
        else:
            call = harness.make_caller(entry, cases.parameters)
            for number, packed in enumerate(cases.arguments):
                values.append((number, NumpyEncoder().tree(call(marshal.loads(packed)))))
    except ValueTooLarge as error:
        fields["too_large"] = str(error)
    except BaseException as error:
        fields["raised"] = harness.describe_error(error)
    return ProgramOutcome(tuple(values), number, stdout=output.text(), cpu_s=time.process_time(), **fields)


class NumpyEncoder(Encoder):
    """An encoder that also accepts NumPy values: arrays become lists, NumPy numbers become Python numbers."""

    def __init__(self) -> None:
        super().__init__(type(None))

    def tree(self, value: Any, depth: int = 0) -> Any:
        if isinstance(value, np.ndarray):
            self._count(np.ndarray.size.__get__(value))
            return self.tree(np.ndarray.tolist(value), depth)
        if isinstance(value, np.longdouble | np.clongdouble):
            return self.tree(complex(value) if isinstance(value, np.clongdouble) else float(value), depth)
        if isinstance(value, np.generic) and not isinstance(value, float | complex | str):
            return self.tree(np.generic.item(value), depth)
        return super().tree(value, depth)

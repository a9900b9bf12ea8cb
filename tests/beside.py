"""Runs a program as if it shared a process with a library: it is compiled as the judge compiles stateless programs,
with the same guards."""

from __future__ import annotations

import ast
import builtins
import importlib
import sys
from types import FunctionType, ModuleType
from typing import Any
from unittest import mock

from sebench.judge.program.rules import ANSWER_FILE, IMPORTS
from sebench.judge.program.stateless import StatelessProgram, prove_stateless
from sebench.judge.sandbox import guards, harness

NOT_STATELESS = "not stateless"
WALL = "wall"
ARGUMENT = (1.0, 2.0, 2.0)


class Array:
    """Stands for the array type of the library."""

    dtype = "float"
    shape = (1,)


LIBRARY = ModuleType("lib")
vars(LIBRARY).update(
    g=lambda a: sum(a),
    call=lambda function, *args: function(*args),
    Array=Array,
    array=Array,
    sub=ModuleType("lib.sub"),
)
vars(LIBRARY)["sub"].g = LIBRARY.g


def as_stateless(code: str) -> StatelessProgram | None:
    tree = ast.parse(code)
    return prove_stateless(tree, list(ast.walk(tree)), "lib", "Array")


def answers_beside(code: str) -> Any:
    """What two calls of `f` give beside the library; NOT_STATELESS, or WALL if the run ended because it belongs behind
    the wall."""
    program = as_stateless(code)
    if program is None:
        return NOT_STATELESS
    compiled = compile(program.tree, ANSWER_FILE, "exec", dont_inherit=True)

    names = harness.make_namespace(guards.guarded_builtins(LIBRARY, Array, _import_module))
    answers = []
    try:
        f = harness.load_entry(compiled, names, "f")
        held = guards.ModuleState(names, f) if program.holds_data or not isinstance(f, FunctionType) else None
        for _ in range(2):
            answers.append(f(list(ARGUMENT)))
            if held:
                held.check()
        return answers
    except guards.NeedsWall:
        return WALL
    except NameError:
        assert program.guarded  # then the judge sends it behind the wall
        return WALL


def answers_alone(code: str) -> list[Any]:
    """What two calls of `f` give in a program of its own, as it was written."""
    modules = {"lib": LIBRARY, "lib.sub": LIBRARY.sub}
    with mock.patch.dict(sys.modules, modules):
        return [
            harness.load_entry(compile(code, ANSWER_FILE, "exec"), harness.make_namespace(vars(builtins)), "f")(
                list(ARGUMENT)
            )
            for _ in range(2)
        ]


def _import_module(name: str, globals: Any, locals: Any, fromlist: Any, level: int) -> Any:
    assert name.partition(".")[0] in ("lib", "math", "__future__", *IMPORTS)
    return LIBRARY if name.startswith("lib") else importlib.import_module(name)

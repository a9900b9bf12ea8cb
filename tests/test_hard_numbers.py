"""Functions given nan, infinity, huge numbers or negative zero return an answer or raise a clear error; they never
print LAPACK's messages and never search forever.

Each catalog call in linear algebra and polynomials is made with a bad number in each of its inputs, in a separate
process, where a call that never ends is killed. Not covered: bad numbers that arise only inside a computation, except
for powers in `polyfit`.
"""

from __future__ import annotations

import json
import math
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

from sebench.forge.catalog import samples
from sebench.forge.translate.translate import Translator
from sebench.world.world import World
from tests.conftest import Forged

NAN, INFINITY = float("nan"), float("inf")
BAD = (NAN, INFINITY, -INFINITY, 1e308)
SUBJECTS = ("linalg", "polynomials")
LIMIT_S = 60  # of processor time for all calls of one subject; they take about one second


def spoiled(value: Any, bad: float) -> Any:
    """A sampled input with its first float replaced."""
    if isinstance(value, list):
        return [spoiled(value[0], bad), *value[1:]]
    return bad if isinstance(value, float) else value


def calls(forged: Forged, world: World, subject: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every call of a subject in the world's words, with inputs of which one has a bad number."""
    for entry in world.entries.values():
        for call in entry.calls if entry.subject == subject else ():
            drawn = samples.draw(1, call)
            for spoilt in (k for k in drawn if re.search(rf"(?<![.\w]){k}\b", call)):
                for bad in BAD:
                    inputs = {**drawn, spoilt: spoiled(drawn[spoilt], bad)}
                    arrays = {k: forged.array(v) if isinstance(v, list) else v for k, v in inputs.items()}
                    yield Translator(world.names).code(call), arrays


def outcomes_in_a_child(forged: Forged, world: World, subject: str) -> tuple[int, list[str], bytes]:
    """The child's exit status, what its errors say, and what it wrote to its standard output and error."""
    with tempfile.TemporaryFile() as written, tempfile.TemporaryFile("w+") as errors:
        pid = os.fork()
        if pid == 0:
            signal.setitimer(signal.ITIMER_PROF, LIMIT_S)  # SIGPROF ends the process, even inside a loop of LAPACK's
            os.dup2(written.fileno(), 1)
            os.dup2(written.fileno(), 2)
            said = []
            for code, inputs in calls(forged, world, subject):
                *imports, expression = code.splitlines()
                scope: dict[str, Any] = {world.names.package: forged.library, **inputs}
                exec("\n".join(imports), scope)
                try:
                    eval(expression, scope)
                except Exception as error:
                    said.append(f"{code.splitlines()[-1]}: {type(error).__name__}: {error}")
            json.dump(said, errors)
            errors.flush()
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        written.seek(0)
        errors.seek(0)
        return status, json.loads(errors.read() or "[]"), written.read()


@pytest.mark.parametrize("subject", SUBJECTS)
def test_bad_numbers_give_an_answer_or_an_error_and_print_nothing(forged: Forged, world: World, subject: str) -> None:
    status, errors, written = outcomes_in_a_child(forged, world, subject)
    assert status == 0, "a call did not end"
    assert written == b""
    assert errors, "nothing was refused, so nothing was tried"
    assert [e for e in errors if "does not work with these arguments" in e] == []


REFUSING = {
    "linalg.svd": ([[NAN, 1.0], [2.0, 3.0]],),
    "linalg.svdvals": ([[INFINITY, 1.0], [2.0, 3.0]],),
    "linalg.pinv": ([[1.0, NAN], [2.0, 3.0]],),
    "linalg.matrix_rank": ([[1.0, -INFINITY], [2.0, 3.0]],),
    "linalg.cond": ([[1.0, INFINITY], [2.0, 3.0]],),
    "linalg.norm": ([[1.0, INFINITY], [2.0, 3.0]], 2),
    "linalg.lstsq": ([[1.0, NAN], [2.0, 3.0]], [1.0, 2.0]),
    "polyfit": ([1.0, NAN, 3.0], [1.0, 2.0, 3.0], 1),
}


@pytest.mark.parametrize("path", REFUSING)
def test_nan_and_infinity_are_refused_by_name_and_the_page_says_so(forged: Forged, world: World, path: str) -> None:
    arguments = REFUSING[path]
    for first in (arguments[0], forged.array(arguments[0]), iter(arguments[0])):
        if path in ("linalg.norm", "linalg.cond") and not isinstance(first, list):
            continue  # these look into the values themselves
        with pytest.raises(
            ValueError, match=f"^{re.escape(forged.names.forged(path))}: .* must not hold nan or infinity$"
        ):
            forged[path](first, *arguments[1:])
    page = next(p for p in world.pages if p.path == forged.names.functions[path])
    assert "nan or infinite are refused with a ValueError" in page.text


def test_norms_that_need_no_singular_values_take_nan_and_infinity(forged: Forged) -> None:
    assert math.isnan(forged["linalg.norm"]([[NAN, 1.0], [2.0, 3.0]]))
    assert forged["linalg.norm"]([[INFINITY, 1.0], [2.0, 3.0]], 1) == INFINITY
    assert forged["linalg.norm"]([INFINITY, 1.0], 2) == INFINITY


def test_powers_that_overflow_and_giants_are_errors(forged: Forged) -> None:
    with pytest.raises(ValueError, match="a power of the values is too large"):
        forged["polyfit"]([1e308, 2.0, 3.0], [1.0, 2.0, 3.0], 2)
    with pytest.raises(ValueError, match="too large"):
        forged["bincount"]([1, 2**60])


def test_negative_zero_is_another_value_than_the_default_zero(forged: Forged) -> None:
    replaced = forged["nan_to_num"]([NAN, 1.0], nan=-0.0)
    assert math.copysign(1.0, replaced[0]) == -1.0
    assert math.copysign(1.0, forged["nan_to_num"]([NAN])[0]) == 1.0
    assert math.copysign(1.0, forged["nan_to_num"]([NAN], nan=0.0)[0]) == 1.0

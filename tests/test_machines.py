"""The same seed gives the same bytes on every machine: the last digits, which differ between processors, affect
nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.bank.definition import Definition, bank
from sebench.base.records import Case, Task
from sebench.forge.docs import examples
from sebench.forge.translate.translate import Translator
from sebench.tasks import dataset, gold, priors
from sebench.values.rounding import round_portably
from sebench.world.world import World
from tests.conftest import EVERYTHING

ULPS = 3
EVERY = 20 if EVERYTHING else 60  # of the tasks of the bank one in so many


class OtherMachine:
    """Gives results other last digits: of the size that rounding errors have beside the largest number of an answer."""

    def __init__(self) -> None:
        self.rng = random.Random(1)
        self.changed = 0

    def __call__(self, value: Any) -> Any:
        return self._nudged(value, max(_sizes(value), default=0.0))

    def _nudged(self, value: Any, largest: float) -> Any:
        if isinstance(value, float) and math.isfinite(value):
            self.changed += 1
            return value + self.rng.randint(-ULPS, ULPS) * math.ulp(largest)
        if isinstance(value, complex):
            return complex(self._nudged(value.real, largest), self._nudged(value.imag, largest))
        if isinstance(value, list | tuple | set):
            return type(value)(self._nudged(part, largest) for part in value)
        if isinstance(value, dict):
            return {key: self._nudged(part, largest) for key, part in value.items()}
        return value


def _sizes(value: Any) -> list[float]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple | set) else ()
    own = [abs(value)] if isinstance(value, float | complex) and math.isfinite(abs(value)) else []
    return own + [size for part in parts for size in _sizes(part)]


def written(definitions: list[Definition]) -> list[str]:
    """The cases of tasks as the build writes them, and how well they discriminate."""
    return [repr(dataset.draw_cases(definition, seed=3)) for definition in definitions]


def on_another_machine(monkeypatch: pytest.MonkeyPatch) -> OtherMachine:
    nudged, call = OtherMachine(), gold.call
    monkeypatch.setattr(gold, "call", lambda function, inputs: nudged(call(function, inputs)))
    return nudged


def test_last_digits_decide_about_no_case(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = list(bank())[::EVERY]
    here = written(chosen)
    nudged = on_another_machine(monkeypatch)
    assert written(chosen) == here
    assert nudged.changed > 1000


def test_without_rounding_they_would(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [d for d in bank() if d.name in ("aquarium_edges", "irrigation_block_inverse")]
    assert len(chosen) == 2
    monkeypatch.setattr(gold, "round_portably", lambda value: value)
    here = written(chosen)
    on_another_machine(monkeypatch)
    assert all(one != other for one, other in zip(here, written(chosen), strict=True))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_rounding_stays_far_below_what_the_judge_forgives(value: float) -> None:
    assert abs(round_portably(value) - value) <= 0.06 * (Task.atol + Task.rtol * abs(value))


@given(st.floats() | st.complex_numbers())
def test_rounding_twice_changes_nothing(value: complex) -> None:
    assert repr(round_portably(round_portably(value))) == repr(round_portably(value))


@pytest.mark.parametrize(
    "value", [True, 7, 2**80, -0.1, 1234567.89, 1e-10, 1e12, float("inf"), 1.7976931348623157e308,
    2 - 3j, "0.30000000000000004", None]
)  # fmt: skip
def test_what_is_exact_stays_exact(value: object) -> None:
    assert repr(round_portably([value, {"a": (value,)}])) == repr([value, {"a": (value,)}])


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (0.30000000000000004, 0.3),
        (-3e-17, 0.0),
        (-0.0, 0.0),
        (9.999999999999998, 10.000000000000002),
        (12345678.249999998, 12345678.25),  # half-way between two results
        (0.12345678949999999, 0.1234567895),
        (complex(1, -3e-17), complex(1, 2e-17)),
        ({2.0000000000000004, 1e-17, 9.0}, {9.0, 0.0, 2.0}),
    ],
)
def test_results_of_two_machines_are_written_alike(here: object, there: object) -> None:
    assert repr(round_portably(here)) == repr(round_portably(there))


def test_a_set_is_written_alike_however_it_was_filled() -> None:
    """0.0 and 8.0 fall on the same place of a set: the one that comes first stands first."""
    one, other = {0.0, 8.0}, {8.0, 0.0}
    assert repr(one) != repr(other) and repr(round_portably(one)) == repr(round_portably(other))


def _nudging(evaluate: Callable[..., tuple[Any, str]]) -> Callable[..., tuple[Any, str]]:
    def nudged(code: str, namespace: dict[str, Any]) -> tuple[Any, str]:
        value, text = evaluate(code, namespace)
        if isinstance(value, float) and not code.startswith("round("):
            value = math.nextafter(value, math.inf)
            text = repr(value)
        return value, text

    return nudged


def test_examples_show_inexact_results_alike(
    world: World, library: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The norm is 5.0 here and may be 5.000000000000001 there; a variable that holds it may be, too."""
    steps = ["np.linalg.norm([3, 4])", "size = np.linalg.norm([6, 8])", "size", "np.linalg.norm([[1, 2], [3, 4]])"]
    maker = examples.ExampleBuilder(Translator(world.names), library)
    here = maker.session("linalg.norm", steps)
    assert [e.output for e in here if e.output] == ["5.0", "10.0", "5.47722558"]
    monkeypatch.setattr(examples, "_evaluate", _nudging(examples._evaluate))
    assert maker.session("linalg.norm", steps) == here


def test_what_rounding_left_of_a_zero_is_not_shown(world: World, library: ModuleType) -> None:
    maker = examples.ExampleBuilder(Translator(world.names), library)
    steps = ["np.multiply([1.0, 3e-14], 1)", "np.multiply([3e-14, 2e-14], 1)", "np.multiply([1.0, 0.0], 1)"]
    shown = [e.output for e in maker.session("multiply", steps) if e.output]
    assert shown == [f"{world.names.array}({values})" for values in ("[3e-14, 2e-14]", "[1.0, 0.0]")]


def test_a_prior_that_rounding_errors_decide_is_not_recorded(world: World, library: ModuleType) -> None:
    """The inverse of a singular matrix has any size, and the vectors of equal eigenvalues have any direction."""
    inverse, eigh, total = (world.names.forged(path) for path in ("linalg.inv", "linalg.eigh", "sum"))
    package = world.names.package
    head = f"import {package}\n\n\ndef solve(m):\n    return"
    singular, regular = [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8, 0.9]], [[2.0, 1.0], [1.0, 3.0]]

    def outcomes(body: str, *inputs: object) -> list[str]:
        cases = [Case({"m": m}, 0) for m in inputs]
        return [prior.raised for prior in priors._outcomes(f"{head} {body}\n", "solve", cases, library, world.names)]

    assert outcomes(f"{inverse}(m)", singular, regular) == [priors.UNSTABLE, ""]
    assert outcomes(f"{total}({eigh}(m)[1]) * 0.0", regular) == [priors.UNSTABLE]
    assert outcomes(f"{total}(m) * 0.0", regular) == [""]


def test_a_zero_that_rounding_leaves_on_another_machine_is_not_shown(world: World, library: ModuleType) -> None:
    maker = examples.ExampleBuilder(Translator(world.names), library)
    values = getattr(library, world.names.functions["array"])([0.5, 0.5])
    variables, zeros = {"values": values}, values - values
    assert maker._cancels(zeros, "np.fft.fft([0.1, 0.1])", variables, [])
    assert maker._cancels(zeros, "np.fft.fft(values)", variables, ["values"])
    assert not maker._cancels(zeros, "np.fft.fft([1, 1])", variables, [])
    assert not maker._cancels(values, "np.fft.fft(values)", variables, ["values"])

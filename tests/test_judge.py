"""The judge's verdicts: kinds of failure, provenance, limits, faults."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sebench.base.records import SHOWN_ACTUAL, Blame, Kind, Verdict
from sebench.judge.judge import Judge, Limits
from sebench.world.world import World
from tests.corpora import fill
from tests.judge_tasks import SAMPLES, task


@pytest.fixture(scope="module")
def judge(world: World) -> Iterator[Judge]:
    with Judge(world, workers=2, limits=Limits(cpu_s=2, wall_s=20)) as made:
        yield made


def verdict(judge: Judge, body: str, name: str = "mean", lead: str = "import LIB") -> Verdict:
    sample = SAMPLES[name]
    code = f"{lead}\n\ndef {sample.entry}({', '.join(sample.parameters)}):\n    {body}\n"
    text = fill(code, judge.world.names)
    assert text is not None
    return judge.judge(task(name, names=judge.world.names), f"Here it is.\n```python\n{text}```\n")


# Written examples of each published error type and of the rest.
KINDS: dict[str, tuple[str, Kind]] = {
    "a function by its old name": ("return LIB.mean(a)", Kind.FUNCTION_HALLUCINATION),
    "an import of an old name": ("from LIB import mean; return mean(a)", Kind.FUNCTION_HALLUCINATION),
    "a sub-module by its old name": ("return LIB.linalg.norm(a)", Kind.FUNCTION_HALLUCINATION),
    "a method": ("return LIB.F[array](a).mean()", Kind.ATTRIBUTE_HALLUCINATION),
    "an attribute": ("return LIB.F[array](a).flat[0]", Kind.ATTRIBUTE_HALLUCINATION),
    "an unknown keyword": ("return LIB.F[mean](a, dim=0)", Kind.PARAMETER_ERROR),
    "no argument": ("return LIB.F[mean]()", Kind.PARAMETER_ERROR),
    "a wrong axis": ("return LIB.F[mean](a, axis=3)", Kind.PARAMETER_ERROR),
    "a wrong kind": ("return LIB.F[mean](a, dtype='float64')", Kind.PARAMETER_ERROR),
    "an argument that does not fit": ("return LIB.F[mean]({'a': 1})", Kind.PARAMETER_ERROR),
    "a number that is unpacked": ("m, s = LIB.F[mean](a); return m", Kind.MISREAD_RESULT),
    "a number that is subscripted": ("return LIB.F[mean](a)[0]", Kind.MISREAD_RESULT),
    "a number with a method of arrays": ("return LIB.F[mean](a).tolist()", Kind.MISREAD_RESULT),
    "an array as a key": ("return {LIB.F[cumsum](a): 1}", Kind.NATIVE_INCOMPATIBILITY),
    "the truth of an array": ("return 1 if LIB.F[cumsum](a) else 0", Kind.NATIVE_INCOMPATIBILITY),
    "an array for math": ("import math; return math.sqrt(LIB.F[cumsum](a))", Kind.NATIVE_INCOMPATIBILITY),
    "another exception": ("return [][1]", Kind.RAISED),
    "a wrong value": ("return LIB.F[sum](a)", Kind.WRONG_VALUE),
    "a wrong shape": ("return [LIB.F[mean](a)]", Kind.WRONG_SHAPE),
    "a wrong type": ("return str(LIB.F[mean](a))", Kind.WRONG_TYPE),
    "pure Python": ("return sum(a) / len(a)", Kind.NOT_FROM_LIBRARY),
    "construction and operators": ("x = LIB.F[array](a); return float(sum(x / len(a)))", Kind.NOT_FROM_LIBRARY),
    "a decorative call": ("LIB.F[mean](a); return sum(a) / len(a)", Kind.NOT_FROM_LIBRARY),
    "times nothing": ("return sum(a) / len(a) + 0 * LIB.F[sum](a)", Kind.NOT_FROM_LIBRARY),
    "NumPy": ("import numpy; return numpy.mean(a)", Kind.NUMPY),
    "NumPy under a name": ("np = __import__('numpy'); return np.mean(a)", Kind.NUMPY),
    "NumPy without an import": ("return np.mean(a)", Kind.NUMPY),
    "another numeric library": ("import pandas; return pandas.Series(a).mean()", Kind.POLICY),
    "reflection": ("return LIB.F[mean].__globals__", Kind.WRONG_TYPE),
    "reflection at run time": ("n = '__clo' + 'sure__'; return getattr(LIB.F[mean], n)", Kind.WRONG_TYPE),
    "eval": ("return eval('1')", Kind.WRONG_VALUE),
    "a file": ("return open('/etc/passwd').read()", Kind.POLICY),
    "an endless loop": ("while True: pass", Kind.TIME),
    "too much memory": ("return len([0] * 10**10)", Kind.MEMORY),
    "too much returned": ("return [0] * 10**6", Kind.OUTPUT),
    "right": ("return LIB.F[mean](a)", Kind.PASSED),
}


def test_what_a_failing_case_returned_is_kept_in_few_characters(judge: Judge) -> None:
    found = verdict(judge, "return [LIB.F[mean](a), 'x' * 10_000, 'y']")
    assert found.actual.startswith("[") and "'xxx" in found.actual
    assert len(found.actual) <= SHOWN_ACTUAL
    assert Verdict.from_json(found.to_json()) == found
    for body in ("return LIB.F[mean](a)", "return [][1]"):
        assert verdict(judge, body).actual == ""


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_of_answer_gets_its_verdict(name: str, judge: Judge) -> None:
    body, kind = KINDS[name]
    found = verdict(judge, body)
    assert (found.kind, found.detail) == (kind, found.detail)
    assert found.blame is (Blame.NONE if kind is Kind.PASSED else Blame.CANDIDATE)


def test_answers_without_code_or_entry_or_syntax(judge: Judge) -> None:
    t = task("mean", names=judge.world.names)
    assert judge.judge(t, "I do not know.").kind in (Kind.NO_CODE, Kind.SYNTAX)
    assert judge.judge(t, "").kind is Kind.NO_CODE
    assert judge.judge(t, "```python\ndef other(a):\n    return 1\n```").kind is Kind.NO_ENTRY
    assert judge.judge(t, "```python\ndef average(a:\n```").kind is Kind.SYNTAX


@pytest.mark.parametrize("response", ["\0", "```python\n\ud800\n```", "x" * 300_000, "`" * 100_000, "(" * 5_000])
def test_strange_text_is_a_verdict_and_no_crash(response: str, judge: Judge) -> None:
    assert not judge.judge(task("mean"), response).passed


def test_a_difference_says_where(judge: Judge) -> None:
    found = verdict(judge, "x = LIB.F[cumsum](a).tolist(); x[2] += 1; return x", "running_total")
    assert (found.kind, found.case) == (Kind.WRONG_VALUE, 0)
    assert "[2]" in found.detail


def test_the_verdict_names_the_functions_and_keeps_the_output(judge: Judge) -> None:
    found = verdict(judge, "print('here'); return LIB.F[mean](LIB.F[array](a))")
    names = judge.world.names.functions
    assert set(found.functions) == {names["mean"], names["array"]}
    assert found.stdout.startswith("here\n")


def test_inputs_are_fresh_for_every_case(judge: Judge) -> None:
    assert verdict(judge, "r = LIB.F[mean](a); a.clear(); return r").passed


def test_tolerances_are_the_tasks(judge: Judge) -> None:
    body = "import LIB\ndef average(a):\n    return LIB.F[mean](a) + 1e-4\n"
    text = f"```python\n{fill(body, judge.world.names)}```"
    assert not judge.judge(task("mean"), text).passed
    assert judge.judge(replace(task("mean"), atol=1e-3), text).passed


def test_every_isolation_layer_holds(judge: Judge) -> None:
    assert {layer.name for layer in judge.layers} >= {
        *("seccomp", "landlock", "rlimits", "net", "pid", "privileges"),
        *("wall: isolation", "wall: system calls", "wall: clock", "wall: no NumPy"),
    }
    assert all(layer.holds for layer in judge.layers), judge.layers


def test_async_and_batch_give_the_same_verdicts(judge: Judge) -> None:
    pairs = []
    for body in ("return LIB.F[mean](a)", "return LIB.F[sum](a)", "return 1"):
        text = fill(f"import LIB\ndef average(a):\n    {body}\n", judge.world.names)
        pairs.append((task("mean", names=judge.world.names), f"```python\n{text}```"))

    async def gather() -> list[Verdict]:
        return await asyncio.gather(*(judge.judge_async(*pair) for pair in pairs))

    batch, together = list(judge.judge_many(pairs)), asyncio.run(gather())
    assert [v.kind for v in batch] == [v.kind for v in together] == [judge.judge(*p).kind for p in pairs]


# NumPy leaves these orders open; with some vector instructions, a short array comes out sorted.
OPEN_ORDERS = {
    "argpartition": ("([5, 4, 3, 2, 1, 0], 0)", [5, 0, 1, 2, 3, 4]),
    "partition": ("([5, 4, 3, 2, 1, 0], (0, 3))", [0, 2, 1, 3, 5, 4]),
    "argsort": ("([1, 0] * 40)", [*range(1, 80, 2), *range(0, 80, 2)]),
}


@pytest.mark.parametrize("function", OPEN_ORDERS)
def test_an_order_that_numpy_leaves_open_is_the_same_on_every_processor(judge: Judge, function: str) -> None:
    arguments, wanted = OPEN_ORDERS[function]
    asked = task("mean", names=judge.world.names)
    code = "def average(a):\n    return {mean}(a) if {call}{arguments}.tolist() == {wanted} else None\n"
    forged = fill(
        code.format(mean="LIB.F[mean]", call=f"LIB.F[{function}]", arguments=arguments, wanted=wanted),
        judge.world.names,
    )
    native = code.format(mean="np.mean", call=f"np.{function}", arguments=arguments, wanted=wanted)
    assert judge.judge(asked, f"```python\nimport {judge.world.names.package}\n{forged}```").passed
    assert judge.judge_native(asked, f"```python\nimport numpy as np\n{native}```").numpy_passed

"""The published formats: argument texts and printed results are read exactly, as data, and never evaluated."""

from __future__ import annotations

import contextlib
import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.base.extract import extract
from sebench.interop.formats.published_lines import read_line
from sebench.values.equality import difference
from sebench.values.literals import parse_inputs, parse_printed
from sebench.values.tagged import Unreadable, encode
from sebench.world.world import World

NAN, INF = math.nan, math.inf
CASES = Path(__file__).parent / "data" / "judge_cases"


def same(one: Any, other: Any) -> bool:
    return difference(encode(one), encode(other), "strict", 0.0, 0.0) is None and repr(one) == repr(other)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=[1, 2], k=3", {"a": [1, 2], "k": 3}),
        ("x=np.array([[1, 2], [3, 4]]), axis=None", {"x": [[1, 2], [3, 4]], "axis": None}),
        ("s='a, b=c', d={'k': (1, 2)}", {"s": "a, b=c", "d": {"k": (1, 2)}}),
        ("a=-1, b=+2.5, c=-1e-3", {"a": -1, "b": 2.5, "c": -1e-3}),
        ("a=1+2j, b=-3j, c=(1-2.5j), d=complex(1, 2)", {"a": 1 + 2j, "b": complex(0, -3), "c": 1 - 2.5j, "d": 1 + 2j}),
        ("a=float('nan'), b=np.nan, c=nan, d=float('-inf')", {"a": NAN, "b": NAN, "c": NAN, "d": -INF}),
        ("a=inf, b=-inf, c=np.inf, d=-np.inf, e=math.inf", {"a": INF, "b": -INF, "c": INF, "d": -INF, "e": INF}),
        ("a=[nan, [1, (2, {'x': {3}})]]", {"a": [NAN, [1, (2, {"x": {3}})]]}),
        ("a=True, b=b'xy', c='', d=()", {"a": True, "b": b"xy", "c": "", "d": ()}),
        ("a=np.array([1, 2], dtype=float)", {"a": [1.0, 2.0]}),
        (
            "a=np.array([1, 2], dtype=np.float32), b=np.asarray((1, 0), dtype='bool')",
            {"a": [1.0, 2.0], "b": [True, False]},
        ),
        ("a=np.float64(2.5), b=np.int32(7), c=np.bool_(True), d=np.str_('x')", {"a": 2.5, "b": 7, "c": True, "d": "x"}),
        ("a=set(), b=frozenset([1]), c=tuple([1, 2])", {"a": set(), "b": frozenset({1}), "c": (1, 2)}),
        ("a=2**31, b=np.pi/2, c=1/4", {"a": 2**31, "b": math.pi / 2, "c": 0.25}),
        ("a=[1,\n   2],\nk=3,", {"a": [1, 2], "k": 3}),
        ("a=10**25", {"a": 10**25}),
        ("", {}),
    ],
)
def test_arguments(text: str, value: dict[str, Any]) -> None:
    assert same(parse_inputs(text), value)


def test_arguments_without_names_take_those_of_the_parameters() -> None:
    assert parse_inputs("[1,2], 3", ("a", "k")) == {"a": [1, 2], "k": 3}
    assert parse_inputs("[1,2], k=3", ("a", "k")) == {"a": [1, 2], "k": 3}
    with pytest.raises(ValueError, match=r"more positional arguments \(2\) than parameters \(1\)"):
        parse_inputs("1, 2", ("a",))
    with pytest.raises(ValueError, match="'a' appears twice"):
        parse_inputs("1, a=2", ("a",))


@pytest.mark.parametrize(
    "text",
    [
        "a=__import__('os').system('x')",
        "a=open('/etc/passwd').read()",
        "a=[x for x in (1,)]",
        "a=lambda: 1",
        "a=os.sep",
        "a=().__class__",
        "a=f'{1}'",
        "a=1) + f(b=2",
        "a=1), f(b=2",
        "a=1)\nf(b=2",
        "a=[1",
        "a=b",
        "a=1, a=2",
        "**{'a': 1}",
        "*[1]",
        "a=...",
        "a={**{}}",
        "a={[1]: 2}",
        "a='x' * 3",
        "a=[0] * 10",
        "a=9**9**9",
        "a=2**100000",
        "a=1/0",
        "a=float('x')",
        "a=evil(1)",
        "a=x.array([1])",
        "a=(b := 1)",
        "a='\x00'",
        "a=" + "[" * 80 + "]" * 80,
        "a=" + "-" * 100 + "1",
    ],
)
def test_arguments_that_are_no_plain_values_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_inputs(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2.5", 2.5),
        ("-3", -3),
        ("None", None),
        ("True", True),
        ("nan", NAN),
        ("-inf", -INF),
        ("(1+2j)", 1 + 2j),
        ("-2j", complex(0, -2)),
        ("'text'", "text"),
        ("b'xy'", b"xy"),
        ("[1, 2.5, 'a', None]", [1, 2.5, "a", None]),
        ("(1, 2)", (1, 2)),
        ("(1,)", (1,)),
        ("()", ()),
        ("[]", []),
        ("{}", {}),
        ("set()", set()),
        ("{1, 2}", {1, 2}),
        ("{'a': [1], (1, 2): {3: None}}", {"a": [1], (1, 2): {3: None}}),
        ("[1. 2. 3.]", [1.0, 2.0, 3.0]),
        ("[ 0. -1.  1.]", [0.0, -1.0, 1.0]),
        ("[1 -2]", [1, -2]),
        ("[[1 2]\n [3 4]]", [[1, 2], [3, 4]]),
        ("[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]", [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]),
        ("[nan inf -inf]", [NAN, INF, -INF]),
        ("[ True False]", [True, False]),
        ("[1.+2.j 3.-1.j]", [1 + 2j, 3 - 1j]),
        ("[1.  +2.j  3.25+1.5j]", [1 + 2j, 3.25 + 1.5j]),
        ("[-0.5+0.8660254j -0.5-0.8660254j]", [-0.5 + 0.8660254j, -0.5 - 0.8660254j]),
        ("[nan+nanj  1. +0.j]", [complex(NAN, NAN), 1 + 0j]),
        ("['ab' 'c']", ["ab", "c"]),
        ("['a b' \"it's\"]", ["a b", "it's"]),
        ("[1.e+00 2.5e-10]", [1.0, 2.5e-10]),
        ("array([1., 2.])", [1.0, 2.0]),
        ("array([[1, 2],\n       [3, 4]], dtype=int32)", [[1, 2], [3, 4]]),
        ("array(['a', 'b'], dtype='<U1')", ["a", "b"]),
        ("array([], dtype=float64)", []),
        ("array([], shape=(2, 0), dtype=float64)", [[], []]),
        ("array(2.5)", 2.5),
        ("array([ True, False])", [True, False]),
        ("array([1.+0.j, 0.+1.j])", [1 + 0j, 1j]),
        ("(array([1, 2]), array([0.5]))", ([1, 2], [0.5])),
        ("[array([[1, 2]]), array([[3, 4]])]", [[[1, 2]], [[3, 4]]]),
        ("np.float64(2.5)", 2.5),
        ("np.True_", True),
        ("[np.float64(1.0), np.int64(2)]", [1.0, 2]),
        ("np.str_('x')", "x"),
        ("np.complex128(1+2j)", 1 + 2j),
        ("(np.int64(3), np.float64(nan))", (3, NAN)),
        ("ZWCArray([1, 2])", [1, 2]),
        ("ZWCArray([[1. 2.]\n [3. 4.]])", [[1.0, 2.0], [3.0, 4.0]]),
        ("SlogdetResult(sign=np.float64(1.0), logabsdet=np.float64(0.5))", (1.0, 0.5)),
        ("EigResult(eigenvalues=array([1., 2.]), eigenvectors=array([[1., 0.],\n [0., "
         "1.]]))", ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]])),
        ("{'mean': np.float64(2.0), 'all': array([1, 2])}", {"mean": 2.0, "all": [1, 2]}),
        ("OrderedDict([('a', 1)])", {"a": 1}),
        ("defaultdict(<class 'int'>, {'a': 1})", {"a": 1}),
        ("Counter({'a': 2})", {"a": 2}),
        ("frozenset({1})", frozenset({1})),
        ("  2.5\n", 2.5),
    ],
)  # fmt: skip
def test_printed_values(text: str, value: Any) -> None:
    assert same(parse_printed(text)[0], value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "maximum: 3",
        "hello world",
        "3 apples",
        "2024-01-01",
        "[hello world]",
        "[1, 2",
        "1, 2",
        "it's",
        "wait...",
        "array",
        "os.system('x')",
        '__import__("sys")._getframe(2)',
        "{1: 2, 3}",
        "{[1]: 2}",
        "f(1, 2)",
        "1.2.3",
        "0x10",
        "array([1] [2])",
    ],
)
def test_text_that_is_no_printed_value_is_itself(text: str) -> None:
    assert parse_printed(text)[0] == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[0 1 2 ... 7 8 9]", "cut short"),
        ("[[0. 1. ... 2.]\n ...\n [3. 4. ... 5.]]", "cut short"),
        ("array([0, 1, ..., 8, 9], shape=(1500,))", "cut short"),
        ("(array([0, ..., 9]), 1)", "cut short"),
        ("{1, ...}", "cut short"),
        ("<generator object solve at 0x7f1234>", "not its value"),
        ("<zwc.ZWCArray object at 0xffff>", "not its value"),
        ("[" * 100, "nested more than"),
    ],
)
def test_a_printout_that_does_not_tell_its_value_is_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_printed(text)[0]


elements = st.one_of(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30),
    st.lists(st.floats(allow_nan=True, allow_infinity=True, width=32), min_size=1, max_size=30),
    st.lists(st.booleans(), min_size=1, max_size=30),
    st.lists(st.complex_numbers(max_magnitude=1e6, allow_nan=False), min_size=1, max_size=30),
    st.lists(st.text(max_size=4).filter(lambda s: "\x00" not in s), min_size=1, max_size=10),
)


@given(elements, st.sampled_from([1, 2, 3]), st.booleans())
def test_every_printout_of_an_array_is_read_back(values: list[Any], dimensions: int, as_repr: bool) -> None:
    shape = {1: (-1,), 2: (1, -1), 3: (-1, 1, 1)}[dimensions]
    array = np.array(values).reshape(shape)
    text = repr(array) if as_repr else str(array)
    read = parse_printed(text)[0]
    atol = 1e-8 + 1e-6 * max(
        (abs(v) for v in values if isinstance(v, float | complex) and math.isfinite(abs(v))), default=0
    )
    assert difference(encode(array.tolist()), encode(read), "strict", 1e-6, atol) is None, text


atoms = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.complex_numbers()
    | st.binary(max_size=3)
)
plain = st.recursive(
    atoms,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(plain.filter(lambda value: not isinstance(value, str)))
def test_every_printed_python_value_is_read_back(value: Any) -> None:
    assert difference(encode(value), encode(parse_printed(repr(value))[0]), "strict", 0.0, 0.0) is None


@given(plain)
def test_every_argument_is_read_back(value: Any) -> None:
    assert difference(encode(value), encode(parse_inputs(f"a={value!r}")["a"]), "strict", 0.0, 0.0) is None


@given(st.text(alphabet="[](){}'\".,:=+-0123456789eEjnaif\n x\\<>_", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_printed, parse_inputs):
        try:
            read(text)
        except ValueError as error:
            assert len(str(error)) < 300


@pytest.mark.parametrize(
    "text", ["1" * 200_000, "[" + "1 " * 100_000, "'" * 200_001, "a" * 200_000, "1." * 99_999, "(" + " " * 200_000]
)
def test_long_texts_do_not_take_long(text: str) -> None:
    assert seconds(text) < 20.0  # usually a tenth of one; a pattern that looks back takes hours


def seconds(text: str) -> float:
    """The CPU time that a text takes."""
    start = time.process_time()
    with contextlib.suppress(ValueError):
        parse_printed(text)[0]
    return time.process_time() - start


def test_every_published_case_can_be_read() -> None:
    lines = [json.loads(line) for path in sorted(CASES.glob("*.jsonl")) for line in path.read_text().splitlines()]
    assert len(lines) == 72
    for number, line in enumerate(lines, 1):
        task, response, name = read_line(line, number)
        assert (name, response, task.entry) == (line["id"], line["response"], "solve")
        assert len(task.cases) == len(line["test_cases"])
        assert not extract(response, task.entry).reason
        encode([[case.inputs, case.expected] for case in task.cases])
        assert any(isinstance(case.expected, Unreadable) for case in task.cases) == (name == "x87_ellipsis")


def line(response: str = "```python\ndef solve(a):\n    return a\n```", **more: Any) -> dict[str, Any]:
    cases = [{"input": "a=[1, 2]", "output": "[0.33333333 0.5]"}]
    return {"query": "Do it.", "response": response, "test_cases": cases, "right_exe_result": "", **more}


def test_a_line_becomes_a_task() -> None:
    task, response, name = read_line(line(), 7)
    assert (task.question, task.entry, task.parameters) == ("Do it.", "solve", ("a",))
    assert task.id == read_line(line("another answer"), 8)[0].id  # of what is asked, wherever it stands
    assert task.cases[0].inputs == {"a": [1, 2]} and task.cases[0].expected == [0.33333333, 0.5]
    assert response.startswith("```python") and name == "line 7"


def test_numbers_that_were_rounded_when_printed_are_compared_more_loosely() -> None:
    exact = [{"input": "a=1", "output": "0.3333333333333333"}]
    tiny = [{"input": "a=1", "output": "[1.5e-10 2.5e-10]"}]
    whole = [{"input": "a=1", "output": "[1 2 3]"}]
    assert read_line(line(), 1)[0].atol == pytest.approx(5e-7)
    assert [read_line(line(test_cases=c), 1)[0].atol for c in (exact, tiny, whole)] == [1e-9] * 3


@pytest.mark.parametrize(
    ("signature", "entry", "parameters"),
    [
        ("def average(a, k=3):", "average", ("a", "k")),
        ("def average(a: list[float], *, k: int = 3) -> float:\n    pass", "average", ("a", "k")),
        ("average(a, k=3)", "average", ("a", "k")),
        ("average", "average", ("a",)),
    ],
)
def test_the_signature_names_the_entry_point(signature: str, entry: str, parameters: tuple[str, ...]) -> None:
    task = read_line(line(function_name=signature), 1)[0]
    assert (task.entry, task.parameters) == (entry, parameters)


@pytest.mark.parametrize(
    ("code", "entry"),
    [
        ("def average(a):\n    return helper(a)\n\ndef helper(a):\n    return a", "average"),
        ("def helper(a):\n    return a\n\ndef average(a):\n    return helper(a)", "average"),
        ("def one(a):\n    return a\n\ndef two(a):\n    return a", "two"),
        ("def average(a, k=2):\n    return a\n\ndef main():\n    print(average([1]))", "average"),
        ("def average(a):\n    return average(a)", "average"),
        ("def average(x):\n    return x", "average"),
        ("solve = lambda a: a", "solve"),
        ("this is (no program", "solve"),
    ],
)
def test_without_a_signature_the_entry_point_is_the_function_that_fits(code: str, entry: str) -> None:
    assert read_line(line(f"```python\n{code}\n```"), 1)[0].entry == entry


def test_a_signature_in_the_question_comes_first() -> None:
    code = "```python\ndef wanted(a):\n    return a\n\ndef extra(a):\n    return a\n```"
    assert read_line(line(code, query="Complete:\ndef wanted(a):"), 1)[0].entry == "wanted"


def test_arguments_without_names_take_those_of_the_program() -> None:
    cases = [{"input": "[1, 2], 3", "output": "2"}]
    code = "```python\ndef pick(values, n):\n    return values[n]\n```"
    assert read_line(line(code, test_cases=cases), 1)[0].cases[0].inputs == {"values": [1, 2], "n": 3}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"response": None}, "'response' is not a string"),
        ({"response": 5}, "'response' is not a string"),
        ({"query": []}, "'query' is not a string"),
        ({"test_cases": []}, "'test_cases' is not a list with at least one case"),
        ({"test_cases": "x"}, "'test_cases' is not a list with at least one case"),
        ({"test_cases": [5]}, "case 0: 'input' is not a string"),
        (
            {"test_cases": [{"input": "a=1", "output": "1"}, {"input": "a=2"}]},
            "case 1: there is no 'output', and no result in 'right_exe_result'",
        ),
        ({"right_exe_result": "1#2"}, "'right_exe_result' has 2 results, but 'test_cases' has 1 case"),
        ({"right_exe_result": ["1"]}, "'right_exe_result' is not a string"),
        ({"example": [1]}, "'example' is not an object"),
        ({"test_cases": [{"input": "a=open('x')", "output": "1"}]}, "case 0: .*is not a plain value"),
        ({"test_cases": [{"input": "a=(", "output": "1"}]}, "the arguments 'a=\\(' are not valid Python"),
        ({"function_name": "1 + 1"}, "'function_name' '1 \\+ 1' does not name a function"),
    ],
)
def test_a_malformed_line_is_refused_with_its_reason(change: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_line({**line(), **change}, 3)


def test_a_line_without_a_response_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no 'response'"):
        read_line({"test_cases": []}, 1)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("np.linspace(0, 1, 5)", [0.0, 0.25, 0.5, 0.75, 1.0]),
        ("np.arange(6).reshape(2, 3) * 2", [[0, 2, 4], [6, 8, 10]]),
        ("np.zeros((1, 2))", [[0.0, 0.0]]),
        ("-np.eye(2)", [[-1.0, 0.0], [0.0, -1.0]]),
        ("np.array([[1, 2], [3, 4]]).T", [[1, 3], [2, 4]]),
        ("np.full(2, 7)", [7, 7]),
        ("numpy.tile([1, 2], 2)", [1, 2, 1, 2]),
        ("np.pi * np.arange(2)", [0.0, 3.141592653589793]),
    ],
)
def test_constant_expressions_are_evaluated(text: str, value: object) -> None:
    assert parse_inputs(f"a={text}, k=1") == {"a": value, "k": 1}


@pytest.mark.parametrize(
    "text",
    [
        "np.zeros(10**9)",
        "np.full((10**5, 10**5), 1)",
        "np.random.rand(3)",
        "np.arange(0, 1e9, 1e-3)",
        "np.load('x')",
        "np.tile([1], 10**9)",
    ]
    + [
        "np.arange(9)**(10**9)",
        "np.array([1]).dump('x')",
        "np.linspace(0, 1, 10**8)",
        "np.eye(10**5)",
        "np.ones(3).__class__",
    ],
)
def test_what_is_too_large_or_no_constant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a plain value"):
        parse_inputs(f"a={text}")


def test_the_functions_of_a_line_reach_the_task(world: World) -> None:
    line = {"response": "x", "function_name": "def f(a):", "test_cases": [{"input": "a=[1]", "output": "1"}]}
    for selected, functions in (
        (["np.amax", "linalg.det"], ("max", "linalg.det")),
        (["no_such"], ()),
        ("x", ()),
        ([], ()),
    ):
        found, _, _ = read_line({**line, "selected_functions": selected}, 1, world.names)
        assert found.functions == functions

"""Translation must be faithful: the same values, the same layout, and an error for everything that a world lacks."""

from __future__ import annotations

import ast
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.forge.catalog import catalog
from sebench.forge.names import naming
from sebench.forge.names.naming import Names
from sebench.forge.translate.translate import Scope, Translator, Untranslatable

NAMES = naming.draw(7, catalog.seeded(), "vok")
TRANSLATOR = Translator(NAMES)


def forged(path: str) -> str:
    return NAMES.forged(path)


def code(source: str) -> str:
    return TRANSLATOR.code(source)


class _Undo(ast.NodeTransformer):
    """Turns a translated program back into NumPy, function by function."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        path = {forged(p): p for p in NAMES.functions}.get(ast.unparse(node))
        return ast.parse(f"np.{path}", mode="eval").body if path else self.generic_visit(node)


def value(source: str) -> object:
    """What a translated expression gives, with NumPy in the place of the forged functions."""
    *imports, expression = code(source).splitlines()
    scope: dict[str, object] = {"np": np, "a": np.arange(6.0).reshape(2, 3), "b": [3, 1, 2]}
    exec("\n".join(imports), scope)
    return eval(ast.unparse(_Undo().visit(ast.parse(expression, mode="eval"))), scope)


def test_every_name_of_a_forged_function_is_translated() -> None:
    for path, entry in catalog.by_any_name().items():
        if entry.path in NAMES.functions:
            assert code(f"np.{path}") == forged(entry.path)


def test_calls_of_the_catalog_are_translated_and_leave_nothing_of_numpy() -> None:
    for call in (c for e in catalog.seeded() for c in e.calls):
        names = {n.id for n in ast.walk(ast.parse(code(call))) if isinstance(n, ast.Name)}
        assert not names & {"np", "numpy"}, call


@pytest.mark.parametrize(
    "source",
    [
        "a.sum()",
        "a.mean(axis=0)",
        "a.reshape(3, 2)",
        "a.reshape((3, 2))",
        "a.reshape(-1)",
        "a.T.reshape(*a.shape)",
        "a.transpose(1, 0)",
        "a.transpose()",
        "a.flatten()",
        "a.std(ddof=1)",
        "a.clip(1, 3)",
        "(a + 1).max(axis=1)",
        "a.astype(int).tolist()",
        "a.ravel()[::-1].argsort()",
        "a.take([0, 1], axis=1)",
        "a.ravel().compress([True, False, True])",
        "a.flat[4]",
        "np.array(b).copy()",
        "a.dot(b)",
        "np.abs(-a) + np.pi",
        "a[:, np.newaxis].shape",
    ],
)
def test_array_methods_become_functions_of_the_same_value(source: str) -> None:
    expected = eval(source, {"np": np, "a": np.arange(6.0).reshape(2, 3), "b": [3, 1, 2]})
    assert np.array_equal(np.asarray(value(source)), np.asarray(expected))


def test_layout_comments_and_quotes_are_kept() -> None:
    source = "x = [1,\n     2]   # two\ny = np.sum( x,\n            axis = 0 )  # 'np.sum' stays in the comment\n"
    assert code(source) == source.replace("np.sum(", f"{forged('sum')}(")


def test_text_outside_ascii_does_not_shift_the_cuts() -> None:
    assert code("é = 'ü'; np.sum([é, np.mean(é)])") == f"é = 'ü'; {forged('sum')}([é, {forged('mean')}(é)])"


@given(st.lists(st.sampled_from(["np.sum(x)", "x + 1", "[np.pi, 'np.mean']", "f(x)[0]", "x.T", "(x)"]), min_size=1))
def test_translation_is_the_same_for_parts_and_whole(parts: list[str]) -> None:
    whole = TRANSLATOR.translate("\n".join(parts)).body
    assert whole == "\n".join(TRANSLATOR.translate(part).body for part in parts)


def test_constants_become_plain_python() -> None:
    assert code("np.pi * np.e") == "import math\nmath.pi * math.e"
    assert code("import math\nnp.pi") == "import math\nmath.pi"
    assert math.isinf(eval(code("np.inf"))) and math.isnan(eval(code("np.nan")))
    assert code("x[np.newaxis]") == "x[None]"


@pytest.mark.parametrize(
    ("dtype", "word"),
    [
        ("np.float64", "float"),
        ("'float64'", "float"),
        ("np.int64", "int"),
        ("np.float32", '"float_32"'),
        ("'f4'", '"float_32"'),
        ("np.uint8", '"unsigned_8"'),
        ("'<i2'", '"int_16"'),
        ("bool", "bool"),
        ("np.complex128", "complex"),
        ("np.dtype('int8')", '"int_8"'),
    ],
)
def test_dtypes_become_kind_words(dtype: str, word: str) -> None:
    assert code(f"np.zeros(3, dtype={dtype})") == f"{forged('zeros')}(3, dtype={word})"
    assert code(f"np.zeros(3, {dtype})") == f"{forged('zeros')}(3, {word})"
    assert code(f"x.astype({dtype})") == f"{forged('astype')}(x, {word})"


def test_a_dtype_is_compared_as_a_word() -> None:
    assert code("x.dtype == np.float64") == 'x.dtype == "float"'


def test_imports_of_every_form_are_resolved() -> None:
    assert code("import numpy as np\nnp.sum(x)") == f"import vok\n{forged('sum')}(x)"
    assert code("import numpy\nnumpy.sum(x)") == f"import vok\n{forged('sum')}(x)"
    assert code("from numpy import linalg as LA\nLA.det(x)") == f"import vok\n{forged('linalg.det')}(x)"
    assert code("from numpy.linalg import det\ndet(x)") == f"import vok\n{forged('linalg.det')}(x)"
    assert code("import math, numpy as np") == "import math, vok"


def test_a_scope_carries_imports_from_step_to_step() -> None:
    scope = Scope()
    TRANSLATOR.translate("from numpy import linalg as LA", scope)
    TRANSLATOR.translate("x = np.array([1, 2])", scope)
    assert TRANSLATOR.translate("LA.det(x.copy())", scope).body == f"{forged('linalg.det')}({forged('array')}(x))"


def test_the_functions_of_a_program_are_reported_once_in_order() -> None:
    found = TRANSLATOR.translate("np.sum(x) + np.mean(x.reshape(2, 2)) + np.sum(y)").functions
    assert found == ("sum", "mean", "reshape")


def test_fields_of_named_results_get_their_forged_names() -> None:
    field = NAMES.fields["logabsdet"]
    assert code("np.linalg.slogdet(a).logabsdet") == f"{forged('linalg.slogdet')}(a).{field}"


def test_a_parameter_that_moved_is_passed_by_name() -> None:
    """NumPy's percentile has `out` and `overwrite_input` before `method`; the forged one may not."""
    text = code("np.std(a, 0, None, None, 1)")
    assert text == f"{forged('std')}(a, 0, None, None, 1)"
    with pytest.raises(Untranslatable, match="overwrite_input"):
        code("np.median(a, 0, None, True)")


@pytest.mark.parametrize(
    "plain", ["xs.copy()", "xs.sort()", "d.items()", "s.split(',')", "math.sqrt(2)", "xs.append(1)"]
)
def test_plain_python_is_left_alone(plain: str) -> None:
    assert code(f"import math\n{plain}") == f"import math\n{plain}"


@pytest.mark.parametrize(
    ("source", "thing"),
    [
        ("np.random.rand(3)", "random"),
        ("np.add.reduce(x)", "add.reduce"),
        ("np.mean(x, where=m)", "where"),
        ("np.array([1], dtype=object)", "object"),
        ("np.array([1], dtype=[('x', int)])", "dtype"),
        ("np.nosuch(x)", "nosuch"),
        ("x.itemsize", "itemsize"),
        ("x.view(float)", "view"),
        ("np.r_[1, 2]", "r_"),
        ("f'{np.pi}'", "f-string"),
        ("from numpy import *", "import"),
        ("g(np)", "np"),
    ],
)
def test_what_the_world_lacks_is_refused_by_name(source: str, thing: str) -> None:
    with pytest.raises(Untranslatable, match=thing):
        code(source)


def test_a_world_with_only_an_alias_is_used_under_it() -> None:
    names = Names("vok", "Talmek", {}, {"abs": "xyz", "array": "arr"}, {}, {})
    assert Translator(names).code("np.absolute(x)") == "vok.xyz(x)"

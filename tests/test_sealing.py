"""Attacks: ordinary code that imports the package and tries to reach NumPy or an original name."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
import textwrap
import traceback
import types
import warnings
from typing import Any

import pytest

from sebench.forge.audit import probe
from sebench.forge.catalog import signature
from sebench.forge.names import leaks
from sebench.world.world import World
from tests.conftest import Forged


def test_the_probe_finds_no_way_out(world: World, forged: Forged) -> None:
    assert list(probe.probe(world.names, world.entries, forged.library)) == []


def test_a_class_with_the_same_layout_cannot_be_laid_over_an_array(forged: Forged) -> None:
    x = forged.array([1])
    empty = object.__new__(forged.type)
    with pytest.raises(TypeError) as caught:
        empty + 1
    assert "_" not in str(caught.value)
    for slot in ("_held", "_data", "held", "data", "_value"):
        Evil = type("Evil", (), {"__slots__": (slot,)})
        with pytest.raises(TypeError):
            object.__setattr__(x, "__class__", Evil)


def test_the_type_has_no_slot_descriptor_and_no_subclasses(forged: Forged) -> None:
    kinds = {type(v) for v in vars(forged.type).values()}
    assert types.MemberDescriptorType not in kinds
    assert not hasattr(forged.type, "__slots__")
    with pytest.raises(TypeError):
        type("Sub", (forged.type,), {})


def test_array_protocols_are_not_there(forged: Forged) -> None:
    x = forged.array([1.0])
    for name in (
        "__array__",
        "__array_interface__",
        "__array_struct__",
        "__array_ufunc__",
        "__array_priority__",
    ):
        assert not hasattr(x, name)
        assert not hasattr(forged.type, name)
    with pytest.raises(TypeError):
        memoryview(x)


def test_an_object_that_asks_for_the_function_is_not_handed_one(forged: Forged) -> None:
    handed: list[Any] = []

    class Greedy:
        def __array_ufunc__(self, *args: Any, **options: Any) -> Any:
            handed.extend(args)
            return 1

        def __array_function__(self, *args: Any, **options: Any) -> Any:
            handed.extend(args)
            return 1

        def __array__(self, *args: Any, **options: Any) -> Any:
            handed.extend(args)
            return [1]

    for attempt in (
        lambda v: forged["add"](1, v),
        lambda v: forged["mean"](v),
        lambda v: forged.array([1.0]) + v,
    ):
        with pytest.raises(TypeError):
            attempt(Greedy())
    assert handed == []


def test_a_class_as_callback_is_constructed_with_forged_arrays(forged: Forged) -> None:
    class Box:
        seen: list[Any] = []  # noqa: RUF012

        def __init__(self, row: Any) -> None:
            Box.seen.append(type(row))

        def __float__(self) -> float:
            return 1.0

    assert forged["apply_along_axis"](Box, 0, [[1.0], [2.0]]).tolist() == [1.0]
    assert Box.seen == [forged.type]


@pytest.mark.parametrize("original", ["mean", "linalg.solve", "where", "concatenate", "add", "fft.rfft", "einsum"])
def test_a_wrong_call_speaks_in_forged_terms(forged: Forged, original: str) -> None:
    function, forged_name = forged[original], forged.names.functions[original].rpartition(".")[2]
    for call in (lambda: function(), lambda: function(1, no_such=2)):
        with pytest.raises(TypeError, match=forged_name) as caught:
            call()
        assert caught.value.__context__ is None


def test_errors_are_builtin_unchained_and_show_no_foreign_frame(forged: Forged) -> None:
    wrong = [
        (lambda: forged["linalg.inv"]([[1.0, 1.0], [1.0, 1.0]]), ValueError, "the matrix is singular"),
        (
            lambda: forged["sum"]([1, 2], axis=3),
            ValueError,
            "axis 3 does not exist: the array has 1 dimension",
        ),
        (
            lambda: forged["reshape"]([1, 2, 3], (2, 2)),
            ValueError,
            r"3 elements do not fit into shape \(2,2\)",
        ),
        (lambda: forged.array([1, 2]) + [1, 2, 3], ValueError, r"shapes \(2,\) \(3,\) do not match"),
        (lambda: forged.array([1, 2])[5], IndexError, "index 5 does not exist: there are 2 elements"),
        (lambda: forged["sin"]("text"), TypeError, "does not work with these arguments: 'text'"),
        (lambda: forged["zeros"](10**13), MemoryError, "too large"),
        (lambda: forged["full"]([-1], 0), ValueError, "a length cannot be negative"),
    ]
    for call, kind, text in wrong:
        with pytest.raises(kind, match=text) as caught:
            call()
        assert type(caught.value) is kind
        assert caught.value.__context__ is None and caught.value.__cause__ is None
        shown = "".join(traceback.format_exception(caught.value))
        assert "numpy" not in shown.replace("test_sealing", "")


def test_a_host_that_turns_warnings_into_errors_learns_nothing(forged: Forged) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert forged["mean"]([]) != 0


def test_an_unknown_attribute_gives_no_hint_at_the_function_to_use(forged: Forged) -> None:
    near = forged.names.functions["mean"][:-1]
    script = f"import {forged.names.package} as m\nm.{near}"
    folder = forged.library.__path__[0].rpartition("/")[0]
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.stderr.splitlines()[-1] == f"AttributeError: module '{forged.names.package}' has no attribute '{near}'"
    with pytest.raises(AttributeError, match=f"'{forged.names.array}' object has no attribute 'mean'"):
        forged.array([1]).mean()


def test_the_package_has_functions_types_and_sub_modules_and_nothing_else(forged: Forged) -> None:
    for name, value in vars(forged.library).items():
        if name.startswith("__") or name == "_restore":
            continue
        assert isinstance(value, types.FunctionType | type | types.ModuleType), name
    assert not [m for m in sys.modules if m.startswith(f"{forged.names.package}._core") and sys.modules[m]]
    with pytest.raises(ModuleNotFoundError):
        __import__(f"{forged.names.package}._core.engine")
    assert set(forged.library.__all__) == {n for n in dir(forged.library) if not n.startswith("_")}


def test_help_shows_a_signature_and_no_documentation(forged: Forged) -> None:
    """Documentation inside the package would open the closed book to any program that reads `__doc__`."""
    function = forged["mean"]
    assert function.__doc__ is None
    assert str(inspect.signature(function)) == "(a, axis=None, dtype=None, out=None, keepdims=False)"
    assert function.__name__ in pydoc.render_doc(function)
    assert "_open" not in function.__qualname__


def test_the_text_of_the_package_holds_no_mapping(world: World) -> None:
    for file in sorted((world.package_folder / world.names.package).rglob("*.py")):
        text = file.read_text()
        assert leaks.find(text, world.names, code=True) == []
        assert "numpy" not in text.lower()
    options = {p.name for e in world.entries.values() for p in signature.read(e.signature).parameters}
    originals = {p for p in world.names.functions if len(p) > 5} - options
    strings = (world.package_folder / world.names.package / "__init__.py").read_text()
    assert not [p for p in originals if f'"{p}"' in strings]


def test_digests_differ_between_worlds_so_that_no_table_of_them_helps(world: World, published: World) -> None:
    def digests(w: World) -> set[str]:
        import re

        return set(re.findall(r'"([0-9a-f]{16})"', (w.package_folder / w.names.package / "__init__.py").read_text()))

    assert len(digests(world)) > 268
    assert not digests(world) & digests(published)


def test_source_can_be_read_and_says_nothing(forged: Forged) -> None:
    source = inspect.getsource(forged["mean"])
    assert source.lstrip().startswith("def ")
    assert leaks.find(textwrap.dedent(source), forged.names, code=True) == []

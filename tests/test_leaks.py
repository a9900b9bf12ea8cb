"""The static scan must find every trace of the source library (NumPy), and nothing in honest text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sebench.forge.catalog import catalog
from sebench.forge.names import leaks, naming

NAMES = naming.draw(7, catalog.seeded(), "vok")


def found(text: str, code: bool = False) -> list[str]:
    return [leak.what for leak in leaks.find(text, NAMES, code=code)]


@pytest.mark.parametrize(
    "text",
    [
        "It wraps NumPy.",
        "Use np to do it.",
        "An ndarray is returned.",
        "a : array_like",
        "This ufunc is fast.",
        "See SciPy.",
        "The result is array([1, 2]).",
        "of dtype float64",
        "an int64 value",
        "Call mean(x) for it.",
        "as x.mean does",
        "`mean` gives it",
        "The argmax of the values",
        "like hstack, but",
        "raises LinAlgError",
        "```\n>>> vok.sum(x)\n>>> mean = 3\n```",
        "```\n>>> vok.append(x)\n```",
    ],
)
def test_traces_of_the_source_are_found(text: str) -> None:
    assert found(text)


@pytest.mark.parametrize(
    "text",
    [
        "The mean of all elements, where the sign is not zero; sort and copy them.",
        "A 2-D array of floats with any shape.",
        "Return the Hamming window of a real signal.",
        "`x.shape`, `x.ndim`, `x.size`, `x.T`, `x.dtype` and `x.tolist()`",
        "`sum(len(row) for row in rows)` and `max(1, abs(x))`",
        "```\n>>> import math\n>>> math.sqrt(2)\n1.4142135623730951\n>>> xs.append(1)\n```",
        "```\n>>> f(mode='mean', dtype=\"int_32\")\nTalmek([nan, inf, 1.0])\n```",
        "with 'full', 'same' or 'valid'",
    ],
)
def test_honest_text_is_not_accused(text: str) -> None:
    assert found(text) == []


def test_a_page_may_speak_of_its_own_parameters() -> None:
    page = "# vok.f\n\n`vok.f(a, copy=True, *, where=None)`\n\n- `copy` (bool): Whether to copy `a`; `where=None`."
    assert found(page) == []
    assert found("Whether to `copy` it.") == ["copy"]


def test_a_leak_says_where_it_stands() -> None:
    leak = leaks.find("fine\nuse numpy here", NAMES)[0]
    assert leak.what == "numpy"
    assert leak.where.startswith("line 2:")


def test_python_source_is_code_throughout() -> None:
    assert found("def f(copy):\n    return copy\n", code=True) == []
    assert found("x = mean(y)\n", code=True) == ["mean"]
    assert found("xs.append(1)\nkey = 'mean'\n", code=True) == []
    assert found("'''uses numpy'''\n", code=True) == ["numpy"]


def test_every_name_of_the_catalog_is_known_as_an_identifier() -> None:
    bare = {path.rpartition(".")[2] for path in catalog.by_any_name()} - leaks.PLAIN_CODE
    assert [name for name in sorted(bare) if not found(f"`{name}(x)`")] == []


def test_no_english_word_of_the_list_is_missing_from_the_source() -> None:
    """A word that is no name of NumPy's is allowed anyway; it would only make the list look longer than it is."""
    import numpy

    names = {n for place in (numpy, numpy.linalg, numpy.fft, numpy.ndarray) for n in dir(place)}
    assert sorted(leaks.ENGLISH - names - {"concatenate"}) == []


@given(st.text(alphabet="abcdefghij XYZ.,;:()[]{}'\"`_0123456789\n", max_size=200))
def test_any_text_can_be_scanned(text: str) -> None:
    assert isinstance(leaks.find(text, NAMES), list)

"""The documentation is our own text: no summary, and hardly any example line, is the same as in NumPy's docstring.

Not covered: parameter descriptions and types, which sometimes state the same facts in the same words.
"""

from __future__ import annotations

import inspect
import re
from functools import cache

from sebench.forge.catalog import backend, catalog
from sebench.forge.docs import numpydoc
from sebench.world.world import World

MOST_SHARED_LINES = 1  # of one page; a short call such as `f(12)` may be anybody's


def squeezed(text: str) -> str:
    return re.sub(r"[\s`*]+", "", text).lower()


def docstring(path: str) -> numpydoc.Docstring:
    return numpydoc.parse(inspect.getdoc(backend.get(catalog.by_any_name()[path].path)) or "")


def in_numpy_terms(world: World, text: str) -> str:
    """Text of a page with NumPy's names."""
    forged, paths = forged_names(world.names.package, tuple(world.names.functions.items()))
    return forged.sub(lambda name: f"np.{paths[name[0]]}", text).replace(world.names.package, "np")


@cache
def forged_names(package: str, functions: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern of all functions as a page writes them, and their paths in NumPy."""
    paths = {f"{package}.{forged}": path for path, forged in functions}
    longest_first = sorted(map(re.escape, paths), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\b"), paths


def shared_lines(world: World) -> dict[str, list[str]]:
    """For each page the example lines that NumPy has too."""
    found: dict[str, list[str]] = {}
    by_name = {forged: path for path, forged in world.names.functions.items()}
    for page in world.pages:
        path = by_name[page.path]
        original = {squeezed(line) for step in docstring(path).steps for line in step.code.splitlines()}
        lines = [line for e in page.examples for line in e.code.splitlines() if not line.startswith("import ")]
        same = [line for line in lines if squeezed(in_numpy_terms(world, line)) in original]
        if len(same) > MOST_SHARED_LINES:
            found[path] = same
    return found


def shared_summaries(world: World) -> list[str]:
    by_name = {forged: path for path, forged in world.names.functions.items()}
    return [
        by_name[page.path]
        for page in world.pages
        if squeezed(in_numpy_terms(world, page.summary)).rstrip(".")
        == squeezed(docstring(by_name[page.path]).summary).rstrip(".")
    ]


def test_no_summary_is_numpys(world: World) -> None:
    assert shared_summaries(world) == []


def test_hardly_an_example_line_is_numpys(world: World) -> None:
    assert shared_lines(world) == {}

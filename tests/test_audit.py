"""The audit passes for several worlds, and each of its checks fails when the property that it checks is broken."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sebench.audit import world as audit_world
from sebench.base.records import Example
from sebench.forge.audit import audit, probe
from sebench.forge.audit.audit import AuditCheck, AuditInputs
from sebench.forge.docs import equivalence, text_defects
from sebench.forge.names import naming
from sebench.forge.package import package
from sebench.world.build import Slice
from sebench.world.world import World
from tests.conftest import PUBLISHED_MAPPING, slow


def failures(checks: tuple[AuditCheck, ...]) -> dict[str, tuple[str, ...]]:
    return {check.name: check.failures for check in checks if not check.holds}


@slow  # every build of a world makes its leak audit; the whole audit is made of a slice
def test_a_seeded_world_passes_its_audit(world: World) -> None:
    checks = audit_world.check(world)
    assert failures(checks) == {}
    assert len(checks) == 10
    assert len(world.names.functions) >= 268


def test_a_slice_passes_its_audit(small: World) -> None:
    assert failures(audit_world.check(small)) == {}
    assert len(small.names.functions) == 12


@slow  # another slice
def test_a_named_package_passes_its_audit_names_included(tmp_path: Path) -> None:
    world = World.build(4, tmp_path / "4", name="pimenta", part=Slice(subjects=("sums", "sorting")))
    assert world.names.functions == naming.draw(4, world.entries.values()).functions
    assert not [leak for leak in audit_world.check(world) if not leak.holds]


@pytest.fixture
def evidence(world: World, library: ModuleType) -> AuditInputs:
    package_texts = {
        str(f.relative_to(world.path)): f.read_text()
        for f in (world.package_folder / world.names.package).rglob("*.py")
    }
    return AuditInputs(
        names=world.names,
        entries=world.entries,
        library=library,
        docs=world.pages,
        texts=package_texts,
        seed=1,
        names_from_seed=True,
        rebuild=lambda: "",
    )


@pytest.fixture
def few_pages(evidence: AuditInputs) -> AuditInputs:
    """For checks that look at each page by itself."""
    return replace(evidence, docs=evidence.docs[:20])


def run(evidence: AuditInputs, title: str) -> AuditCheck:
    return dict(audit.checks(evidence))[title]()


def test_a_missing_function_is_found(evidence: AuditInputs) -> None:
    names = replace(evidence.names, functions={**evidence.names.functions, "mean": "gone"})
    assert "gone: is not in the package" in run(replace(evidence, names=names), "functions forged").failures


def test_a_world_with_too_few_functions_is_found(evidence: AuditInputs) -> None:
    few = replace(evidence.names, functions=dict(list(evidence.names.functions.items())[:50]))
    assert "fewer than 268" in run(replace(evidence, names=few), "functions forged").failures[-1]


@pytest.mark.parametrize("word", ["banana", "median", "Upper", "repeat"])
def test_a_name_that_means_something_is_found(evidence: AuditInputs, word: str) -> None:
    names = replace(evidence.names, functions={**evidence.names.functions, "mean": word})
    assert run(replace(evidence, names=names), "names mean nothing").failures


def test_names_that_are_close_are_found(evidence: AuditInputs) -> None:
    functions = {**evidence.names.functions, "mean": "kocito", "sum": "kocido"}
    found = run(replace(evidence, names=replace(evidence.names, functions=functions)), "names mean nothing").failures
    assert [f for f in found if "one edit away" in f]


def test_a_page_that_is_missing_or_leaks_or_lies_is_found(evidence: AuditInputs) -> None:
    first, second, *rest = evidence.docs
    assert run(replace(evidence, docs=(first, *rest)), "doc pages complete").failures
    leaky = replace(first, text=first.text + "\nAs in NumPy.\n")
    assert "NumPy" in run(replace(evidence, docs=(leaky, second, *rest)), "leaks in texts").failures[0]
    liar = replace(first, examples=(*first.examples, Example("1 + 1", "3")))
    assert "prints '2'" in run(replace(evidence, docs=(liar,)), "doc examples pass").failures[0]


# What a cut that went wrong leaves on a page.
TORN = {
    "a paragraph that ends in a comma": "It works along one axis, as is usual,",
    "a sentence that breaks off at 'such as'": "It takes values such as.",
    "a sentence that breaks off at 'e.g.'": "It takes short words, e.g.",
    "a sentence that breaks off at an article": "The result is the.",
    "a number that breaks off": "Values are scaled by about 0.",
    "a sentence that is an abbreviation": "It is so. i.e. The rest follows.",
    "a parenthesis that stays open": "It works on rows (and columns.",
    "a backtick that stays open": "It works on `rows and columns.",
    "an announcement of nothing": "There are three ways:",
    "no end at all": "It works on rows and",
    "two spaces": "It works on  rows.",
    "punctuation left behind": "It works on rows , and columns.",
    "a comma before a full stop": "It works on rows,.",
    "empty parentheses": "It works on rows ().",
    "a start that is missing": "and gives columns.",
    "a sentence in the middle without a start": "It works. and gives columns.",
    "an item without text": "- ",
    "an item of punctuation": "- .",
    "a parameter without text": "- `x` (array or nested list):",
    "a section without text": "## Notes",
}


@pytest.mark.parametrize("fault", TORN)
def test_a_torn_text_is_found_and_nothing_else_is(few_pages: AuditInputs, fault: str) -> None:
    first, *rest = few_pages.docs
    head, title, tail = first.text.partition("## Examples")
    torn = replace(first, text=f"{head}{TORN[fault]}\n\n{title}{tail}")
    failures = run(replace(few_pages, docs=(torn, *rest)), "doc texts whole").failures
    assert {failure.partition(":")[0] for failure in failures} == {first.path}


@pytest.mark.parametrize(
    "text",
    [
        "Round to two decimals, e.g. 0.25 or 1.5. The default is 0.",
        "An array of shape (M,) or (..., M, K), with elements in [a, b).",
        "- `x` (array, shape (min(M, N),)): Values, `a ,b` among them.",
        "One of these:\n\n- 'edge': the values at the edge.\n- 'wrap': those of the other end.",
        "- With one axis: the columns, from left to right.",
        "nan stays nan. π/2 is a quarter. x and y are swapped, i.e. (y, x).",
    ],
)
def test_a_whole_text_is_not_taken_for_torn(text: str) -> None:
    assert (
        text_defects.find(
            f"# zub.kel\n\n`zub.kel(x, y=(1, 2))`\n\n{text}\n\n## Examples\n\n```python\n>>> (1 ,2)\n```\n"
        )
        == []
    )


@pytest.mark.parametrize(
    "text", ["import numpy", "x = np.mean", "argmax(x)", "values = hstack(a)", "kind = 'float64'", "# like ndarray"]
)
def test_a_package_text_that_leaks_is_found(few_pages: AuditInputs, text: str) -> None:
    assert run(replace(few_pages, texts={"package/x.py": text}), "leaks in texts").failures


def test_a_rebuild_that_differs_is_found(evidence: AuditInputs) -> None:
    assert run(replace(evidence, rebuild=lambda: "docs differ"), "rebuild is identical").failures


def test_a_gold_solution_that_fails_is_found(evidence: AuditInputs) -> None:
    judged = [("task 1", ""), ("task 2", "gold is judged wrong_value")]
    found = run(replace(evidence, gold=lambda: judged), "gold passes the judge").failures
    assert found == ("task 2: gold is judged wrong_value",)


# Faults planted into the runtime of a package on disk: (file, what stands there, what is put in its place).
PLANTED = {
    "raw results": ("calls.py", "return lift(result, named) if", "return result if"),
    "mixed elements": ("crossing.py", "return lift(held.tolist()) if", "return held.tolist() if"),
    "unguarded restoring": (
        "arguments.py",
        "elements, sizes = lowered(list(flat), package), lowered(tuple(shape), package)",
        "elements, sizes = flat, shape",
    ),
    "clever text": ("plain.py", "    (str, str.__str__),", "    (str, str),"),
    "lists changed later": ("crossing.py", "copied = cls(value)", "copied = value"),
    "kinds in messages": ("kinds.py", "Prepared(KINDS[value], repr(value))", "KINDS[value]"),
    "raw scalars": ("crossing.py", "plain = value.tolist()", "return value"),
    "backend's words": ("messages.py", "text = str(error)", "return builtin(str(error))"),
    "chained errors": ("calls.py", "result, failure = None, error", "raise clean(error, where, args)"),
    "backend's class": ("calls.py", "failure = clean(failure, where, (*args, *options.values()))", "pass"),
    "warnings": ("silence.py", "warnings.filters = own", "pass"),
    "foreign objects": (
        "crossing.py",
        "        raise Refused(name_of(cls))\n\n    return lower",
        "        return value\n\n    return lower",
    ),
    "callbacks": ("calls.py", "lifted, named = [lift(a) for a in args]", "lifted, named = args"),
    "data by attribute": ("arrays.py", '"T": property', '"data_": property(read),\n        "T": property'),
    "method of a function": ("arrays.py", '"T": property', '"mean": lambda self: 1,\n        "T": property'),
    "pickle": ("arrays.py", "tools.values(tools.flattened(held)), held.shape", "held, held.shape"),
    "printing": ("arrays.py", "return printing.text(tools.values(held), held.ndim, 0, held.size)", "return repr(held)"),
    "documentation": ("arrays.py", 'made.__doc__ = f"', 'made.__doc__ = f"Like numpy.ndarray. '),
    "slot": ("arrays.py", "    delattr(made, slot)\n", ""),
}


@pytest.fixture
def broken(world: World, tmp_path: Path) -> Iterator[Callable[[str, str, str], Any]]:
    folder = tmp_path / "package"
    shutil.copytree(world.package_folder, folder)

    def plant(file: str, old: str, new: str) -> Any:
        path = folder / world.names.package / "_core" / file
        text = path.read_text()
        assert old in text, f"{file} has changed: plant another fault"
        path.write_text(text.replace(old, new))
        return package.import_package(folder, world.names.package)

    yield plant


@pytest.mark.parametrize("fault", PLANTED)
def test_a_leak_at_run_time_is_found(fault: str, evidence: AuditInputs, broken: Callable[..., Any]) -> None:
    with broken(*PLANTED[fault]) as library:
        try:
            found = next(probe.probe(evidence.names, evidence.entries, library), None)
        except Exception as error:
            found = f"the probe stops: {error}"
        assert found is not None


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (
            "calls.py",
            "return lift(result, named) if",
            "return lift(result * 1 if isinstance(result, list) else result, named) * 1 if",
        ),
        (
            "crossing.py",
            "return wrap(value)\n        if cls in PLAIN",
            "return wrap(value * 1.0)\n        if cls in PLAIN",
        ),
        ("calls.py", "function(*arguments, **wanted)", "function(*arguments)"),
    ],
)
def test_a_function_that_computes_something_else_is_found(
    file: str, old: str, new: str, evidence: AuditInputs, broken: Callable[..., Any]
) -> None:
    with broken(file, old, new) as library:
        calls = equivalence.calls(evidence.names, evidence.entries, library, seed=1)
        call, wrong = next((call, wrong) for call, wrong in calls if wrong)
    assert call.startswith("np.")
    assert "in NumPy" in wrong


def test_the_mapping_of_the_tests_is_the_published_one() -> None:
    assert PUBLISHED_MAPPING.read_text().count('"kocito"') == 2

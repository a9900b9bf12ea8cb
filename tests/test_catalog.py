"""The catalog tells the truth about NumPy."""

from __future__ import annotations

import inspect
import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sebench.forge.catalog import backend, catalog, samples, signature

RENAMED = {"start"}  # arange calls it start_or_stop in some versions, and takes it by position
ENTRIES = list(catalog.entries().values())
# What a parameter that NumPy marks as "no value" means, and defaults that only differ in spelling.
SENTINELS: dict[str, set[Any]] = {
    "keepdims": {False},
    "initial": {None, 0, 1},
    "copy": {True, None},
    "prepend": {None},
    "append": {None},
    "dtype": {"float", "int", None},
    "weights": {None},
}


def test_a_seeded_world_has_at_least_the_functions_of_the_published_benchmark() -> None:
    assert len(catalog.seeded()) >= 268


def test_no_two_entries_are_the_same_function() -> None:
    seen: dict[int, str] = {}
    for entry in catalog.seeded():
        function = backend.get(entry.path)
        assert id(function) not in seen, f"{entry.path} is {seen[id(function)]}"
        seen[id(function)] = entry.path


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.path)
def test_signature_is_numpys_with_true_defaults(entry: catalog.CatalogEntry) -> None:
    try:
        theirs = inspect.signature(backend.get(entry.path)).parameters
    except ValueError:
        pytest.skip("this NumPy does not tell the signature")
    open_ended = {p.kind for p in theirs.values()} & {
        inspect.Parameter.VAR_KEYWORD,
        inspect.Parameter.VAR_POSITIONAL,
    }
    for mine in signature.read(entry.signature).parameters:
        if mine.name not in theirs:
            assert open_ended or mine.name in RENAMED, f"NumPy has no parameter '{mine.name}'"
            continue
        default = theirs[mine.name].default
        if default is mine.default or default == mine.default or mine.default is inspect.Parameter.empty:
            continue
        named = {t: t.__name__ for t in (bool, int, float, complex)}
        assert mine.default in SENTINELS.get(mine.name, set()) or mine.default == named.get(default), (
            f"'{mine.name}' is {default!r} in NumPy"
        )


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.path)
def test_stated_defaults_change_nothing(entry: catalog.CatalogEntry) -> None:
    """Calling with and without the default, in NumPy, gives the same: so the documented default is true in effect."""
    stated = {p.name: p.default for p in signature.read(entry.signature).parameters if p.default is not p.empty}
    call = next((c for c in entry.calls if c.startswith(f"np.{entry.path}(") and c.endswith(")")), None)
    if call is None or entry.inplace:
        pytest.skip("no plain call")
    inputs = {k: np.array(v) if isinstance(v, list) else v for k, v in samples.draw(1, call).items()}
    for name, default in stated.items():
        positional_only = any(
            p.name == name and p.kind is p.POSITIONAL_ONLY for p in signature.read(entry.signature).parameters
        )
        if default is None or f"{name}=" in call or positional_only or entry.path == "pad":
            continue  # None is never handed over, and pad takes only the options of its mode
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain = eval(call, {"np": np, **inputs})
            try:
                given = eval(f"{call[:-1]}, {name}={default!r})", {"np": np, **inputs})
            except TypeError as error:
                assert "multiple values" in str(error) or "got some positional-only" in str(error), error
                continue
        assert repr(plain) == repr(given), name


def test_calls_need_no_other_function_that_a_slice_may_lack() -> None:
    for entry in ENTRIES:
        for call in entry.calls:
            assert set(re.findall(r"\bnp\.((?:\w+\.)?\w+)\(", call)) <= {entry.path, "array"}, call


LEFT_OUT = re.compile(r"^\| ((?:`[\w*]+`(?:, )?)+) \| (\d+) \| .+ \|$", re.MULTILINE)
COUNTED_WITH = re.compile(r"parameters of NumPy (\d+\.\d+)\S* are omitted")


def left_out() -> dict[str, int]:
    """Parameters that NumPy tells about and the catalog lacks, with the number of functions."""
    found: Counter[str] = Counter()
    for entry in catalog.seeded():
        try:
            theirs = inspect.signature(backend.get(entry.path)).parameters.values()
        except ValueError:
            continue  # this NumPy does not tell
        takes = {*signature.read(entry.signature).all, "start_or_stop"}  # the other name of arange's first parameter
        found.update(p.name for p in theirs if p.name not in takes and p.kind is not p.VAR_KEYWORD)
        found.update("**kwargs" for p in theirs if p.kind is p.VAR_KEYWORD)
    return dict(found)


def test_the_documents_name_every_parameter_that_is_left_out() -> None:
    text = (Path(__file__).parent.parent / "docs" / "forge.md").read_text()
    told = {n: int(count) for names, count in LEFT_OUT.findall(text) for n in re.findall(r"`([\w*]+)`", names)}
    counted_with = COUNTED_WITH.search(text)
    assert counted_with is not None
    assert left_out().keys() <= told.keys()
    if backend.VERSION.startswith(f"{counted_with.group(1)}."):
        assert left_out() == told


def test_aliases_are_the_same_function_under_another_name() -> None:
    for entry in ENTRIES:
        for alias in entry.aliases:
            if not backend.has(alias):
                continue
            inputs = samples.draw(3, entry.calls[0])
            scope = {"np": np, **{k: np.array(v) if isinstance(v, list) else v for k, v in inputs.items()}}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                original = eval(entry.calls[0], scope)
                other = eval(entry.calls[0].replace(f"np.{entry.path}(", f"np.{alias}("), scope)
            assert repr(original) == repr(other), alias


def test_an_unknown_key_in_an_entry_is_an_error() -> None:
    from sebench.base.errors import ForgeError

    with pytest.raises(ForgeError, match="unknown keys: signatur"):
        catalog._entry("x", "mean", {"signatur": "(a)", "signature": "(a)", "calls": ["np.mean(mat)"]})

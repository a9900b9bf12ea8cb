"""The pages promise only element kinds (dtypes) that exist, and the introduction names every kind that an array can
show."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sebench.forge.catalog import samples, signature
from sebench.forge.docs.phrase_tables import INTRODUCTION, STANDARD_KINDS
from sebench.forge.package import dtype_support
from sebench.forge.runtime.kinds import KINDS, LETTERS
from sebench.forge.translate.translate import Translator
from sebench.world.world import World
from tests.conftest import Forged


def promised(text: str) -> set[str]:
    """The kinds that a page's text of `dtype` names as words."""
    line = next(line for line in text.splitlines() if line.startswith("- `dtype`"))
    words = {a or b for a, b in re.findall(r"`\"(\w+)\"`|`'(\w+)'`", line)}
    return words & set(KINDS)


class Call:
    """A sampled call of a function without its `dtype`, in forged terms."""

    def __init__(self, forged: Forged, call: str) -> None:
        bare = re.sub(r",\s*dtype=[^,)]+", "", call)
        self.forged, self.code = forged, Translator(forged.names).code(bare).splitlines()[-1]
        self.inputs = {k: forged.array(v) if isinstance(v, list) else v for k, v in samples.draw(1, bare).items()}

    def works(self, kind: str) -> bool:
        """Whether it takes the kind, on the sampled inputs or on inputs of that kind."""
        for cast in (False, True):
            scope: dict[str, Any] = {self.forged.names.package: self.forged.library, **self.inputs}
            if cast:
                arrays = {k: v for k, v in self.inputs.items() if type(v) is self.forged.type}
                scope |= {k: self.forged["astype"](v, kind) for k, v in arrays.items()}
            try:
                eval(f"{self.code[:-1]}, dtype={kind!r})", scope)
            except (TypeError, ValueError, OverflowError):
                continue
            return True
        return False


def test_every_kind_that_a_page_promises_works_and_no_other_where_it_lists_them(forged: Forged, world: World) -> None:
    pages = {page.path: page for page in world.pages}
    looked_at = 0
    for path, entry in world.entries.items():
        if "dtype" not in signature.read(entry.signature).defaults:
            continue
        text = pages[world.names.functions[path]].text
        kinds = promised(text)
        calls = [Call(forged, c) for c in entry.calls if c.startswith(f"np.{path}(") and c.endswith(")")]
        for kind in KINDS:
            possible = any(call.works(kind) for call in calls)
            if kind in kinds:
                assert possible, f"{path}: the page promises the kind {kind!r}"
            elif not kinds >= STANDARD_KINDS and "one of the words" in text:
                assert not possible, f"{path}: the page leaves out the kind {kind!r}"
            looked_at += 1
    assert looked_at > 50 * len(KINDS)


@pytest.mark.parametrize(("path", "kinds"), [("gcd", {"int", "unsigned_8"}), ("float_power", {"float", "complex"})])
def test_functions_of_few_kinds_are_known(path: str, kinds: set[str]) -> None:
    assert kinds <= set(dtype_support.supported_kinds(path))
    assert "text" not in dtype_support.supported_kinds(path) and "float_32" not in dtype_support.supported_kinds(path)


def test_the_introduction_names_every_kind(forged: Forged) -> None:
    for kind in {*KINDS, *(word for word in LETTERS.values() if word != "unsigned"), "mixed"}:
        assert f'`"{kind}"`' in INTRODUCTION, kind


def test_kinds_are_shown_and_asked_for_as_the_introduction_says(forged: Forged) -> None:
    assert forged.array([b"a"]).dtype == forged.array(["a"], dtype=bytes).dtype == "bytes"
    for values in ([1, None], [2**70]):
        assert forged.array(values).dtype == "mixed"
    with pytest.raises(TypeError, match="'mixed' is not an element kind"):
        forged.array([1], dtype="mixed")

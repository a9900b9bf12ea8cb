"""Names from a file: a world can be forged with the published mapping, and a bad file leads to one clear line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sebench.base.errors import ConfigError
from sebench.forge.catalog import backend
from sebench.forge.names import mapping
from tests.conftest import PUBLISHED_MAPPING


def test_every_published_function_that_numpy_still_has_is_forged_aliases_included() -> None:
    published = json.loads(PUBLISHED_MAPPING.read_text())
    mapped = mapping.read(PUBLISHED_MAPPING, seed=0)
    paths = {*published["main"], *(f"linalg.{f}" for f in published["linalg"])}
    assert mapped.names.functions.keys() == {p for p in paths if backend.has(p)}
    assert set(mapped.gone) == {p for p in paths if not backend.has(p)}
    assert mapped.names.functions["mean"] == "kocito"
    assert mapped.names.functions["linalg.solve"] == "rfx.sarik"
    assert (mapped.names.package, mapped.names.array) == ("zwc", "ZWCArray")
    assert mapped.names.functions["abs"] != mapped.names.functions["absolute"]


def test_a_mapping_may_be_a_part_of_the_published_one(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    file.write_text(json.dumps({"main": {"array": "yitaf", "mean": "kocito"}, "package": "tin"}))
    names = mapping.read(file, seed=4).names
    assert (names.package, dict(names.functions)) == ("tin", {"array": "yitaf", "mean": "kocito"})


def main(**changes: str) -> dict[str, Any]:
    return {"main": {"array": "yitaf", "mean": "kocito", **changes}}


BAD: dict[str, tuple[str | Callable[[], Any], str]] = {
    "not json": ("{", "not valid JSON"),
    "a list": ("[]", "a key 'main' that maps names"),
    "no main": ('{"linalg": {}}', "a key 'main' that maps names"),
    "no array": ('{"main": {"mean": "kocito"}}', "no name for 'array'"),
    "duplicate": (json.dumps(main(sum="kocito")), "'kocito' is the name of both 'mean' and 'sum'"),
    "keyword": (json.dumps(main(sum="while")), "keyword"),
    "no identifier": (json.dumps(main(sum="a b")), "not an identifier"),
    "underscore": (json.dumps(main(sum="_x")), "underscore"),
    "not a name": (json.dumps({"main": {"array": 3}}), "must map names to names"),
    "unknown key": (json.dumps({**main(), "mian": {}}), "unknown keys: mian"),
    "not forgeable": (json.dumps(main(seterr="bibibi")), "cannot be forged: seterr"),
    "reverse disagrees": (json.dumps({**main(), "main_reverse": {"kocito": "sum"}}), "does not agree"),
    "array type clash": (json.dumps({**main(), "array": "kocito"}), "'kocito' is the name of both"),
    "stdlib package": (json.dumps({**main(), "package": "json"}), "a Python module"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_mapping_is_one_clear_line_and_leaves_nothing(name: str, tmp_path: Path) -> None:
    from sebench.world.world import World

    content, expected = BAD[name]
    file = tmp_path / "m.json"
    file.write_text(str(content))
    with pytest.raises(ConfigError) as caught:
        World.build(0, tmp_path / "out", mapping_file=file)
    assert expected in str(caught.value)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == [file]


def test_an_unreadable_mapping_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        mapping.read(tmp_path / "none.json", seed=0)

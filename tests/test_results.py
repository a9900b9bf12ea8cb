"""The page of results matches the released verdicts."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from sebench.release import folder
from tests.conftest import slow

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("results_tables", ROOT / "scripts" / "results_tables.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look there
    spec.loader.exec_module(module)
    return module


def test_a_table_of_the_page_is_that_of_its_release(script: ModuleType) -> None:
    """One that is made in seconds."""
    assert script.writers_table() in script.PAGE.read_text("utf-8")


@slow
def test_tables_and_figures_of_the_page_are_those_of_the_releases(script: ModuleType) -> None:
    page = script.PAGE.read_text("utf-8")
    written, *pictures, missing = script.written(page)
    assert pictures == [
        file.read_text("utf-8") for file in (script.PICTURE, script.SCALE_PICTURE, script.STREAM_PICTURE)
    ]
    assert page == written, "docs/results.md is out of date: run 'python scripts/results_tables.py'"
    assert missing == []


def test_every_release_of_the_repository_is_whole() -> None:
    names = [path.name for path in (ROOT / "releases").iterdir() if path.is_dir()]
    assert names
    for name in names:
        folder.check_sums(ROOT / "releases" / name)

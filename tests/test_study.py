"""Study material is true, comes only from the pages, and is always the same."""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest

from sebench.base.errors import ConfigError
from sebench.forge.package.package import resolve
from sebench.train.data import examples, study_material
from sebench.train.data.tokens import TrainingRow
from sebench.world.prompts import Prompt
from sebench.world.world import World

Rows = dict[str, list[TrainingRow]]
KINDS = ("pages", "names", "signatures")


@pytest.fixture(scope="module")
def rows(small: World) -> Rows:
    found: Rows = defaultdict(list)
    for row in study_material.study_rows(small, KINDS):
        found[row.id.partition(":")[0]].append(row)
    return found


@pytest.fixture(scope="module")
def opened(small: World) -> Iterator[ModuleType]:
    with small.library() as module:
        yield module


def asked(row: TrainingRow) -> Prompt:
    assert row.prompt is not None
    return row.prompt


def test_the_same_world_gives_the_same_rows(small: World, rows: Rows) -> None:
    assert study_material.study_rows(small, KINDS) == [row for of_kind in rows.values() for row in of_kind]


def test_every_kind_has_rows_with_ids_of_their_own(rows: Rows) -> None:
    assert set(rows) == set(KINDS)
    assert max(Counter(row.id for of_kind in rows.values() for row in of_kind).values()) == 1
    for kind, of_kind in rows.items():
        assert all((row.prompt is None) == (kind == "pages") for row in of_kind)
        assert all(row.prompt is None or row.prompt.book == "closed" for row in of_kind)


def test_every_page_is_in_every_kind_that_is_about_pages(small: World, rows: Rows) -> None:
    for kind in KINDS:
        assert {row.id.split(":")[1] for row in rows[kind]} == {page.path for page in small.pages}


def test_rows_name_functions_that_exist(small: World, rows: Rows) -> None:
    names = small.names
    known = {*(page.path for page in small.pages), *names.modules.values(), names.array}
    for row in (row for of_kind in rows.values() for row in of_kind):
        text = f"{row.prompt.text if row.prompt else ''}\n{row.answer}"
        found = re.findall(rf"(?<![\w.]){names.package}((?:\.[a-z]\w*)+)", text)
        assert {name.removeprefix(".") for name in found} <= known, row.id


def test_a_question_for_a_name_has_one_answer(small: World, rows: Rows) -> None:
    answers: dict[str, set[str]] = defaultdict(set)
    for row in rows["names"]:
        if ":back:" not in row.id:
            answers[asked(row).text].add(row.id.split(":")[1])
            assert f"`{small.names.package}.{row.id.split(':')[1]}" in row.answer
    assert all(len(found) == 1 for found in answers.values())


def test_a_summary_of_two_functions_is_not_asked_for(small: World) -> None:
    world = World(small.path, small.manifest)
    same = [replace(page, summary="Same words for both.") for page in small.pages[:2]]
    world.__dict__["pages"] = (*same, *small.pages[2:])
    found = [row for row in study_material.study_rows(world, ("names",)) if ":back:" not in row.id]
    assert {row.id.split(":")[1] for row in found} == {page.path for page in small.pages[2:]}


def test_defaults_are_those_of_the_package(small: World, opened: ModuleType, rows: Rows) -> None:
    checked = 0
    for row in rows["signatures"]:
        _, path, *what = row.id.split(":")
        if what[-1] == "default":
            parameter, _, default = row.answer.strip("`").partition("=")
            found = inspect.signature(resolve(opened, path)).parameters[parameter].default
            assert repr(found) == repr(ast.literal_eval(default)) and what[0] == parameter
            checked += 1
    assert checked > 12


def test_the_form_of_answers_is_that_of_the_examples(small: World) -> None:
    rows = study_material.study_rows(small, ("names",), examples.SUBJECT)
    assert {row.answer.startswith("Subject: ") for row in rows if "Needed:" in row.answer} == {True}
    assert study_material.study_rows(small, ("names",), examples.CODE) == study_material.study_rows(small, ("names",))


def test_an_unknown_kind_is_one_line(small: World) -> None:
    with pytest.raises(ConfigError, match="unknown study material 'songs'; choose from pages, names"):
        study_material.study_rows(small, ("songs",))

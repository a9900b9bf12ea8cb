"""Study material is true, comes from pages and training tasks alone, and is the same from the same seed."""

from __future__ import annotations

import ast
import inspect
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from sebench.errors import ConfigError
from sebench.extract import extract
from sebench.forge.examples import Session
from sebench.forge.package import resolve
from sebench.learn import examples
from sebench.learn.rows import TrainingRow
from sebench.learn.study import bench, material, wordings
from sebench.learn.study.calls import shown
from sebench.prompts import Prompt
from sebench.records import ApiDoc
from sebench.tasks import splits
from sebench.values.agreed import agreed
from sebench.world import World

Rows = dict[str, list[TrainingRow]]


@pytest.fixture(scope="module")
def rows(small: World) -> Rows:
    found: Rows = defaultdict(list)
    for row in material.study_rows(small):
        found[row.id.partition(":")[0]].append(row)
    return found


@pytest.fixture(scope="module")
def opened(small: World) -> Iterator[ModuleType]:
    with small.library() as module:
        yield module


def asked(row: TrainingRow) -> Prompt:
    assert row.prompt is not None
    return row.prompt


def plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [plain(part) for part in value] if isinstance(value, list) else tuple(map(plain, value))
    return value.tolist() if hasattr(value, "tolist") else value


def test_the_seed_decides_and_nothing_else(small: World, rows: Rows) -> None:
    assert material.study_rows(small) == [row for of_kind in rows.values() for row in of_kind]
    for kind in ("names", "contrasts", "practice"):
        assert material.study_rows(small, (kind,), seed=1) != rows[kind]


def test_every_kind_has_rows_with_ids_of_their_own(rows: Rows) -> None:
    assert set(rows) == set(material.KINDS)
    assert max(Counter(row.id for of_kind in rows.values() for row in of_kind).values()) == 1
    for kind, of_kind in rows.items():
        assert all((row.prompt is None) == (kind == "pages") for row in of_kind)
        assert all(row.prompt is None or row.prompt.book == "closed" for row in of_kind)


def test_every_page_is_in_every_kind_that_is_about_pages(small: World, rows: Rows) -> None:
    for kind in ("pages", "names", "signatures", "contrasts"):
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


def test_a_description_of_two_functions_is_not_asked_for(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordings, "descriptions", lambda page, rng: [page.summary, "Same words for all."])
    assert not any("Same words" in asked(row).text for row in material.study_rows(small, ("names", "contrasts")))


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


def test_worked_examples_print_what_the_package_prints(small: World, opened: ModuleType, rows: Rows) -> None:
    for row in rows["worked"]:
        shown_code = (asked(row).text if row.id.endswith("gives") else row.answer).split("```python\n")[1]
        (result,) = re.findall(r"(?s)```\n(.*?)\n```", row.answer if row.id.endswith("gives") else asked(row).text)
        session = Session(small.names.package, opened)
        printed = [session.printed(line) for line in shown_code.split("```")[0].strip().split("\n")]
        assert printed[-1] == result, row.id


def test_practice_programs_return_what_is_said(small: World, opened: ModuleType, rows: Rows) -> None:
    programs = [row for row in rows["practice"] if "returns" not in row.id]
    assert len(programs) > 10
    returns = {row.id.removesuffix(":returns"): row for row in rows["practice"] if row.id.endswith("returns")}
    for row in programs:
        text = asked(row).text
        entry = re.search(r"^def (\w+)\(", text, re.M)
        assert entry
        space: dict[str, Any] = {small.names.package: opened}
        exec(extract(row.answer, entry[1]).code, space)
        cases = re.findall(rf"^({entry[1]}\(.*\))\n# (.*)$", text, re.M)
        assert cases
        for call, result in cases:
            assert repr(agreed(plain(eval(call, space)))) == result, row.id
        told = returns[row.id]
        assert told.answer.endswith(f"\n\n`{cases[0][1]}`") and extract(row.answer, entry[1]).code in asked(told).text


def test_practice_uses_each_function_that_it_describes(small: World, rows: Rows) -> None:
    by_signature = {page.signature: page for page in small.pages}
    for row in rows["practice"]:
        if "returns" in row.id:
            continue
        needed, signatures, code = row.answer.split("\n\n", 2)
        pages = [by_signature[line.strip("-` ")] for line in signatures.splitlines()[1:]]
        assert needed.splitlines()[1:] == [f"- {page.summary}" for page in pages] and len(pages) in (2, 3)
        assert all(f"{small.names.package}.{page.path}(" in code for page in pages)


def test_a_task_of_a_test_split_is_refused(small: World) -> None:
    with pytest.raises(ConfigError, match="is in single_test; only tasks of train may be learnt from"):
        material.study_rows(small, ("which",), tasks=small.tasks("single_test"))


def test_which_begins_as_an_answer_in_the_recall_form(small: World, rows: Rows) -> None:
    heads = {t.id: examples.answer(t.gold, t, small, examples.RECALL) for t in small.tasks(splits.TRAIN)}
    for row in rows["which"]:
        head, _, rest = heads[row.id.split(":")[1]].partition("```")
        assert row.answer == head.strip() and rest
    chosen = small.tasks(splits.TRAIN)[:2]
    assert {row.id.split(":")[1] for row in material.study_rows(small, ("which",), tasks=chosen)} == {
        t.id for t in chosen
    }


def test_the_form_of_answers_is_that_of_the_examples(small: World) -> None:
    rows = material.study_rows(small, ("which", "names", "contrasts"), form=examples.SUBJECT)
    assert all(row.answer.startswith("Subject: ") == ("Needed:" in row.answer) for row in rows)
    assert material.study_rows(small, ("which",), form=examples.CODE) == material.study_rows(small, ("which",))


def test_a_contrast_offers_the_right_one_and_others(small: World, rows: Rows) -> None:
    for row in rows["contrasts"]:
        _, path, *what = row.id.split(":")
        if what == ["of_all"]:
            offered = re.findall(r"^- (.+)$", asked(row).text, re.M)
            assert small.page(path).summary in offered and len(set(offered)) == len(offered) > 1
        elif what[-1] == "which":
            assert row.answer.startswith(f"`{small.names.package}.{path}`\n")
            assert all(f"`{small.names.package}.{name}`" in asked(row).text for name in (path, what[0]))


def test_an_unknown_kind_is_one_line(small: World) -> None:
    with pytest.raises(ConfigError, match="no study material 'songs'; there are pages, names"):
        material.study_rows(small, ("songs",))


def test_a_call_is_kept_only_if_it_gives_alone_what_the_page_prints(small: World) -> None:
    page = next(p for p in small.pages if any(e.output for e in p.examples))
    wrong = [e if not e.output else type(e)(e.code, "something else") for e in page.examples]
    changed = ApiDoc(page.path, page.subject, page.signature, page.summary, page.text, tuple(wrong))
    world = World(small.path, small.manifest)
    world.__dict__["pages"] = tuple(changed if p is page else p for p in small.pages)
    assert {call.page.path for call in shown(small)} - {call.page.path for call in shown(world)} == {page.path}


# The bench


def test_a_program_that_fails_takes_no_other_with_it(small: World) -> None:
    programs = ["1 + 1", "1 / 0", "import os\nos._exit(3)", "x = [0] * 10**10\nlen(x)", "(1, [2.5], 'a')"]
    one, *failed, last = bench.run(small.package_folder, small.names.package, programs)
    assert one == bench.Ran("2", 2) and last == bench.Ran("(1, [2.5], 'a')", (1, [2.5], "a"))
    assert failed == [None, None, None]


def test_what_has_no_literal_has_no_value(small: World) -> None:
    ran = bench.run(small.package_folder, small.names.package, ["float('nan')", "[1.0, float('inf')]", "len"])
    assert [result.value if result else "failed" for result in ran] == [None, None, None]


# Other words


def test_other_words_leave_code_alone() -> None:
    text = "Find the `maximum` of each element, `find` it."
    for seed in range(20):
        told = wordings.in_other_words(text, random.Random(seed))
        assert "`maximum`" in told and "`find`" in told and told != text


@pytest.mark.parametrize(
    ("summary", "order"),
    [
        ("Keep the values of an array between two limits.", "keep the values of an array between two limits"),
        ("Base-10 logarithm, element-wise.", ""),
        ("Norm of a vector or a matrix.", ""),
        ("Linear algebra: Solve a system of equations.", ""),
        ("Cholesky decomposition", ""),
        ("solve system equations", ""),
    ],
)
def test_an_order_can_stand_behind_to(summary: str, order: str) -> None:
    assert wordings.order(summary) == order


def test_articles_follow_the_words_that_were_exchanged() -> None:
    assert wordings.of_things("Return an element of an array.", ("amount", "amounts")) == (
        "Return an amount of a list of amounts."
    )
    assert wordings.of_things("Take an element.", ("price", "prices")) == "Take a price."


def test_a_clause_comes_to_the_front() -> None:
    assert wordings.fronted("Add two arrays, element by element.") == "Element by element: add two arrays."
    assert wordings.fronted("Add two arrays.") == ""
    assert wordings.terms("Find a value (a percentile).") == ["a percentile"]


def test_practice_asks_for_programs_with_the_templates_of_the_training(tiny: World) -> None:
    usual, short = (
        {row.id: asked(row).text for row in material.study_rows(tiny, ("practice",), prompts=prompts)}
        for prompts in ("", "short")
    )
    programs = [key for key in usual if not key.endswith(":returns")]
    assert programs and usual.keys() == short.keys()
    assert all(len(short[key]) < len(usual[key]) for key in programs)

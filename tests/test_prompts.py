"""Prompts: the open prompt is the documentation and the closed prompt, distractors are other pages, and templates may
be the user's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sebench.base.errors import ConfigError
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.runner import RolloutPlan
from sebench.world.open_book import WHOLE_LIBRARY, BookSettings, OpenBook
from sebench.world.page_cuts import PARTS, keep_parts, sections
from sebench.world.world import World


def prompts(world: World, **given: Any) -> dict[tuple[str, str], str]:
    plan = pipeline.plan(RunConfig(model="m", **given), world)
    return {(task.id, prompt.book): prompt.text for task, prompt, _ in plan.items()}


def test_the_open_prompt_is_the_documentation_and_the_closed_prompt(small: World) -> None:
    made = prompts(small, distractors=0)
    for task in (*small.tasks("single_test"), *small.tasks("multi_test")):
        opened, closed = made[task.id, "open"], made[task.id, "closed"]
        assert opened.endswith(closed) and task.question in closed and task.signature in closed
        book = opened.removesuffix(closed)
        for page in small.pages:
            assert (page.text.strip() in book) == (page.path in {small.names.functions[f] for f in task.functions})
        assert task.gold.splitlines()[-1].strip() not in closed and "numpy as" not in opened


def test_the_native_prompt_asks_the_same_about_numpy(small: World) -> None:
    made = prompts(small, book=("closed", "native"))
    for task in small.tasks("multi_test"):
        closed, native = made[task.id, "closed"], made[task.id, "native"]
        assert native.split("## What to write")[0] == closed.split("## What to write")[0].replace(
            small.names.package, "numpy"
        )
        assert "import numpy as np" in native and task.signature in native and small.names.package not in native
    assert {book for _, book in prompts(small)} == {"closed", "open"}  # unless it is asked for


def test_distractors_are_other_pages_the_same_every_time(small: World) -> None:
    three, again, other = (
        prompts(small, distractors=3),
        prompts(small, distractors=3),
        prompts(small, distractors=3, seed=1),
    )
    assert three == again and three != other
    for task in small.tasks("single_test"):
        shown = [page.path for page in small.pages if page.text.strip() in three[task.id, "open"]]
        assert len(shown) == len(task.functions) + 3
        assert {small.names.functions[f] for f in task.functions} <= set(shown)
    assert {key: text for key, text in three.items() if key[1] == "closed"} == {
        key: text for key, text in prompts(small).items() if key[1] == "closed"
    }


@pytest.mark.parametrize("distractors", [WHOLE_LIBRARY, 1000])
def test_the_whole_library_is_every_page_once(small: World, distractors: int) -> None:
    for (_, book), text in prompts(small, distractors=distractors).items():
        assert all(text.count(page.text.strip()) == (book == "open") for page in small.pages)


def test_templates_of_the_users_own(small: World, tmp_path: Path) -> None:
    (tmp_path / "closed.md").write_text("Use $package, pay $$5: $question")
    own = small.prompter(tmp_path)
    task = small.tasks("single_test")[0]
    assert own.prompt(task, "closed").text == f"Use {small.names.package}, pay $5: {task.question}"
    assert own.prompt(task, "open").text.startswith("Here is the documentation")
    assert own.digest != small.prompter().digest


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("closed.md", "$question $questoin", r"closed.md uses the unknown field \$questoin; the fields are \$examples"),
        ("open.md", "$documentation $question", r"open.md uses the unknown field \$question"),
        ("closed.md", "no field at all", r"does not use \$question"),
        ("open.md", "no field at all", r"does not use \$documentation"),
        ("closed.md", "$question costs $ 5", r"write \$\$ for a dollar"),
        ("closed.md", "\udcff", "cannot be read"),
        ("other.md", "", r"it contains no closed.md, open.md, native.md or decline.md"),
    ],
)
def test_a_template_that_cannot_be_used_is_one_line(
    small: World, tmp_path: Path, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ConfigError, match=said):
        small.prompter(tmp_path)
    with pytest.raises(ConfigError, match=r"it contains no closed.md"):
        small.prompter(tmp_path / "nowhere")


def test_changed_templates_do_not_continue_a_run(small: World, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "closed.md").write_text("$question")
    config = RunConfig(model="silent", prompts=str(folder), limit=1)
    pipeline.run(config, small, tmp_path / "run", judged=False)
    pipeline.run(config, small, tmp_path / "run", judged=False)
    (folder / "closed.md").write_text("Please: $question")
    with pytest.raises(ConfigError, match=r"prompts\.templates"):
        pipeline.run(config, small, tmp_path / "run", judged=False)


def test_a_limit_is_drawn_from_the_seed(small: World) -> None:
    def drawn(**given: Any) -> list[str]:
        config = RunConfig(model="m", **given)
        return [task.id for task in RolloutPlan.make(config, small, small.prompter()).tasks]

    assert drawn(limit=3) == drawn(limit=3) != drawn(limit=3, seed=1)
    assert set(drawn(limit=3)) < set(drawn()) and len(drawn(limit=3)) == 6


def test_the_default_hides_the_needed_pages_among_others(world: World) -> None:
    made = prompts(world, limit=20)
    tasks = {task.id: task for split in ("single_test", "multi_test") for task in world.tasks(split)}
    for (name, book), text in made.items():
        shown = [page.path for page in world.pages if page.text.strip() in text]
        assert len(shown) == (len(tasks[name].functions) + 8 if book == "open" else 0)


def test_a_search_finds_pages_by_the_words_of_the_question(small: World) -> None:
    book = OpenBook(small.names, small.pages, BookSettings(retrieve=3))
    page = small.pages[4]
    task = replace(small.tasks("single_test")[0], question=page.summary)
    assert book.choose_pages(task)[0] == page.path and len(book.choose_pages(task)) == 3
    assert book.choose_pages(replace(task, question="")) == sorted(p.path for p in small.pages)[:3]  # nothing to go by


@pytest.mark.parametrize("parts", [("signature",), ("examples", "signature"), ("summary", "parameters", "returns")])
def test_a_page_can_be_cut_down_to_some_of_its_parts(small: World, parts: tuple[str, ...]) -> None:
    for page in small.pages:
        found = dict(sections(page.text))
        assert set(found) <= {"title", *PARTS} and page.signature in found["signature"]
        shown = keep_parts(page.text, parts)
        assert shown.startswith(found["title"])
        for part, text in found.items():
            assert (text in shown) == (part == "title" or part in parts)
        assert keep_parts(page.text, PARTS) == page.text.strip() == "\n\n".join(found.values())


def test_parts_and_books_may_be_given_with_commas() -> None:
    config = RunConfig(book=("open, closed",), pages=("signature,examples",), split=("single_test", "multi_test"))
    assert (config.book, config.pages) == (("open", "closed"), ("signature", "examples"))
    with pytest.raises(ConfigError, match="choose from signature"):
        RunConfig(pages=("signature,nonsense",))

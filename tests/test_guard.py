"""The guard against test tasks in training data finds everything that was planted, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sebench.base.errors import ConfigError
from sebench.base.records import Case, Task
from sebench.tasks import splits
from sebench.train.data import examples, guard, study_material
from sebench.train.data.gold_programs import canonical
from sebench.train.data.guard import Guard
from sebench.train.data.tokens import TrainingRow, text_rows
from sebench.world.open_book import BookSettings
from sebench.world.prompts import NATIVE, Prompt
from sebench.world.world import World

SPLITS = ("single_test", "multi_test", "transfer_test")


@pytest.fixture(scope="module")
def watching(small: World) -> Guard:
    return Guard(small)


def row(prompt: str, answer: str = "Yes.") -> TrainingRow:
    return TrainingRow("planted", Prompt(prompt, "planted", "closed"), answer)


def found(watching: Guard, planted: TrainingRow, task: Task) -> set[str]:
    """What is found of a task."""
    return {finding.leak for finding in watching.findings(planted) if finding.task == task.id}


def held_out(world: World) -> list[Task]:
    return [task for split in splits.SPLITS if split != splits.TRAIN for task in world.tasks(split)]


def paraphrased(question: str) -> str:
    """Other word order, other small words, the same things and numbers."""
    words = re.findall(r"[\w.`]+", question)
    chunks = [" ".join(words[i : i + 4]) for i in range(0, len(words), 4)]
    return ", and so ".join(reversed(chunks))


def test_what_is_made_of_pages_and_training_tasks_is_clean(small: World) -> None:
    found, tasks = study_material.study_rows(small, ("pages", "names", "signatures")), small.tasks(splits.TRAIN)
    prompter = small.prompter(book=BookSettings(distractors=0))
    for form, book in (("code", "open"), ("recall", "closed"), ("subject", "open")):
        found += text_rows(prompter, examples.from_gold(small, tasks, form), book)
    found += text_rows(prompter, examples.from_gold(small, tasks, native=True), NATIVE)
    assert guard.check(found, small) == []


@pytest.mark.parametrize("split", SPLITS)
def test_a_planted_question_is_found(small: World, watching: Guard, split: str) -> None:
    for task in small.tasks(split):
        assert "question" in found(watching, row(f"Here is something.\n\n{task.question}\n\nThanks."), task)
        assert "question" in found(watching, TrainingRow("page", None, task.question), task)


@pytest.mark.parametrize("split", SPLITS)
def test_half_a_question_is_found(small: World, watching: Guard, split: str) -> None:
    for task in small.tasks(split):
        words = task.question.split()
        assert "question" in found(watching, row(" ".join(words[len(words) // 2 :])), task)


@pytest.mark.parametrize("split", SPLITS)
def test_a_planted_paraphrase_that_keeps_things_and_numbers_is_found(small: World, watching: Guard, split: str) -> None:
    pages = " ".join(page.text for page in small.pages[:3])
    for task in small.tasks(split):
        told = paraphrased(task.question)
        assert found(watching, row(told), task) == {"paraphrase"}
        assert "paraphrase" in found(watching, row(f"{pages}\n\n{told}\n\n{pages}"), task)  # hidden in a long text


def test_a_question_of_the_training_split_is_no_paraphrase(small: World, watching: Guard) -> None:
    for task in small.tasks(splits.TRAIN):
        assert list(watching.findings(row(paraphrased(task.question)))) == []


def test_planted_gold_is_found_whatever_its_names(small: World, watching: Guard) -> None:
    for task in small.tasks("multi_test"):
        code = task.gold.replace(task.entry, "solve")
        for name in task.parameters:
            code = re.sub(rf"(?<![\w.]){name}\b(?!=)", f"my_{name}", code)
        for language in ("python", "py", ""):
            assert "gold" in found(watching, row("Write it.", f"```{language}\n{code}```"), task)


def test_gold_with_its_own_name_is_found_even_if_it_is_a_single_call(small: World, watching: Guard) -> None:
    for task in held_out(small):
        assert "entry" in found(watching, row("Write it.", f"```python\n{task.gold}```"), task)


def test_a_call_with_nothing_but_variables_is_no_finding(small: World, watching: Guard) -> None:
    for page in small.pages:
        code = f"def solve(a, b):\n    return {small.names.package}.{page.path}(a, b)\n"
        assert list(watching.findings(row("Write it.", f"```python\n{code}```"))) == []


def test_gold_of_a_training_task_is_no_finding(small: World, watching: Guard) -> None:
    assert not {canonical(task.gold) for task in small.tasks(splits.TRAIN)} & watching.golds.keys()


def test_planted_case_values_are_found(small: World, watching: Guard) -> None:
    telling = {name for runs in watching.cases.values() for name in runs.values()}
    tests = held_out(small)
    assert len(telling) > 0.7 * len(tests)
    for task in tests:
        shown = [f"Given {[*case.inputs.values()]} it is\n{case.expected!r}, isn't it?" for case in task.cases]
        assert ("case" in found(watching, row("\n".join(shown)), task)) == (task.id in telling)


def test_counting_up_is_no_finding(watching: Guard) -> None:
    numbers = ", ".join(map(str, range(40)))
    assert list(watching.findings(row(f"[{numbers}] [{numbers}] " + "0.0, 1.0, " * 20))) == []


def test_a_row_of_a_test_task_is_found_by_its_id(small: World, watching: Guard) -> None:
    task = small.tasks("single_test")[0]
    assert found(watching, TrainingRow(task.id, None, "Nothing else."), task) == {"task"}
    assert found(watching, TrainingRow("x", Prompt("Nothing.", task.id, "closed"), "."), task) == {"task"}


def test_a_training_is_refused_in_one_line(small: World) -> None:
    task = small.tasks("single_test")[0]
    with pytest.raises(ConfigError) as refused:
        guard.refuse([row("All is well."), row(task.question), row(task.question)], small)
    said = str(refused.value)
    assert "\n" not in said and said.startswith(
        f"row 'planted' contains the question of task '{task.id}' of single_test"
    )
    assert "more findings" in said
    guard.refuse([row("All is well.")], small)


def test_programs_are_the_same_but_for_names_and_lines() -> None:
    one = canonical("import p\n\ndef f(xs, k):\n    'Says what.'\n    a = p.g(xs, k=2)\n    return p.h(a, k)\n")
    assert one == canonical("def other(v, n):\n    return p.h(p.g(v, k=2), n)\n") != ""
    assert one != canonical("def other(v, n):\n    return p.h(p.g(v, k=3), n)\n")
    assert one != canonical("def other(v, n):\n    return p.h(p.g(n, k=2), n)\n")
    assert canonical("def f(:") == "" == canonical("1 + 1")


def test_a_loop_is_told_apart_too() -> None:
    loop = "def f(xs):\n    t = p.g(xs)\n    for x in xs:\n        t = p.h(t, x)\n    return t\n"
    assert canonical(loop) == canonical(
        loop.replace("xs", "rows").replace("t ", "total ").replace("(t,", "(total,").replace("return t", "return total")
    )
    assert canonical(loop) != canonical(loop.replace("p.h", "p.k"))


def test_a_case_that_stands_in_a_training_task_by_chance_is_no_leak(small: World) -> None:
    """A short case of words, inside a longer list that a training task has."""
    guard = Guard.__new__(Guard)
    words = Case({"words": ["yarrow", "fjord", "willow"]}, 3)
    guard.tests = {"short": replace(small.tasks("single_test")[0], id="short", cases=(words,), examples=())}
    longer = Case({"queue": ["otter", "yarrow", "fjord", "willow"]}, 3)
    train = replace(small.tasks("train")[0], cases=(longer,), examples=())
    text = "['otter', 'yarrow', 'fjord', 'willow'] 3"
    guard._cases([], [])
    assert [name for name, _, _ in guard._shared_cases(text)] == ["short"]
    guard._cases([train], [])
    assert list(guard._shared_cases(text)) == []

"""Transfer tasks: the usage is read from the calls, and a task whose usage is not proved is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from sebench.bank.definition import Definition, bank
from sebench.base.records import Usage
from sebench.tasks import cases, rules, transfer
from sebench.world.open_book import BookSettings
from sebench.world.page_cuts import without_usage
from sebench.world.world import World
from tests.drafts import GOOD, definitions

PAGE = "`axis` (int or tuple of ints): Axis or axes along which the means are computed. Empty input gives nan."


def facts_of(task: Definition) -> frozenset[str]:
    drawn = cases.draw(task, cases.Stream(task, 1))
    return transfer.facts(task, drawn.scored)


USAGES = {
    "np.mean(points)": {"1 argument", "a has 1 dimension", "a holds numbers", "a is a list"},
    "np.mean([points, points], axis=0)": {"axis is given", "axis is a number", "a has 2 dimensions", "2 arguments"},
    "np.mean([points], axis=(0, 1))": {"axis is a list"},
    "np.mean([points], keepdims=True)": {"keepdims is True"},
    "np.mean([points], axis=-1)": {"axis is negative"},
    "np.pad(points, 1, mode='wrap')": {"mode is 'wrap'", "pad_width is a number"},
    "np.mean(np.array(points) + 1j)": {"a holds complex numbers"},
    "np.array(points, dtype=int)": {"dtype is int"},
}


@pytest.mark.parametrize("gold", USAGES)
def test_a_usage_is_read_from_the_calls(gold: str, tmp_path: Path) -> None:
    (task,) = definitions(tmp_path, GOOD.replace("np.mean(points)", gold), "transfer")
    assert USAGES[gold] <= facts_of(task), facts_of(task)


def test_an_option_with_its_default_is_no_usage(tmp_path: Path) -> None:
    (task,) = definitions(tmp_path, GOOD.replace("np.mean(points)", "np.mean(points, keepdims=False)"))
    assert not any(fact.startswith("keepdims") for fact in facts_of(task))


REFUSED = {
    "no usage stated": ("", "", "must state its usage"),
    "gold does not show it": ("keepdims is True", "", "no call in gold shows"),
    "a training task shows it": ("a is a list", "", "a single-function task already shows"),
    "no words of the page": ("axis is a list", "", "quote what the page says"),
    "words that the page lacks": ("axis is a list", "one or more axes", "the page does not say"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_a_transfer_task_without_proof_is_refused(why: str, tmp_path: Path) -> None:
    usage, page, message = REFUSED[why]
    text = GOOD.replace("np.mean(points)", "np.mean([points], axis=(0, 1))")
    (task,) = definitions(tmp_path, text.replace("@task", f"@task(usage={usage!r}, page={page!r})"), "transfer")
    problems = list(transfer.missing_proof(task, facts_of(task), frozenset({"a is a list"}), PAGE))
    assert any(message in problem for problem in problems), problems


def test_a_proved_one_is_not(tmp_path: Path) -> None:
    text = GOOD.replace("np.mean(points)", "np.mean([points], axis=(0, 1))")
    (task,) = definitions(
        tmp_path, text.replace("@task", '@task(usage="axis is a list", page="Axis or axes")'), "transfer"
    )
    assert list(transfer.missing_proof(task, facts_of(task), frozenset({"a is a list"}), PAGE)) == []


def test_the_bank_has_transfer_tasks_of_many_functions() -> None:
    tasks = [d for d in bank() if d.part == "transfer"]
    assert len(tasks) >= 150 and len({rules.subject(d) for d in tasks}) >= 120


def test_no_transfer_task_is_ever_for_training(world: World) -> None:
    transferred = {d.name for d in bank() if d.part == "transfer"}
    assert {task.id for task in world.tasks("transfer_test")} == transferred
    assert not transferred & {task.id for task in world.tasks("train")}


# ---- the controls ---------------------------------------------------------------------------------------------

DOCUMENTED = """# vok.mean

`vok.mean(a, axis=None, keepdims=False)`

Compute the mean. With `keepdims` the result fits the input.

## Parameters

- `a` (array): Input. It may be empty, then the result is nan.
- `axis` (int or tuple of ints): Axis or axes of the means.
- `keepdims` (bool): Whether axes stay.

## Examples

```python
>>> import vok
>>> vok.mean([1, 3])
2.0
>>> vok.mean([[1, 3]], keepdims=True)
Talmek([[2.0]])
```

## See also

- `vok.sum`: Sum."""


def test_a_page_can_lose_a_parameter() -> None:
    cut = without_usage(DOCUMENTED, Usage("mean", "keepdims", "keepdims is True"))
    assert "keepdims" not in cut and "[[2.0]]" not in cut
    assert "`vok.mean(a, axis=None)`" in cut and "Compute the mean." in cut and "2.0\n```" in cut and "vok.sum" in cut


def test_a_page_can_lose_a_sentence() -> None:
    cut = without_usage(DOCUMENTED, Usage("mean", "a", "a is empty", "may be empty"))
    assert "empty" not in cut and "- `a` (array): Input." in cut and "`keepdims`" in cut
    assert ">>> vok.mean" not in cut  # which of the calls have an empty argument cannot be told from their text


def test_every_usage_can_be_hidden(world: World) -> None:
    for task in world.tasks("transfer_test"):
        usage = task.card.usage
        assert usage is not None
        page = next(page.text for page in world.pages if page.path == usage.function)
        cut = without_usage(page, usage)
        assert cut != page.strip(), task.id
        if usage.page:
            assert usage.page.lower() not in cut.lower(), task.id
        elif usage.fact.endswith((" is True", " is given")):
            assert f"`{usage.parameter}`" not in cut and f"{usage.parameter}=" not in cut, task.id


def test_an_open_book_without_the_usage_differs_in_that_page_alone(world: World) -> None:
    task = next(t for t in world.tasks("transfer_test") if t.card.usage and t.card.usage.fact.endswith("is True"))
    usage = task.card.usage
    assert usage is not None
    whole, cut = (
        world.prompter(book=BookSettings(hide_usage=hidden)).prompt(task, "open").text for hidden in (False, True)
    )
    assert f"- `{usage.parameter}`" in whole and len(cut) < len(whole)
    lost = set(whole.splitlines()) - set(cut.splitlines())
    page = next(page.text for page in world.pages if page.path == usage.function)
    assert lost and lost <= set(page.splitlines())


def test_a_prompt_can_give_the_names(world: World) -> None:
    task = world.tasks("transfer_test")[0]
    forged = world.names.forged(task.functions[0])
    assert f"`{forged}`" in world.prompter(names_given=True).prompt(task, "closed").text
    assert forged not in world.prompter().prompt(task, "closed").text
    assert f"`numpy.{task.functions[0]}`" in world.prompter(names_given=True).prompt(task, "native").text

"""Studies with a scripted writer and reader: what a memory holds, and which tasks the reader solves with it, follow
exactly from what the method showed."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench import report
from sebench.base.records import Blame, Kind, Task, Verdict
from sebench.cli import cli
from sebench.experiment import estimate, sizes
from sebench.judge.judge import Judge
from sebench.memory import material
from sebench.memory.folder import Memory
from sebench.memory.kinds import tokens
from sebench.memory.methods import replies, session, texts
from sebench.memory.methods.config import StudyConfig
from sebench.memory.methods.scripted import Pair
from sebench.memory.recall import Recall
from sebench.rollout.store import Run
from sebench.tasks import splits
from sebench.world.mentions import mentioned_functions, needed_functions
from sebench.world.world import World
from tests.studies import TESTS, Told, ended, events, expected, maker, solved, studied


@pytest.fixture(scope="module")
def judge(tiny: World) -> Iterator[Judge]:
    with Judge(tiny) as judge:
        yield judge


@pytest.fixture(autouse=True)
def one_judge(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """All studies of these tests share a judge: starting one takes longer than a study."""
    monkeypatch.setattr(session, "Judge", lambda world: nullcontext(judge))


@pytest.fixture
def made(tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Memory]:
    return maker(tiny, tmp_path, monkeypatch)


# ---- what comes out


@pytest.mark.parametrize("rewrite", [False, True])
def test_perfect_notes_let_every_test_task_be_solved(made: Callable[..., Memory], tiny: World, rewrite: bool) -> None:
    memory = made("notes", rewrite=rewrite)
    assert [solved(memory, tiny, split) for split in TESTS] == [1.0, 1.0]
    assert memory.cost.calls == ended(memory)["chunks"] + len(material.held_out(tiny, 0)[1])
    assert (memory.about.regime, memory.about.writer, memory.about.study_book) == ("memory", "reader", "open")


def test_a_writer_that_forgets_shows_context_collapse_only_where_notes_are_rewritten(
    made: Callable[..., Memory], tiny: World
) -> None:
    def say(prompt: str) -> str:
        return pair.reply(prompt.replace(texts.title("notes_rewrite"), texts.title("notes_append")))

    pair = Pair(tiny)
    appended, rewritten = made("notes", Told(say), "a"), made("notes", Told(say), "b", rewrite=True)
    assert [functions for _, functions in ended(appended)["curve"]] == [1, 2, 3, 5, 6]
    assert [functions for _, functions in ended(rewritten)["curve"]] == [1, 1, 1, 2, 1]
    assert solved(rewritten, tiny, splits.SINGLE_TEST) == 1 / 6


def test_notes_that_only_repeat_the_file_are_refused_and_cut_ones_are_kept(made: Callable[..., Memory]) -> None:
    memory = made("notes", Told(lambda prompt: "```notes\n- a sum\n- and ha"))
    assert memory.snapshot.data["text"] == "- a sum"
    assert ended(memory)["troubles"] == {"duplicate": ended(memory)["chunks"] - 1}
    rewritten = made("notes", Told(lambda prompt: "```notes\n- a sum\n- and ha"), "rewritten", rewrite=True)
    assert rewritten.snapshot.data["text"] == ""
    assert ended(rewritten)["troubles"] == {"malformed replies": ended(rewritten)["chunks"]}


def test_forms_ask_only_for_what_is_there(made: Callable[..., Memory], tiny: World) -> None:
    """A small model votes on rules that do not exist, and tags notes that nobody used, if the form has a place for
    it."""
    pair = Pair(tiny)
    expel, ace = Told(pair.reply), Told(pair.reply)
    made("expel", expel, "expel", facts=True), made("ace", ace, "ace")
    asked = [prompt for prompt in expel.prompts if "\nADD: <a new rule>" in prompt]
    assert asked and all(("AGREE <number>" in prompt) == ("\n1. " in prompt) for prompt in asked)
    asked = [prompt for prompt in ace.prompts if "\nINSIGHT: <" in prompt]
    tagged = [re.findall(r"(?m)^TAG (\S+): <", prompt) for prompt in asked]
    assert any(tagged) and not all(tagged)
    for prompt, ids in zip(asked, tagged, strict=True):
        assert ids == re.findall(r"(?m)^- \[(\S+)\]", prompt.partition("\n## Notes that the attempt used\n")[2])


def test_expel_recalls_rules_and_successes_and_each_alone(made: Callable[..., Memory], tiny: World) -> None:
    both, rules = made("expel", folder="both", facts=True), made("expel", folder="rules", facts=True, successes=0)
    answers = made("expel", folder="answers", rules=0, successes=2)
    assert (ended(both)["solved"], ended(both)["rules"], ended(answers)["rules"]) == (len(studied(tiny)), 6, 0)
    assert [solved(memory, tiny, splits.SINGLE_TEST) for memory in (both, rules)] == [1.0, 1.0]
    task = tiny.tasks(splits.SINGLE_TEST)[0]
    assert len(Recall(both, tiny).text(task).items) == 4 and Recall(rules, tiny).text(task).items == ()
    # Answers alone are worth what a search with the question finds.
    found = Recall(answers, tiny)
    for split in TESTS:
        known = [set(found.text(task).functions) >= set(needed_functions(task, tiny)) for task in tiny.tasks(split)]
        assert solved(answers, tiny, split) == sum(known) / len(known) < 1


def test_gold_stands_for_gathered_answers_and_costs_no_call(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("expel", study_gold=True, rules=0)
    assert memory.about.study_gold and memory.cost.calls == len(material.held_out(tiny, 0)[1])
    gathered = made("expel", folder="gathered", rules=0)
    assert gathered.snapshot.data == memory.snapshot.data  # the reader's answers are gold


def test_a_failure_is_reflected_on_and_then_compared_with_the_success(made: Callable[..., Memory], tiny: World) -> None:
    pair = Pair(tiny)

    def say(prompt: str) -> str:
        asked_first = prompt.startswith("Here is the documentation")
        return "```python\nimport numpy\n```" if asked_first else pair.reply(prompt)

    model, count = Told(say), len(studied(tiny))
    memory = made("expel", model, facts=True, successes=0)
    trials = [[one["right"] for one in line["trials"]] for line in events(memory, "experience")]
    assert trials == [[False, True]] * count
    compared = [line["about"] for line in events(memory, "rules")]
    assert sum(about.startswith("compare/") for about in compared) == count
    assert sum(about.startswith("successes/") for about in compared) == -(-count // 8)
    again = [prompt for prompt in model.prompts if prompt.startswith("You have tried the task below before")]
    assert len(again) == count and all("- The name was a guess; the page has it." in prompt for prompt in again)


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("notes", {"chunk": 2}),
        ("notes", {"chunk": 3, "gate": 3}),
        ("expel", {"facts": True}),
        ("expel", {"facts": True, "retries": 1, "chunk": 4, "gate": 2, "limit": 9}),
        ("expel", {"study_gold": True, "facts": True}),
        ("ace", {"retries": 2, "validate_every": 4}),
        ("ace", {"retries": 0, "epochs": 2, "together": 3, "gate": 2}),
        ("ace", {"retries": 1, "epochs": 3, "together": 2, "window": 5, "gate": 4}),
    ],
)
def test_a_study_takes_no_more_calls_than_the_dry_run_says(
    made: Callable[..., Memory], tiny: World, method: str, settings: dict[str, Any]
) -> None:
    """A stubborn model: its answer to a question is right only after as many attempts as are allowed."""
    pair, attempts = Pair(tiny), Counter[str]()
    retries = StudyConfig(**settings).retries

    def say(prompt: str) -> str:
        task = next((task for task in tiny.tasks("train") if task.question in prompt), None)
        if task is None or prompt.startswith("# "):
            return pair.reply(prompt)
        attempts[task.id] += 1
        wrong = f"import numpy  # attempt {attempts[task.id]}"  # equal requests would be sent only once
        return f"```python\n{task.gold if attempts[task.id] > retries else wrong}\n```"

    memory = made(method, model := Told(say), **settings)
    asked = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in settings.items()]
    words = ["memory", method, str(tiny.path), "--model", "reader", "--dry-run", "--json", "--price", "1,2", *asked]
    told = json.loads(CliRunner().invoke(cli, [*words, "--out", "nowhere"], catch_exceptions=False).stdout)
    most = estimate.study_calls(method, StudyConfig(**settings), sizes.WorldSizes(tiny))
    assert len(model.prompts) == memory.cost.calls <= most == told["calls"]
    assert sum(map(tokens, model.prompts)) <= told["prompt_tokens"] and not Path("nowhere").exists()
    assert told["completion_tokens"] == most * StudyConfig().max_tokens
    assert told["cost"] == (told["prompt_tokens"] + 2 * told["completion_tokens"]) / 1e6
    if not {"gate", "epochs", "validate_every"} & settings.keys():
        assert memory.cost.calls == most  # so the bound is not loose


def test_ace_knows_what_its_tasks_needed_and_nothing_else(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("ace", limit=4)
    shown = {line["about"].partition("/")[2] for line in events(memory, "item")}
    known = {path for name in shown for path in needed_functions(tiny.task(name), tiny)}
    assert len(shown) == 4 and set(mentioned_functions(memory.snapshot.data["text"], tiny.names)) == known
    assert [solved(memory, tiny, split) for split in TESTS] == [expected(known, tiny, split) for split in TESTS]
    # A task whose function is new is wrong, then right with its reflection; others are right at once.
    firsts = [line["right"] for line in events(memory, "item")]
    assert sorted(firsts) == [[False, True]] * len(known) + [[True]] * (4 - len(known))


def test_ace_counts_the_bullets_that_right_answers_used(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("ace")
    votes = memory.snapshot.data["votes"]
    right = sum(line["right"] == [True] for line in events(memory, "item"))
    assert all(harmful == 0 for _, _, harmful in votes) and sum(helpful for _, helpful, _ in votes) > right
    assert "helpful" not in memory.snapshot.data["text"]


def test_online_accuracy_is_that_of_the_playbook_before_each_window(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("ace", window=5)
    known: set[str] = set()
    right = 0
    order = [tiny.task(line["about"].partition("/")[2]) for line in events(memory, "item")]
    for start in range(0, len(order), 5):
        window = order[start : start + 5]
        right += sum(set(needed_functions(task, tiny)) <= known for task in window)
        known |= {path for task in window for path in needed_functions(task, tiny)}
    assert ended(memory)["online"] == {"right": right, "judged": len(order)} and 0 < right < len(order)


def test_tasks_together_see_the_same_playbook_and_are_curated_at_once(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("ace", together=6)
    assert ended(memory)["curations"] == 3 and len(events(memory, "item")) == len(studied(tiny)) == 17
    assert [line["right"] for line in events(memory, "item")[:6]] == [[False, True]] * 6


@pytest.mark.parametrize(("method", "empty"), [("ace", {"text": "", "votes": []}), ("expel", {"entries": []})])
def test_with_the_book_closed_nothing_can_be_learnt(
    made: Callable[..., Memory], tiny: World, method: str, empty: dict[str, Any]
) -> None:
    memory = made(method, study_book="closed", limit=3, retries=1)
    assert memory.snapshot.data.items() >= empty.items() and ended(memory)["validation"] == 0
    assert solved(memory, tiny, splits.SINGLE_TEST) == 0


def test_validation_and_test_questions_are_never_studied(made: Callable[..., Memory], tiny: World) -> None:
    unseen = [task.question for split in TESTS for task in tiny.tasks(split)]
    held_out = [task.question for task in material.held_out(tiny, 0)[1]]
    for method in ("ace", "expel", "notes"):
        model = Told(Pair(tiny).reply)
        made(method, model, method, gate=2)
        assert not any(question in prompt for prompt in model.prompts for question in unseen)
        asked = [prompt for prompt in model.prompts if any(question in prompt for question in held_out)]
        assert asked and not any(prompt.startswith("# ") or "used:" in prompt for prompt in asked)


@pytest.mark.parametrize("book", ["open", "closed"])
def test_gold_is_shown_where_it_is_asked_for_and_nowhere_else(
    made: Callable[..., Memory], tiny: World, book: str
) -> None:
    gold = [task.gold.strip() for task in tiny.tasks("train")]
    for method in ("ace", "expel"):
        for study_gold in (False, True):
            model = Told(lambda prompt: "I do not know.")  # so that no prompt repeats an answer that it found itself
            made(
                method,
                model,
                f"{method}-{study_gold}",
                study_gold=study_gold,
                study_book=book,
                limit=4,
                retries=1,
            )
            assert any(code in prompt for prompt in model.prompts for code in gold) == study_gold
    if book == "open":
        made("notes", model := Told(lambda prompt: "I do not know."), "notes")
        assert not any(code in prompt for prompt in model.prompts for code in gold)


def test_the_best_playbook_stays_and_of_equals_the_last(made: Callable[..., Memory], tiny: World) -> None:
    spoilt = Pair(tiny)

    def say(prompt: str) -> str:
        if prompt.startswith(texts.title("ace_curate")) and "Step 17 of" in prompt:
            ids = set(replies._ID.findall(prompt)) - {"pit-00007", "pit-00009", "pit-00011"}
            return "\n".join(f"REMOVE {id}" for id in ids)
        return spoilt.reply(prompt)

    memory = made("ace", Told(say), operations="all", validate_every=16)
    assert [line["right"] for line in events(memory, "validation")] == [1, 0]
    assert solved(memory, tiny, splits.SINGLE_TEST) == 1.0
    same = made("ace", folder="same", validate_every=5)
    assert len(events(same, "validation")) == 4 and ended(same)["bullets"] == 6


def test_a_run_with_the_memory_scores_what_the_memory_holds(tiny: World, tmp_path: Path) -> None:
    def sebench(*words: str) -> str:
        done = CliRunner().invoke(cli, [word.format(world=tiny.path, out=tmp_path) for word in words])
        assert done.exit_code == 0, done.output
        return done.output

    told = sebench("memory", "ace", "{world}", "--model", "reader", "--limit", "3", "--out", "{out}/ace")
    assert "validation tasks right: " in told and "problems: none" in told
    memory = Memory.load(tmp_path / "ace")
    sebench("run", "{world}", "--model", "reader", "--memory", "{out}/ace", "--book", "closed", "--out", "{out}/run")
    (run,) = report.summarize([Run.load(tmp_path / "run")]).runs
    for split in TESTS:
        cell = run.cell("closed", "split", split)
        assert cell is not None and cell.accuracy == cell.targeted == solved(memory, tiny, split)
    assert 0 < solved(memory, tiny, splits.SINGLE_TEST) < 1
    (line,) = report.summarize([Run.load(tmp_path / "run")]).at_hand
    assert (line.regime, line.method, line.writer, line.reader) == ("memory", "ace", "reader", "reader")


def test_a_fault_of_the_sandbox_is_neither_success_nor_failure(
    made: Callable[..., Memory], tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        async def judge_async(self, task: Task, response: str) -> Verdict:
            return Verdict(Kind.FAULT, Blame.SANDBOX)

    monkeypatch.setattr(session, "Judge", lambda world: nullcontext(Broken()))
    model = Told(Pair(tiny).reply)
    ace, expel = made("ace", model, "ace"), made("expel", model, "expel")
    assert {str(line["right"]) for line in events(ace, "item")} == {"[None]"} and ended(ace)["curations"] == 0
    assert {len(line["trials"]) for line in events(expel, "experience")} == {1} and ended(expel)["solved"] == 0
    assert not any(prompt.startswith("# Reflect") for prompt in model.prompts)


@pytest.mark.parametrize(
    ("method", "settings", "regime"),
    [
        ("expel", {"study_gold": True}, "retrieval"),  # it shows the author's answers
        ("expel", {"study_gold": True, "successes": 0}, "memory"),
        ("expel", {}, "memory"),
        ("ace", {"study_gold": True}, "memory"),  # the reflector sees gold, and the curator writes
    ],
)
def test_gold_answers_that_are_recalled_are_retrieval(
    made: Callable[..., Memory], method: str, settings: dict[str, Any], regime: str
) -> None:
    about = made(method, limit=2, **settings).about
    assert (about.regime, about.study_gold) == (regime, settings.get("study_gold", False))


# ---- budgets


def test_a_note_that_does_not_fit_is_refused_whole(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("notes", budget=100)
    assert ended(memory)["troubles"] == {"over budget": 2}
    assert memory.snapshot.data["text"] == "\n\n".join(
        line["text"] for line in events(memory, "chunk") if line["accepted"]
    )
    assert tokens(memory.snapshot.data["text"]) <= 100


def test_a_playbook_never_leaves_its_budget(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("ace", budget=100)
    assert ended(memory)["troubles"]["over budget"] > 0 and 0 < tokens(memory.snapshot.data["text"]) <= 100


def test_answers_that_could_break_the_budget_are_left_out_and_counted(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("expel", budget=600, rules=0, successes=5)
    left = len(memory.snapshot.data["entries"])
    assert ended(memory)["troubles"] == {"answers too long for the budget": len(studied(tiny)) - left} and left
    recall = Recall(memory, tiny)
    assert all(recall.text(task).tokens_estimate <= 600 for split in TESTS for task in tiny.tasks(split))


# ---- the gate


def test_the_gate_lets_in_what_helps_and_keeps_out_what_does_not(made: Callable[..., Memory], tiny: World) -> None:
    pair = Pair(tiny)
    useless = iter(range(1000))

    def say(prompt: str) -> str:
        if prompt.startswith(texts.title("ace_curate")) and next(useless) % 2:
            return f"ADD pitfalls: Think carefully, {len(prompt)} times."
        return pair.reply(prompt)

    memory = made("ace", Told(say), gate=4, retries=1)
    for line in events(memory, "curation"):
        helps = any("carefully" not in one["text"] for one in line["operations"])
        assert line["accepted"] == (helps or not line["operations"]), line
    assert "carefully" not in memory.snapshot.data["text"]
    assert "carefully" in made("ace", Told(say), "ungated", retries=1).snapshot.data["text"]


def test_the_gate_keeps_out_what_destroys(made: Callable[..., Memory], tiny: World) -> None:
    pair = Pair(tiny)

    def say(prompt: str) -> str:  # the last chunk makes the writer forget the others
        last = "vizas" in prompt and prompt.startswith(texts.title("notes_rewrite"))
        return "```notes\nnothing\n```" if last else pair.reply(prompt)

    gated = made("notes", Told(say), rewrite=True, gate=8)
    assert events(gated, "chunk")[-1]["lost"] > 0 and not events(gated, "chunk")[-1]["accepted"]
    assert solved(gated, tiny, splits.SINGLE_TEST) == 5 / 6
    assert made("notes", Told(say), "ungated", rewrite=True).snapshot.data["text"] == "nothing"

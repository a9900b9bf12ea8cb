"""Studies with a scripted pair: what a memory holds, and what a reader solves with it, follow exactly from what the method showed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench import report
from sebench.cli import cli
from sebench.errors import ConfigError, ProviderError
from sebench.judge.judge import Judge
from sebench.learn.memory import replies, scripted, session, texts
from sebench.learn.memory.config import StudyConfig
from sebench.learn.memory.methods import study
from sebench.learn.memory.scripted import Pair
from sebench.ledger import Ledger, lines
from sebench.memory import material
from sebench.memory.folder import Memory
from sebench.memory.kinds import mentioned
from sebench.memory.recall import Recall
from sebench.memory.sizes import tokens
from sebench.prompts import Prompt
from sebench.records import Blame, Kind, Task, Verdict
from sebench.rollout.model import Completion, Model, Sampling
from sebench.rollout.scripted import UNKNOWN, read_by_name
from sebench.store import Run
from sebench.tasks import splits
from sebench.world import World
from tests import misbehaving

TESTS = (splits.SINGLE_TEST, splits.MULTI_TEST)


class Told:
    """A model that says what a function says, and keeps what it was asked."""

    concurrency = 4

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say, self.prompts = say, list[str]()

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        self.prompts.append(prompt.text)
        return Completion(self.say(prompt.text), "stop", 10, 1)

    async def close(self) -> None:
        return


class Killed(BaseException):
    """What stands for the end of the process."""


@pytest.fixture(scope="module")
def judge(tiny: World) -> Iterator[Judge]:
    with Judge(tiny) as judge:
        yield judge


@pytest.fixture(autouse=True)
def one_judge(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """All studies of these tests share a judge: starting one takes longer than a study."""
    monkeypatch.setattr(session, "Judge", lambda world: nullcontext(judge))


@pytest.fixture
def made(tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Memory]]:
    """Studies of the tiny world, with the scripted pair or with a model that the test gives."""

    def make(method: str, model: Model | None = None, folder: str = "memory", **settings: Any) -> Memory:
        if model is not None:
            monkeypatch.setattr(scripted, "load", lambda *asked: model)
        settings |= {"max_tokens": 16_000} if settings.get("rewrite") else {}
        return study(tiny, method, StudyConfig(model="reader", **settings), tmp_path / folder)

    yield make


def ended(memory: Memory) -> dict[str, Any]:
    *_, (_, last) = lines(memory.path / "log.jsonl")
    assert last["event"] == "ended"
    return last


def events(memory: Memory, kind: str) -> list[dict[str, Any]]:
    return [line for _, line in lines(memory.path / "log.jsonl") if line["event"] == kind]


def solved(memory: Memory, world: World, split: str) -> float:
    """The share of a split that the reader solves."""
    recall, tasks = Recall(memory, world), world.tasks(split)
    said = [read_by_name(world, f"{recall.text(task).text}\n\n{world.prompt(task, 'closed')}") for task in tasks]
    return sum(text != UNKNOWN for text in said) / len(tasks)


def expected(known: set[str], world: World, split: str) -> float:
    """The share of tasks whose functions are all known."""
    tasks = world.tasks(split)
    return sum(set(material.needed(task, world)) <= known for task in tasks) / len(tasks)


def studied(world: World, seed: int = 0) -> list[Task]:
    return material.held_out(world, seed)[0]


# ---- what comes out


@pytest.mark.parametrize("rewrite", [False, True])
def test_perfect_notes_let_every_test_task_be_solved(made: Callable[..., Memory], tiny: World, rewrite: bool) -> None:
    memory = made("notes", rewrite=rewrite)
    assert [solved(memory, tiny, split) for split in TESTS] == [1.0, 1.0]
    assert memory.taken.calls == ended(memory)["chunks"] + len(material.held_out(tiny, 0)[1])
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


def test_expel_recalls_rules_and_successes_and_each_alone(made: Callable[..., Memory], tiny: World) -> None:
    both, rules = made("expel", folder="both", facts=True), made("expel", folder="rules", facts=True, keep="rules")
    answers = made("expel", folder="answers", keep="trajectories", successes=2)
    assert (ended(both)["solved"], ended(both)["rules"], ended(answers)["rules"]) == (len(studied(tiny)), 6, 0)
    assert [solved(memory, tiny, splits.SINGLE_TEST) for memory in (both, rules)] == [1.0, 1.0]
    task = tiny.tasks(splits.SINGLE_TEST)[0]
    assert len(Recall(both, tiny).text(task).items) == 4 and Recall(rules, tiny).text(task).items == ()
    # Answers alone are worth what a search with the question finds.
    found = Recall(answers, tiny)
    for split in TESTS:
        known = [set(found.text(task).functions) >= set(material.needed(task, tiny)) for task in tiny.tasks(split)]
        assert solved(answers, tiny, split) == sum(known) / len(known) < 1


def test_gold_stands_for_gathered_answers_and_costs_no_call(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("expel", study_gold=True, keep="trajectories")
    assert memory.about.study_gold and memory.taken.calls == len(material.held_out(tiny, 0)[1])
    gathered = made("expel", folder="gathered", keep="trajectories")
    assert gathered.snapshot.data == memory.snapshot.data  # the reader's answers are gold


def test_a_failure_is_reflected_on_and_then_compared_with_the_success(made: Callable[..., Memory], tiny: World) -> None:
    pair = Pair(tiny)

    def say(prompt: str) -> str:
        asked_first = prompt.startswith("Here is the documentation")
        return "```python\nimport numpy\n```" if asked_first else pair.reply(prompt)

    model, count = Told(say), len(studied(tiny))
    memory = made("expel", model, facts=True, keep="rules")
    trials = [[one["right"] for one in line["trials"]] for line in events(memory, "experience")]
    assert trials == [[False, True]] * count
    compared = [line["about"] for line in events(memory, "rules")]
    assert sum(about.startswith("compare/") for about in compared) == count
    assert sum(about.startswith("successes/") for about in compared) == -(-count // 8)
    again = [prompt for prompt in model.prompts if prompt.startswith("You have tried the task below before")]
    assert len(again) == count and all("- The name was a guess; the page has it." in prompt for prompt in again)


def test_ace_knows_what_its_tasks_needed_and_nothing_else(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("ace", limit=4)
    shown = {line["about"].partition("/")[2] for line in events(memory, "item")}
    known = {path for name in shown for path in material.needed(tiny.task(name), tiny)}
    assert len(shown) == 4 and set(mentioned(memory.snapshot.data["text"], tiny.names)) == known
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
    memory = made("ace", mode="online", window=5)
    known: set[str] = set()
    right = 0
    order = [tiny.task(line["about"].partition("/")[2]) for line in events(memory, "item")]
    for start in range(0, len(order), 5):
        window = order[start : start + 5]
        right += sum(set(material.needed(task, tiny)) <= known for task in window)
        known |= {path for task in window for path in material.needed(task, tiny)}
    assert ended(memory)["online"] == {"right": right, "judged": len(order)} and 0 < right < len(order)


def test_tasks_together_see_the_same_playbook_and_are_curated_at_once(made: Callable[..., Memory], tiny: World) -> None:
    memory = made("ace", together=6)
    assert ended(memory)["curations"] == 3 and len(events(memory, "item")) == len(studied(tiny)) == 17
    assert [line["right"] for line in events(memory, "item")[:6]] == [[False, True]] * 6


@pytest.mark.parametrize(("method", "empty"), [("ace", {"text": "", "votes": []}), ("expel", {"entries": []})])
def test_with_the_book_closed_nothing_can_be_learnt(
    made: Callable[..., Memory], tiny: World, method: str, empty: dict[str, Any]
) -> None:
    memory = made(method, study_book="closed", limit=3, retries=1, rounds=1)
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
                rounds=1,
            )
            assert any(code in prompt for prompt in model.prompts for code in gold) == study_gold
    if book == "open":
        made("notes", model := Told(lambda prompt: "I do not know."), "notes")
        assert not any(code in prompt for prompt in model.prompts for code in gold)


def test_the_best_playbook_stays_and_of_equals_the_last(made: Callable[..., Memory], tiny: World) -> None:
    spoilt = Pair(tiny)

    def say(prompt: str) -> str:
        if prompt.startswith(texts.title("ace_curate")) and "Step 17 of" in prompt:
            ids = [{"type": "REMOVE", "id": id} for id in set(replies._ID.findall(prompt)) - {"pit-00007"}]
            return json.dumps({"operations": [one for one in ids if one["id"] not in ("pit-00009", "pit-00011")]})
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

    told = sebench("learn", "ace", "{world}", "--model", "reader", "--limit", "3", "--out", "{out}/ace")
    assert "validation tasks right: " in told and "troubles: none" in told
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
        ("expel", {"study_gold": True, "keep": "rules"}, "memory"),
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
    memory = made("expel", budget=600, keep="trajectories", successes=5)
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
            add = {"type": "ADD", "section": "pitfalls", "text": f"Think carefully, {len(prompt)} times."}
            return json.dumps({"operations": [add]})
        return pair.reply(prompt)

    memory = made("ace", Told(say), gate=4, rounds=1)
    for line in events(memory, "curation"):
        helps = any("carefully" not in one["text"] for one in line["operations"])
        assert line["accepted"] == (helps or not line["operations"]), line
    assert "carefully" not in memory.snapshot.data["text"]
    assert "carefully" in made("ace", Told(say), "ungated", rounds=1).snapshot.data["text"]


def test_the_gate_keeps_out_what_destroys(made: Callable[..., Memory], tiny: World) -> None:
    pair = Pair(tiny)

    def say(prompt: str) -> str:  # the last chunk makes the writer forget the others
        last = "vizas" in prompt and prompt.startswith(texts.title("notes_rewrite"))
        return "```notes\nnothing\n```" if last else pair.reply(prompt)

    gated = made("notes", Told(say), rewrite=True, gate=8)
    assert events(gated, "chunk")[-1]["lost"] > 0 and not events(gated, "chunk")[-1]["accepted"]
    assert solved(gated, tiny, splits.SINGLE_TEST) == 5 / 6
    assert made("notes", Told(say), "ungated", rewrite=True).snapshot.data["text"] == "nothing"


# ---- interruptions


@pytest.mark.parametrize(
    ("method", "settings"),
    [("ace", {"limit": 5, "gate": 2, "together": 2}), ("expel", {"limit": 6}), ("notes", {"rewrite": True})],
)
def test_kills_at_every_line_one_after_another_lose_nothing(
    made: Callable[..., Memory], tiny: World, method: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(method, Told(Pair(tiny).reply), "whole", **settings)
    model, true_add, kills, dead = Told(Pair(tiny).reply), Ledger.add, 0, False

    def add(self: Ledger, data: Any) -> None:
        nonlocal dead
        if not dead:  # a process that was killed writes nothing more, whatever else it was doing
            true_add(self, data)
        dead = True
        raise Killed

    monkeypatch.setattr(Ledger, "add", add)
    while True:
        try:
            memory = made(method, model, "killed", **settings)
            break
        except Killed:
            kills, dead = kills + 1, False
    assert kills == sum(len((memory.path / name).read_bytes().splitlines()) for name in ("log.jsonl", "calls.jsonl"))
    assert (memory.path / "log.jsonl").read_bytes() == (whole.path / "log.jsonl").read_bytes()
    assert (memory.digest, memory.taken) == (whole.digest, whole.taken)


def test_a_killed_process_goes_on_with_the_same_result(
    made: Callable[..., Memory], tiny: World, tmp_path: Path
) -> None:
    program = f"""
import os, signal
from pathlib import Path
from sebench.ledger import Ledger
from sebench.learn.memory.config import StudyConfig
from sebench.learn.memory.methods import study
from sebench.world import World
true_add, left = Ledger.add, [9]
def add(self, data):
    true_add(self, data)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
Ledger.add = add
study(World.load(Path({str(tiny.path)!r})), "notes", StudyConfig(model="reader"), Path({str(tmp_path / "killed")!r}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == -signal.SIGKILL
    with pytest.raises(ConfigError, match="not finished"):
        _ = Memory.load(tmp_path / "killed").snapshot
    assert made("notes", folder="killed").digest == made("notes", folder="whole").digest


def test_a_finished_study_asks_nothing_again(made: Callable[..., Memory], tiny: World) -> None:
    first, silent = made("notes"), Told(lambda prompt: "")
    assert made("notes", silent).digest == first.digest and silent.prompts == []


@pytest.mark.parametrize(
    ("method", "settings", "message"),
    [
        ("notes", {"study_book": "closed"}, "notes are taken from the pages"),
        ("ace", {"mode": "upside down"}, "mode = 'upside down': offline or online"),
        ("expel", {"keep": "all"}, "keep = 'all': both, rules or trajectories"),
        ("ace", {"together": 0}, "together = 0: at least 1"),
        ("notes", {"rewrite": True, "budget": 20_000}, "--max-tokens 16000 is less than --budget 20000"),
        ("ace", {"thinking": "perhaps"}, "thinking = 'perhaps': on, off or nothing"),
        ("ace", {"extra": "{"}, "extra"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(
    made: Callable[..., Memory], method: str, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        made(method, **settings)


def test_other_settings_and_other_words_do_not_go_on_with_a_study(
    made: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    made("notes")
    with pytest.raises(ConfigError, match="begun with chunk_pages = 8, now it is 3"):
        made("notes", chunk_pages=3)
    with pytest.raises(ConfigError, match=r"begun with max_tokens"):
        made("notes", max_tokens=7)
    monkeypatch.setattr(texts, "digest", lambda: "others")
    with pytest.raises(ConfigError, match="begun with texts"):
        made("notes")


def test_the_writer_is_asked_as_a_run_would_ask_it(tmp_path: Path) -> None:
    (tmp_path / "extra.json").write_text('{"top_k": 1}')
    told = {"thinking": "off", "token_limit": "max_completion_tokens", "reasoning_effort": "low", "send_seed": False}
    config = StudyConfig(model="m", base_url=("http://h/v1",), extra=f"@{tmp_path / 'extra.json'}", **told)  # type: ignore[arg-type]
    writer = config.writer()
    assert {name: getattr(writer, name) for name in told} == told and writer.extra_fields() == {"top_k": 1}
    assert config.compared()["extra"] == {"top_k": 1}


# ---- endpoints that misbehave


class Replies(dict[str, str]):
    """Answers of the misbehaving server: those of a function."""

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say = say

    def __bool__(self) -> bool:
        return True

    def get(self, prompt: str, default: Any = None) -> Any:
        return self.say(prompt)


def served(world: World, server: misbehaving.Server, out: Path, method: str, **settings: Any) -> Memory:
    config = StudyConfig(model="m", base_url=(server.url,), timeout_s=20, **settings)
    return study(world, method, config, out)


def test_a_provider_that_stumbles_changes_nothing(tiny: World, tmp_path: Path, made: Callable[..., Memory]) -> None:
    faults = misbehaving.first(6, "rate_seconds", "malformed", "broken", "", "")
    with misbehaving.Server(faults, Replies(Pair(tiny).reply)) as server:
        memory = served(tiny, server, tmp_path / "served", "notes")
    assert max(server.answered.values()) == 1 and memory.taken.calls == server.answered.total()
    assert memory.digest == made("notes").digest


def test_a_provider_that_fails_for_good_ends_with_one_line_and_the_study_goes_on(
    tiny: World, tmp_path: Path, made: Callable[..., Memory]
) -> None:
    down = {"now": True}

    def faults(number: int) -> str:
        return "wrong_key" if down["now"] and number > 2 else ""

    with misbehaving.Server(faults, Replies(Pair(tiny).reply)) as server:
        with pytest.raises(ProviderError, match="refuses the key"):
            served(tiny, server, tmp_path / "served", "notes")
        down["now"] = False
        memory = served(tiny, server, tmp_path / "served", "notes")
    assert max(server.answered.values()) == 1 and memory.digest == made("notes").digest


def test_replies_that_were_cut_off_are_counted(made: Callable[..., Memory], tiny: World) -> None:
    class Cut(Told):
        async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
            said = await super().complete(prompt, sampling, seed)
            return Completion(said.text[:-3], "length", 10, 1) if prompt.text.startswith("# Take notes") else said

    memory = made("notes", Cut(Pair(tiny).reply))
    chunks = ended(memory)["chunks"]
    assert ended(memory)["troubles"] == {"malformed": chunks, "replies that ended at max_tokens": chunks}


def test_prompts_that_are_refused_are_counted_and_the_study_ends(tiny: World, tmp_path: Path) -> None:
    with misbehaving.Server(lambda number: "too_long" if number == 1 else "", Replies(Pair(tiny).reply)) as server:
        memory = served(tiny, server, tmp_path / "served", "notes")
    assert ended(memory)["troubles"] == {"malformed": 1, "prompts refused": 1}
    assert [functions for _, functions in ended(memory)["curve"]] == [1, 1, 2, 4, 5]


def test_whatever_a_model_writes_is_counted_and_leaves_the_playbook_whole(
    made: Callable[..., Memory], tiny: World
) -> None:
    pair, turn = Pair(tiny), Counter[str]()
    nonsense = [
        "not JSON",
        '{"operations": [{"type": "REMOVE", "id": "nam-99999"}, {"type": "ADD"}, 7]}',
        '{"operations": [{"type": "ADD", "section": "x", "text": "A note."}, {"type": "ADD", "section": "y", "text": "A note."}]}',
    ]
    empty = '{"error": "", "tags": {"nam-12345": "helpful"}}'

    def say(prompt: str) -> str:
        first = prompt.partition("\n")[0]
        turn[first] += 1
        if first == texts.title("ace_curate"):
            return nonsense[(turn[first] - 1) % 3]
        if first == texts.title("ace_reflect"):
            return empty if turn[first] % 3 == 0 else pair.reply(prompt) if turn[first] % 3 == 1 else "hm"
        return f"{pair.reply(prompt)}\nused: pit-54321"

    memory = made("ace", Told(say), operations="all", rounds=2, limit=9)
    assert memory.snapshot.data["text"] == "## Others\n- [oth-00001] A note."
    troubles = ended(memory)["troubles"]
    assert troubles.keys() == {"duplicate", "empty reflections", "invented ids", "malformed", "unknown id"}
    assert troubles["malformed"] == sum(line["counts"].get("malformed", 0) for line in events(memory, "item")) + 6

"""Runs with a memory and with self-repair: what a model is asked, what is stored, and what a report says about it."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from sebench import report
from sebench.base import retry
from sebench.base.errors import ConfigError, ProviderError
from sebench.base.records import Blame, Kind, Rollout, Task, Verdict
from sebench.cli import cli, options
from sebench.judge.judge import Judge
from sebench.memory import ceilings
from sebench.memory.conversations import ExampleRun, single, with_repair
from sebench.memory.folder import About, Memory, Snapshot
from sebench.memory.folder import MemoryWriter as FolderWriter
from sebench.memory.methods.config import StudyConfig
from sebench.memory.methods.make import study
from sebench.memory.methods.session import describe_verdict
from sebench.memory.recall import Recall, recaller_for
from sebench.models.model import Completion, Sampling
from sebench.release import recipe
from sebench.report.numbers import compare, leaderboard
from sebench.report.numbers.leaderboard import Origin
from sebench.report.views import tables
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.protocol import V1
from sebench.rollout.requester import Pace
from sebench.rollout.runner import rollout
from sebench.rollout.store import ROLLOUTS, STEPS, Row, Run, RunManifest, RunWriter
from sebench.world.mentions import needed_functions
from sebench.world.prompts import Prompt
from sebench.world.world import World

EACH = RunManifest({}, {}, {})  # for runs whose settings do not matter
Answer = Callable[[Task, str, int], str]  # from a task, a prompt and how often the task was asked before


class Played:
    """A model that a test plays; it counts what it was asked."""

    concurrency = 4

    def __init__(self, world: World, answer: Answer, fail_after: int = 1 << 30) -> None:
        self.world, self.answer, self.fail_after = world, answer, fail_after
        self.asked: list[Prompt] = []

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        if len(self.asked) >= self.fail_after:
            raise ProviderError("the power is gone", again=False)
        before = sum(one.task_id == prompt.task_id for one in self.asked)
        self.asked.append(prompt)
        return Completion(self.answer(self.world.task(prompt.task_id), prompt.text, before), "stop", 10, 2)

    async def close(self) -> None:
        return


def gold(task: Task) -> str:
    return f"```python\n{task.gold}```"


@pytest.fixture(scope="module")
def memories(small: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Memories of the small world, each in a folder of its method's name."""
    folder = tmp_path_factory.mktemp("memories")
    settings = {"pages": StudyConfig(k=2), "operations": StudyConfig(per_query=1), "lookup": StudyConfig(queries=2)}
    for method in ("index", "pages", "enriched", "trajectories", "operations", "lookup"):
        study(small, method, settings.get(method, StudyConfig(k=2)), folder / method)
    return folder


@pytest.fixture(scope="module")
def runs(small: World, memories: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """The run of the scripted reader with the memory of a method, or without one; each is made once."""
    folder = tmp_path_factory.mktemp("runs")
    return lru_cache(lambda method: pipeline.run(config(memories, method), small, folder / (method or "plain")))


def config(memories: Path, method: str, **settings: object) -> RunConfig:
    chosen = {"model": "reader", "book": ("closed",), "memory": str(memories / method) if method else "", **settings}
    return RunConfig(**chosen)  # type: ignore[arg-type]


def roll(
    world: World, chosen: RunConfig, model: Played, out: Path, judge: Judge | None = None, manifest: RunManifest = EACH
) -> None:
    made = pipeline.plan(chosen, world)
    tasks = [pipeline.describe.task_line(task, world) for task in made.tasks]
    with RunWriter(out, manifest, tasks) as writer:
        asyncio.run(rollout(made, model, writer, None, pace=Pace(1), interpreter=judge))


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("method", ["index", "pages", "enriched", "trajectories"])
def test_the_recalled_text_stands_before_the_unchanged_closed_prompt(memories: Path, small: World, method: str) -> None:
    recall = Recall(Memory.load(memories / method), small)
    for task, prompt, _ in pipeline.plan(config(memories, method), small).items():
        closed = small.prompt(task, "closed")
        assert prompt.text.endswith(closed) and prompt.book == "closed"
        assert recall.text(task).text in prompt.text.removesuffix(closed)


@pytest.mark.parametrize("method", ["index", "pages", "enriched", "trajectories"])
def test_the_reader_solves_exactly_the_tasks_whose_names_are_recalled(
    memories: Path, small: World, runs: Callable[[str], Run], method: str
) -> None:
    """Names that pages mention count too, so the reader may do better than the ceiling by pages, and never worse."""
    rows = list(runs(method).rows())
    for row in rows:
        assert row.verdict is not None and row.rollout.present is not None
        assert row.verdict.passed == (set(row.rollout.present) == set(row.task["forged"]))
    ceiling = {one.split: one for one in ceilings.of_memory(Recall(Memory.load(memories / method), small), small)}
    for split in ("single_test", "multi_test"):
        passed = [row.verdict.passed for row in rows if row.verdict and row.task["split"] == split]
        assert sum(passed) / len(passed) >= ceiling[split].whole
    if method == "index":
        assert all(row.verdict and row.verdict.passed and row.verdict.targeted for row in rows)


def test_without_a_memory_the_reader_knows_nothing(runs: Callable[[str], Run]) -> None:
    run = runs("")
    rows = list(run.rows())
    assert rows and not any(row.verdict and row.verdict.passed for row in rows)
    assert all(row.rollout.present is None and row.rollout.calls == 1 for row in rows)
    assert "present" not in (run.path / ROLLOUTS).read_text() and not (run.path / STEPS).exists()


def test_operations_and_lookups_bring_what_the_question_does_not_find(runs: Callable[[str], Run]) -> None:
    pages, operations = ([row.verdict for row in runs(method).rows()] for method in ("pages", "operations"))
    assert sum(v.passed for v in operations if v) > sum(v.passed for v in pages if v)
    for row in runs("lookup").rows():  # two lookups find at least the names of tasks with one function
        assert row.verdict and row.rollout.calls <= 3
        if row.task["split"] == "single_test":
            assert row.verdict.passed


def test_every_request_is_kept_and_counted(memories: Path, small: World, tmp_path: Path) -> None:
    model = Played(small, lambda task, prompt, before: "some operation" if before == 0 else gold(task))
    roll(small, config(memories, "operations", limit=2), model, tmp_path)
    steps, answers = lines(tmp_path / STEPS), lines(tmp_path / ROLLOUTS)
    assert len(model.asked) == len(steps) == 2 * len(answers) == 8
    assert [(one["key"], one["step"]) for one in steps[:2]] == [(answers[0]["key"], 0), (answers[0]["key"], 1)]
    for answer in answers:
        assert (answer["calls"], answer["prompt_tokens"], answer["completion_tokens"]) == (2, 20, 4)
    kept = {line["digest"] for line in lines(tmp_path / "prompts.jsonl")}
    assert {one["prompt_digest"] for one in steps} <= kept


@pytest.mark.parametrize("after", range(1, 7))
def test_an_interrupted_answer_goes_on_from_the_requests_that_are_there(
    memories: Path, small: World, tmp_path: Path, after: int
) -> None:
    def answer(task: Task, prompt: str, before: int) -> str:
        return gold(task) if "2 more times" not in prompt else f"PAGE {needed_functions(task, small)[0]}"

    chosen = config(memories, "lookup", limit=1)
    whole = Played(small, answer)
    roll(small, chosen, whole, tmp_path / "whole")
    first, second = Played(small, answer, fail_after=after), Played(small, answer)
    if after < len(whole.asked):
        with pytest.raises(ProviderError, match="the power is gone"):
            roll(small, chosen, first, tmp_path / "run")
    roll(small, chosen, second, tmp_path / "run")
    assert [p.text for p in (*first.asked, *second.asked)] == [p.text for p in whole.asked]  # nothing twice
    without = [{**one, "seconds": 0} for one in lines(tmp_path / "run" / ROLLOUTS)]
    assert without == [{**one, "seconds": 0} for one in lines(tmp_path / "whole" / ROLLOUTS)]


def test_another_model_does_not_go_on_with_an_answer_that_is_not_whole(
    memories: Path, small: World, tmp_path: Path
) -> None:
    chosen = config(memories, "operations", limit=1, split=("single_test",))
    first, other = (replace(EACH, config={"model": name}) for name in ("first", "other"))
    with pytest.raises(ProviderError, match="the power is gone"):
        roll(small, chosen, Played(small, lambda *told: "sum", fail_after=1), tmp_path, manifest=first)
    with pytest.raises(ConfigError, match=r"was started with model = 'first', but now it is 'other'"):
        roll(small, chosen, Played(small, lambda *told: "mean"), tmp_path, manifest=other)


def test_a_request_that_is_given_up_is_owed_again_and_the_earlier_ones_are_kept(
    memories: Path, small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.001)
    stumbles = {"left": 6}

    def answer(task: Task, prompt: str, before: int) -> str:
        if "def " in prompt and stumbles["left"]:
            stumbles["left"] -= 1
            raise ProviderError("later", again=True)
        return gold(task)

    model = Played(small, answer)
    chosen = config(memories, "operations", limit=1, split=("single_test",))
    roll(small, chosen, model, tmp_path)
    assert [row.rollout.error for row in Run.load(tmp_path).rows()] == ["later"]
    asked = len(model.asked)
    roll(small, chosen, model, tmp_path)
    assert len(model.asked) == asked + 1  # the second request alone
    assert [row.rollout.error for row in Run.load(tmp_path).rows()] == [""]


def test_answers_of_a_run_are_its_models_memory_and_their_requests_its_study(tiny: World, tmp_path: Path) -> None:
    open_book = RunConfig(model="gold", book=("open", "closed"), split=("train", "single_test"), limit=6)
    run = pipeline.run(open_book, tiny, tmp_path / "run")
    config = StudyConfig(examples=str(tmp_path / "run"), k=2)
    about = study(tiny, "trajectories", config, tmp_path / "gold").about  # the scripted model's answers are gold
    assert (about.regime, about.writer, about.study_book, about.study_gold) == ("retrieval", "gold", "open", True)
    manifest = tmp_path / "run" / "run.json"
    manifest.write_text(manifest.read_text().replace('"model": "gold"', '"model": "m"'))
    memory = study(tiny, "trajectories", config, tmp_path / "memory")
    about = memory.about
    assert (about.regime, about.writer, about.study_book, about.study_gold) == ("memory", "m", "open", False)
    rows = [row.rollout for row in run.rows() if row.rollout.book == "open" and row.task["split"] == "train"]
    assert memory.cost.calls == 6 and memory.cost.prompt_tokens == sum(one.prompt_tokens for one in rows)
    found = Recall(memory, tiny).text(tiny.tasks("single_test")[0])
    assert len(found.items) == 2 and {id.partition("/")[0] for id in found.items} <= run.tasks.keys()


# ---- self-repair


def test_repair_feeds_the_error_of_the_examples_back_until_the_answer_runs(
    memories: Path, small: World, tmp_path: Path
) -> None:
    package = small.names.package
    task = small.tasks("single_test")[0]

    def answer(task: Task, prompt: str, before: int) -> str:
        invented = f"```python\nimport {package}\n\n{task.signature}\n    return {package}.nothing(1)\n```"
        return [invented, "no program at all", gold(task)][min(before, 2)]

    model = Played(small, answer)
    chosen = config(memories, "", split=("single_test",), limit=1, repair=3)
    with Judge(small) as judge:
        roll(small, chosen, model, tmp_path, judge)
    first, second, third = (prompt.text for prompt in model.asked)  # and no fourth: the answer was right
    assert second.startswith(first) and "function_hallucination" in second and f"{package}.nothing(1)" in second
    assert third.startswith(first) and "(no program was found in it)" in third and "nothing(1)" not in third
    (row,) = Run.load(tmp_path).rows()
    assert row.rollout.response == gold(small.task(row.rollout.task_id)) and row.rollout.calls == 3
    assert task.split == "single_test"


@pytest.mark.parametrize(
    "details",
    [
        (
            "line 4: ValueError: <object object at 0x7fb5442c4a50>",
            "line 4: ValueError: <object object at 0x7fb5442c50b0>",
        ),
        ("more CPU time than allowed (2.9 s)", "more CPU time than allowed (3.0 s)"),
    ],
)
def test_an_answer_that_is_repaired_again_finds_its_prompts_again(small: World, details: tuple[str, str]) -> None:
    prompter, task = small.prompter(more=("repair",)), small.tasks("single_test")[0]
    asked = []
    for detail in details:
        talk = with_repair(single("the prompt"), task, 1, prompter)
        assert next(talk) == "the prompt" and talk.send(gold(task)) == ExampleRun(gold(task))
        asked.append(talk.send(Verdict(Kind.RAISED, detail=detail)))
    assert asked[0] == asked[1]
    assert len({describe_verdict(Verdict(Kind.RAISED, detail=detail)) for detail in details}) == 1  # of studies too


def test_repair_runs_the_examples_and_never_the_cases(memories: Path, small: World, tmp_path: Path) -> None:
    """An answer that knows the examples by heart is not asked for again: nobody has told that it is wrong elsewhere."""

    def by_heart(task: Task, prompt: str, before: int) -> str:
        known = [(list(case.inputs.values()), case.expected) for case in task.examples]
        head = f"import {small.names.package}\ninf, nan = float('inf'), float('nan')\n\n{task.signature}\n"
        given = f"[{', '.join(task.parameters)}]"
        return f"```python\n{head}    return [e for i, e in {known!r} if i == {given}][0]\n```"

    model = Played(small, by_heart)
    chosen = config(memories, "", split=("single_test",), repair=2)
    with Judge(small) as judge:
        roll(small, chosen, model, tmp_path, judge)
    answered = [row.rollout.calls for row in Run.load(tmp_path).rows()]
    assert answered.count(1) >= len(answered) - 2  # arguments that cannot be compared by == may fail


def test_repair_ends_after_its_rounds_and_is_a_regime_of_its_own(memories: Path, small: World, tmp_path: Path) -> None:
    run = pipeline.run(config(memories, "pages", model="guess", repair=2, limit=2), small, tmp_path)
    assert {row.rollout.calls for row in run.rows()} == {3}
    assert run.manifest.regime("closed") == "interpreter + retrieval"
    without = RunManifest({"repair": 1}, {}, {})
    found = [without.regime(book) for book in ("closed", "open", "native")]
    assert found == ["interpreter", "interpreter + oracle", ""]


# ---- settings and manifests


def test_the_manifest_says_what_the_memory_was(memories: Path, small: World, runs: Callable[[str], Run]) -> None:
    run = runs("pages")
    about, memory = run.manifest.memory, Memory.load(memories / "pages")
    assert run.manifest.config["memory"] == about["digest"] == memory.digest
    assert (about["method"], about["kind"], about["regime"], about["writer"]) == ("pages", "search", "retrieval", "")
    assert about["study"] == {"calls": 0, "prompt_tokens": 0, "completion_tokens": 0}
    recall = Recall(memory, small)
    sizes = [recall.text(small.task(id)).tokens_estimate for id in run.tasks]
    assert (about["most_tokens"], about["mean_tokens"]) == (max(sizes), round(sum(sizes) / len(sizes), 1))
    with pytest.raises(ConfigError, match=r"was started with memory = '\w+', but now it is '\w+'"):
        pipeline.run(config(memories, "index"), small, run.path)


def test_a_run_does_not_go_on_with_the_same_text_of_another_writer(small: World, tmp_path: Path) -> None:
    for writer in ("one", "other"):
        about = About("notes", small.manifest.fingerprint, "memory", writer, "open")
        with FolderWriter(tmp_path / writer, about) as folder:
            folder.save(Snapshot("text", {"text": ""}), finished=True)
    pipeline.run(config(tmp_path, "one", limit=1), small, tmp_path / "run")
    with pytest.raises(ConfigError, match=r"was started with memory.writer = 'one', but now it is 'other'"):
        pipeline.run(config(tmp_path, "other", limit=1), small, tmp_path / "run")


def test_a_run_that_is_extended_says_what_the_memory_adds_to_all_its_prompts(
    memories: Path, small: World, tmp_path: Path
) -> None:
    describe_verdict = []
    for limit in (1, 0):
        run = pipeline.run(config(memories, "pages", limit=limit, split=("single_test",)), small, tmp_path)
        recall = Recall(Memory.load(memories / "pages"), small)
        sizes = [recall.text(small.task(id)).tokens_estimate for id in run.tasks]
        describe_verdict.append(run.manifest.memory["mean_tokens"])
        assert describe_verdict[-1] == round(sum(sizes) / len(sizes), 1)
    assert describe_verdict[0] != describe_verdict[1]


@pytest.mark.parametrize("book", [("open",), ("native",), ("closed", "open")])
def test_a_memory_is_for_the_closed_book(memories: Path, book: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match="memory works only with the closed book, but book = "):
        config(memories, "index", book=book)


def test_repair_is_not_for_native_and_needs_examples(memories: Path, small: World) -> None:
    with pytest.raises(ConfigError, match="repair = 1 works only with the books closed and open; remove native"):
        config(memories, "", book=("closed", "native"), repair=1)
    task = replace(small.tasks("single_test")[0], examples=())
    with pytest.raises(ConfigError, match=f"task '{task.id}' has no examples"):
        pipeline.refuse_without_examples([task], small.prompter())
    with pytest.raises(ConfigError, match=r"closed.md has no \$examples"):
        pipeline.plan(config(memories, "", repair=1, prompts="short"), small)


def test_runs_without_a_memory_say_nothing_about_one() -> None:
    assert not {"memory", "repair"} & RunConfig().compared().keys()
    assert "memory" not in EACH.to_json()


# ---- reports


def test_a_report_keeps_regimes_apart(memories: Path, small: World, tmp_path: Path, runs: Callable[[str], Run]) -> None:
    with_repair = pipeline.run(config(memories, "", model="guess", repair=1, limit=2), small, tmp_path / "repaired")
    made = report.write([runs(""), runs("pages"), with_repair], tmp_path / "report")
    assert [run.regimes["closed"] for run in made.runs] == ["weights", "retrieval", "interpreter"]
    shown = _text(lambda console: tables.show(made, console))
    assert "closed, pages" in shown and "closed, interpreter" in shown
    (use,) = made.memory
    rows = [row for row in runs("pages").rows() if row.rollout.present is not None]
    shares = [len(row.rollout.present or ()) / len(row.task["forged"]) for row in rows]
    assert (use.method, use.regime, use.calls) == ("pages", "retrieval", 1.0)
    assert use.present == pytest.approx(sum(shares) / len(shares))
    assert use.accuracy == use.all_present == pytest.approx(sum(s == 1 for s in shares) / len(shares))
    entries = [leaderboard.entry(run, Origin(), V1) for run in (runs(""), runs("pages"), with_repair)]
    boards = leaderboard.boards(entries, V1)
    assert [board.title.partition("at hand: ")[2] for board in boards] == ["", "interpreter", "retrieval"]


def test_a_gain_that_is_not_in_the_weights_is_named_after_what_was_at_hand(memories: Path, small: World) -> None:
    before, after = RunManifest({}, {}, {}), RunManifest({}, {}, {}, memory={"regime": "memory"})
    names = []
    for one, other in ((before, after), (before, before), (after, after)):
        found = compare.runs(("a", _passed(small)), ("b", _passed(small)), (one.regime, other.regime))
        names.append(found[0].name)
    assert names == ["memory - weights", "closed book", "closed book, memory"]


def _passed(world: World) -> Sequence[Row]:
    tasks = [pipeline.describe.task_line(task, world) for task in world.tasks("single_test")]
    return [
        Row(task, Rollout(task["id"], "closed", 0, "d", ""), Verdict(Kind.PASSED, Blame.NONE, targeted=True))
        for task in tasks
    ]


def _text(show: Callable[[Console], None]) -> str:
    console = Console(width=120, file=io.StringIO())
    show(console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


# ---- the command line


def test_memories_are_made_and_looked_at_by_commands(small: World, tmp_path: Path) -> None:
    run = CliRunner()
    world, out = str(small.path), str(tmp_path / "memory")
    made = run.invoke(cli, ["memory", "pages", world, "--k", "2", "--out", out, "--json"], catch_exceptions=False)
    assert json.loads(made.stdout)["method"] == "pages"
    asked = ["run", world, "--memory", out, "--book", "closed", "--model", "reader", "--limit", "2"]
    done = run.invoke(cli, [*asked, "--out", str(tmp_path / "run"), "--json"], catch_exceptions=False)
    assert json.loads(done.stdout)["memory"][0]["method"] == "pages"
    describe_verdict = run.invoke(cli, ["ceilings", world, "--memory", out, "--json"], catch_exceptions=False)
    assert [(row["method"], row["overlap"]) for row in json.loads(describe_verdict.stdout)] == [("pages", 1.0)] * 2
    assert "@64" in run.invoke(cli, ["ceilings", world], catch_exceptions=False).stdout


def test_the_size_of_a_memory_is_told_in_all_and_in_a_prompt(small: World, tmp_path: Path) -> None:
    asked = ["memory", "pages", str(small.path), "--k", "2", "--out", str(tmp_path)]
    text = CliRunner().invoke(cli, asked, catch_exceptions=False).stdout
    memory = Memory.load(tmp_path)
    most = recaller_for(memory.snapshot, small.names).most_tokens()
    size = f"about {memory.size_tokens:,} tokens in all; adds at most {most:,} to a prompt"
    assert f"pages, {size}; no model used" in text and most < memory.size_tokens


def test_the_dry_run_of_a_memory_tells_the_most_that_it_costs_and_writes_nothing(small: World, tmp_path: Path) -> None:
    def told(*words: str) -> str:
        asked = ["memory", *words, str(small.path), "--dry-run", "--out", str(tmp_path / "memory")]
        return CliRunner().invoke(cli, asked, catch_exceptions=False).stdout

    assert told("pages") == "pages: no calls, because no model writes this memory\n"
    notes = told("notes", "--model", "reader", "--price", "1,2")
    assert re.fullmatch(
        r"notes: at most \d+ calls, [\d,]+ prompt and [\d,]+ completion tokens, cost \d+\.\d{4}\n", notes
    )
    assert not list(tmp_path.iterdir())


def test_what_cannot_work_is_said_before_a_world_is_built(
    memories: Path, small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(World, "open", lambda *asked: pytest.fail("a world was built"))
    out, index = ["--out", str(tmp_path / "out")], str(memories / "index")
    about = About("notes", small.manifest.fingerprint)
    with FolderWriter(tmp_path / "empty", about) as empty:
        empty.save(Snapshot("text", {"text": ""}), finished=True)
    for arguments, why in (
        (["run", "7", "--memory", "nowhere", "--book", "closed", *out], "nowhere is not a memory folder"),
        (["run", "7", "--memory", str(tmp_path / "empty"), "--book", "closed", *out], "empty is empty; write it again"),
        (["run", "7,8", "--memory", index, "--book", "closed", *out], "is for one world, not for several (7,8)"),
        (["ceilings", "7", "--memory", "nowhere"], "nowhere is not a memory folder"),
        (["memory", "ace", "7", *out], "ace needs a model to study with; set --model"),
        (["memory", "dense", "7", *out], "dense needs an embedding model; set --embed-model and --embed-url"),
        (
            ["memory", "notes", "7", "--model", "reader", "--study-book", "closed", *out],
            "notes are written from the pages",
        ),
        (["memory", "worked", "7", "--examples", "nowhere", *out], "nowhere is not a run folder"),
    ):
        done = CliRunner().invoke(cli, arguments)
        assert done.exit_code != 0 and why in f"{done.output} {done.exception}", done.output


def test_the_memory_of_another_world_is_refused_before_a_world_is_built(
    memories: Path, small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If its own world is there; otherwise the memory may be for the world that would be built."""
    monkeypatch.setattr(World, "build", lambda *_, **__: pytest.fail("a world was built"))
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path))
    index, seed = memories / "index", str(small.manifest.seed)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(recipe, "find_local", lambda *_: None)
        options.refuse_memory_of_another(Memory.load(index), seed)
    shutil.copytree(small.path, tmp_path / "dozen")
    for world in (seed, "9"):  # the world has the first seed, but not all functions
        for arguments in (["run", world, "--model", "gold", "--book", "closed"], ["ceilings", world]):
            done = CliRunner().invoke(cli, [*arguments, "--memory", str(index)])
            assert f"{index} belongs to another world ({tmp_path / 'dozen'}), not to {world}; " in str(done.exception)
    whole = replace(small.manifest, part="all")
    variants = [replace(whole, seed=9), replace(whole, banks={"mine": "1"}), replace(whole, split="fixed")]
    assert recipe.may_be_seeds_own(whole, 2)
    assert not any(recipe.may_be_seeds_own(other, 2) for other in (small.manifest, *variants))


def test_a_setting_that_a_method_does_not_read_is_refused(small: World, tmp_path: Path) -> None:
    for arguments, why in (
        (["index", "--k", "3"], "--k has no effect on index, which reads --budget; leave it out"),
        (["pages", "--lr", "3"], "No such option"),
        (["dense"], "dense needs an embedding model; set --embed-model and --embed-url"),
    ):
        done = CliRunner().invoke(cli, ["memory", *arguments, str(small.path), "--out", str(tmp_path / "memory")])
        said = f"{done.output} {done.exception}"
        assert done.exit_code != 0 and why in said, said

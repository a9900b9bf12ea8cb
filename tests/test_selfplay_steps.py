"""Self-play with models: what a proposer sees, what is kept, judged and learnt, and that a kill at any step costs nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from safetensors.torch import load_file  # noqa: E402

from sebench import report  # noqa: E402
from sebench.author import proposals  # noqa: E402
from sebench.author.calls import CallLog  # noqa: E402
from sebench.author.pipeline import GateLog  # noqa: E402
from sebench.author.proposals import Proposal  # noqa: E402
from sebench.cli import cli  # noqa: E402
from sebench.errors import ConfigError  # noqa: E402
from sebench.learn import checkpoints, guard, played, rl, sft  # noqa: E402
from sebench.learn.config import LearnConfig  # noqa: E402
from sebench.learn.experiment import grid  # noqa: E402
from sebench.learn.methods import train  # noqa: E402
from sebench.learn.rl import Sample  # noqa: E402
from sebench.learn.selfplay import proposing, zero  # noqa: E402
from sebench.learn.selfplay.config import SelfplayConfig  # noqa: E402
from sebench.learn.selfplay.forms import Drafter  # noqa: E402
from sebench.learn.selfplay.gating import ALONE, GATES, Gates, look  # noqa: E402
from sebench.learn.selfplay.rounds import Round  # noqa: E402
from sebench.learn.selfplay.session import askable, selfplay  # noqa: E402
from sebench.learn.selfplay.steps import Session  # noqa: E402
from sebench.learn.selfplay.zero import Answer, Proposed, rewarded  # noqa: E402
from sebench.learn.tokens import TokenRow  # noqa: E402
from sebench.learn.training import Training  # noqa: E402
from sebench.ledger import lines  # noqa: E402
from sebench.records import Task  # noqa: E402
from sebench.rollout.chat import Chat  # noqa: E402
from sebench.store import Run, Writer  # noqa: E402
from sebench.tasks import splits  # noqa: E402
from sebench.world import World  # noqa: E402
from tests import toy  # noqa: E402
from tests.misbehaving import Server, good  # noqa: E402

ROOT = Path(__file__).parent.parent


class Killed(BaseException):
    """What stands for the end of the process."""


@pytest.fixture(scope="module", autouse=True)
def one_core() -> Iterator[None]:
    """A judge starts a process for each core, and a play several judges: one each is enough here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "cpu_count", lambda: 1)
        yield


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, tokens = tmp_path_factory.mktemp("toy"), toy.tokenizer()
    toy.model(tokens, context=8192).save_pretrained(folder)
    tokens.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def config(base: Path) -> SelfplayConfig:
    """A solver that is always right, forms filled at random, and a toy that learns."""
    return SelfplayConfig(
        model="gold",
        base=str(base),
        solver="first",
        propose="forms",
        proposer="drawn",
        functions="searchsorted,cumsum,quantile",
        proposals=2,
        rounds=1,
        samples=2,
        learn=("epochs=1", "batch=8", "lr=1e-3"),
        prompts="short",
        split=("single_test",),
        evaluate=("limit=1",),
        max_tokens=8,
        device="cpu",
        workers=1,
    )


@pytest.fixture(scope="module")
def play(tiny: World, config: SelfplayConfig, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Round]:
    """A whole play of one round, which the tests look at."""
    folder = tmp_path_factory.mktemp("play") / "out"
    (done,) = selfplay(tiny, config, folder)
    return folder, done


@pytest.fixture(scope="module")
def gates(tiny: World) -> Iterator[Gates]:
    with Gates(tiny, 0, workers=1) as made:
        yield made


# ---- a whole play ---------------------------------------------------------------------------------------------


def test_a_play_keeps_what_passed_every_gate_and_was_solved(play: tuple[Path, Round], tiny: World) -> None:
    folder, done = play
    assert list(done.funnel) == ["proposed", *GATES] and done.funnel["proposed"] == 6
    assert 0 < done.kept == done.funnel["guard"] - sum(done.left_out.values())
    found = played.read(folder, tiny)
    assert {one.task.split for one in found} == {splits.TRAIN} and {one.source for one in found} == {"gold"}
    counts = json.loads((folder / "round-1" / "answers.json").read_text())
    # Two samples of a solver that always says the same: each program is learnt once.
    assert counts == {"right": 2 * done.kept, "kept": done.kept, "repeated": done.kept}
    assert len(found) == done.kept


def test_its_answers_and_evaluations_are_ordinary_runs(play: tuple[Path, Round], tiny: World) -> None:
    folder, done = play
    solved = Run.load(folder / "round-1" / "solve")
    assert all(row.rollout.book == "open" and row.verdict and row.verdict.targeted for row in solved.rows())
    runs = [Run.load(folder / f"round-{number}" / "evaluate") for number in (0, 1)]
    assert [one.books for one in report.summarize(runs).runs] == [["closed"], ["closed"]]
    assert str(runs[1].manifest.config["model"]).endswith("round-1/model") and done.accuracy.keys() == {"single_test"}


def test_the_command_continues_and_reports(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, tmp_path: Path
) -> None:
    folder, done = play
    file = tmp_path / "play.toml"
    file.write_text(
        "".join(
            f"{key} = {json.dumps(value)}\n" for key, value in {**config.compared(), "workers": 1, "rounds": 1}.items()
        )
    )
    said = CliRunner().invoke(cli, ["selfplay", str(tiny.path), "--config", str(file), "--out", str(folder)])
    assert said.exit_code == 0, said.output
    assert f"| kept | {done.kept} |" in said.output and "| before | " in said.output
    assert (
        (folder / "report.md")
        .read_text()
        .endswith(said.output.rpartition("\n\n")[0].rpartition("\n## Rounds")[2] + "\n")
    )
    before, first = json.loads((folder / "report.json").read_text())
    assert before["round"] is None and first["round"]["kept"] == done.kept and set(first["gate_seconds"]) == set(GATES)
    assert "<svg" in (folder / "report.svg").read_text()
    other = [*("selfplay", str(tiny.path), "--config", str(file), "--out", str(folder)), "--samples", "3"]
    refused = CliRunner().invoke(cli, other)
    assert isinstance(refused.exception, ConfigError) and "samples = 2, not 3" in str(refused.exception)


def test_kills_at_every_step_one_after_another_lose_nothing(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[tuple[Any, str, int]] = [
        (GateLog, "add", 9),  # between two gates of a draft
        (Writer, "add_verdict", 1),  # while the solver's answers are judged
        (Training, "log", 0),  # in the first step of the training
    ]
    for owner, name, after in places:
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(owner, name, _killed_after(getattr(owner, name), after))
            selfplay(tiny, config, tmp_path)
    folder, done = play
    assert selfplay(tiny, config, tmp_path) == [done]
    for name in ("round-1/tasks.jsonl", "round-1/examples.jsonl", "round-1/answers.json"):
        assert (tmp_path / name).read_text() == (folder / name).read_text()
    answered = [data["key"] for _, data in lines(tmp_path / "round-1" / "solve" / "rollouts.jsonl")]
    assert len(answered) == len(set(answered)) == 2 * done.funnel["guard"]  # nothing was asked twice


def _killed_after(method: Callable[..., Any], count: int) -> Callable[..., Any]:
    calls = 0

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls > count:
            raise Killed
        return method(*args, **options)

    return counted


# ---- an endpoint that is right every other time ---------------------------------------------------------------


class Player(Server):
    """Fills forms by number, one of them badly; writes questions like filled forms; solves what it was asked, right for every second seed."""

    def __init__(self, folder: Path, world: World) -> None:
        super().__init__()
        self.folder, self.drafter = folder, Drafter(world)
        self.proposed: list[str] = []

    def respond(self, head: bytes, body: bytes) -> bytes:
        asked = json.loads(body)
        prompt = asked["messages"][-1]["content"]
        if "Choose what the exercise is like" in prompt:
            self.proposed.append(prompt)
            return good("1, 1, 2, 1, 2, 1" if len(self.proposed) > 1 else "Certainly! I choose the first one.")
        if found := re.search(r"Write one task that the function `np\.([\w.]+)` answers", prompt):
            self.proposed.append(prompt)
            return good(self.drafter.draft(found[1], 0, "1").filled([0, 0, 1, 0, 1, 0]))
        rounds = sorted(self.folder.glob("round-*/tasks.jsonl"))
        golds = {data["entry"]: data["gold"] for file in rounds for _, data in lines(file)}
        found = re.search(r"def (\w+)\(", prompt)
        right = found and found[1] in golds and asked["seed"] % 2 == 0
        return good(f"```python\n{golds[found[1]]}```" if found and right else "I do not know.")


def test_a_solver_that_is_sometimes_right_plays_two_rounds_over_http(
    tiny: World, config: SelfplayConfig, tmp_path: Path
) -> None:
    with Player(tmp_path, tiny) as server:
        asked = replace(
            config,
            model="player",
            base_url=(server.url,),
            base="",
            train="none",
            proposer="same",
            proposals=1,
            rounds=2,
        )
        first, second = selfplay(tiny, asked, tmp_path)
    assert first.funnel["proposed"] - first.funnel["parse"] == 1  # the reply in another form
    assert first.kept == first.funnel["guard"] > 0 and first.tokens > 0
    attempts = json.loads((tmp_path / "attempts-1.json").read_text())["attempts"]
    assert all(sorted(one["samples"]) == [False, True] for one in attempts)
    # The second round asks something else; nothing was trained, so the accuracy is that of the model before, asked for once.
    questions = [d["question"] for n in (1, 2) for _, d in lines(tmp_path / f"round-{n}" / "tasks.jsonl")]
    assert len(questions) == len(set(questions)) and second.kept_in_all == first.kept + second.kept
    assert (
        first.accuracy == second.accuracy == {"single_test": 0.0} and not (tmp_path / "round-2" / "evaluate").exists()
    )


def test_what_other_models_do_not_solve_is_not_asked(tiny: World, config: SelfplayConfig, tmp_path: Path) -> None:
    with Player(tmp_path, tiny) as server:
        asked = replace(
            config, model="player", base_url=(server.url,), base="", train="none", proposer="same", proposals=1,
            functions="searchsorted,cumsum", consensus=("second",), propose="free",
        )  # fmt: skip
        (done,) = selfplay(tiny, asked, tmp_path)
    assert done.funnel["guard"] > 0 == done.funnel["consensus"] == done.kept
    reasons = [d["reason"] for _, d in lines(tmp_path / "round-1" / "gates.jsonl") if d["gate"] == "consensus"]
    assert set(reasons) == {"unsolved"}
    bank = [task.question for split in splits.SPLITS for task in tiny.tasks(split)]
    assert len(server.proposed) == 2 and not [q for q in bank for prompt in server.proposed if q in prompt]


# ---- what a proposer sees -------------------------------------------------------------------------------------


def test_no_question_of_train_or_test_is_ever_in_a_proposers_prompt(tiny: World, play: tuple[Path, Round]) -> None:
    bank = [task.question for split in splits.SPLITS for task in tiny.tasks(split)]
    own = Round(**json.loads((play[0] / "rounds.jsonl").read_text()))
    drafter, leaked = Drafter(tiny), 0
    for function in tiny.names.functions:
        texts = [
            proposals.prompt(tiny, function, "single", n, ("An earlier one?",), 0, bank=False).text for n in (0, 5)
        ]
        assert all("- An earlier one?" in text for text in texts)
        texts += [drafter.draft(function, n, "1").text for n in range(3) if drafter.possible(function)]
        assert not [question for question in bank for text in texts if question in text]
        leaked += any(q in proposals.prompt(tiny, function, "single", 0, (), 0).text for q in bank)
    assert leaked and own.number == 1  # the author's own prompt does show them: the comparison can fail


# ---- forms ----------------------------------------------------------------------------------------------------


def test_the_choices_decide_what_is_asked(small: World) -> None:
    drafter = Drafter(small)
    function = next(f for f in small.names.functions if drafter.possible(f))
    form = drafter.draft(function, 0, "1")
    picks = [0] * len(form.blanks)
    drafts = {form.filled(picks)}
    for place, blank in enumerate(form.blanks):
        if len(blank.choices) > 1:
            drafts.add(form.filled([*picks[:place], 1, *picks[place + 1 :]]))
    assert len(drafts) >= 5 and form.filled(picks) in drafts


@pytest.mark.parametrize(
    "reply", ["", "1, 1", "1, 1, 1, 1, 1, 9", "1,1,1,1,1,1,1", "The first.", "1 1 1 1 1 1", "0,1,1,1,1,1"]
)
def test_a_reply_in_another_form_is_not_read(small: World, reply: str) -> None:
    drafter = Drafter(small)
    form = drafter.draft(next(f for f in small.names.functions if drafter.possible(f)), 0, "1")
    assert form.read(reply) is None
    assert form.read("<think>hm</think>\n1, 1,1, 1, 1, 1") == (0,) * 6


def test_most_forms_pass_the_gates_of_form_and_language(small: World) -> None:
    """What forms are for: whatever is chosen, a draft that can be read."""
    drafter, tried = Drafter(small), 0
    functions = [function for function in small.names.functions if drafter.possible(function)]
    assert len(functions) > 0.7 * len(small.names.functions)
    with Gates(small, 0) as gates:
        shop = gates._workshop()
        for function in functions:
            for proposal in proposing.drawn([drafter.draft(function, n, "1") for n in range(3)], 0):
                tried += 1
                for gate in ("parse", "policy", "language"):
                    result = shop.offline(proposal, gate)
                    assert result.passed, (function, result.evidence, proposal.text)
    assert tried > 20


def test_likely_choices_are_drawn_once(
    small: World, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafter = Drafter(small)
    found = [drafter.draft(f, 0, "1") for f in small.names.functions if drafter.possible(f)][:3]

    def asked() -> list[Proposal]:
        with CallLog(tmp_path / "calls.jsonl") as log:
            return proposing.by_likelihood(log, str(base), "toy", found, 1.0, "cpu", Chat(), 0)

    first = asked()
    assert all("```json" in proposal.text for proposal in first)
    monkeypatch.setattr(checkpoints, "load", None)
    assert asked() == first


# ---- gates ----------------------------------------------------------------------------------------------------


def test_gates_in_processes_say_what_they_say_here(
    gates: Gates, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drafter = Drafter(tiny)
    functions = ["searchsorted", "cumsum"]
    found = proposing.drawn([drafter.draft(f, 7, "3") for f in functions], 1)
    here = [look(gates._workshop(), proposal) for proposal in found]
    monkeypatch.setattr("sebench.learn.selfplay.gating.SHARE", 1)
    with Gates(tiny, 0, workers=2) as several, GateLog(tmp_path / "gates.jsonl") as log:
        several.pass_through(found, log, lambda what, done, total: None)
        for proposal, looked in zip(found, here, strict=True):
            assert [(g, r) for g, r, _ in looked.results] == [(g, r) for g in ALONE if (r := log.result(proposal, g))]
    assert any(looked.task for looked in here)


def test_an_answer_that_is_a_test_tasks_is_dropped_and_counted(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, gates: Gates, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, done = play
    test = next(t for t in tiny.tasks(splits.MULTI_TEST) or tiny.tasks(splits.SINGLE_TEST))
    own = played.read(folder, tiny)[0]
    assert gates.shows_a_test(own.task, own.answer) == ""
    assert "of '" in gates.shows_a_test(replace(own.task, question=test.question), f"def {test.entry}(x): ...")
    with pytest.raises(ConfigError, match="shows the"):  # a training would refuse such a row
        rows = sft.training_rows(tiny, "closed-sft", LearnConfig(examples=str(folder)))
        bad = replace(rows[0], answer=f"def {test.entry}(x): ...")
        guard.refuse([bad], tiny)
    # In a play it is left out and counted.
    first = own.task.id
    found = SimpleNamespace(shows_a_test=lambda task, answer: "yes" if task.id == first else "")
    session = Session(tiny, config, folder, found, Drafter(tiny))  # type: ignore[arg-type]
    kept, counts = session._examples(1, {one.task.id for one in played.read(folder, tiny)})
    assert len(kept) == done.kept - 1 and counts["shows a test task"] == 2


# ---- learning from a play -------------------------------------------------------------------------------------


def test_a_play_is_a_source_of_examples_like_any_other(play: tuple[Path, Round], tiny: World, small: World) -> None:
    folder, done = play
    closed = sft.training_rows(tiny, "closed-sft", LearnConfig(examples=str(folder), form="recall"))
    opened = sft.training_rows(tiny, "open-sft", LearnConfig(examples=str(folder / "round-1"), form="recall"))
    assert len(closed) == len(opened) == done.kept
    assert [row.answer for row in closed] == [row.answer for row in opened]
    assert all(
        a.prompt and b.prompt and b.prompt.text.endswith(a.prompt.text) for a, b in zip(closed, opened, strict=True)
    )
    few = sft.training_rows(tiny, "closed-sft", LearnConfig(examples=str(folder), limit=2))
    gold = sft.training_rows(tiny, "closed-sft", LearnConfig(limit=2))
    assert len(few) == len(gold) == 2
    with pytest.raises(ConfigError, match="in another world"):
        sft.training_rows(small, "closed-sft", LearnConfig(examples=str(folder)))


def test_rl_takes_the_questions_of_a_play(play: tuple[Path, Round], tiny: World, tmp_path: Path) -> None:
    folder = play[0]

    def tasks(**settings: Any) -> list[Task]:
        return list(rl.tasks_of(Training(tiny, "closed-rl", LearnConfig(**settings), tmp_path, lambda *_: None)))

    assert [task.id for task in tasks(examples=str(folder))] == [one.task.id for one in played.read(folder, tiny)]
    assert len(tasks(examples=str(folder), limit=1)) == len(tasks(limit=1)) == 1
    with pytest.raises(ConfigError, match="RL takes questions from gold"):
        tasks(examples=str(tmp_path))


def test_the_ablation_trains_on_equally_many_examples_from_either_source(
    play: tuple[Path, Round], tiny: World, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Training, "guard", lambda self, rows: None)  # a process each; others test it
    text = (ROOT / "tests" / "data" / "selfplay-toy.toml").read_text()
    for word, place in (("WORLD", tiny.path), ("TOY", base), ("PLAY", play[0])):
        text = text.replace(f'"{word}"', json.dumps(str(place)))
    (tmp_path / "grid.toml").write_text(text)
    learnt, methods = {}, grid.read(tmp_path / "grid.toml").methods
    for method in (methods[0], methods[3], methods[5]):  # one of each way to learn; the others differ in a word
        made = train(tiny, method.method, method.learn, tmp_path / method.name, lambda *_: None)
        learnt[method.name] = made.get("rows", 2 * made["steps"])  # RL has two tasks and no rows
        assert made["ended"]
    assert set(learnt.values()) == {2} and len(learnt) == 3
    whole = grid.read(ROOT / "experiments" / "selfplay.toml")  # the real one can be read, and has the same rows
    assert {method.name for method in methods} < {method.name for method in whole.methods}


# ---- Absolute Zero --------------------------------------------------------------------------------------------


def sample(group: str) -> Sample:
    row = TokenRow(group, (1, 2, 3), 2, 2)
    return Sample(Task(group, "", "f", (), ()), row, row)


def test_rewards_and_advantages_of_both_roles() -> None:
    made = [
        Proposed(sample("propose:f")),  # a gate stopped it: -1
        Proposed(sample("propose:f"), "q1"),  # solved once in four: 1 - 1/4
        Proposed(sample("propose:f"), "q2"),  # never solved: 0
        Proposed(sample("propose:g"), "q3"),  # always solved: 0
        Proposed(sample("propose:g"), "q4"),  # nothing could be judged: no reward
    ]
    said = {"q1": "+-x-", "q2": "--", "q3": "++", "q4": "??"}
    answers = [
        Answer(sample(question), {"+": True, "?": None}.get(sign, False), sign != "x")
        for question, signs in said.items()
        for sign in signs
    ]
    found = rewarded(made, answers)
    assert [one.reward for one in found] == [-1, 0.75, 0, 0, None, 1, -0.5, -1, -0.5, -0.5, -0.5, 1, 1, None, None]
    known = [one for one in found if one.reward is not None]
    mean, spread = (-1 + 0.75 + 0) / 3, (((-1 + 1 / 12) ** 2 + (0.75 + 1 / 12) ** 2 + (1 / 12) ** 2) / 3) ** 0.5
    wanted = [(reward - mean) / (spread + 1e-4) for reward in (-1, 0.75, 0)]
    got = rl.advantages(known, "group")
    assert got[:3] == pytest.approx(wanted) and got[3] == 0  # alone in its group
    # The answers to q1: mean -0.25, deviation 0.75; those to q2 and to q3 are all alike.
    assert got[4:8] == pytest.approx([1.25 / 0.7501, -0.25 / 0.7501, -0.75 / 0.7501, -0.25 / 0.7501], rel=1e-3)
    assert got[8:] == [0, 0, 0, 0]


def test_a_step_of_absolute_zero_rewards_what_was_sampled(
    tiny: World, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both roles, scripted: the toy 'says' a filled form for every proposal, and gold for every second answer."""
    config = LearnConfig(
        model=str(base),
        steps=1,
        tasks_per_step=2,
        samples=2,
        max_tokens=6,
        propose="forms",
        prompts="short",
        probe_every=-1,
        device="cpu",
    )
    said = iter(["1, 1, 1, 1, 1, 1", "2, 2, 2, 2, 2, 2"] * 2)
    monkeypatch.setattr(Drafter, "possible", lambda self, function: function in ("searchsorted", "bincount"))
    read, judged = zero._Table._read, list[bool]()
    monkeypatch.setattr(zero._Table, "_read", lambda self, one, form: read(self, replace(one, text=next(said)), form))

    def text(self: rl.Sampler, one: Sample) -> str:
        judged.append(len(judged) % 2 == 0)
        return f"```python\n{one.task.gold}```" if judged[-1] else "no"

    monkeypatch.setattr(rl.Sampler, "text", text)
    train(tiny, "absolute-zero", config, tmp_path / "zero", lambda *_: None)
    (line,) = [data for _, data in lines(tmp_path / "zero" / "log.jsonl")]
    assert line["passed"] > 0 and len(judged) == 2 * line["passed"]
    assert line["solver_reward"] == 0  # 1 for gold, -1 for what cannot be read
    stopped = line["proposals"] - line["passed"]
    assert line["proposer_reward"] == pytest.approx((0.5 * line["passed"] - stopped) / line["proposals"])
    before, after = (load_file(place / "model.safetensors") for place in (base, tmp_path / "zero"))
    assert line["mixed"] > 0 and any(not torch.equal(before[name], after[name]) for name in before)


# ---- settings -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"propose": "form"}, "propose = 'form': there are free, forms, likely"),
        ({"train": "distil"}, "train = 'distil'"),
        ({"proposer": "drawn"}, "fills forms at random"),
        ({"base_url": ("http://x/v1",)}, "cannot be trained here"),
        ({"base_url": ("http://x/v1",), "propose": "likely", "train": "none"}, "probabilities of a local model"),
        ({"needed": 1}, "there are 0 models"),
        ({"learn": ("epochs",)}, "write a setting and its value"),
        ({"learn": ("model=x",)}, "is a setting of the play itself"),
        ({"learn": ("epoch=3",)}, "learn: no setting 'epoch'"),
        ({"evaluate": ("limit=many",)}, "is not a whole number"),
        ({"above": 1.0}, "0 <= above < below"),
        ({"rounds": 0}, "at least 1 round"),
    ],
)
def test_settings_that_make_no_sense_are_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        SelfplayConfig(**given)


def test_functions_without_a_form_are_not_asked_about(small: World, config: SelfplayConfig) -> None:
    asked = replace(config, functions="all")
    drafter = Drafter(small)
    with_form = askable(drafter, asked)
    assert 0 < len(with_form) < len(askable(drafter, replace(asked, propose="free", proposer="same")))

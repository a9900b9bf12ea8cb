"""A whole self-play run with models: what is kept, judged and learned, and that a kill at any step loses nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


from sebench import report  # noqa: E402
from sebench.author.pipeline import GateLog  # noqa: E402
from sebench.base.errors import ConfigError  # noqa: E402
from sebench.base.ledger import lines  # noqa: E402
from sebench.base.records import Task  # noqa: E402
from sebench.cli import cli  # noqa: E402
from sebench.experiment import grid  # noqa: E402
from sebench.experiment.row import RowJob, work  # noqa: E402
from sebench.experiment.row_files import ExperimentRow  # noqa: E402
from sebench.experiment.runner import Experiment  # noqa: E402
from sebench.models.model import Model  # noqa: E402
from sebench.release import pack  # noqa: E402
from sebench.report.numbers.experiment import compare  # noqa: E402
from sebench.rollout import models  # noqa: E402
from sebench.rollout.config import RunConfig  # noqa: E402
from sebench.rollout.store import Run  # noqa: E402
from sebench.rollout.store import RunWriter as RunWriter  # noqa: E402
from sebench.selfplay.config import SelfplayConfig  # noqa: E402
from sebench.selfplay.rounds import Round  # noqa: E402
from sebench.selfplay.steps import ModelSteps, selfplay  # noqa: E402
from sebench.tasks import splits  # noqa: E402
from sebench.train import methods, rl, sft  # noqa: E402
from sebench.train.config import BookRlConfig, ClosedSftConfig, OpenSftConfig  # noqa: E402
from sebench.train.data import (  # noqa: E402
    examples,
    guard,
)
from sebench.train.loop.training_run import MANIFEST, TrainingRun  # noqa: E402
from sebench.train.methods import train  # noqa: E402
from sebench.train.proposals.gating import GATES, Gates  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests.conftest import slow  # noqa: E402
from tests.playing import PROPOSER, Killed, Writer, cheap, killed_after  # noqa: E402

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def config(toy_model: Path) -> Iterator[SelfplayConfig]:
    real = models.load_writer

    def load(config: RunConfig, world: World) -> Model:
        return Writer() if config.model == PROPOSER else real(config, world)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "load_writer", load)
        yield cheap(toy_model)


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
    found = examples.from_selfplay(folder, tiny)
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
    assert isinstance(refused.exception, ConfigError) and "samples = 2, but now it is 3" in str(refused.exception)


def test_unknown_functions_are_refused_before_anything_is_written(
    tiny: World, config: SelfplayConfig, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"--functions foo: world .* has no such function"):
        selfplay(tiny, replace(config, functions="foo"), tmp_path / "play")
    assert not (tmp_path / "play").exists()


@slow
def test_kills_at_every_step_one_after_another_lose_nothing(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[tuple[Any, str, int]] = [
        (GateLog, "add", 9),  # between two gates of a draft
        (RunWriter, "add_verdict", 1),  # while the solver's answers are judged
        (TrainingRun, "log", 0),  # in the first step of the training
    ]
    for owner, name, after in places:
        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(owner, name, killed_after(getattr(owner, name), after))
            selfplay(tiny, config, tmp_path)
    folder, done = play
    assert selfplay(tiny, config, tmp_path) == [done]
    for name in ("round-1/tasks.jsonl", "round-1/examples.jsonl", "round-1/answers.json"):
        assert (tmp_path / name).read_text() == (folder / name).read_text()
    answered = [data["key"] for _, data in lines(tmp_path / "round-1" / "solve" / "rollouts.jsonl")]
    assert len(answered) == len(set(answered)) == 2 * done.funnel["guard"]  # nothing was asked twice


def test_an_answer_that_is_a_test_tasks_is_dropped_and_counted(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, gates: Gates, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, done = play
    test = next(t for t in tiny.tasks(splits.MULTI_TEST) or tiny.tasks(splits.SINGLE_TEST))
    own = examples.from_selfplay(folder, tiny)[0]
    assert gates.leaked_test(own.task, own.answer) == ""
    assert "of '" in gates.leaked_test(replace(own.task, question=test.question), f"def {test.entry}(x): ...")
    with pytest.raises(ConfigError, match="contains the"):  # a training would refuse such a row
        rows = sft.training_rows(tiny, "closed-sft", ClosedSftConfig(examples=str(folder)))
        bad = replace(rows[0], answer=f"def {test.entry}(x): ...")
        guard.refuse([bad], tiny)
    # In a play it is left out and counted.
    first = own.task.id
    found = SimpleNamespace(
        leaked_test=lambda task, answer: "yes" if task.id == first else "", first_leak=lambda rows: ""
    )
    session = ModelSteps(tiny, config, folder, found)  # type: ignore[arg-type]
    kept, counts = session._examples(1, {one.task.id for one in examples.from_selfplay(folder, tiny)})
    assert len(kept) == done.kept - 1 and counts["shows a test task"] == 1
    assert counts["right"] == counts["kept"] + counts["repeated"] + 1


def test_what_the_guard_of_the_training_would_refuse_is_not_learnt_from(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, gates: Gates, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The training writes answers in a form of its own: there too nothing of a test task may stand, or the play ends
    there each time."""
    folder, _ = play
    test, own = tiny.tasks(splits.SINGLE_TEST)[0], examples.from_selfplay(folder, tiny)
    real = examples.recall_text

    def recalled(task: Task, world: World, form: str, native: bool = False) -> str:
        return f"Needed: {test.entry}" if task.id == own[0].task.id else real(task, world, form, native)

    monkeypatch.setattr(examples, "recall_text", recalled)
    session = ModelSteps(tiny, replace(config, learn=("form=recall",)), folder, gates)
    kept, counts = session._examples(1, {one.task.id for one in own})
    assert [one.task.id for one in kept] == [one.task.id for one in own[1:]] and counts["shows a test task"] == 1
    guard.refuse([row for rows in session._rows(kept) for row in rows], tiny)


# ---- learning from a play -------------------------------------------------------------------------------------


def test_a_play_is_a_source_of_examples_like_any_other(
    play: tuple[Path, Round], tiny: World, small: World, tmp_path: Path
) -> None:
    folder, done = play
    closed = sft.training_rows(tiny, "closed-sft", ClosedSftConfig(examples=str(folder), form="recall"))
    opened = sft.training_rows(tiny, "open-sft", OpenSftConfig(examples=str(folder / "round-1"), form="recall"))
    assert len(closed) == len(opened) == done.kept
    assert [row.answer for row in closed] == [row.answer for row in opened]
    assert all(
        a.prompt and b.prompt and b.prompt.text.endswith(a.prompt.text) for a, b in zip(closed, opened, strict=True)
    )
    few = sft.training_rows(tiny, "closed-sft", ClosedSftConfig(examples=str(folder), limit=2))
    gold = sft.training_rows(tiny, "closed-sft", ClosedSftConfig(limit=2))
    assert len(few) == len(gold) == 2
    with pytest.raises(ConfigError, match="in a world other than"):
        sft.training_rows(small, "closed-sft", ClosedSftConfig(examples=str(folder)))
    line = json.loads((folder / "round-1" / "examples.jsonl").read_text().splitlines()[0])
    del line["task"]["cases"]
    (tmp_path / "examples.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(ConfigError, match=r"examples.jsonl: the line at byte 0 is not an example"):
        sft.training_rows(tiny, "closed-sft", ClosedSftConfig(examples=str(tmp_path)))


def test_examples_of_several_sources_are_learnt_together(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, gates: Gates, tmp_path: Path
) -> None:
    folder, done = play
    both = sft.training_rows(tiny, "closed-sft", ClosedSftConfig(examples=f"gold, {folder}"))
    gold = sft.training_rows(tiny, "closed-sft", ClosedSftConfig())
    assert len(both) == len(gold) + done.kept and both[: len(gold)] == gold
    with pytest.raises(ConfigError, match="examples = nowhere: there is no such file or folder"):
        methods.check_files(ClosedSftConfig(examples="gold,nowhere"))
    # A round that kept nothing trains on the others all the same.
    few = (*config.learn, "limit=8")
    session = ModelSteps(tiny, replace(config, also_learn="gold", learn=few), tmp_path / "play", gates)
    session.train(1, ())
    manifest = json.loads((session.round_folder(1) / "model" / MANIFEST).read_text())
    assert manifest["ended"] and manifest["config"]["examples"] == "gold"
    with pytest.raises(ConfigError, match="also_learn needs --train closed-sft or open-sft, not open-rl"):
        replace(config, also_learn="gold", train="open-rl", learn=())
    with pytest.raises(ConfigError, match="examples = nowhere: there is no such file"):
        selfplay(tiny, replace(config, also_learn="nowhere"), tmp_path / "none")
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(("model", "right"), [("gold", 1.0), ("numpy", 0.0)])
def test_recall_is_the_closed_book_accuracy_on_training_questions(
    tiny: World, config: SelfplayConfig, gates: Gates, tmp_path: Path, model: str, right: float
) -> None:
    session = ModelSteps(tiny, replace(config, base=model, train="none"), tmp_path / "play", gates)
    found = session.recall(1)  # the round trained nothing: the base model is asked
    assert found == {function: right for task in tiny.tasks(splits.TRAIN) for function in task.functions}
    asked = Run.load(tmp_path / "play" / "round-0" / "recall").rows()  # all of them, whatever limit evaluations have
    assert {row.rollout.book for row in asked} == {"closed"} and len(found) > 3


def test_the_embedded_model_is_used_as_it_is_trained(
    tiny: World, config: SelfplayConfig, gates: Gates, tmp_path: Path
) -> None:
    """Its weights are dequantised once, in the cache of all commands, not again in the folder of the play."""
    session = ModelSteps(tiny, replace(config, model="smollm2", base="", proposer="same"), tmp_path / "play", gates)
    assert {session.base, session.player(1), session.proposer(1)} == {"hf:smollm2"}
    assert not (tmp_path / "play").exists()


def test_training_on_a_play_that_kept_nothing_says_so(
    tiny: World, config: SelfplayConfig, gates: Gates, tmp_path: Path
) -> None:
    session = ModelSteps(tiny, config, tmp_path / "play", gates)
    session.train(1, ())
    assert not session.round_folder(1).joinpath("model").exists()
    with pytest.raises(ConfigError, match="kept none; run it with more --proposals"):
        sft.training_rows(tiny, "closed-sft", ClosedSftConfig(examples=str(tmp_path / "play")))


def test_rl_takes_the_questions_of_a_play(play: tuple[Path, Round], tiny: World, tmp_path: Path) -> None:
    folder = play[0]

    def tasks(**settings: Any) -> list[Task]:
        return list(rl.rl_tasks(TrainingRun(tiny, "closed-rl", BookRlConfig(**settings), tmp_path, lambda *_: None)))

    assert [task.id for task in tasks(examples=str(folder))] == [
        one.task.id for one in examples.from_selfplay(folder, tiny)
    ]
    assert len(tasks(examples=str(folder), limit=1)) == len(tasks(limit=1)) == 1
    with pytest.raises(ConfigError, match="RL takes questions from gold"):
        tasks(examples=str(tmp_path))


def test_the_ablation_trains_on_equally_many_examples_from_either_source(
    play: tuple[Path, Round], tiny: World, toy_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrainingRun, "start_guard", lambda self, rows: None)  # a process each; others test it
    text = (ROOT / "tests" / "data" / "selfplay-toy.toml").read_text()
    for word, place in (("WORLD", tiny.path), ("TOY", toy_model), ("PLAY", play[0])):
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


# ---- rounds that follow those of another run ------------------------------------------------------------------


def test_rounds_continue_those_of_another_run_with_other_settings(
    play: tuple[Path, Round], tiny: World, config: SelfplayConfig, tmp_path: Path
) -> None:
    earlier, first = play
    aimed = replace(config, after=str(earlier), rounds=2, aim="missed", targets=1, samples=1)
    done = selfplay(tiny, aimed, tmp_path / "aimed")
    assert done[0] == first and done[1].number == 2 and done[1].kept_in_all >= first.kept
    kept, there = (tmp_path / "aimed" / "round-1" / "model", earlier / "round-1" / "model")
    names = {file.relative_to(there) for file in there.rglob("*")}
    assert names == {file.relative_to(kept) for file in kept.rglob("*")}
    assert not (tmp_path / "aimed" / "round-0" / "recall").exists()
    assert (kept / "model.safetensors").samefile(there / "model.safetensors")  # linked: they take gigabytes
    assert not (kept / MANIFEST).samefile(there / MANIFEST)
    assert len(list(lines(earlier / "rounds.jsonl"))) == 1  # the earlier run is as it was
    assert selfplay(tiny, aimed, tmp_path / "aimed") == done
    # An interrupted copy is repeated.
    half_copied = tmp_path / "half"
    half_copied.mkdir()
    (half_copied / "selfplay.json").write_text((tmp_path / "aimed" / "selfplay.json").read_text())
    (half_copied / "round-1" / "model").mkdir(parents=True)
    (half_copied / "round-1" / "model" / "model.safetensors").write_text("torn")
    assert selfplay(tiny, aimed, half_copied)[0] == first


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"rounds": 1}, "it has 1 round already; raise rounds to more"),
        ({"above": 0.5}, "it has above = 0.0, which decides what is kept; use the same here, not 0.5"),
        ({"after": "nowhere"}, "after = nowhere: not a self-play run"),
    ],
)
def test_rounds_that_cannot_come_first_are_refused_before_anything_is_written(
    play: tuple[Path, Round],
    tiny: World,
    config: SelfplayConfig,
    tmp_path: Path,
    change: dict[str, Any],
    said: str,
) -> None:
    chosen = replace(config, **{"after": str(play[0]), "rounds": 2, **change})
    with pytest.raises(ConfigError, match=re.escape(said)):
        selfplay(tiny, chosen, tmp_path / "play")
    assert not (tmp_path / "play").exists()


ROWS = """
worlds = ["{world}"]
out = "{out}"
keep = "none"
prompts = "short"
[evaluate]
split = ["single_test"]
book = ["closed"]
limit = 1
max_tokens = 8
[selfplay]
proposer = "proposer"
solver = "first"
functions = "searchsorted,cumsum,quantile"
proposals = 2
samples = 2
max_tokens = 8
workers = 1
[learn]
model = "{toy}"
device = "cpu"
epochs = 1
batch = 8
lr = 1e-3
probe_every = -1
[[method]]
name = "gold"
method = "closed-sft"
[[method]]
name = "one round"
method = "selfplay"
from = "gold"
rounds = 1
[[method]]
name = "aimed"
method = "selfplay"
from = "one round"
rounds = 2
aim = "missed"
targets = 1
also_learn = "gold"
[[method]]
name = "played"
method = "closed-sft"
examples = "selfplay:one round"
[[method]]
name = "more tokens"
method = "none"
from = "aimed"
evaluate = {{ max_tokens = 9 }}
"""


class GoldPlays(Experiment):
    """Rows in this process, where a player that is always right plays for the toy, which learns."""

    def _process(self, one: ExperimentRow, job: RowJob) -> None:
        if job.play is not None:
            job = replace(job, play={**job.play, "model": "gold"})
        work(job, lambda what, done, total: None)


def test_rows_of_an_experiment_play_and_learn_from_what_was_played(
    config: SelfplayConfig, tiny: World, toy_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "rows.toml").write_text(ROWS.format(world=tiny.path, out=tmp_path / "out", toy=toy_model))
    experiment = GoldPlays(grid.read(tmp_path / "rows.toml"), [tiny])
    assert [result.error for result in experiment.run()] == [""] * 5
    rows = tmp_path / "out" / tiny.path.name
    one, aimed = (json.loads((rows / name / "model" / MANIFEST).read_text()) for name in ("one round", "aimed"))
    assert one["config"]["model"] == aimed["config"]["model"] == str(rows / "gold" / "model")
    assert (rows / "aimed" / "model").resolve() == (rows / "aimed" / "play" / "round-2" / "model").resolve()
    played = json.loads((rows / "played" / "model" / MANIFEST).read_text())
    assert one["rows"] == played["rows"] == len(examples.from_selfplay(rows / "one round" / "play", tiny))
    assert aimed["rows"] >= len(tiny.tasks("train"))
    asked = Run.load(rows / "more tokens" / "run").manifest.config
    assert (asked["model"], asked["max_tokens"]) == (str(rows / "aimed" / "model"), 9)
    assert not list(rows.rglob("*.safetensors"))  # keep = "none", also in the rounds
    report = compare(tmp_path / "out")
    assert {method.name: method.start for method in report.methods}["aimed"] == "one round"
    assert {figure.method for figure in report.figures} == {method.name for method in report.methods}
    released = pack.make(
        [tmp_path / "out"], tmp_path / "release", pack.ReleaseOptions(models=["toy"], worlds=[str(tiny.path)])
    )
    regimes = {run.folder.split("/")[1]: run.regime for run in released.runs}
    assert (regimes["aimed"], regimes["more tokens"]) == ("selfplay", "closed-sft")

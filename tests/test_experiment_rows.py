"""Rows of an experiment: GPUs of their own, the rows that they need first, servers, and the estimated cost of a
file."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.base import child
from sebench.base.errors import ConfigError, OutOfMemory
from sebench.cli import cli
from sebench.experiment import estimate, grid, resources, row, runner, sizes
from sebench.experiment.processes import LocalProcesses
from sebench.experiment.resources import DevicePool
from sebench.experiment.row import RowJob, TrainingFailed
from sebench.experiment.runner import Experiment
from sebench.memory.methods import make
from sebench.memory.methods.notes import chunks
from sebench.report.numbers.experiment import compare
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.train.config import TrainConfig
from sebench.train.loop import plan
from sebench.train.loop.loop import Trainer
from sebench.world.page_cuts import PARTS
from sebench.world.prompts import BOOKS
from sebench.world.world import World
from tests.conftest import slow
from tests.test_experiment import Pretended, names, written
from tests.vllm_stand_in import on_path, starts

ROOT = Path(__file__).parent.parent
PAPER, SMALL = (ROOT / "experiments" / f"{name}.toml" for name in ("paper", "paper-small"))


# ---- what rows need first -----------------------------------------------------------------------------------------


NEEDY = """
worlds = ["{world}"]
out = "{out}"
[answers]
samples = 3
[selfplay]
proposals = 2
[learn]
model = "maker/model"
[[method]]
name = "open"
method = "open-sft"
examples = "own"
[[method]]
name = "closed"
method = "closed-sft"
examples = "own"
[[method]]
name = "played"
method = "closed-sft"
examples = "selfplay"
[[method]]
name = "ExpeL"
method = "expel"
limit = 3
"""


def needy(tmp_path: Path, world: World, change: tuple[str, str] = ("", ""), **more: Any) -> Pretended:
    text = NEEDY.format(world=world.path, out=tmp_path / "out").replace(*change)
    return Pretended(grid.read(written(tmp_path, text)), [world], **more)


def test_what_several_rows_need_is_made_once_and_first(tmp_path: Path, tiny: World) -> None:
    work = needy(tmp_path, tiny)
    assert not any(result.error for result in work.run())
    order = [name for name, _ in work.jobs]
    assert sorted(order) == sorted(names(tiny, "answers", "selfplay", "open", "closed", "played", "ExpeL"))
    assert order[:2] == names(tiny, "answers", "selfplay")
    jobs, folder = dict(work.jobs), tmp_path / "out" / tiny.path.name
    answers, selfplay, opened, closed, played, expel = (
        jobs[name] for name in names(tiny, "answers", "selfplay", "open", "closed", "played", "ExpeL")
    )
    asked = answers.evaluate or {}
    assert (asked["split"], asked["book"], asked["samples"]) == (["train"], ["open"], 3)
    assert opened.learn and closed.learn and opened.learn["examples"] == closed.learn["examples"]
    assert closed.learn["examples"] == str(folder / "answers" / "run")
    assert played.learn and played.learn["examples"] == str(folder / "selfplay" / "play")
    play = selfplay.play or {}
    assert (play["proposals"], play["train"], play["split"], selfplay.evaluate) == (2, "none", [], None)
    assert expel.study and expel.evaluate and expel.study["limit"] == 3 and expel.evaluate["book"] == ["closed"]
    assert expel.study["model"] == expel.evaluate["model"] == "hf:maker/model"
    manifest = json.loads((tmp_path / "out" / "experiment.json").read_text())
    assert [one["name"] for one in manifest["methods"]] == ["open", "closed", "played", "ExpeL"]
    again = needy(tmp_path, tiny)
    assert all(result.skipped for result in again.run()) and again.jobs == []


def test_rows_that_learn_from_other_answers_than_before_are_refused(tmp_path: Path, tiny: World) -> None:
    needy(tmp_path, tiny).run()
    with pytest.raises(ConfigError, match="choose another --out"):
        needy(tmp_path, tiny, ("samples = 3", "samples = 3\ntemperature = 0.5")).run()


def test_answers_that_cannot_be_had_stop_the_rows_that_need_them(tmp_path: Path, tiny: World) -> None:
    work = needy(tmp_path, tiny, failing=tuple(names(tiny, "answers")))
    errors = {result.row.method.name: result.error for result in work.run()}
    assert errors["open"] == errors["closed"] == "'answers' did not finish"
    assert not errors["played"] and not errors["ExpeL"]


def test_own_answers_are_those_of_one_model(tmp_path: Path, tiny: World) -> None:
    with pytest.raises(ConfigError, match="must start from the same model"):
        needy(tmp_path, tiny, ('name = "closed"', 'name = "closed"\nmodel = "other"'))


# ---- rows that use other rows ---------------------------------------------------------------------------------------

LINKED = """
worlds = ["{world}"]
out = "{out}"
{more}
[answers]
samples = 3
[selfplay]
proposals = 2
[learn]
model = "maker/model"
epochs = 3
form = "subject"
steps = 9
[[method]]
name = "half"
method = "closed-sft"
[[method]]
name = "play"
method = "selfplay"
from = "half"
rounds = 1
also_learn = "gold,own:half"
learn = ["epochs=2"]
[[method]]
name = "aimed"
method = "selfplay"
from = "play"
rounds = 3
targets = 4
aim = "missed"
[[method]]
name = "again"
method = "closed-sft"
examples = "gold,selfplay:aimed"
[[method]]
name = "RL"
method = "closed-rl"
examples = "selfplay:play"
[[method]]
name = "index"
method = "index"
[[method]]
name = "half with index"
method = "none"
from = "half"
memory = "index"
"""


def linked(tmp_path: Path, world: World, change: tuple[str, str] = ("", ""), more: str = "") -> Pretended:
    text = LINKED.format(world=world.path, out=tmp_path / "out", more=more).replace(*change)
    return Pretended(grid.read(written(tmp_path, text)), [world])


def test_rows_learn_from_and_are_asked_with_what_other_rows_left(tmp_path: Path, tiny: World) -> None:
    work = linked(tmp_path, tiny)
    for method in ("play", "aimed"):  # what the rounds of self-play leave
        folder = tmp_path / "out" / tiny.path.name / method / "model"
        folder.mkdir(parents=True)
        (folder / "model.safetensors").touch()
    assert not any(result.error for result in work.run())
    jobs = {name.partition("/")[2]: job for name, job in work.jobs}
    order, rows = list(jobs), tmp_path / "out" / tiny.path.name
    assert order.index("half") < order.index("answers of half") < order.index("play") < order.index("aimed")
    half, answers, play, aimed = (jobs[name] for name in ("half", "answers of half", "play", "aimed"))
    assert half.learn and half.learn["examples"] == "gold"
    assert answers.evaluate and answers.evaluate["model"] == str(rows / "half" / "model")
    assert (answers.evaluate["samples"], answers.evaluate["split"]) == (3, ["train"])
    played, aiming = play.play or {}, aimed.play or {}
    assert (played["model"], played["base"], played["after"]) == ("hf:maker/model", str(rows / "half" / "model"), "")
    assert played["also_learn"] == f"gold,{rows / 'answers of half' / 'run'}"
    assert played["learn"] == ["epochs=2", 'form="subject"']  # not `steps`, which only RL reads
    assert (aiming["base"], aiming["after"]) == (played["base"], str(rows / "play" / "play"))
    assert aiming["also_learn"] == "" and aiming["learn"] == ["epochs=3", 'form="subject"']
    assert play.evaluate and play.evaluate["book"] != [] and jobs["again"].learn and jobs["RL"].learn
    assert jobs["again"].learn["examples"] == f"gold,{rows / 'aimed' / 'play'}"
    assert jobs["RL"].learn["examples"] == str(rows / "play" / "play")
    both = jobs["half with index"]
    assert both.evaluate and both.evaluate["model"] == str(rows / "half" / "model") and both.untrained is None
    assert (both.memory, both.evaluate["book"], jobs["index"].memory) == (
        str(rows / "index" / "memory"),
        ["closed"],
        "",
    )
    assert all(result.skipped for result in linked(tmp_path, tiny).run())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("rounds = 1", "rounds = 2"), "play.rounds = 1, but now it is 2"),
        (('name = "half"', 'lr = 0.1\nname = "half"'), "half was started with"),
        (("proposals = 2", "proposals = 3"), "play.proposals = 2, but now it is 3"),
    ],
)
def test_rows_whose_sources_have_changed_are_refused(
    tmp_path: Path, tiny: World, change: tuple[str, str], said: str
) -> None:
    work = linked(tmp_path, tiny)
    work.run()
    with pytest.raises(ConfigError) as caught:
        linked(tmp_path, tiny, change).run()
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        ("[answers]", "[evaluate]\nsamples = 2\n[answers]"),  # more answers with the same memory, too
        ("epochs = 3", "epochs = 3\npack_tokens = 999\nsave_minutes = 1.0"),
        ("proposals = 2", "proposals = 2\nbatch = 3"),
    ],
)
def test_rows_may_go_on_with_more_samples_and_other_speed(tmp_path: Path, tiny: World, change: tuple[str, str]) -> None:
    linked(tmp_path, tiny).run()
    assert not any(result.error for result in linked(tmp_path, tiny, change).run())


def test_a_row_is_refused_whose_file_of_examples_has_changed(tmp_path: Path, tiny: World) -> None:
    (file := tmp_path / "known.jsonl").write_text("1")
    change = ("rounds = 1\n", f"rounds = 1\nalso_learn = '{file}'\n")
    text = LINKED.replace('also_learn = "gold,own:half"\n', "").replace(*change)
    chosen = grid.read(written(tmp_path, text.format(world=tiny.path, out=tmp_path / "out", more="")))
    Pretended(chosen, [tiny]).run()
    file.write_text("2")
    with pytest.raises(ConfigError, match=r"play was started with files.*known.jsonl = '6b86b"):
        Pretended(chosen, [tiny]).run()


def test_settings_of_rounds_are_those_of_learn_unless_the_row_has_its_own(tmp_path: Path, tiny: World) -> None:
    text = LINKED.format(world=tiny.path, out=tmp_path / "out", more="").replace(
        "steps = 9", "steps = 9\nseed = 4\nmax_tokens = 99\nreplay_share = 0.3\nknown_weight = 0.5"
    )
    own = 'learn = ["epochs=2", "replay=general.jsonl"]\nseed = 9'
    chosen = grid.read(written(tmp_path, text.replace('learn = ["epochs=2"]', own)))
    play, aimed = (chosen.method(name).play for name in ("play", "aimed"))
    assert play and aimed
    assert (play.train_config("m", "e").seed, aimed.train_config("m", "e").seed) == (9, 4)
    assert "replay_share=0.3" in play.learn and "replay_share=0.3" not in aimed.learn  # it needs replay
    assert not any(text.startswith("max_tokens") for text in play.learn)  # of RL, and of validation


def test_a_memory_that_was_written_otherwise_is_refused(tmp_path: Path, tiny: World) -> None:
    linked(tmp_path, tiny).run()
    shutil.rmtree(tmp_path / "out" / tiny.path.name / "index")
    with pytest.raises(ConfigError, match=r"half with index was started with memory\.study\.budget"):
        linked(tmp_path, tiny, ('method = "index"', 'method = "index"\nbudget = 9000')).run()


def test_a_dry_run_counts_the_rounds_of_self_play(tmp_path: Path, tiny: World) -> None:
    chosen = grid.read(written(tmp_path, LINKED.format(world=tiny.path, out=tmp_path / "out", more="")))
    forecast = {one.name: one for one in estimate.forecast(chosen, plan.ESTIMATED).rows}
    functions, tests = len(tiny.names.functions), sum(len(tiny.tasks(split)) for split in RunConfig().split)
    asked = tests * len(RunConfig().book)
    assert forecast["play"].load.answers == functions * 2 * (1 + 4) + asked  # proposals, four answers to each
    two = 2 * 4 * 2 * (1 + 4) + 2 * len(tiny.tasks("train"))  # rounds 2 and 3, each after a look at what is missed
    assert forecast["aimed"].load.answers == two + asked
    assert forecast["half with index"].load.answers == tests and forecast["half with index"].trained_tokens == 0
    assert [one.name for one in estimate.forecast(chosen, plan.ESTIMATED).rows][:3] == [
        "half",
        "answers of half",
        "play",
    ]


# ---- GPUs -----------------------------------------------------------------------------------------------------------


class Together(LocalProcesses):
    """Rows that end when as many run as are expected; it keeps who ran beside whom, and on which GPUs."""

    def __init__(self, expected: dict[str, int]) -> None:
        super().__init__(3)
        self.running: dict[str, tuple[str, ...]] = {}
        self.beside: dict[str, dict[str, tuple[str, ...]]] = {}
        self.barriers = {count: threading.Barrier(count, timeout=60) for count in set(expected.values())}
        self.expected = expected

    def run(self, job: RowJob, log: Path, hear: Any) -> int:
        name, barrier = Path(job.folder).name, self.barriers[self.expected[Path(job.folder).name]]
        self.running[name] = tuple(job.devices)
        barrier.wait()
        self.beside[name] = dict(self.running)
        barrier.wait()
        self.running.pop(name)
        return 0


GPUS = """
worlds = ["{world}"]
out = "{out}"
gpus = 2
[learn]
model = "Qwen/Qwen3-8B"
trainer = "trl"
[[method]]
name = "a"
method = "closed-sft"
[[method]]
name = "b"
method = "open-sft"
[[method]]
name = "c"
method = "none"
gpus = 1
"""


def on_gpus(tmp_path: Path, world: World, launcher: LocalProcesses | None = None) -> tuple[Experiment, list[str]]:
    (tmp_path / "fsdp.yaml").write_text((ROOT / "experiments" / "fsdp.yaml").read_text())
    chosen = grid.read(written(tmp_path, GPUS.format(world=world.path, out=tmp_path / "out")))
    lines: list[str] = []
    return Experiment(chosen, [world], launcher=launcher, note=lines.append), lines


def test_rows_have_gpus_of_their_own_and_wait_for_free_ones(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,7")
    monkeypatch.setattr(plan.Gpu, "measure", lambda: None)
    launcher = Together({"a": 2, "c": 2, "b": 1})
    work, lines = on_gpus(tmp_path, tiny, launcher)
    assert not any(result.error for result in work.run())
    assert launcher.beside["a"] == {"a": ("4", "5"), "c": ("7",)} and len(launcher.beside["b"]["b"]) == 2
    (line,) = lines
    assert line.endswith("b waits for another row to finish: it needs 2 GPUs, but only 1 is free")


def test_a_row_that_runs_out_of_memory_beside_rows_on_other_gpus_is_tried_once_more_alone(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory of the machine is one for all rows; and a server that finds too little of a GPU's says so, too."""

    class Short(Together):
        def run(self, job: RowJob, log: Path, hear: Any) -> int:
            if Path(job.folder).name != "c" or self.beside.get("c"):
                return super().run(job, log, hear) if "c" not in self.beside else 0
            super().run(job, log, hear)
            hear({"error": "CUDA out of memory", "memory": True})
            return 1

    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2")
    monkeypatch.setattr(plan.Gpu, "measure", lambda: None)
    work, lines = on_gpus(tmp_path, tiny, Short({"a": 2, "c": 2, "b": 1}))
    results = {result.row.method.name: result for result in work.run()}
    assert not any(result.error for result in results.values()) and results["c"].alone
    assert any("it will be retried when no other row is running" in line for line in lines)


@pytest.mark.parametrize(
    ("visible", "gibibytes", "said"),
    [
        ("0", 80, "needs 2 GPUs, but this machine has 1"),
        ("-1", 80, "needs 2 GPUs, but this machine has 0"),
        ("0,1", 24, "does not fit: it needs about .* of 2 GPUs"),
    ],
)
def test_what_cannot_run_here_is_refused_before_anything_starts(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch, visible: str, gibibytes: int, said: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    monkeypatch.setattr(runner.Gpu, "measure", lambda: plan.Gpu("small", gibibytes * plan.GIB, 1e14))
    work, _ = on_gpus(tmp_path, tiny, Together({}))
    with pytest.raises(ConfigError, match=said):
        work.run()


def test_a_pool_gives_what_is_free_and_takes_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = DevicePool(("0", "1", "2"))
    assert pool.take("a", 2) and not pool.take("b", 2) and pool.of("a") == ("0", "1") and pool.of("b") == ()
    pool.release("a")
    assert pool.take("b", 3)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(resources.free_memory, "ask_gpu", lambda program: "2")
    assert resources.visible_gpus() == ["0", "1"]


@pytest.mark.parametrize(
    ("visible", "usable"),
    [
        ("-1", []),
        ("", []),
        ("none", []),
        ("1, 3", ["1", "3"]),
        ("2,-1,3", ["2"]),
        ("0,,1", ["0"]),
        ("GPU-8a2f,MIG-11c5", ["GPU-8a2f", "MIG-11c5"]),
    ],
)
def test_gpus_behind_an_invalid_name_do_not_count(
    monkeypatch: pytest.MonkeyPatch, visible: str, usable: list[str]
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert resources.visible_gpus() == usable


# ---- processes and servers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "kind", "said"),
    [
        (
            ["noise", '{"what": "loss 3", "done": 1, "total": 2}', '{"error": "no such model"}'],
            TrainingFailed,
            "no such",
        ),
        (['{"error": "out of memory", "memory": true}', '{"error": "later"}'], OutOfMemory, "training: out of memory"),
        ([], TrainingFailed, "exit status 3; see the row's log"),
    ],
)
def test_what_the_processes_of_a_training_say_is_passed_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    lines: list[str],
    kind: type[Exception],
    said: str,
) -> None:
    started: list[tuple[str, ...]] = []

    def start(*words: str, **options: Any) -> subprocess.Popen[str]:
        started.append(words)
        assert options["env"]["CUDA_VISIBLE_DEVICES"] == "2,3"
        return subprocess.Popen([sys.executable, "-c", f"print(*{lines!r}, sep='\\n'); exit(3)"], **options)

    monkeypatch.setattr(child, "start", start)
    progress: list[tuple[str, int, int]] = []
    job = RowJob(str(tmp_path), "w", "closed-sft", {"precision": "float32"})
    with pytest.raises(kind, match=said):
        row._launch(job, 2, "fsdp.yaml", ["2", "3"], lambda *line: progress.append(line))
    assert len(progress) == sum("what" in line for line in lines)
    assert ("noise" in capfd.readouterr().err) == ("noise" in lines)
    ((module, *words),) = started
    assert module == "accelerate.commands.launch" and "--num_processes 2" in " ".join(words)
    assert words[-3:] == ["-m", "sebench.experiment.row", str(tmp_path / "training.json")]
    assert RowJob(**json.loads((tmp_path / "training.json").read_text())).learn == job.learn


def served(tmp_path: Path, world: World, **more: Any) -> RowJob:
    evaluate = {"model": "some/model", "split": ["single_test"], "book": ["closed"], "limit": 2}
    return RowJob(str(tmp_path), str(world.path), "index", evaluate=evaluate, serve={}, **more)


def test_a_memory_is_written_and_asked_with_through_a_server(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = on_path(tmp_path / "bin", monkeypatch, answers={"": "no idea"})
    row.work(served(tmp_path, tiny, study={"model": ""}, gpus=2), lambda *_: None)
    assert (tmp_path / "memory" / "memory.json").is_file()
    assert len(list(Run.load(tmp_path / "run").rows())) == 2
    ((_, model, *words),) = starts(folder)
    assert model == "some/model" and words[:2] == ["--data-parallel-size", "2"]


def test_an_untrained_model_that_is_served_already_starts_no_server(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from sebench.models.vllm import ServeSettings, serve

    folder = on_path(tmp_path / "bin", monkeypatch)
    with serve("some/model", ServeSettings(), 0, tmp_path / "log") as server:
        job = replace(served(tmp_path, tiny), method="none", serve={"base_url": [server.base_url]})
        row.work(job, lambda *_: None)
        assert len(starts(folder)) == 1


WHOLE_WAY = """
worlds = ["{world}"]
out = "{out}"
gpus = 2
prompts = "short"
baseline = "Closed-SFT"
[serve]
[evaluate]
split = ["single_test"]
book = ["closed"]
limit = 1
samples = 2
max_tokens = 99
[answers]
limit = 3
max_tokens = 99
[learn]
model = "{model}"
device = "cpu"
trainer = "trl"
precision = "float32"
credit = "passed"
epochs = 1
batch = 4
probe_every = -1
[[method]]
name = "Closed-SFT"
method = "closed-sft"
examples = "own"
"""


@slow  # each part of the way has a test of its own: servers and launching above, training in test_learn_trl.py
def test_a_row_goes_the_whole_way_on_two_processes(
    tmp_path: Path, tiny: World, toy_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Own answers from a server, a training that accelerate launches on two CPU processes (gloo), an evaluation of the
    checkpoint from its folder."""
    pytest.importorskip("trl")
    tasks = [*tiny.tasks("train"), *tiny.tasks("single_test")]
    folder = on_path(tmp_path / "bin", monkeypatch, answers={t.question: f"```python\n{t.gold}\n```" for t in tasks})
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    (tmp_path / "fsdp.yaml").write_text((ROOT / "experiments" / "fsdp.yaml").read_text())
    chosen = grid.read(written(tmp_path, WHOLE_WAY.format(world=tiny.path, out=tmp_path / "out", model=toy_model)))
    assert [result.error for result in Experiment(chosen, [tiny]).run()] == ["", ""]
    model = tmp_path / "out" / tiny.path.name / "Closed-SFT" / "model"
    learnt = json.loads((model / "learn.json").read_text())
    assert learnt["ended"] and learnt["rows"] == 3 and len((model / "log.jsonl").read_text().splitlines()) == 1
    assert [words[1] for words in starts(folder)] == [str(toy_model), str(model)]
    comparison = compare(tmp_path / "out")
    (figure,) = comparison.figures
    assert (figure.k, figure.pass_at_k, figure.accuracy) == (2, 1.0, 1.0)
    work = Experiment(chosen, [tiny])
    assert all(result.skipped for result in work.run()) and len(starts(folder)) == 2


# ---- the published table --------------------------------------------------------------------------------------------


def settings(config: TrainConfig, *wanted: str) -> dict[str, Any]:
    return {name: getattr(config, name) for name in wanted}


def test_the_published_table_has_its_rows_and_settings() -> None:
    """The settings of the published scripts, and of their framework where these say nothing."""
    paper = grid.read(PAPER)
    assert [(m.name, m.method) for m in paper.methods] == [
        ("untrained", "none"),
        ("Open-SFT", "open-sft"),
        ("Closed-SFT", "closed-sft"),
        ("Open-RL", "open-rl"),
        ("Closed-RL", "closed-rl"),
        ("Closed-SFT-RL", "closed-sft-rl"),
        ("Closed-SFT self-play", "closed-sft"),
        ("Absolute Zero", "absolute-zero"),
        ("ACE", "ace"),
        ("ExpeL", "expel"),
    ]
    rows = {m.name: m for m in (*paper.prerequisites, *paper.methods)}
    assert {(m.gpus, m.learn.model) for m in paper.methods} == {(8, "Qwen/Qwen3-8B")}
    for name in ("Open-SFT", "Closed-SFT", "Closed-SFT self-play"):
        config = rows[name].learn
        assert settings(config, "lr", "batch", "epochs", "weight_decay") == {
            "lr": 1e-5, "batch": 32, "epochs": 4, "weight_decay": 0.01}  # fmt: skip
        rates = [config.rate(step, 400) for step in range(400)]
        assert rates.index(max(rates)) == 39 and rates[-1] < 1e-8 and Trainer.clip == 1.0  # a tenth, then cosine
    for name in ("Open-RL", "Closed-RL", "Closed-SFT-RL", "Absolute Zero"):
        config = rows[name].learn
        chosen = settings(config, "lr", "tasks_per_step", "samples", "max_tokens", "warmup", "credit", "advantage")
        assert list(chosen.values()) == [1e-6, 32, 8, 8192, 0, "passed", "group"]
    assert settings(rows["Open-RL"].learn, "steps", "updates", "dual_clip") == {
        "steps": 66,
        "updates": 2,
        "dual_clip": 3,
    }
    assert settings(rows["Closed-RL"].learn, "steps", "updates", "old") == {"steps": 660, "updates": 1, "old": "update"}
    for name, samples in (("answers", 5), ("Closed-SFT", 5), ("ExpeL", 5), ("untrained", 64)):
        run = rows[name].evaluate
        assert (run.samples, run.temperature, run.max_tokens, run.thinking) == (samples, 0.6, 8192, "on")
    assert {m.study.credit for m in paper.methods if m.study} == {"passed"}
    assert rows["untrained"].evaluate.book == ("native", "open", "closed")
    assert {m.needs for m in paper.methods} == {(), ("answers",), ("selfplay",)}


def test_the_file_for_one_gpu_differs_where_it_says_so() -> None:
    allowed = {"model", "gpus", "lr", "max_tokens", "propose_tokens", "thinking", "trainer"}
    free = {"pack_tokens", "checkpointing", "save_minutes", "pass_at", "workers", "timeout_s", "batch"}
    paper, small = grid.read(PAPER), grid.read(SMALL)
    for one, other in zip((*paper.prerequisites, *paper.methods), (*small.prerequisites, *small.methods), strict=True):
        assert (one.name, one.method, one.start, one.needs) == (other.name, other.method, other.start, other.needs)
        for record in ("learn", "evaluate", "study", "play"):
            first, second = (getattr(side, record) for side in (one, other))
            for setting in fields(first) if first else ():
                before, after = getattr(first, setting.name), getattr(second, setting.name)
                assert before == after or setting.name in allowed | free, (one.name, setting.name)


def test_a_dry_run_builds_nothing_and_says_what_is_estimated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(plan.Gpu, "measure", lambda: None)
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path))
    monkeypatch.setattr(World, "build", lambda *_, **__: pytest.fail("nothing is built"))
    found = CliRunner().invoke(cli, ["experiment", str(PAPER), "--dry-run"])
    assert found.exit_code == 0, found.output
    assert (
        "; upper bounds for H100 (estimated: no GPU here):" in found.output
        and "world 7 is not built yet" in found.output
    )
    lines = [line.split() for line in found.output.splitlines() if line[:1].isdigit()]
    assert [line[0] for line in lines] == [f"{n}." for n in range(1, 13)]
    assert "does not fit" not in found.output
    told = json.loads(CliRunner().invoke(cli, ["experiment", str(PAPER), "--dry-run", "--json"]).output)
    by_name = {one["name"]: one for one in told["rows"]}
    assert by_name["answers"]["load"]["answers"] == 951 * 5
    assert by_name["untrained"]["load"]["answers"] == (317 + 533) * 3 * 64
    assert by_name["Closed-RL"]["load"]["answers"] == 660 * 32 * 8 + (317 + 533) * 5
    assert by_name["Closed-SFT-RL"]["after"] == ["Closed-SFT"] and not any(tmp_path.iterdir())


def test_a_dry_run_counts_every_request_of_an_answer(tiny: World, tmp_path: Path) -> None:
    """As the dry run of the evaluation that the row makes."""
    rows = {
        "lookup": 'method = "lookup"\nqueries = 3\nevaluate = { repair = 1 }',
        "operations": 'method = "operations"',
        "pages": 'method = "pages"',
        "repair": 'method = "none"\nevaluate = { repair = 2 }',
    }
    text = f'worlds = ["{tiny.path}"]\n[evaluate]\nbook = ["closed"]\nmax_tokens = 99\n'
    text += "".join(f'[[method]]\nname = "{name}"\n{row}\n' for name, row in rows.items())
    chosen = grid.read(written(tmp_path, text))
    forecast = estimate.forecast(chosen, plan.ESTIMATED)
    for method, found, each in zip(chosen.methods, forecast.rows, (5, 2, 1, 3), strict=True):
        config = method.evaluate
        if method.study:
            make.study(tiny, method.method, method.study, folder := tmp_path / method.name)
            config = replace(config, memory=str(folder))
        size = pipeline.estimate(config, pipeline.plan(config, tiny))
        assert found.load.requests == size.requests == each * found.load.answers > 0
        assert found.load.most_tokens == size.most_completion_tokens
        assert found.load.prompt_tokens > 0.9 * size.prompt_tokens


def test_a_dry_run_reads_a_world_that_is_there_and_refuses_wrong_shares(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan.Gpu, "measure", lambda: plan.Gpu("L4", 24 * plan.GIB, 6e13, 3e11))
    found = CliRunner().invoke(cli, ["experiment", str(SMALL), "--dry-run", "--world", str(tiny.path), "--json"])
    told = json.loads(found.output)
    assert told["gpu"]["measured"] and told["rows"][0]["load"]["answers"] == 5 * len(tiny.tasks("train"))
    assert any(not one["fits"] for one in told["rows"])  # 1.5B in float32 on 24 GiB
    (tmp_path / "fsdp.yaml").touch()
    text = PAPER.read_text().replace("gpus = 8 ", "gpus = 7 ")
    with pytest.raises(ConfigError, match="256 answers per step cannot be divided evenly among 3 proc"):
        estimate.forecast(grid.read(written(tmp_path, text)), plan.ESTIMATED)


@pytest.mark.parametrize("device", ["", 'device = "cpu"'])
def test_without_a_gpu_a_file_that_asks_for_none_is_planned_for_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str
) -> None:
    here = None if not device else plan.ESTIMATED  # device = "cpu" means the CPU beside any GPU
    monkeypatch.setattr(plan.Gpu, "measure", lambda: here)
    monkeypatch.setattr(plan.free_memory, "on_cpu", lambda: 8 << 30)
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path))
    measure, there = estimate.world_sizes, list[sizes.WorldSizes]()

    def measure_once(chosen: grid.Grid, name: str, scratch: Path) -> sizes.WorldSizes:
        """The world is built for the first of the three dry runs alone."""
        there[:] = there or [measure(chosen, name, tmp_path)]
        return there[0]

    monkeypatch.setattr(estimate, "world_sizes", measure_once)
    text = (PAPER.parent / "paradox.toml").read_text().replace("[learn]", f"[learn]\n{device}")
    text = text.replace("functions = 24", "functions = 12")
    found = CliRunner().invoke(cli, ["experiment", str(written(tmp_path, text)), "--dry-run"])
    assert found.exit_code == 0, found.output
    assert "CPU with " in found.output and " GB/s, " in found.output and " GFLOP/s" in found.output
    assert "H100" not in found.output and "GPU hours" not in found.output and "GiB on a GPU" not in found.output
    told = json.loads(
        CliRunner().invoke(cli, ["experiment", str(written(tmp_path, text)), "--dry-run", "--json"]).output
    )
    assert told["gpu"]["is_cpu"] and told["gpu"]["bandwidth"] < 1e12
    head, _, methods = text.partition("[[method]]")
    alone = written(tmp_path, head + "[[method]]" + methods.partition("[[method]]")[0])
    assert ": 1 row, written to " in CliRunner().invoke(cli, ["experiment", str(alone), "--dry-run"]).output
    trained, _, untrained = told["rows"]
    assert trained["fits"] and 0 < trained["memory"] < 8 << 30  # packs are as small as learning makes them
    assert trained["gpu_hours"] > untrained["gpu_hours"] > 0.01


def test_a_cluster_is_not_planned_as_this_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan.Gpu, "measure", lambda: None)
    chosen = grid.read(PAPER.parent / "paradox.toml")
    assert estimate.choose_device(chosen).is_cpu and estimate.choose_device(chosen, here=False) == plan.ESTIMATED


def test_the_size_of_a_whole_world_is_as_written_down(world: World) -> None:
    assert len(world.names.functions) == sizes.WHOLE_FUNCTIONS
    assert {split: len(world.tasks(split)) for split in sizes.WHOLE} == {
        split: whole[0] for split, whole in sizes.WHOLE.items()
    }
    for chunk in (1, 8):
        assert sizes.WorldSizes(None).chunks(chunk) == len(chunks(world.pages, chunk))
    assert sizes.WorldSizes(None).chunks(8) == 49  # as counted in docs/lab.md


@pytest.mark.parametrize("prompts", ["", "short", "published"])
@pytest.mark.parametrize("pages", [PARTS, ("signature", "summary")])
def test_prompts_of_a_world_that_is_not_built_are_as_long_as_in_one_that_is(
    prompts: str, pages: tuple[str, ...], world: World
) -> None:
    config = RunConfig(prompts=prompts, pages=pages)
    for book in BOOKS:
        real, estimated = (sizes.WorldSizes(one).prompt_tokens("single_test", book, config) for one in (world, None))
        assert estimated == pytest.approx(real, rel=0.15), book


def test_the_forecast_can_be_written_as_json() -> None:
    assert json.dumps(asdict(estimate.SamplingLoad(1, 2, 3, 4) + estimate.SamplingLoad(2, 2, 2, 2)))

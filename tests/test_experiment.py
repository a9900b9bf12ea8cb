"""Experiments: what a file may contain, what is done once and in which order, and how an interrupted experiment
continues."""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any

import pytest
from click.testing import CliRunner

from sebench.base import files, kernel_memory
from sebench.base.errors import ConfigError, OutOfMemory, SebenchError
from sebench.cli import cli
from sebench.experiment import grid, row, runner, stream
from sebench.experiment.processes import LocalProcesses, RowFailed
from sebench.experiment.resources import MemoryBudget
from sebench.experiment.row import RowJob
from sebench.experiment.runner import Experiment, ExperimentRow, RowResult
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.train import sft
from sebench.train.config import NONE, ClosedSftConfig, OpenSftConfig, TrainConfig, configure
from sebench.world.world import World
from tests.conftest import slow

ROOT = Path(__file__).parent.parent
METHODS = """
[[method]]
name = "Closed-SFT"
method = "closed-sft"
[[method]]
name = "untrained"
method = "none"
"""


FROM = f"worlds = [1]{METHODS}[[method]]\nname = 'third'\nfrom = 'Closed-SFT'\n"
INDEX = "worlds = [1]\n[[method]]\nname = 'index'\nmethod = 'index'\n[[method]]\nname = 'b'\n"

PLAYS = """worlds = [1]
[[method]]
name = "play"
method = "selfplay"
[[method]]
name = "more"
from = "play"
method = "selfplay"
{}"""


def written(folder: Path, text: str) -> Path:
    file = folder / "grid.toml"
    file.write_text(text)
    return file


# ---- the file -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("worlds = [", "cannot be read"),
        (METHODS, "worlds must be a list of seeds or folders"),
        ("worlds = []" + METHODS, "worlds must be a list"),
        ('worlds = ["a/w", "b/w"]' + METHODS, "two worlds are called 'w'"),
        ("worlds = [1]", "no [[method]]"),
        ("worlds = [1]\nseeds = 3" + METHODS, "no setting 'seeds'"),
        ("worls = [1]" + METHODS, "no setting 'worls'; did you mean worlds?"),
        ("worlds = [1]\nloud = 3" + METHODS, "choose from worlds, out, functions, "),
        ("worlds = [1]\n[eval]" + METHODS, "no table 'eval'; did you mean [evaluate]?"),
        ("worlds = [1]\n[train]" + METHODS,
         "no table 'train'; choose from [learn], [evaluate], [answers], [selfplay], [serve], [[method]]"),
        ("worlds = [1]" + METHODS.replace("method]]", "methods]]"), "no table 'methods'; did you mean [[method]]?"),
        ("worlds = [1]" + METHODS.replace("[[method]]", "[method]", 1), "; write [[method]] instead of [method]"),
        ("worlds = [1]" + METHODS.replace("[[method]]", "[method]"), "; write [[method]] instead of [method]"),
        ('worlds = [1]\n[method]\nname = "a"', "write [[method]] instead of [method]"),
        ("worlds = [1]\nparallel = -1" + METHODS, "parallel = -1: must be at least 0"),
        ("worlds = [1]\ngpus = -1" + METHODS, "gpus = -1: must be at least 0"),
        ('worlds = [1]\n[[method]]\nname = "a"\nmethod = "none"\ngpus = "all"', "gpus = 'all': must be a whole number"),
        ("worlds = [1]\ngpus = 2" + METHODS, "Closed-SFT: gpus = 2: several GPUs need trainer = 'trl'"),
        ("worlds = [1]\n[learn]\nsteps = 4" + METHODS, "[learn]: steps has no effect on any of the rows; remove it"),
        ("worlds = [1]\n[serve]\nport = 3" + METHODS, "[serve]: no setting 'port'"),
        ("worlds = [1]\n[answers]\nmemory = 'm'" + METHODS.replace("method =", 'examples = "own"\nmethod =', 1),
         "[answers]: memory cannot be set here"),
        ('worlds = [1]\n[[method]]\nname = "a"\nmethod = "ace"\nk = 3', "[[method]] 1: --k has no effect on ace"),
        ('worlds = [1]\n[[method]]\nname = "answers"\nmethod = "none"', "name = 'answers' is already used or reserved"),
        ('worlds = [1]\n[[method]]\nname = "a"\nmethod = "none"\nevaluate = 3', "evaluate must be a table"),
        ('worlds = [1]\n[[method]]\nname = "a"\nmethod = "none"\nevaluate = { samples = 0 }', "samples = 0"),
        ('worlds = [1]\nkeep = "some"' + METHODS, "keep = 'some': must be all or none"),
        ('worlds = [1]\nlevel = "all"' + METHODS, "level = 'all'"),
        ('worlds = ["folder"]\nfunctions = 6' + METHODS, "'folder' is already built"),
        ('worlds = [1]\nbaseline = "Open"' + METHODS, "baseline = 'Open': choose from Closed-SFT, untrained"),
        ("worlds = [1]\nevaluate = 3" + METHODS, "evaluate must be a table"),
        ("worlds = [1]\n[evaluate]\nbooks = 1" + METHODS, "[evaluate]: no setting 'books'"),
        ('worlds = [1]\n[evaluate]\nmodel = "m"' + METHODS, "[evaluate]: model cannot be set here"),
        ('worlds = [1]\n[learn]\nepochs = "four"' + METHODS, "epochs = 'four' is not a whole number"),
        ("worlds = [1]\n[learn]\nepochs = -3" + METHODS, "grid.toml, [learn]: epochs = -3: must be at least 1"),
        ("worlds = [1]" + METHODS.replace('-sft"', '-sft"\nform = "poem"'), "[[method]] 1: form = 'poem': must be"),
        ("worlds = [1]\n[[method]]\nname = 'a'\nmethod = 'ace'\ntogether = 0", "[[method]] 1: together = 0: must be"),
        ("worlds = [1]\n[learn]\nepoch = 4" + METHODS, "[learn]: no setting 'epoch'"),
        ('worlds = [1]\n[[method]]\nname = "a/b"', "name = 'a/b': use letters"),
        ('worlds = [1]\n[[method]]\nname = "a"\nmethod = "sft"', "method = 'sft': choose from absolute-zero"),
        ("worlds = [1]" + METHODS + METHODS, "[[method]] 3: name = 'Closed-SFT' is already used"),
        ("worlds = [1]" + METHODS + "epochs = 3", "epochs is a training setting, and 'none' does not train"),
        ('worlds = [1]\n[[method]]\nname = "a"\nmethod = "closed-rl"\nfrom = '
         '"b"', "from = 'b': no method above has this name"),
        ('worlds = [1]\n[[method]]\nname = "a"\nmethod = "closed-sft"\nsteps = 9', "[[method]] 1: steps has no effect "
                                                                                   "on closed-sft"),
        ('worlds = [1]\n[[method]]\nname = "answers of a"', "name = 'answers of a' is already used or reserved"),
        (FROM + 'method = "closed-sft"\nmodel = "m"', "from = 'Closed-SFT' has the model of that row; remove model"),
        (FROM.replace("from = 'Closed", "from = 'untrained'#") + 'method = "none"', "'untrained' trains no model"),
        (FROM + 'method = "none"\nmemory = "Closed-SFT"', "no method above with this name writes a memory"),
        (FROM + 'method = "none"\nmemory = 3', "memory = 3: no method above with this name writes a memory"),
        (INDEX + 'method = "notes"\nmemory = "index"', "memory = 'index': notes makes a memory of its own"),
        (FROM + 'method = "closed-sft"\nexamples = "own:third"', "'own:third': no method above has this name"),
        (FROM + 'method = "closed-sft"\nexamples = "own:untrained"', "'own:untrained': that row trains no model"),
        (FROM + 'method = "closed-rl"\nexamples = "selfplay:Closed-SFT"', "use own:Closed-SFT"),
        (FROM + 'method = "selfplay"\nbase = "b"', "[[method]] 3: base cannot be set here"),
        (FROM + 'method = "selfplay"\nlr = 1e-3', "lr is a setting of training; set it in [learn], or as"),
        (FROM + 'method = "selfplay"\nmodel = 3', "from = 'Closed-SFT' has the model"),
        (PLAYS.format("").replace('"play"', '"play"\nmodel = 3', 1), "[[method]] 1: model = 3 is not a string"),
        (PLAYS.format("learn = 3"), "[[method]] 2: learn = 3 is not a"),
        (PLAYS.format('train = ["closed-sft"]'), "train = ['closed-sft'] is not a string"),
        ("worlds = [1]\n[selfplay]\nlearn = true" + PLAYS.format("")[12:], "[selfplay]: learn = True is not a"),
        (FROM + 'method = "closed-rl"\nexamples = "own"', "examples = 'own': RL samples its own answers"),
        (FROM + 'method = "closed-rl"\nexamples = "gold,selfplay"', "'selfplay': RL takes tasks from one source"),
        (FROM + 'method = "selfplay"\nalso_learn = "own:third"', "also_learn = 'own:third': no method above"),
        (FROM + 'method = "selfplay"\ngpus = 2', "third: gpus = 2: self-play trains on one GPU"),
        (INDEX + 'method = "none"\nmemory = "index"\nevaluate = { book = ["open"] }', "is for the closed book"),
        ('worlds = [1]\n[[method]]\nname = ".."\nmethod = "none"', "name = '..': use letters"),
        (FROM + 'method = "selfplay"\naim = "missed"', "[[method]] 3: aim = missed has no effect"),
        ("worlds = [1]\n[selfplay]\ntrain = 'none'" + METHODS + "[[method]]\nname = 'a'\nmethod = 'selfplay'",
         "[selfplay]: train cannot be set here"),
        (PLAYS.format("rounds = 2"), "[[method]] 2: from = 'play': it has 2 rounds already; raise rounds to more"),
        (PLAYS.format("rounds = 3\nabove = 0.5"), "from = 'play': it has above = 0.0, which decides what is kept"),
        (PLAYS.format("rounds = 3\nlearn = 'epochs'"), "learn = 'epochs': write SETTING=VALUE"),
        (FROM + "method = 'selfplay'\n[serve]", "third: self-play trains between its rounds"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_one_line_that_names_it(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        grid.read(written(tmp_path, text))
    assert said in str(caught.value) and "grid.toml" in str(caught.value) and "\n" not in str(caught.value).strip()


def test_the_command_says_a_mistake_in_one_line_with_a_status(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["experiment", str(tmp_path / "nowhere.toml")])
    assert done.exit_code == 1 and isinstance(done.exception, SebenchError)
    assert "nowhere.toml cannot be read" in str(done.exception)


@pytest.mark.parametrize("given", [[], ["--dry-run"]])
def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, given: list[str]) -> None:
    file, out = written(tmp_path, "worlds = [1]" + METHODS), tmp_path / "out"
    (out / "worlds").mkdir(parents=True)  # an experiment may have been killed while it built its worlds
    runner.refuse_foreign(grid.read(file, out))
    (out / "thesis.txt").write_text("mine")
    done = CliRunner().invoke(cli, ["experiment", str(file), "--out", str(out), *given])
    assert isinstance(done.exception, SebenchError)
    assert str(done.exception) == f"{out} already exists and contains no experiment run; choose another --out"


def test_what_stands_above_the_tables_is_for_training_and_evaluation(tmp_path: Path) -> None:
    text = 'worlds = [1]\nprompts = "short"\npages = ["summary"]\n[learn]\nepochs = 3' + METHODS
    found = grid.read(written(tmp_path, text.replace('"closed-sft"', '"open-sft"\nepochs = 4')))
    evaluate = found.methods[0].evaluate
    assert (evaluate.prompts, evaluate.pages) == ("short", ("summary",))
    learn = found.methods[0].learn
    assert isinstance(learn, OpenSftConfig)
    assert (learn.prompts, learn.pages, learn.epochs) == ("short", ("summary",), 4)
    assert not hasattr(found.methods[1].learn, "epochs")  # it trains nothing
    assert (found.out, found.baseline) == (Path("runs/grid"), "Closed-SFT")
    assert grid.read(tmp_path / "grid.toml", Path("elsewhere")).out == Path("elsewhere")


def test_the_files_that_are_shown_and_shipped_can_be_read(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / "docs" / "experiments.md").read_text(), re.M | re.S)
    found = grid.read(written(tmp_path, shown))
    assert [method.start for method in found.methods] == ["", "", "Closed-SFT", "", "", "", "Closed-SFT", ""]
    (shown_stream,) = re.findall(r"^```toml\n(.*?)^```", (ROOT / "docs" / "streams.md").read_text(), re.M | re.S)
    assert stream.read(written(tmp_path, shown_stream)).grid.stages == ("A", "B", "A")
    for file in (ROOT / "experiments").glob("*.toml"):
        assert stream.read(file).grid.methods if "stages" in file.read_text() else grid.read(file).methods
    paradox = grid.read(ROOT / "experiments" / "paradox.toml")
    assert {method.learn.prompts for method in paradox.methods} == {paradox.methods[0].evaluate.prompts} == {"short"}
    assert f"sebench experiment {paradox.file.relative_to(ROOT)}" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize("prompts", ["", "short"])
def test_a_model_is_asked_as_it_was_taught(tiny: World, prompts: str) -> None:
    parts = ("signature", "summary")
    for method, book in (("closed-sft", "closed"), ("open-sft", "open"), ("native-sft", "native")):
        learn = configure(method, {"prompts": prompts, "pages": parts}, {})
        taught = {one.id: one.prompt.text for one in sft.training_rows(tiny, method, learn) if one.prompt}
        run = RunConfig(prompts=prompts, pages=parts, distractors=0, split=("train",), book=(book,))
        asked = {task.id: prompt.text for task, prompt, _ in pipeline.plan(run, tiny).items()}
        assert taught == asked and len(asked) == len(tiny.tasks("train"))


def test_short_prompts_have_question_and_signature_and_no_examples(tiny: World) -> None:
    short = RunConfig(prompts="short", split=("train",), book=("closed", "native"))
    for task, prompt, _ in pipeline.plan(short, tiny).items():
        assert task.question in prompt.text and task.signature in prompt.text
        assert f"{task.entry}({next(iter(task.parameters))}=" not in prompt.text
        assert (tiny.names.package in prompt.text) == (prompt.book == "closed")


# ---- the order of work ------------------------------------------------------------------------------------------


class Pretended(Experiment):
    """Rows that do nothing but leave what a training leaves; those named in `failing` fail."""

    def __init__(self, *given: Any, failing: tuple[str, ...] = (), **more: Any) -> None:
        super().__init__(*given, **more)
        self.jobs: list[tuple[str, RowJob]] = []
        self.failing = failing

    def _process(self, one: ExperimentRow, job: RowJob) -> None:
        self.jobs.append((one.name, job))
        if one.name in self.failing:
            raise RowFailed("it was to fail")
        (one.folder / "run").mkdir(exist_ok=True)
        if job.learn is not None:
            model = one.folder / "model"
            model.mkdir()
            (model / "model.safetensors").write_bytes(b"weights")
            (model / "learn.json").write_text('{"ended": true}')


CHAIN = """
worlds = ["{world}"]
out = "{out}"
[learn]
model = "toy"
epochs = 1
[[method]]
name = "b"
method = "closed-sft"
[[method]]
name = "c"
method = "closed-sft"
from = "b"
[[method]]
name = "d"
method = "none"
"""


def chained(tmp_path: Path, world: World, change: tuple[str, str] = ("", ""), **more: Any) -> Pretended:
    text = CHAIN.format(world=world.path, out=tmp_path / "out").replace(*change)
    chosen = grid.read(written(tmp_path, text))
    return Pretended(chosen, runner.open_worlds(chosen, lambda *_: None), **more)


def names(world: World, *rows: str) -> list[str]:
    return [f"{world.path.name}/{name}" for name in rows]


@pytest.mark.parametrize("parallel", [1, 2, 3])
def test_a_row_waits_for_the_row_that_it_begins_with(tmp_path: Path, tiny: World, parallel: int) -> None:
    progress: list[tuple[str, int, int]] = []
    work = chained(tmp_path, tiny, ("[learn]", f"parallel = {parallel}\n[learn]"))
    work.progress = lambda *line: progress.append(line)
    assert [(o.error, o.skipped) for o in work.run()] == [("", False)] * 3
    assert ("rows", 3, 3) in progress and not any(not what for what, _, _ in progress)
    order = [name for name, _ in work.jobs]
    b, c, _ = names(tiny, "b", "c", "d")
    assert sorted(order) == names(tiny, "b", "c", "d") and order.index(b) < order.index(c)
    jobs = dict(work.jobs)
    assert jobs[b].learn and jobs[b].learn["model"] == "toy"
    assert jobs[c].learn and jobs[c].learn["model"] == str(tmp_path / "out" / tiny.path.name / "b" / "model")


def test_what_is_done_is_not_done_again(tmp_path: Path, tiny: World) -> None:
    chained(tmp_path, tiny).run()
    again = chained(tmp_path, tiny)
    assert [(o.error, o.skipped) for o in again.run()] == [("", True)] * 3 and again.jobs == []


def test_a_row_that_fails_stops_those_that_need_it_and_no_others(tmp_path: Path, tiny: World) -> None:
    b, c, d = names(tiny, "b", "c", "d")
    told: list[RowResult] = []
    found = chained(tmp_path, tiny, failing=(b,), on_result=told.append).run()
    assert [o.error for o in found] == ["it was to fail", "'b' did not finish", ""]
    assert sorted(o.row.name for o in told) == [b, c, d]
    again = chained(tmp_path, tiny)
    assert not any(o.error for o in again.run()) and [name for name, _ in again.jobs] == [b, c]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("epochs = 1", "epochs = 2"), "learn.epochs = 1, but now it is 2"),
        (("[learn]", "[evaluate]\nmax_tokens = 9\n[learn]"), "evaluate.max_tokens = 1024, but now it is 9"),
        (('"closed-sft"\n[[method]]\nname = "c"', '"open-sft"\n[[method]]\nname = "c"'), "method = 'closed-sft'"),
    ],
)
def test_changed_settings_are_refused_and_named(
    tmp_path: Path, tiny: World, change: tuple[str, str], said: str
) -> None:
    chained(tmp_path, tiny).run()
    with pytest.raises(ConfigError, match="choose another --out") as caught:
        chained(tmp_path, tiny, change).run()
    assert said in str(caught.value)


def test_a_row_is_refused_whose_beginning_was_trained_otherwise(tmp_path: Path, tiny: World) -> None:
    work, change = chained(tmp_path, tiny), ('name = "b"', 'lr = 0.1\nname = "b"')
    work.run()
    shutil.rmtree(work.rows[0].folder)  # as the message about b's own change advises
    with pytest.raises(ConfigError, match=r"c was started with start\.learn\.lr = 0\.0005, but now it is 0\.1"):
        chained(tmp_path, tiny, change).run()


def test_settings_may_change_before_anything_is_done(tmp_path: Path, tiny: World) -> None:
    every = tuple(names(tiny, "b", "c", "d"))
    assert all(o.error for o in chained(tmp_path, tiny, failing=every).run())
    again = chained(tmp_path, tiny, ("epochs = 1", "epochs = 2"))
    assert not any(o.error for o in again.run())
    assert again.jobs[0][1].learn and again.jobs[0][1].learn["epochs"] == 2


def test_a_further_book_extends_the_evaluation_and_trains_nothing(tmp_path: Path, tiny: World) -> None:
    chained(tmp_path, tiny).run()
    more = chained(tmp_path, tiny, ("[learn]", '[evaluate]\nbook = ["closed", "open", "native"]\n[learn]'))
    assert not any(o.error for o in more.run())
    assert len(more.jobs) == 3 and all(job.learn is None for _, job in more.jobs)


def test_weights_go_when_nothing_needs_them_and_the_record_stays(tmp_path: Path, tiny: World) -> None:
    keep = ("[learn]", 'keep = "none"\n[learn]')
    _, c, _ = names(tiny, "b", "c", "d")
    chained(tmp_path, tiny, keep, failing=(c,)).run()
    folder = tmp_path / "out" / tiny.path.name
    assert (folder / "b" / "model" / "model.safetensors").exists()  # c needs them still
    chained(tmp_path, tiny, keep).run()
    for name in ("b", "c"):
        assert [file.name for file in (folder / name / "model").iterdir()] == ["learn.json"]
    more = chained(tmp_path, tiny, ("[learn]", 'keep = "none"\nseen = 3\n[learn]')).run()
    assert "its weights were deleted" in more[0].error and more[1].error == "'b' did not finish"


def test_processes_side_by_side_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
        monkeypatch.delenv(name, raising=False)
    alone, shared = LocalProcesses(1), LocalProcesses(64)
    assert "OMP_NUM_THREADS" not in alone._environment()
    found = shared._environment()
    assert (found["OMP_NUM_THREADS"], found["OMP_WAIT_POLICY"]) == ("1", "PASSIVE")


def test_one_process_works_in_a_folder(tmp_path: Path, tiny: World) -> None:
    work = chained(tmp_path, tiny)
    with files.lock(tmp_path / "out"), pytest.raises(ConfigError, match="another process is writing to"):
        work.run()


def test_small_worlds_are_built_once_in_the_folder_of_the_experiment(tmp_path: Path) -> None:
    text = f'worlds = [3]\nfunctions = 6\nout = "{tmp_path}/out"' + METHODS
    chosen = grid.read(written(tmp_path, text))
    said: list[str] = []
    (world,) = runner.open_worlds(chosen, lambda what, done, total: said.append(what))
    assert world.path == tmp_path / "out" / "worlds" / "3-6-functions" and len(world.names.functions) == 6 and said
    said.clear()
    runner.open_worlds(chosen, lambda what, done, total: said.append(what))
    assert not said


# ---- processes ----------------------------------------------------------------------------------------------


def test_what_a_user_can_cure_comes_back_from_the_process_as_one_line(tmp_path: Path, tiny: World) -> None:
    text = f'worlds = ["{tiny.path}"]\nout = "{tmp_path}/out"\n[learn]\nprobe_every = -1\nmodel = "{tmp_path}"\n'
    text += '[evaluate]\nsplit = "boundary_test"\ndecline = true\n[[method]]\nname = "none"\nmethod = "none"'
    (outcome,) = Experiment(grid.read(written(tmp_path, text)), [tiny]).run()
    assert outcome.error.startswith(f"world {tiny.path} has no boundary_test") and "\n" not in outcome.error


def test_an_untrained_model_of_a_hub_is_probed_and_asked_by_its_name(tmp_path: Path, tiny: World) -> None:
    work = chained(tmp_path, tiny, ('model = "toy"', 'model = "maker/model"'))
    work.run()
    job = dict(work.jobs)[names(tiny, "d")[0]]
    assert job.untrained and job.untrained["model"] == "maker/model"
    assert job.evaluate and job.evaluate["model"] == "hf:maker/model" and job.learn is None


def test_a_crash_is_told_by_its_last_line_or_its_signal(tmp_path: Path) -> None:
    log = tmp_path / "row.log"
    log.write_bytes(b"of an earlier process\nTraceback\nValueError: too large\n")
    assert runner._reason(1, log, 22) == f"ValueError: too large; the log is {log}"
    assert "killed by SIGKILL" in runner._reason(-9, log, 22)
    assert runner._reason(3, log, len(log.read_bytes())).startswith("exit status 3")


def test_a_row_that_the_kernel_killed_for_lack_of_memory_says_so(
    tmp_path: Path, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(LocalProcesses):
        def _start(self, log: IO[bytes], job: RowJob) -> subprocess.Popen[str]:
            pipe = subprocess.PIPE
            return subprocess.Popen(["sh", "-c", "kill -9 $$"], stdin=pipe, stdout=pipe, stderr=log, text=True)

    text = f'worlds = ["{tiny.path}"]\nout = "{tmp_path}/out"\n[learn]\nmodel = "m"' + METHODS
    chosen = grid.read(written(tmp_path, text))
    (first, *_) = Experiment(chosen, [tiny], launcher=Killed()).run()
    assert first.error.startswith("its process: killed by SIGKILL; run the same command again to resume")
    kills = itertools.count()
    monkeypatch.setattr(kernel_memory, "kernel_kills", lambda: next(kills))
    (first, *_) = Experiment(chosen, [tiny], launcher=Killed()).run()
    assert first.error.startswith("killed by the kernel for lack of memory; run fewer rows at a time")


def test_a_process_that_ends_before_it_is_told_its_job_is_a_row_that_failed(tmp_path: Path, tiny: World) -> None:
    class Dead(LocalProcesses):
        def _start(self, log: IO[bytes], job: RowJob) -> subprocess.Popen[str]:
            pipe = subprocess.PIPE
            child = subprocess.Popen(["false"], stdin=pipe, stdout=pipe, stderr=log, text=True)
            child.wait()
            return child

    text = f'worlds = ["{tiny.path}"]\nout = "{tmp_path}/out"\n[learn]\nmodel = "m"' + METHODS
    outcomes = Experiment(grid.read(written(tmp_path, text)), [tiny], launcher=Dead()).run()
    assert all("exit status 1" in outcome.error for outcome in outcomes)


TOY = """
worlds = ["{world}"]
out = "{out}"
seen = 2
prompts = "short"
pages = ["signature"]
[evaluate]
split = ["single_test"]
limit = 3
distractors = 0
max_tokens = 3
[learn]
model = "{model}"
epochs = 12
batch = 4
per_function = 1
[[method]]
name = "untrained"
method = "none"
[[method]]
name = "Closed-SFT"
method = "closed-sft"
"""


class Here(Experiment):
    """Rows in this process, which has imported torch already."""

    def _process(self, one: ExperimentRow, job: RowJob) -> None:
        try:
            row.work(job, lambda what, done, total: None)
        except SebenchError as error:
            raise RowFailed(str(error)) from None


def test_a_row_whose_prompts_are_all_refused_says_why_and_the_others_go_on(
    tmp_path: Path, tiny: World, toy_folder: Path
) -> None:
    head, _, _ = TOY.format(world=tiny.path, out=tmp_path / "out", model=toy_folder).partition("[[method]]")
    rows = '[[method]]\nname = "{}"\nmethod = "none"\nevaluate = {{ book = "{}"{} }}\n'
    long = ", distractors = -1"
    text = head.replace("seen = 2\n", "").replace('pages = ["signature"]\n', "") + "probe_every = -1\n"
    chosen = [rows.format("open", "open", long), rows.format("closed", "closed", "")]
    refused, answered = Here(grid.read(written(tmp_path, text + "".join(chosen))), [tiny]).run()
    assert answered.error == "" and len(list(Run.load(answered.row.folder / "run").rows())) == 3
    assert re.fullmatch(
        r"3 of 3 responses failed \(last error: the prompt has \d+ tokens, but .* takes at most 4096; use fewer "
        r"--distractors or a model with a longer context\)",
        refused.error,
    )
    chosen[0] = rows.format("open", "open", "")  # nothing was answered, so settings may change, as the error advises
    again, _ = Here(grid.read(written(tmp_path, text + "".join(chosen))), [tiny]).run()
    assert "started with" not in again.error


def descendants(pid: int) -> list[int]:
    """The processes that a process started, and those that they started. Any of them may hold a lock."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        started = [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:  # it has ended
        return []
    return started + [further for child in started for further in descendants(child)]


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@slow  # what resumes is tested with pretended rows too
def test_an_experiment_that_is_killed_goes_on_with_what_it_has(tmp_path: Path, tiny: World, toy_folder: Path) -> None:
    text = TOY.format(world=tiny.path, out=tmp_path / "out", model=toy_folder)
    folder = tmp_path / "out" / tiny.path.name
    log = folder / "Closed-SFT" / "model" / "log.jsonl"
    alone = grid.read(written(tmp_path, text.partition('[[method]]\nname = "Closed-SFT"')[0]))
    assert [o.error for o in Here(alone, [tiny]).run()] == [""]
    file = written(tmp_path, text)
    began = subprocess.Popen(
        [sys.executable, "-m", "sebench", "experiment", str(file)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        while not (log.is_file() and log.stat().st_size):
            assert began.poll() is None, "it ended before it could be killed"
            time.sleep(0.02)
        rows = descendants(began.pid)
    finally:
        began.send_signal(signal.SIGKILL)
        began.wait()
    assert rows
    while any(map(runs, rows)):  # they die with it
        time.sleep(0.02)
    assert json.loads((folder / "untrained" / "row.json").read_text())["done"]
    assert "done" not in json.loads((folder / "Closed-SFT" / "row.json").read_text())
    kept = (folder / "untrained" / "run" / "rollouts.jsonl").read_bytes()

    changed = written(tmp_path, text.replace("epochs = 12", "epochs = 1"))
    with pytest.raises(ConfigError, match=r"learn\.epochs = 12, but now it is 1"):
        Here(grid.read(changed), [tiny]).run()
    chosen = grid.read(written(tmp_path, text))
    outcomes = Here(chosen, [tiny]).run()
    assert [(o.row.method.name, o.error, o.skipped) for o in outcomes] == [
        ("untrained", "", True),
        ("Closed-SFT", "", False),
    ]
    assert (folder / "untrained" / "run" / "rollouts.jsonl").read_bytes() == kept
    steps = [json.loads(line)["step"] for line in log.read_text().splitlines()]
    assert steps == list(range(len(steps)))
    taught = {one.id for one in sft.training_rows(tiny, "closed-sft", chosen.methods[1].learn)}
    probed = {
        name: [json.loads(line)["step"] for line in (folder / name / "model" / "probes.jsonl").read_text().splitlines()]
        for name in ("untrained", "Closed-SFT")
    }
    assert probed == {"untrained": [0], "Closed-SFT": [len(steps)]}
    for name in ("untrained", "Closed-SFT"):
        run, seen = Run.load(folder / name / "run"), Run.load(folder / name / "seen")
        assert len(list(run.rows())) == 6 and all(r.verdict is not None for r in run.rows())
        assert len(seen.tasks) == 2 and seen.tasks.keys() <= taught < {task.id for task in tiny.tasks("train")}
    page = CliRunner().invoke(cli, ["experiment", str(file)])
    assert page.exit_code == 0, page.output
    assert (tmp_path / "out" / "comparison.html").is_file() and "Closed-SFT" in page.output
    assert "logp" in page.output and "summary" not in page.output


# ---- memory -----------------------------------------------------------------------------------------------------


GIB = 1 << 30
NEEDS_GIB = 2.0 + 16 * 134_515_008 / GIB  # of a row of SmolLM2's dimensions with packs of nothing, in float32
SIDE_BY_SIDE = """
worlds = ["{world}"]
out = "{out}"
parallel = 3
[learn]
model = "SmolLM2-135M-Instruct"
device = "cpu"
pack_tokens = 1
per_function = 1
"""


class Held(LocalProcesses):
    """Rows whose first attempts end when so many run together; `ends` has the status, and what is said, of their
    attempts."""

    def __init__(self, together: int, ends: dict[str, list[tuple[int, dict[str, Any]]]] | None = None) -> None:
        super().__init__(3)
        self.barrier, self.ends = threading.Barrier(together, timeout=60), ends or {}
        self.running: set[str] = set()
        self.attempts: list[tuple[str, set[str]]] = []  # a row, and those that ran with it
        self.packs: set[int] = set()

    def run(self, job: RowJob, log: Path, hear: Any) -> int:
        name = Path(job.folder).name
        before = sum(name == other for other, _ in self.attempts)
        self.running.add(name)
        if not before:
            self.barrier.wait()
        self.attempts.append((name, set(self.running)))
        if not before:
            self.barrier.wait()
        self.packs.add((job.learn or {}).get("pack_tokens", 0))
        self.running.discard(name)
        status, said = [*self.ends.get(name, []), *[(0, {})] * 9][before]
        hear(said)
        return status


def side_by_side(
    tmp_path: Path, world: World, starter: LocalProcesses, free: float, change: tuple[str, str] = ("", "")
) -> tuple[Experiment, list[str]]:
    """An experiment of three rows with so many GiB free, and the lines that it notes."""
    text = SIDE_BY_SIDE.format(world=world.path, out=tmp_path / "out").replace(*change)
    text += "".join(f'[[method]]\nname = "{name}"\nmethod = "closed-sft"\n' for name in "abc")
    lines: list[str] = []
    work = Experiment(grid.read(written(tmp_path, text)), [world], launcher=starter, note=lines.append)
    work.memory = MemoryBudget(3, on_cpu=lambda: int(free * GIB), on_gpu=lambda: None)
    return work, lines


def test_rows_wait_until_there_is_memory_for_them(tmp_path: Path, tiny: World) -> None:
    starter = Held(1)
    work, lines = side_by_side(tmp_path, tiny, starter, NEEDS_GIB * 1.5)
    assert not any(o.error for o in work.run())
    assert starter.attempts == [("a", {"a"}), ("b", {"b"}), ("c", {"c"})]
    waits = [f"{name} waits for another row to finish" for name in names(tiny, "b", "c")]
    assert [line.partition(":")[0] for line in lines] == waits
    assert all("needs about" in line and line.endswith("GiB of memory") for line in lines)


def test_a_row_begins_when_no_other_runs_however_little_memory_there_is(tmp_path: Path, tiny: World) -> None:
    work, _ = side_by_side(tmp_path, tiny, Held(1), 0.0)
    assert not any(o.error for o in work.run())


def test_rows_begin_together_where_memory_holds_them_all(tmp_path: Path, tiny: World) -> None:
    starter = Held(3)
    work, lines = side_by_side(tmp_path, tiny, starter, NEEDS_GIB * 5)
    assert not any(o.error for o in work.run()) and not lines
    assert [together for _, together in starter.attempts] == [set("abc")] * 3
    assert starter.packs == {1}


def test_rows_on_a_cpu_get_packs_for_their_share_of_the_memory(tmp_path: Path, tiny: World) -> None:
    starter = Held(3)
    work, lines = side_by_side(tmp_path, tiny, starter, NEEDS_GIB * 6, ("pack_tokens = 1\n", ""))
    assert not any(o.error for o in work.run()) and not lines
    (pack_tokens,) = starter.packs
    assert 500 < pack_tokens < 65_536


def test_memory_promised_to_a_row_that_has_just_begun_is_not_free(tiny: World) -> None:
    work = tiny, "closed-sft", ClosedSftConfig(model="smollm2", pack_tokens=1, per_function=1)
    room = MemoryBudget(2, on_cpu=lambda: 0, on_gpu=lambda: 8 * GIB)
    assert room.reserve("a", *work) == "" and "GiB of the GPU's memory" in room.reserve("b", *work)
    on_cpu = tiny, NONE, TrainConfig(model="smollm2", device="cpu")
    assert room.reserve("c", *on_cpu) == ""  # it is the only one on its device
    room.release("a")
    assert room.reserve("b", *work) == ""


@pytest.mark.parametrize("end", [(-signal.SIGKILL, {}), (1, {"error": "too little memory", "memory": True})])
def test_a_row_that_runs_out_of_memory_beside_others_is_tried_once_more_alone(
    tmp_path: Path, tiny: World, end: tuple[int, dict[str, Any]]
) -> None:
    starter = Held(3, {"a": [end], "b": [end, end]})
    work, lines = side_by_side(tmp_path, tiny, starter, NEEDS_GIB * 5)
    a, b, c = work.run()
    assert (a.error, a.alone) == ("", True) and (c.error, c.alone) == ("", False)
    assert dict(starter.attempts[3:]) == {"a": {"a"}, "b": {"b"}}
    assert b.alone and "it also failed alone" in b.error and "pack_tokens" in b.error
    assert "\n" not in b.error and len(lines) == 2 and all("retried when no other row is" in line for line in lines)
    assert "out of memory" in json.loads((a.row.folder / "row.json").read_text())["alone"]
    assert "alone" not in json.loads((c.row.folder / "row.json").read_text())


def test_a_row_that_fails_otherwise_or_alone_is_not_tried_again(tmp_path: Path, tiny: World) -> None:
    starter = Held(3, {"a": [(1, {"error": "no such model"})]})
    work, lines = side_by_side(tmp_path, tiny, starter, NEEDS_GIB * 5)
    assert work.run()[0].error == "no such model" and len(starter.attempts) == 3 and not lines
    starter = Held(1, {"a": [(-signal.SIGKILL, {})]})
    work, lines = side_by_side(tmp_path, tiny, starter, 0.0)
    (failed,) = [o for o in work.run() if o.error]
    assert "killed by SIGKILL" in failed.error and "smaller pack_tokens" in failed.error and "too:" not in failed.error
    assert [name for name, _ in starter.attempts] == ["a", "b", "c"]


@pytest.mark.parametrize("error", [OutOfMemory("out of memory here"), MemoryError("of Python")])
def test_a_row_says_that_it_ran_out_of_memory(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: Exception
) -> None:
    def work(job: RowJob, tell: Any) -> None:
        raise error

    monkeypatch.setattr(row, "work", work)
    monkeypatch.setattr(sys, "stdin", io.StringIO(RowJob("folder").text()))
    monkeypatch.setattr(row.os, "dup2", lambda one, other: None)
    with pytest.raises((SystemExit, MemoryError)):
        row.main()
    said = json.loads(capfd.readouterr().out)
    assert said["memory"] and "out of memory" in said["error"]


def test_looking_for_memory_imports_no_torch(tiny: World) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom sebench.world.world import World\nfrom sebench.train.config "
        "import ClosedSftConfig\n"
        "from sebench.experiment.resources import MemoryBudget\n"
        f"work = World.load(Path({str(tiny.path)!r})), 'closed-sft', ClosedSftConfig(model='smollm2', "
        "device='cpu')\n"
        "room = MemoryBudget(2)\nassert room.reserve('a', *work) == '' and room._running['a'].size\n"
        "assert 'torch' not in sys.modules and 'transformers' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

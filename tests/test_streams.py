"""Streams: a model learns several worlds one after another."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sebench.base.errors import ConfigError
from sebench.experiment import estimate, grid, stream
from sebench.experiment.stream import StreamConfig
from sebench.models import embedded
from sebench.release import folder, pack
from sebench.report.numbers import stream as numbers
from sebench.report.numbers.stream import AccuracyMatrix, StreamReport
from sebench.report.views import stream_files, training_files
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.train.loop import plan
from sebench.world.build import Slice
from sebench.world.world import World
from tests.command_line import sebench
from tests.conftest import shared, slow

FILE = """
stages = ["A", "B", "A"]
arms = ["alone", "joint", "replay"]
[worlds]
A = 11
B = 12
[[method]]
name = "untrained"
method = "none"
[[method]]
name = "SFT"
method = "closed-sft"
"""


def read(folder: Path, text: str) -> StreamConfig:
    file = folder / "stream.toml"
    file.write_text(text)
    return stream.read(file, folder / "out")


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, World]:
    """The same functions under two sets of names."""
    one = shared(tmp_path_factory, "stream-a", 3, part=Slice(subjects=("sets",)), split="fixed")
    other = shared(tmp_path_factory, "stream-b", 9, part=Slice(subjects=("sets",)), split="fixed")
    assert {t.id for t in one.tasks("single_test")} == {t.id for t in other.tasks("single_test")}
    return {"A": one, "B": other}


# ---- the file --------------------------------------------------------------------------------------------------------


def test_every_stage_starts_from_the_one_before_it(tmp_path: Path) -> None:
    rows = {row.name: row for row in read(tmp_path, FILE).grid.methods}
    assert {name: row.start for name, row in rows.items()} == {
        "untrained": "",
        "SFT sequential 1 A": "",
        "SFT sequential 2 B": "SFT sequential 1 A",
        "SFT sequential 3 A": "SFT sequential 2 B",
        "SFT alone B": "",
        "SFT joint": "",
        "SFT replay 2 B": "SFT sequential 1 A",
        "SFT replay 3 A": "SFT replay 2 B",
    }
    stages = {name: row.stage for name, row in rows.items() if row.stage}
    assert {name: stage.test_worlds for name, stage in stages.items()} == {
        "untrained": ("A", "B"),
        "SFT sequential 1 A": ("A",),
        "SFT sequential 2 B": ("A", "B"),
        "SFT sequential 3 A": ("A", "B"),
        "SFT alone B": ("B",),
        "SFT joint": ("A", "B"),
        "SFT replay 2 B": ("A", "B"),
        "SFT replay 3 A": ("A", "B"),
    }
    assert {
        name: (stage.replay_worlds, stage.replay_share) for name, stage in stages.items() if stage.replay_worlds
    } == {
        "SFT joint": (("B",), 0.0),
        "SFT replay 2 B": (("A",), 0.25),
        "SFT replay 3 A": (("B",), 0.25),
    }


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (('stages = ["A", "B", "A"]', ""), "stages must be a list"),
        (('["A", "B", "A"]', '["A", "C"]'), "stages names 'C'"),
        (("A = 11\nB = 12", ""), "needs a [worlds] table"),
        (("B = 12", "B = 1.5"), "give a seed, a folder"),
        (("B = 12", 'B = ""'), "give a seed, a folder"),
        (("B = 12", "B = { functions = 6 }"), "give a seed, a folder"),
        (("B = 12", 'B = { seed = 2, edition_of = "X", edits = 4 }'), "no world above"),
        (("B = 12", 'B = { seed = 2, edition_of = "A" }'), "number of changes"),
        (("B = 12", "B = { seed = 2, edits = 4 }"), "add edition_of"),
        (("B = 12", 'B = { seed = 2, edition_of = "A", edits = 4 }'), "level = 'names+parameters' for A"),
        (
            ("A = 11\nB = 12", 'A = "a"\nB = { seed = 2, edition_of = "A", edits = 4, functions = 6 }'),
            "only edition_of",
        ),
        (("[worlds]", 'functions = 6\n[worlds]\nC = "folder"'), "C is already built"),
        (("A = 11\nB = 12", 'A = "a/w"\nB = "b/w"'), "two folders are called 'w'"),
        (('"replay"]', '"reply"]'), "arms = 'reply'"),
        (("closed-sft", "closed-rl"), "closed-rl cannot mix in rows"),
        (('method = "closed-sft"', 'method = "closed-sft"\nexamples = "own"'), "not possible in a stream"),
        (('method = "closed-sft"', 'method = "closed-sft"\nexamples = "runs/x"'), "not possible in a stream"),
        (('method = "closed-sft"', 'method = "closed-sft"\nreplay = "x.jsonl"'), "replay cannot be set together"),
        (('method = "closed-sft"', 'method = "study"\nstudy = ["pages"]'), "study cannot be set together"),
        (('method = "closed-sft"', 'method = "closed-sft"\nprobe_worlds = ["w"]'), "set by the stages"),
        (('name = "untrained"', 'name = "SFT joint"'), "two rows would be called 'SFT joint'"),
        (("[[method]]", '[evaluate]\nbook = ["open"]\n[[method]]'), "book closed"),
        (('method = "closed-sft"', 'method = "closed-sft"\nfrom = "untrained"'), "from"),
        (("stages =", "seen = 3\nstages ="), "seen is for experiments"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, change: tuple[str, str], error: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, FILE.replace(*change, 1) if "evaluate" in change[1] else FILE.replace(*change))
    assert error in str(caught.value) and "\n" not in str(caught.value)


def test_a_dry_run_counts_the_rows_that_are_mixed_in(tmp_path: Path) -> None:
    chosen = read(tmp_path, FILE)
    forecast = estimate.forecast(chosen.grid, plan.ESTIMATED, chosen.worlds_or_sizes())
    tokens = {row.name: row.trained_tokens for row in forecast.rows}
    once = tokens["SFT sequential 1 A"]
    assert once and tokens["SFT alone B"] == once
    assert tokens["SFT joint"] == 2 * once  # A and B
    assert tokens["SFT replay 2 B"] / once == pytest.approx(4 / 3)  # a quarter of the rows is of A
    assert not any("not counted" in note for note in forecast.notes)


def test_a_dry_run_counts_only_the_tasks_that_are_learned_from(tmp_path: Path) -> None:
    def tokens(settings: str) -> int:
        chosen = read(tmp_path, FILE.replace("[[method]]", f"[learn]\n{settings}\n[[method]]", 1))
        forecast = estimate.forecast(chosen.grid, plan.ESTIMATED, chosen.worlds_or_sizes())
        return next(row.trained_tokens for row in forecast.rows if row.name == "SFT sequential 1 A")

    assert 2 * tokens("per_function = 1") == tokens("per_function = 2") > 0
    assert tokens("per_function = 3") == tokens("")


def test_a_dry_run_names_the_world_whose_part_is_wrong(tmp_path: Path) -> None:
    for part, error in (("functions = 3", "functions 3: choose 6"), ('subjects = ["set"]', "unknown subject 'set'")):
        file = tmp_path / "stream.toml"
        file.write_text(FILE.replace("B = 12", f"B = {{ seed = 12, {part} }}"))
        done = sebench("stream", str(file), "--dry-run")
        assert done.returncode == 1 and done.stderr.count("\n") == 1
        assert f"{file}, [worlds] B: " in done.stderr and error in done.stderr


def test_a_stream_and_an_experiment_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is a stream, because it has stages: run it with 'sebench stream"):
        grid.read(Path("experiments/stream-small.toml"))
    with pytest.raises(ConfigError, match="is an experiment, because it has no stages: run it with 'sebench exp"):
        stream.read(Path("experiments/paradox.toml"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FILE.replace("stages", "loud"), "no setting 'loud'; choose from stages, arms, replay_share, out"),
        (FILE.replace("stages", "stage"), "no setting 'stage'; did you mean stages?"),
        (FILE.replace("worlds", "world"), "no table 'world'; did you mean [worlds]?"),
    ],
)
def test_an_unknown_setting_is_answered_with_those_of_a_stream(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert said in str(caught.value)
    assert "baseline" not in str(caught.value) and "seen" not in str(caught.value)


def test_worlds_that_train_on_what_another_tests_are_refused(tmp_path: Path, worlds: dict[str, World]) -> None:
    text = FILE.replace("A = 11", f'A = "{worlds["A"].path}"')
    train = {task.id for task in worlds["A"].tasks("train")}
    seeds = (World.build(seed, tmp_path / str(seed), part=Slice(subjects=("sets",))) for seed in count(20))
    drawn = next(world for world in seeds if train & {task.id for task in world.tasks("single_test")})
    with pytest.raises(ConfigError, match="--split fixed"):
        read(tmp_path, text.replace("B = 12", f'B = "{drawn.path}"')).open_worlds(lambda what, done, total: None)


# ---- the numbers -----------------------------------------------------------------------------------------------------


def test_numbers_of_a_matrix_computed_by_hand() -> None:
    """Accuracies (columns A, B): stage 1 0.5; stage 2 0.25, 1.0; stage 3 (teaches C) 0.0, 0.5 and 0.75."""
    cells = {
        (1, "A"): {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0},
        (2, "A"): {"a": 1.0, "b": 0.0, "c": 0.0, "d": 0.0},
        (2, "B"): {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0},
        (3, "A"): {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0},
        (3, "B"): {"a": 1.0, "b": 1.0, "c": 0.0, "d": 0.0},
        (3, "C"): {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0},
    }
    matrix = AccuracyMatrix(("A", "B", "C"), cells)
    assert matrix.final() == pytest.approx((0.0 + 0.5 + 0.75) / 3)
    assert matrix.backward_transfer().value == pytest.approx((-0.5 - 0.5) / 2)
    assert matrix.forgetting().value == pytest.approx((0.5 + 0.5) / 2)
    joint = {"A": dict.fromkeys("abcd", 1.0), "B": dict.fromkeys("abcd", 1.0), "C": dict.fromkeys("abcd", 0.5)}
    assert matrix.intransigence(joint).value == pytest.approx((0.5 + 0.0 - 0.25) / 3)
    assert matrix.backward_transfer().tasks == 8


def test_an_interval_belongs_to_its_value_where_worlds_differ_in_size() -> None:
    """A of 300 tasks stays as it was, B of 6 tasks is lost: half of what was known, as a mean over worlds."""
    kept, lost = {f"a{i}": 1.0 for i in range(300)}, {f"b{i}": 1.0 for i in range(6)}
    cells = {(1, "A"): kept, (2, "B"): lost, (3, "A"): kept, (3, "B"): dict.fromkeys(lost, 0.0), (3, "C"): lost}
    transfer = AccuracyMatrix(("A", "B", "C"), cells).backward_transfer()
    assert transfer.value == pytest.approx(-0.5) and transfer.interval is not None
    assert transfer.interval.low < -0.5 < transfer.interval.high


def test_nothing_is_trained_twice_for_replay(tmp_path: Path) -> None:
    text = FILE.replace('["A", "B", "A"]', '["A", "A", "B"]')
    rows = {row.name: row for row in read(tmp_path, text).grid.methods}
    assert [name for name in rows if "replay" in name] == ["SFT replay 3 B"]
    assert rows["SFT replay 3 B"].start == "SFT sequential 2 A"


def test_stages_of_a_memory_wait_for_each_other(tmp_path: Path) -> None:
    text = FILE.replace('method = "closed-sft"', 'method = "index"')
    rows = read(tmp_path, text).grid.methods
    assert [(row.start, row.after) for row in rows if row.stage and row.stage.number > 1] == [
        ("", ("SFT sequential 1 A",)),
        ("", ("SFT sequential 2 B",)),
    ]


def test_worlds_with_the_same_names_are_refused(tmp_path: Path, worlds: dict[str, World]) -> None:
    text = FILE.replace("A = 11\nB = 12", 'A = { seed = 3, functions = 6 }\nB = { seed = 3, subjects = ["sets"] }')
    with pytest.raises(ConfigError, match=r"A and B have the same seed \(3\).*different seeds"):
        read(tmp_path, text)  # before anything is built
    copy = shutil.copytree(worlds["A"].path, tmp_path / "copy")
    text = FILE.replace("A = 11\nB = 12", f'A = "{worlds["A"].path}"\nB = "{copy}"')
    with pytest.raises(ConfigError, match="A and B have the same names"):
        read(tmp_path, text).open_worlds(lambda what, done, total: None)


def test_curves_computed_by_hand() -> None:
    curve = [(0, 0.0), (10, 0.5), (20, 1.0)]
    assert numbers.area(curve) == pytest.approx(0.5)
    assert numbers.area([(0, 0.3)]) is None
    assert numbers.steps_to(curve, 0.75) == pytest.approx(15)
    assert numbers.steps_to(curve, 1.1) is None
    assert numbers.steps_to([(0, 0.8), (5, 0.9)], 0.5) == 0


def learner(folder: Path, worlds: dict[str, World], keeps: str) -> StreamReport:
    """The folder of a stream A, B with a scripted learner, and its report. After B it keeps all of A, nothing, or
    half."""
    names = {stage: f"SFT sequential {stage} {world}" for stage, world in ((1, "A"), (2, "B"))}
    answers = {(1, "A"): "gold", (2, "A"): {"all": "gold", "last": "silent"}.get(keeps, "half"), (2, "B"): "gold"}
    methods = []
    for stage, name in names.items():
        place = folder / "stages" / name
        asked = ["A", "B"][:stage]
        for world in asked:
            ask(worlds[world], answers[stage, world], place / f"run-{world}")
        (place / "row.json").write_text(json.dumps({"settings": 1, "done": 1}))
        known = {"A": keeps != "last" or stage == 1, "B": True}
        for world in asked:
            pages = [{"path": page.path, "name": {"rank": 1 if known[world] else 9}} for page in worlds[world].pages]
            (place / f"probes-{world}.json").write_text(json.dumps({"functions": pages}))
        about = {"method": "SFT", "arm": "sequential", "number": stage, "world": "AB"[stage - 1], "test_worlds": asked}
        methods.append({"name": name, "method": "closed-sft", "from": "", "model": "m", "stage": about})
    described = [
        {"name": name, "seed": 3, "part": "6 functions", "folder": name, "fingerprint": world.manifest.fingerprint}
        for name, world in worlds.items()
    ]
    data: dict[str, Any] = {"format": 1, "sebench": "0", "file": "s.toml", "stages": ["A", "B"], "worlds": described}
    (folder / "experiment.json").write_text(json.dumps({**data, "methods": methods}))
    return numbers.report(folder)


def ask(world: World, model: str, out: Path) -> None:
    """Run gold, silent, or every other task of each."""
    books = ("closed", "native")
    config = RunConfig(model="silent" if model == "silent" else "gold", split=("single_test",), book=books)
    pipeline.run(config, world, out)
    if model != "half":
        return
    silent = out.with_name("silent")
    pipeline.run(RunConfig(model="silent", split=("single_test",), book=books), world, silent)
    chosen = {task.id for task in world.tasks("single_test")[::2]}
    for name in ("rollouts.jsonl", "verdicts.jsonl"):
        lines = [
            line for line in (out / name).read_text().splitlines() if json.loads(line)["key"].split("/")[1] in chosen
        ]
        others = (silent / name).read_text().splitlines()
        lines += [line for line in others if json.loads(line)["key"].split("/")[1] not in chosen]
        (out / name).write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(("keeps", "kept", "superficial"), [("all", 1.0, None), ("last", 0.0, 0.0), ("half", 0.5, 1.0)])
def test_scripted_learners_get_the_expected_figures(
    tmp_path: Path, worlds: dict[str, World], keeps: str, kept: float, superficial: float | None
) -> None:
    report = learner(tmp_path, worlds, keeps)
    (summary,) = report.summaries
    tasks = len(worlds["A"].tasks("single_test"))
    kept = kept if keeps != "half" else (tasks + 1) // 2 / tasks
    assert summary.accuracy == pytest.approx((kept + 1) / 2)
    assert summary.backward_transfer.value == pytest.approx(kept - 1)
    assert summary.forgetting.value == pytest.approx(1 - kept)
    (change,) = report.changes
    assert (change.stage, change.learned, change.world) == (2, "B", "A")
    assert change.right_to_wrong == pytest.approx(1 - kept) and change.wrong_to_right == 0
    assert change.superficial == superficial
    native = {(cell.stage, cell.world): cell.native for cell in report.cells}
    assert native == pytest.approx({(1, "A"): 1.0, (2, "A"): kept, (2, "B"): 1.0})
    drawn = stream_files.training_report(report)
    page = training_files.page(drawn)
    assert "A → B" in page and "<script" not in page
    assert stream_files.heat_map(report).count('class="cell"') == 3
    training_files.write(drawn, tmp_path)
    assert json.loads((tmp_path / "stream.json").read_text())["stages"] == ["A", "B"]


def test_a_stream_can_be_released_and_verified(tmp_path: Path, worlds: dict[str, World]) -> None:
    (tmp_path / "out").mkdir()
    report = learner(tmp_path / "out", worlds, "half")
    places = [str(world.path) for world in worlds.values()]
    released = pack.make([tmp_path / "out"], tmp_path / "release", pack.ReleaseOptions(worlds=places))
    assert "A stream" in (released.path / "README.md").read_text()
    figures = folder.read_figures(released.path / "stream.json")
    assert figures["cells"] == json.loads(training_files.as_json(stream_files.training_report(report)))["cells"]
    checked = sebench("verify", str(released.path), *(f"--world={place}" for place in places))
    assert checked.returncode == 0 and "all verdicts agree" in checked.stdout + checked.stderr, checked.stderr


# ---- running ---------------------------------------------------------------------------------------------------------

TOY = """
stages = ["A", "B", "A"]
arms = ["joint", "replay"]
prompts = "short"
[worlds]
A = "{A}"
B = "{B}"
[evaluate]
split = ["single_test"]
book = ["closed"]
limit = 2
max_tokens = 3
[learn]
model = "{model}"
epochs = 3
batch = 4
per_function = 1
probe_every = 3
probes = ["name"]
precision = "float32"
[[method]]
name = "SFT"
method = "closed-sft"
[[method]]
name = "index"
method = "index"
"""


@slow
def test_a_stream_that_is_killed_in_every_stage_gives_the_same_report(
    tmp_path: Path, worlds: dict[str, World], toy_folder: Path
) -> None:
    file = tmp_path / "toy.toml"
    file.write_text(TOY.format(A=worlds["A"].path, B=worlds["B"].path, model=toy_folder))
    whole = sebench("stream", str(file), "--out", str(tmp_path / "whole"))
    assert whole.returncode == 0, whole.stderr
    out = tmp_path / "killed"
    stages = sorted(one.name for one in (tmp_path / "whole" / "stages").iterdir() if one.name.startswith("SFT"))
    for name in ("SFT sequential 1 A", "SFT sequential 2 B", "SFT sequential 3 A"):
        command = [sys.executable, "-m", "sebench", "stream", str(file), "--out", str(out)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))
        log = out / "stages" / name / "model" / "log.jsonl"
        while not (log.is_file() and log.stat().st_size) and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    rest = sebench("stream", str(file), "--out", str(out))
    assert rest.returncode == 0, rest.stderr
    assert sorted(one.name for one in (out / "stages").iterdir() if one.name.startswith("SFT")) == stages
    one, other = (asdict(numbers.report(folder)) for folder in (tmp_path / "whole", out))
    assert one == other
    joint = json.loads((out / "stages" / "SFT joint" / "model" / "learn.json").read_text())
    alone = json.loads((out / "stages" / "SFT sequential 1 A" / "model" / "learn.json").read_text())
    assert joint["rows"] == 2 * alone["rows"]
    (replayed,) = (out / "stages" / "SFT replay 2 B").glob("mixed.jsonl")
    assert worlds["A"].names.package in replayed.read_text()


@slow  # about 20 minutes
def test_the_small_stream_of_the_documentation_shows_names_learned_and_lost(tmp_path: Path) -> None:
    if not (embedded.folder() / embedded.FILE).is_file() and os.environ.get("SEBENCH_TEST_MODELS") != "1":
        pytest.skip("the weights of smollm2 are not in the cache; SEBENCH_TEST_MODELS=1 fetches them")
    file = Path(__file__).parents[1] / "experiments" / "stream-small.toml"
    done = sebench("stream", str(file), "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    known = {(cell.stage, cell.world): cell.names_known or 0.0 for cell in numbers.report(tmp_path / "out").cells}
    assert known[0, "A"] < 0.3 and known[0, "B"] < 0.3
    assert known[1, "A"] > 0.5 and known[2, "B"] > 0.5 and known[3, "A"] > 0.5  # learned
    assert known[2, "A"] < known[1, "A"]  # and lost

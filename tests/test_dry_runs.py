"""A dry run refuses a folder that the real run would refuse, in the same words, and leaves it as it is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sebench.author import pipeline
from sebench.author.pipeline import AuthorPlan
from sebench.base.errors import ConfigError
from sebench.cli import cli
from sebench.experiment import grid, runner, stream
from sebench.models.model import Sampling
from sebench.selfplay import steps
from sebench.selfplay.config import SelfplayConfig
from sebench.train.config import configure
from sebench.train.loop import training_run
from sebench.world.world import World

ROWS = '\n[[method]]\nname = "untrained"\nmethod = "none"\n'


def invoke(*words: str) -> None:
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output


def begin_run(world: World, out: Path) -> list[str]:
    words = ["run", str(world.path), "--model", "guess", "--limit", "1", "--no-judge", "--out", str(out)]
    invoke(*words)
    return [*words, "--max-tokens", "9"]


def begin_training(world: World, out: Path) -> list[str]:
    out.mkdir()
    there = training_run._identity(world, "closed-sft", configure("closed-sft", {}, {}))
    (out / training_run.MANIFEST).write_text(json.dumps({**there, "ended": True}))
    return ["learn", "closed-sft", str(world.path), "--epochs", "9", "--out", str(out)]


def begin_rows(chosen: grid.Grid, worlds: dict[str, World]) -> None:
    for row in runner._rows(chosen, worlds):
        row.begin(chosen)
        (row.folder / "run").mkdir()
    (chosen.out / runner.MANIFEST).write_text("{}")


def begin_experiment(world: World, out: Path) -> list[str]:
    file, text = out.with_name("grid.toml"), f'worlds = ["{world.path}"]\n{ROWS}'
    file.write_text(text)
    begin_rows(grid.read(file, out), {str(world.path): world})
    file.write_text(f'prompts = "short"\n{text}')
    return ["experiment", str(file), "--out", str(out)]


def begin_stream(world: World, out: Path) -> list[str]:
    file, text = out.with_name("stream.toml"), f'stages = ["A"]\n[worlds]\nA = "{world.path}"\n{ROWS}'
    file.write_text(text)
    begin_rows(stream.read(file, out).grid, {"A": world})
    file.write_text(f'prompts = "short"\n{text}')
    return ["stream", str(file), "--out", str(out)]


def begin_selfplay(world: World, out: Path) -> list[str]:
    out.mkdir()
    steps.begin(out, SelfplayConfig(), world)
    return ["selfplay", str(world.path), "--samples", "9", "--out", str(out)]


def begin_memory(world: World, out: Path) -> list[str]:
    invoke("memory", "index", str(world.path), "--out", str(out))
    return ["memory", "pages", str(world.path), "--out", str(out)]


def begin_tasks(world: World, out: Path) -> list[str]:
    pipeline._begin(AuthorPlan("out", "single", ("cumsum",), 1, "m"), world, Sampling(0.8, max_tokens=1500), out)
    (out / pipeline.CALLS).write_text("{}\n")  # a reply
    words = ["author", "tasks", str(world.path), "--functions", "cumsum", "--base-url", "http://127.0.0.1:9"]
    return [*words, "--model", "n", "--out", str(out)]


OTHER_SETTINGS = {
    "run": (begin_run, "was started with max_tokens = 1024, but now it is 9"),
    "learn": (begin_training, "was started with epochs = "),
    "experiment": (begin_experiment, "was started with evaluate.prompts = "),
    "stream": (begin_stream, "was started with evaluate.prompts = "),
    "selfplay": (begin_selfplay, "was started with samples = 4, but now it is 9"),
    "memory": (begin_memory, "was started with method = 'index', but now it is 'pages'"),
    "author tasks": (begin_tasks, "was started with model = 'm', but now it is 'n'"),
}


def refusal(*words: str) -> str:
    done = CliRunner().invoke(cli, words)
    assert isinstance(done.exception, ConfigError), done
    return str(done.exception)


def contents(folder: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.name != ".lock"}


@pytest.mark.parametrize("name", OTHER_SETTINGS)
def test_a_folder_with_other_settings_is_refused(name: str, tiny: World, tmp_path: Path) -> None:
    begin, line = OTHER_SETTINGS[name]
    words, out = begin(tiny, tmp_path / "out"), tmp_path / "out"
    before = contents(out)
    dry = refusal(*words, "--dry-run")
    assert line in dry and contents(out) == before
    assert dry == refusal(*words)


@pytest.mark.parametrize("begin", [begin_training, begin_selfplay])
def test_a_folder_of_something_else_is_refused(
    begin: Callable[[World, Path], list[str]], tiny: World, tmp_path: Path
) -> None:
    words = begin(tiny, tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    dry = refusal(*words, "--dry-run")
    assert "already exists and contains no" in dry and dry == refusal(*words)


def test_the_settings_of_a_run_are_compared_before_its_world_is_built(
    tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    monkeypatch.setattr(World, "build", lambda *_, **__: pytest.fail("a world was built"))
    words = begin_run(tiny, tmp_path / "out")
    assert "with max_tokens = 1024, but now it is 9" in refusal(words[0], "3", *words[2:], "--dry-run")


def test_a_stream_with_a_world_that_is_gone_compares_the_others(tiny: World, tmp_path: Path) -> None:
    words = begin_stream(tiny, tmp_path / "out")
    chosen = stream.read(Path(words[1]), tmp_path / "out")
    lost = replace(chosen, worlds={"A": replace(chosen.worlds["A"], folder="", seed=5)})
    assert lost.built_worlds() == {}
    runner.check_rows(lost.grid, lost.built_worlds())


def test_a_dry_run_may_extend_what_there_is(tiny: World, tmp_path: Path) -> None:
    words = begin_run(tiny, tmp_path / "out")[:-2]
    invoke(*words, "--dry-run")
    invoke(*words, "--samples", "2", "--temperature", "0", "--dry-run")


@pytest.mark.parametrize("dry_run", [[], ["--dry-run"]])
def test_models_that_fit_no_row_or_round_occupy_no_folder(dry_run: list[str], tiny: World, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(f'worlds = ["{tiny.path}"]\n[learn]\nmodel = "gold"\n[[method]]\nname = "u"\nmethod = "none"\n')
    why = refusal("experiment", str(file), "--out", str(tmp_path / "x"), *dry_run)
    assert why == "model = 'gold': a scripted model only answers in 'sebench run'; choose another model"
    why = refusal("selfplay", str(tiny.path), "--model", "hf:x/y", "--base", "nope", "--train", "none", "--out",
                  str(tmp_path / "x"), *dry_run)  # fmt: skip
    assert "unknown model 'nope'" in why and not (tmp_path / "x").exists()


def test_unfinished_self_play_is_named(tiny: World, tmp_path: Path) -> None:
    begin_selfplay(tiny, tmp_path / "play")
    given = ["learn", "closed-sft", str(tiny.path), "--examples", str(tmp_path / "play"), "--out", str(tmp_path / "x")]
    assert "play has no finished round; repeat its 'sebench selfplay' command" in refusal(*given)

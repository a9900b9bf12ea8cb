"""The tour: what a newcomer sees, with and without the released answers of a trained model."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sebench.cli import cli, tour
from sebench.release import pack, recipe
from sebench.release.pack import ReleaseOptions
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.world.world import World

RELEASES = Path(__file__).parent.parent / "releases"


def test_a_tour_judges_released_answers_again(tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = RunConfig(split=tour.SPLIT, book=tour.BOOKS, distractors=0)
    for name in ("gold", "guess"):
        pipeline.run(replace(asked, model=name), tiny, tmp_path / f"3-{name}")
    pack.make([tmp_path / "3-gold", tmp_path / "3-guess"], tmp_path / "both", ReleaseOptions(worlds=[str(tiny.path)]))
    monkeypatch.setattr(tour, "WORLD", "3")
    monkeypatch.setattr(tour, "TRAINED", {"gold": "1.5B, all right", "guess": "1.5B, all wrong"})
    monkeypatch.setattr(recipe, "find", lambda about, place, progress: tiny)
    monkeypatch.setattr(tour, "JUDGED", 2)
    arguments = ["tour", "--release", str(tmp_path / "both"), "--out", str(tmp_path / "tour"), "--model", "none"]
    for _ in range(2):  # the second time, everything is there
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        assert "12 of 12 released verdicts are the same on this machine" in done.stdout
        head, *lines = re.findall(r"^ (\S.*?)  +(.*)$", done.stdout.partition("Percent right")[2], re.MULTILINE)
        percent = {name: re.findall(r"\d+%", cells) for name, cells in lines if "%" in cells}
        assert head[1].split("  ")[0] == "book closed"
        assert percent["1.5B, all right"] == ["100%", "100%", "100%"]
        assert percent["1.5B, all wrong"][:2] == ["0%", "0%"]
        assert percent["gold"][0] == "100%" and percent["numpy"][0] == "0%"
        named = [line.partition(":")[0] for line in done.stderr.splitlines() if ": responses" in line]
        assert named == ["gold", "numpy", "3-gold", "3-guess"]  # without a terminal, there is no bar
    assert (tmp_path / "tour" / "report" / "report.html").is_file()


def test_a_tour_without_a_release_has_a_small_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour, "FUNCTIONS", 6)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["tour", "--model", "none"], catch_exceptions=False)
    assert done.exit_code == 0 and "released" not in done.stdout
    assert (tmp_path / "tour" / "world").is_dir() and "gold" in done.stdout


def test_another_release_is_refused(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "is not a release"), (RELEASES / "h200-rl", "has no world 2003")):
        done = CliRunner().invoke(cli, ["tour", "--release", str(path), "--out", str(tmp_path / "t")])
        assert done.exit_code == 1 and why in str(done.exception)


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = CliRunner().invoke(cli, ["tour", "--out", str(tmp_path / "file" / "t")])
    assert done.exit_code == 1 and "cannot be written" in str(done.exception) and "world" not in done.output


def test_a_model_that_is_not_there_ends_no_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour, "FUNCTIONS", 6)
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["tour", "--out", str(tmp_path / "t"), "--model", "no.gguf"])
    assert done.exit_code == 0 and "without no.gguf" in done.stderr

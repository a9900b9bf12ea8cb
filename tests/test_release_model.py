"""A released run used as a model: it gives the released answers and verdicts again, and reports everything that is
missing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sebench.base.errors import AnswerMissing, ConfigError
from sebench.base.records import Blame
from sebench.cli import cli
from sebench.models.model import Completion, Sampling
from sebench.release import model, pack
from sebench.release.pack import ReleaseOptions
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.requester import SEEDS_PER_RUN
from sebench.rollout.store import Run
from sebench.world.prompts import Prompt
from sebench.world.world import World
from tests.command_line import sebench

ASKED = RunConfig(split=("single_test",), book=("closed",), limit=2, samples=2)


@pytest.fixture(scope="module")
def release(tiny: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of two runs on one world."""
    at = tmp_path_factory.mktemp("released")
    for name in ("gold", "guess"):
        pipeline.run(replace(ASKED, model=name), tiny, at / name)
    pack.make([at / "gold", at / "guess"], at / "both", ReleaseOptions(worlds=[str(tiny.path)]))
    return at / "both"


def answer(config: RunConfig, tiny: World, out: Path) -> tuple[Run, list[str]]:
    """A run whose model is a release, and the warnings."""
    warnings: list[str] = []
    run = pipeline.run(config, tiny, out, engine=model.ReleasedEngine(config, warnings.append))
    return run, warnings


@pytest.mark.parametrize("name", ["gold", "guess"])
def test_answers_and_verdicts_are_the_released_ones(release: Path, tiny: World, tmp_path: Path, name: str) -> None:
    again, warnings = answer(replace(ASKED, model=f"release:{release}/{name}"), tiny, tmp_path / "again")
    before = {row.rollout.key: row for row in Run.load(release.parent / name).rows()}
    assert not warnings and len(before) == 4
    for row in again.rows():
        old = before.pop(row.rollout.key)
        assert replace(row.rollout, seconds=0.0) == replace(old.rollout, seconds=0.0)
        assert row.verdict and old.verdict and row.verdict.kind == old.verdict.kind
    assert not before


def test_samples_are_told_apart_by_their_seeds() -> None:
    completions = {
        ("closed", Prompt("?", "t", "closed").digest, index): Completion(f"sample {index}") for index in (0, 1)
    }
    released = model.ReleasedModel("r", completions)
    seed = 7 * SEEDS_PER_RUN + 1
    assert asyncio.run(released.complete(Prompt("?", "t", "closed"), Sampling(), seed)).text == "sample 1"
    with pytest.raises(AnswerMissing, match="r has no answer to closed/t/1"):
        asyncio.run(released.complete(Prompt("another", "t", "closed"), Sampling(), seed))


def test_missing_answers_are_counted_by_split_and_book_and_are_no_wrong_answers(
    release: Path, tiny: World, tmp_path: Path
) -> None:
    config = replace(ASKED, model=f"release:{release}/gold", book=("closed", "open"), samples=3)
    run, warnings = answer(config, tiny, tmp_path / "more")
    (warning,) = warnings
    assert "lacks 2 of 6 answers to single_test (closed book), 6 of 6 answers to single_test (open book)" in warning
    given_up = [row for row in run.rows() if row.rollout.error]
    assert len(given_up) == 8 and all(row.verdict and row.verdict.blame is Blame.PROVIDER for row in given_up)
    assert all("has no answer to " in row.rollout.error for row in given_up)


def test_a_release_of_a_run_with_missing_responses_says_so(release: Path, tiny: World, tmp_path: Path) -> None:
    run, _ = answer(replace(ASKED, model=f"release:{release}/gold", samples=3), tiny, tmp_path / "run")
    missing = sum(bool(row.rollout.error) for row in run.rows())
    done = sebench("release", str(run.path), "--world", str(tiny.path), "--out", str(tmp_path / "released"))
    assert done.returncode == 0 and missing
    assert done.stderr.startswith(f"note: {missing} responses are missing because the provider failed")


def test_many_missing_answers_do_not_end_the_run(release: Path, tiny: World, tmp_path: Path) -> None:
    config = replace(ASKED, model=f"release:{release}/gold", book=("open", "closed"), samples=12)
    run, _ = answer(config, tiny, tmp_path / "many")
    assert sum(not row.rollout.error for row in run.rows()) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"temperature": 0.7, "max_tokens": 9},
            "made with temperature = 0.0, max_tokens = 1024, not 0.7, 9; use the same",
        ),
        ({"distractors": 1}, "made with distractors = 8, not 1"),
        ({"model": "release:{release}"}, "has 2 runs on this world; use --model release:.* one of 'gold', 'guess'"),
        ({"model": "release:{release}/gol"}, "has no run 'gol'; use --model"),
        ({"model": "release:{release}-not"}, "no release there; use a folder that 'sebench release' wrote"),
        ({"repair": 1}, "cannot repair its answers; leave out --repair"),
        ({"base_url": ("http://h/v1",)}, "needs no --base-url"),
    ],
)
def test_what_a_release_cannot_answer_is_refused_in_one_line(
    release: Path, tiny: World, tmp_path: Path, change: dict[str, object], message: str
) -> None:
    name = str(change.pop("model", "release:{release}/gold")).format(release=release)
    config = replace(ASKED, model=name, **change)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match=message) as refused:
        answer(config, tiny, tmp_path / "out")
    assert "\n" not in str(refused.value)


def test_another_world_is_named(release: Path, tiny: World) -> None:
    read, _ = model.find(str(release))
    elsewhere = replace(read, runs=[replace(run, world="0" * 64) for run in read.runs])
    with pytest.raises(
        ConfigError, match=f"has no run on .*; its runs are on the worlds with seeds {tiny.manifest.seed}"
    ):
        model.choose(elsewhere, "", tiny)


def test_the_only_run_of_a_release_is_named_by_its_folder(tiny: World, tmp_path: Path) -> None:
    pipeline.run(replace(ASKED, model="gold"), tiny, tmp_path / "run")
    pack.make([tmp_path / "run"], tmp_path / "one", ReleaseOptions(worlds=[str(tiny.path)]))
    read, run_folder = model.find(str(tmp_path / "one" / "zzz"))
    with pytest.raises(ConfigError, match=r"has no run 'zzz'; use --model release:.*/one$"):
        model.choose(read, run_folder, tiny)


def test_the_command_answers_from_a_release(release: Path, tiny: World, tmp_path: Path) -> None:
    asked = ["run", str(tiny.path), "--model", f"release:{release}/gold", "--split", "single_test", "--limit", "2"]
    out = tmp_path / "run"
    result = CliRunner().invoke(cli, [*asked, "--samples", "2", "--book", "closed", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert all(row.verdict and row.verdict.passed for row in Run.load(out).rows())
    missing = CliRunner().invoke(cli, [*asked, "--samples", "2", "--book", "closed,native", "--out", str(out)])
    assert missing.exit_code == 1
    assert "note: " in missing.output and "lacks 4 of 4 answers to single_test (native book)" in missing.output
    assert "leave out 4 answers that the release lacks; ask only for those" in str(missing.exception)
    assert "4 responses are missing because the release lacks them" in missing.output
    ray = CliRunner().invoke(cli, [*asked, "--backend", "ray", "--out", str(tmp_path / "ray")])
    assert ray.exit_code and "Traceback" not in ray.output

"""Scores have a version: runs and releases are judged again, and what changed is listed."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sebench import report
from sebench.base.errors import ConfigError
from sebench.cli import cli
from sebench.judge.program.rules import SCORING_RULES
from sebench.release import folder, pack, verify
from sebench.rollout import pipeline, store
from sebench.rollout.config import RunConfig
from sebench.rollout.store import Run
from sebench.world.world import World


@pytest.fixture(scope="module")
def done(small: World, tmp_path_factory: pytest.TempPathFactory) -> Run:
    config = RunConfig(model="gold", split=("single_test",), book=("closed",), limit=4)
    return pipeline.run(config, small, tmp_path_factory.mktemp("runs") / "gold")


def older(run: Run, place: Path, wrong: int = 0) -> Path:
    """A copy of a run as an older version would have scored it: without the number of its rules, and some answers
    without credit."""
    shutil.copytree(run.path, place)
    told = json.loads((place / store.MANIFEST).read_text("utf-8"))
    del told["scoring"]
    (place / store.MANIFEST).write_text(json.dumps(told), "utf-8")
    lines = [json.loads(line) for line in (place / store.VERDICTS).read_text("utf-8").splitlines()]
    for line in lines[:wrong]:
        line["targeted"] = False
    (place / store.VERDICTS).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return place


def test_a_run_says_by_which_rules_it_was_scored(done: Run) -> None:
    assert done.manifest.scoring == SCORING_RULES


def test_a_run_is_judged_again_and_its_old_verdicts_stay(done: Run, small: World, tmp_path: Path) -> None:
    place = older(done, tmp_path / "run", wrong=2)
    assert Run.load(place).manifest.scoring == 1
    found = verify.rescore(place, worlds=[str(small.path)])
    assert (found.judged, len(found.changes), found.credited) == (4, 2, (2, 4))
    assert all("targeted = False, but judged again it is True" in line for line in found.changes)
    assert Run.load(place).manifest.scoring == SCORING_RULES
    assert all(row.verdict is not None and row.verdict.targeted for row in Run.load(place).rows())
    assert '"targeted": false' in (place / "verdicts-rules-1.jsonl").read_text("utf-8")
    assert verify.rescore(place, worlds=[str(small.path)]).changes == []


def test_a_release_is_judged_again(done: Run, small: World, tmp_path: Path) -> None:
    out = tmp_path / "release"
    pack.make([older(done, tmp_path / "run", wrong=1)], out, pack.ReleaseOptions(worlds=[small.path]))
    assert not verify.verify(out, worlds=[str(small.path)]).holds
    result = CliRunner().invoke(cli, ["rescore", str(out), "--world", str(small.path)])
    assert result.exit_code == 0, result.output
    assert "1 verdict changed" in result.output
    checked = verify.verify(out, worlds=[str(small.path)])
    assert checked.holds
    assert not checked.older_rules
    assert folder.read(out).runs[0].manifest["scoring"] == SCORING_RULES


def test_a_run_of_other_rules_is_not_continued(done: Run, small: World, tmp_path: Path) -> None:
    place = older(done, tmp_path / "run")
    config = RunConfig(model="gold", split=("single_test",), book=("closed",), limit=5)
    with pytest.raises(ConfigError, match="rescore"):
        pipeline.run(config, small, place)
    verify.rescore(place, worlds=[str(small.path)])
    assert len(list(pipeline.run(config, small, place).rows())) == 5


def test_reports_say_where_rules_differ(done: Run, tmp_path: Path) -> None:
    other = Run.load(older(done, tmp_path / "other"))
    assert any("different rules" in note for note in report.summarize([done, other]).notes)
    same = replace(other, manifest=replace(other.manifest, scoring=SCORING_RULES))
    assert not any("different rules" in note for note in report.summarize([done, same]).notes)


def test_a_run_without_its_world_is_one_line(done: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    with pytest.raises(ConfigError, match="--world"):
        verify.rescore(older(done, tmp_path / "run"))

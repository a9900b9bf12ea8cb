"""The frozen protocol: its worlds and templates are those of this version, and a run that follows it says so."""

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
from sebench.rollout import pipeline, protocol
from sebench.rollout.config import RunConfig
from sebench.rollout.protocol import V1, run_config
from sebench.rollout.store import Run
from sebench.world.world import World
from tests.conftest import slow


def test_a_run_of_the_protocol_follows_it(tiny: World, tmp_path: Path) -> None:
    run = pipeline.run(run_config(V1, {"model": "gold"}), tiny, tmp_path / "run")
    assert list(V1.departures(run.manifest)) == []  # templates and scoring rules included
    assert list(V1.departures(replace(run.manifest, scoring=1))) == ["scoring rules 1 instead of 3"]
    assert list(V1.departures(replace(run.manifest, prompts={}))) == ["prompt templates are not recorded"]
    others = replace(run.manifest, prompts={"templates": "0"})
    assert list(V1.departures(others)) == ["other prompt templates"]
    for name, why in (("memory", "a memory"), ("repair", "self-repair")):  # their templates change the digest
        config = {**run.manifest.config, name: 1}
        assert list(V1.departures(replace(others, config=config))) == [why]
        config["prompts"] = "mine"
        assert list(V1.departures(replace(others, config=config))) == [why, "other prompt templates"]


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"distractors": 8}, "distractors 8 instead of 0"),
        ({"samples": 2, "temperature": 0.6}, "samples 2 instead of 5, at temperature 0.6"),
        ({"book": ("closed",)}, "book lacks open, native"),
        ({"split": ("single_test",)}, "split lacks multi_test"),
        ({"prompts": "short"}, "other prompt templates"),
        ({"profile": "paper"}, "profile 'paper' instead of 'strict'"),
    ],
)
def test_what_departs_is_refused_before_anything_is_asked(chosen: dict[str, object], why: str) -> None:
    with pytest.raises(ConfigError, match=f"--protocol v1: {why}; remove that setting or --protocol"):
        run_config(V1, chosen)


def test_settings_of_the_open_book_do_not_depart_without_one() -> None:
    other = {"distractors": 8, "retrieve": 3, "pages": ("summary",), "hide_usage": True}
    for book in (("closed",), ("closed", "native")):
        config = RunConfig(model="m", book=book, split=V1.splits, **other).compared()
        (why,) = V1.setting_departures(config)
        assert why.startswith("book lacks open")
    config = RunConfig(model="m", book=V1.books, split=V1.splits, **other).compared()
    assert len(list(V1.setting_departures(config))) == len(other)


def test_settings_that_are_not_recorded_are_one_departure() -> None:
    config = RunConfig(model="m", book=V1.books, split=V1.splits, distractors=0, limit=1).compared()
    for name in ("system", "top_p", "temperature"):
        del config[name]
    whys = [*V1.setting_departures(config)]
    assert whys == ["not recorded: system, top p, temperature", "only 1 per split instead of all tasks"]


def test_the_report_names_every_departure(tiny: World, tmp_path: Path) -> None:
    config = RunConfig(model="silent", book=("closed",), split=V1.splits, distractors=0, temperature=0.7, limit=2)
    run = pipeline.run(config, tiny, tmp_path / "run")
    manifest = json.loads((run.path / "run.json").read_text())
    manifest["config"]["model"] = "some model"  # notes are not about scripted models
    (run.path / "run.json").write_text(json.dumps(manifest))
    (note,) = (one for one in report.summarize([Run.load(run.path)]).notes if "protocol" in one)
    less = "only 2 per split instead of all tasks"
    for why in (less, "book lacks open, native", "temperature 0.7 instead of", "not in its public"):
        assert why in note


def test_a_world_of_the_protocol_that_has_another_folder_is_not_built_again(
    tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tour and `sebench verify` call the folder after seed and fingerprint."""
    ours = replace(V1, worlds={tiny.manifest.seed: tiny.manifest.fingerprint}, level=tiny.names.level)
    monkeypatch.setitem(protocol.PROTOCOLS, "v1", ours)
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    monkeypatch.setattr(World, "build", lambda *_, **__: pytest.fail("it was built"))
    shutil.copytree(tiny.path, tmp_path / "worlds" / "3-0123456789ab")
    out = str(tmp_path / "run")
    command = ["run", "--protocol", "v1", "--model", "gold", "--out", out]
    planned = CliRunner().invoke(cli, [*command, "--dry-run"])
    assert planned.exit_code == 0 and "not built" not in planned.output, planned.output
    done = CliRunner().invoke(cli, [*command, "--no-judge"])
    assert done.exit_code == 0, done.output
    assert World.load(tmp_path / "worlds" / f"v1-{tiny.manifest.seed}").manifest == tiny.manifest


def test_more_than_the_protocol_asks_for_follows_it() -> None:
    more = {"split": (*V1.splits, "transfer_test"), "samples": 7, "temperature": 0.6, "max_tokens": 4096}
    assert list(V1.setting_departures(run_config(V1, more).compared())) == []


def test_the_command_takes_the_worlds_of_the_protocol(
    tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = replace(V1, worlds={tiny.manifest.seed: tiny.manifest.fingerprint}, level=tiny.names.level)
    monkeypatch.setitem(protocol.PROTOCOLS, "v1", ours)
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    arguments = ["run", "--protocol", "v1", "--model", "gold", "--out", str(tmp_path / "run")]
    (tmp_path / "worlds").mkdir()
    (tmp_path / "worlds" / f"v1-{tiny.manifest.seed}").symlink_to(tiny.path)
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    monkeypatch.setitem(protocol.PROTOCOLS, "v1", V1)
    done = CliRunner().invoke(cli, ["run", str(tiny.path), *arguments[1:]])
    assert done.exit_code and f"built with --forge {tiny.names.level} instead of {V1.level}" in str(done.exception)
    monkeypatch.setitem(protocol.PROTOCOLS, "v1", replace(ours, worlds={tiny.manifest.seed: "0" * 64}))
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code and "is not the one of protocol v1" in str(done.exception)


def test_a_dry_run_estimates_worlds_that_are_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEBENCH_WORLDS", str(tmp_path / "worlds"))
    for arguments in (["--protocol", "v1"], ["7,8", "--split", "single_test", "--limit", "9"]):
        done = CliRunner().invoke(cli, ["run", *arguments, "--model", "hf:m", "--dry-run", "--json", "--price", "1,1"])
        assert done.exit_code == 0, done.exception
        *sizes, last = json.loads("[" + done.stdout.replace("}\n{", "},{") + "]")
        size, total = sizes[0], last["total"]
        assert total["worlds"] == len(sizes) > 1
        for key in ("tasks", "requests", "prompt_tokens", "most_completion_tokens", "estimated_most_cost"):
            assert total[key] == pytest.approx(sum(one[key] for one in sizes)), key
        limited = "--limit" in arguments
        assert size["tasks"] == (9 if limited else 317 + 533)
        assert size["requests"] == (9 * 2 if limited else (317 + 533) * 3)
        assert size["prompt_tokens"] > 300 * size["requests"] and size["estimated_most_cost"] > 0
        assert done.stderr.count("is not built yet: its tasks and prompts are estimated") == (2 if limited else 3)
    assert not (tmp_path / "worlds").exists()


@slow
def test_the_public_worlds_are_built_again_with_the_same_fingerprints(tmp_path: Path) -> None:
    for seed, fingerprint in V1.worlds.items():
        assert World.build(seed, tmp_path / str(seed), level=V1.level).manifest.fingerprint == fingerprint

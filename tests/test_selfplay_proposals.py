"""What a proposer in self-play sees, the gates in processes, and settings that make no sense."""

from __future__ import annotations

import itertools
import json
import operator
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


from sebench.author import proposals  # noqa: E402
from sebench.author.pipeline import GateLog  # noqa: E402
from sebench.base import (  # noqa: E402
    files,
    kernel_memory,
)
from sebench.base.errors import ConfigError, SandboxFault  # noqa: E402
from sebench.cli import cli  # noqa: E402
from sebench.selfplay.config import ALL_TESTS, SelfplayConfig  # noqa: E402
from sebench.selfplay.steps import ModelSteps, selfplay  # noqa: E402
from sebench.tasks import splits  # noqa: E402
from sebench.train.proposals import gating  # noqa: E402
from sebench.train.proposals.gating import SINGLE_DRAFT_GATES, GateResults, Gates, run_gates  # noqa: E402
from sebench.world.world import World  # noqa: E402
from tests.conftest import slow  # noqa: E402
from tests.playing import cheap, drafted  # noqa: E402


@pytest.fixture(scope="module")
def config(toy_model: Path) -> SelfplayConfig:
    return cheap(toy_model)


@pytest.fixture(scope="module")
def gates(tiny: World) -> Iterator[Gates]:
    with Gates(tiny, 0, workers=1) as made:
        yield made


# ---- what a proposer sees -------------------------------------------------------------------------------------


def test_no_words_of_train_or_test_questions_are_ever_in_a_proposers_prompt(tiny: World) -> None:
    """Not a whole question, and no six words of one in a row that the pages do not have too."""
    bank = [task.question for split in splits.SPLITS for task in tiny.tasks(split)]
    paged = {run for f in tiny.names.functions for run in runs(proposals.page_in_numpy(tiny, f))}
    told = {run for question in bank for run in runs(question)} - paged
    leaked = 0
    for function in tiny.names.functions:
        texts = [
            proposals.prompt(tiny, function, "single", n, ("An earlier one?",), 0, bank=False).text for n in (0, 5)
        ]
        assert all("- An earlier one?" in text for text in texts)
        assert not [run for text in texts for run in runs(text) if run in told]
        leaked += any(q in proposals.prompt(tiny, function, "single", 0, (), 0).text for q in bank)
    assert leaked  # the author's own prompt does show them: the comparison can fail


def runs(text: str) -> list[tuple[str, ...]]:
    words = re.findall(r"[a-z]+", text.lower())
    return [tuple(words[at : at + 6]) for at in range(len(words) - 5)]


# ---- gates ----------------------------------------------------------------------------------------------------


@slow  # the test of a process that is killed has such processes too
def test_gates_in_processes_say_what_they_say_here(
    gates: Gates, tiny: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [drafted("searchsorted", 0), drafted("quantile", 1)]
    here = [run_gates(gates._workshop, proposal) for proposal in found]
    monkeypatch.setattr("sebench.train.proposals.gating.DRAFTS_PER_WORKER", 1)
    with Gates(tiny, 0, workers=2) as several, GateLog(tmp_path / "gates.jsonl") as log:
        several.pass_through(found, log, lambda what, done, total: None)
        for proposal, looked in zip(found, here, strict=True):
            assert [(g, r) for g, r, _ in looked.results] == [
                (g, r) for g in SINGLE_DRAFT_GATES if (r := log.result(proposal, g))
            ]
    assert [bool(looked.task) for looked in here] == [True, False]


def test_a_gate_that_fails_on_a_draft_loses_that_draft_alone(
    gates: Gates, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:

    def failing(error: Exception) -> GateResults:
        monkeypatch.setattr(gates._workshop, "_language", lambda draft, function: raised(error))
        return run_gates(gates._workshop, drafted("cumsum", 1))

    found = failing(ZeroDivisionError("our bug"))
    gate, result, _ = found.results[-1]
    assert (gate, result.passed, result.reason, found.task) == ("language", False, "the gate itself failed", None)
    assert "our bug" in result.evidence
    with pytest.raises(SandboxFault):  # nobody's draft
        failing(SandboxFault("no memory; the same command continues"))


def raised(error: Exception) -> None:
    raise error


def test_a_process_of_the_gates_that_is_killed_is_told_in_a_line(tiny: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gating, "_start_worker", operator.is_)  # nothing is needed to be killed
    monkeypatch.setattr(gating, "_run_gates_here", signal.raise_signal)
    monkeypatch.setattr(gating, "DRAFTS_PER_WORKER", 1)
    for why in ("", " by the kernel for lack of memory"):
        with pytest.raises(SandboxFault, match=f"was killed{why}; run the same command again"):
            list(Gates(tiny, 0, workers=2)._check_single_drafts([signal.SIGKILL] * 2))  # type: ignore[list-item]
        monkeypatch.setattr(kernel_memory, "kernel_kills", itertools.count().__next__)


# ---- settings -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"train": "distil"}, "train = 'distil'"),
        ({"base_url": ("http://x/v1",)}, "cannot be trained here"),
        ({"model": "gold"}, "'gold' cannot be trained"),
        ({"consensus": ("a,b", "a")}, "consensus lists a twice"),
        ({"learn": ("epochs",)}, "write SETTING=VALUE"),
        ({"learn": ("model=x",)}, "self-play sets model itself"),
        ({"learn": ("epoch=3",)}, "learn: no setting 'epoch'"),
        ({"evaluate": ("limit=many",)}, "is not a whole number"),
        ({"above": 1.0}, "above = 1.0: must be at least 0 and less than 1"),
        ({"above": 0.5, "below": 0.5}, "below = 0.5: must be more than above = 0.5"),
        ({"rounds": 0}, "rounds = 0: must be at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_named(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        SelfplayConfig(**given)


def test_a_dry_run_says_what_a_round_asks_for_and_writes_nothing(tiny: World, tmp_path: Path) -> None:
    command = ["selfplay", str(tiny.path), "--model", "m", "--base-url", "http://none", "--base", "smollm2"]
    asked = [
        *command,
        "--functions",
        "cumsum,quantile",
        "--proposals",
        "3",
        "--samples",
        "2",
        "--consensus",
        "a,b",
        "--json",
    ]
    said = CliRunner().invoke(cli, [*asked, "--out", str(tmp_path / "play"), "--dry-run"])
    assert said.exit_code == 0, said.output
    found = json.loads(said.output)["round"]
    calls = [found[part]["calls"] for part in ("proposing", "agreeing", "solving")]
    assert (found["functions"], found["drafts"], calls) == (2, 6, [6, 12, 12])
    assert found["evaluating"]["calls"] == sum(len(tiny.tasks(split)) for split in ALL_TESTS)
    aimed = json.loads(
        CliRunner().invoke(cli, [*asked, "--targets", "1", "--aim", "missed", "--out", "x", "--dry-run"]).output
    )["round"]
    assert aimed["functions"] == 1
    assert aimed["evaluating"]["calls"] == found["evaluating"]["calls"] + len(tiny.tasks(splits.TRAIN))
    prices = ["--price", "a=1,1", "--price", "3,3"]
    costs = json.loads(CliRunner().invoke(cli, [*asked, "--out", "x", "--dry-run", *prices]).output)["cost"]
    tokens = {part: found[part]["prompt_tokens"] + found[part]["completion_tokens"] for part in ("agreeing", "solving")}
    assert costs["consensus"] == pytest.approx(2 * tokens["agreeing"] / 1e6)  # half of it costs 1, the other half 3
    assert costs["solving"] == pytest.approx(3 * tokens["solving"] / 1e6)
    assert not (tmp_path / "play").exists()


# ---- a folder -------------------------------------------------------------------------------------------------


def test_one_process_plays_in_a_folder_and_nobody_elsewhere(
    tiny: World, config: SelfplayConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ModelSteps, "evaluate", None)  # what comes first of all
    with files.lock(tmp_path / "busy"), pytest.raises(ConfigError, match="another process is writing"):
        selfplay(tiny, config, tmp_path / "busy")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.txt").write_text("Dear reader")
    with pytest.raises(ConfigError, match="contains no self-play"):
        selfplay(tiny, config, tmp_path / "letters")
    assert [place.name for place in (tmp_path / "letters").iterdir()] == ["one.txt"]

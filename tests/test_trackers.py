"""Experiment trackers receive what a training run logs, and none of them can stop it. The trackers' packages are not
needed here."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sebench.base.errors import ConfigError
from sebench.train.loop import trackers

SETTINGS = {"lr": 5e-4}


class Fake(ModuleType):
    """A package with the interface that trackio and W&B share; `fails` names the call that raises."""

    def __init__(self, name: str, fails: str = "") -> None:
        super().__init__(name)
        self.calls: list[tuple[str, Any]] = []
        self.fails = fails

    def _called(self, what: str, told: Any) -> None:
        self.calls.append((what, told))
        if what == self.fails:
            raise RuntimeError(f"{what}:\n  no server")

    def init(self, **told: Any) -> None:
        self._called("init", told)

    def log(self, values: dict[str, float], step: int) -> None:
        self._called("log", (step, values))

    def finish(self) -> None:
        self._called("finish", None)


class Writer:
    """TensorBoard's writer."""

    def __init__(self, folder: str) -> None:
        self.folder, self.scalars, self.closed = folder, list[tuple[str, float, int]](), False
        WRITERS.append(self)

    def add_scalar(self, name: str, value: float, step: int) -> None:
        self.scalars.append((name, value, step))

    def close(self) -> None:
        self.closed = True


WRITERS: list[Writer] = []


def logged(track: str, folder: Path) -> list[str]:
    """Log two steps; what was noted."""
    notes: list[str] = []
    with trackers.open_trackers(track, folder, "closed-sft out", SETTINGS, notes.append) as log:
        log(0, {"loss": 3.0, "lr": 0.1, "why": "text is no figure"})
        log(1, {"loss": 2.0})
    return notes


@pytest.mark.parametrize("name", ["trackio", "wandb"])
def test_a_tracker_gets_the_settings_and_every_figure(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = Fake(name)
    monkeypatch.setitem(sys.modules, name, fake)
    assert logged(name, tmp_path) == []
    assert fake.calls == [
        ("init", {"project": "sebench", "name": "closed-sft out", "config": SETTINGS}),
        ("log", (0, {"loss": 3.0, "lr": 0.1})),
        ("log", (1, {"loss": 2.0})),
        ("finish", None),
    ]


def test_tensorboard_writes_into_the_folder_of_the_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board = ModuleType("torch.utils.tensorboard")
    board.SummaryWriter = Writer  # type: ignore[attr-defined]
    for name, module in (("tensorboard", ModuleType("tensorboard")), (board.__name__, board)):
        monkeypatch.setitem(sys.modules, name, module)
    WRITERS.clear()
    assert logged("tensorboard", tmp_path) == []
    (writer,) = WRITERS
    assert writer.folder == str(tmp_path / "tensorboard") and writer.closed
    assert writer.scalars == [("loss", 3.0, 0), ("lr", 0.1, 0), ("loss", 2.0, 1)]


@pytest.mark.parametrize("fails", ["init", "log", "finish"])
def test_a_failure_is_noted_once_and_the_others_go_on(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = Fake("wandb", fails), Fake("trackio")
    monkeypatch.setitem(sys.modules, "wandb", broken)
    monkeypatch.setitem(sys.modules, "trackio", whole)
    (note,) = logged("wandb, trackio", tmp_path)
    assert note == f"wandb failed and will receive no more metrics: {fails}: no server; training continues"
    assert [what for what, _ in broken.calls].count(fails) == 1 and broken.calls[-1][0] == fails
    assert [what for what, _ in whole.calls] == ["init", "log", "log", "finish"]


def test_an_interrupted_training_closes_its_trackers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake("wandb")
    monkeypatch.setitem(sys.modules, "wandb", fake)
    with pytest.raises(KeyboardInterrupt), trackers.open_trackers("wandb", tmp_path, "t", SETTINGS, print):
        raise KeyboardInterrupt
    assert fake.calls[-1][0] == "finish"


def test_a_missing_package_and_an_unknown_tracker_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)  # import raises
    with pytest.raises(ConfigError, match=r"--track wandb: the package is not installed; pip install wandb"):
        trackers.parse_trackers("wandb")
    with pytest.raises(ConfigError, match="track = 'mlflow': choose from trackio, wandb, tensorboard"):
        trackers.parse_trackers("mlflow")
    assert trackers.parse_trackers("") == []

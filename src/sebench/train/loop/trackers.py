"""Experiment trackers: trackio, W&B and TensorBoard, if installed and selected with --track.

    with open_trackers("wandb", folder, title, settings, note) as tracker:
        tracker.log(step, {"loss": 2.1, "lr": 5e-4})

They are in addition to `log.jsonl` and the console, which every training has (`training_run.py`). A missing package is
an error before anything is computed. A later failure (an unreachable server, a full disk) never stops a training: it is
reported once, and that tracker receives nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

from sebench.base.errors import ConfigError

PROJECT = "sebench"
TRACKERS = ("trackio", "wandb", "tensorboard")
Note = Callable[[str], None]


class Tracker(Protocol):
    """Receives the figures of a training."""

    def log(self, step: int, values: Mapping[str, Any]) -> None: ...

    def close(self) -> None: ...


class OnlineTracker:
    """trackio or W&B, which share an interface."""

    def __init__(self, package: str, title: str, settings: Mapping[str, Any]) -> None:
        self._package = import_module(package)
        self._package.init(project=PROJECT, name=title, config=dict(settings))

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        self._package.log(dict(values), step=step)

    def close(self) -> None:
        self._package.finish()


class TensorBoardTracker:
    """Event files in a folder, for `tensorboard --logdir`."""

    def __init__(self, folder: Path) -> None:
        self._writer = import_module("torch.utils.tensorboard").SummaryWriter(str(folder))

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class FaultTolerantTrackers:
    """Several trackers as one. If one fails, that is reported once, and the training goes on."""

    def __init__(self, makers: Mapping[str, Callable[[], Tracker]], note: Note) -> None:
        self._note = note
        self._trackers: dict[str, Tracker] = {}
        for name, make in makers.items():
            self._try(name, partial(self._open, name, make))

    def log(self, step: int, values: Mapping[str, Any]) -> None:
        figures = {name: value for name, value in values.items() if isinstance(value, Real)}
        for name, tracker in list(self._trackers.items()):
            self._try(name, partial(tracker.log, step, figures))

    def close(self) -> None:
        for name, tracker in list(self._trackers.items()):
            self._try(name, tracker.close)

    def _open(self, name: str, make: Callable[[], Tracker]) -> None:
        self._trackers[name] = make()

    def _try(self, name: str, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:  # a third-party package may raise anything
            self._trackers.pop(name, None)
            why = " ".join(str(error).split())[:200] or type(error).__name__
            self._note(f"{name} failed and gets no more figures: {why}; the training goes on")


def parse_trackers(track: str) -> Sequence[str]:
    """The names in a --track setting; all of these packages must be installed."""
    names = [name.strip() for name in track.split(",") if name.strip()]
    for name in names:
        if name not in TRACKERS:
            raise ConfigError(f"track = {name!r}: there are {', '.join(TRACKERS)}")
        try:
            import_module(name)
        except ModuleNotFoundError:
            raise ConfigError(f"--track {name}: the package is not installed; pip install {name}") from None
    return names


@contextmanager
def open_trackers(
    track: str, folder: Path, title: str, settings: Mapping[str, Any], note: Note
) -> Iterator[FaultTolerantTrackers]:
    """The trackers of one training, closed at the end of the block."""
    makers: dict[str, Callable[[], Tracker]] = {}
    for name in parse_trackers(track):
        if name == "tensorboard":
            makers[name] = partial(TensorBoardTracker, folder / "tensorboard")
        else:
            makers[name] = partial(OnlineTracker, name, title, settings)
    trackers = FaultTolerantTrackers(makers, note)
    try:
        yield trackers
    finally:
        trackers.close()

"""Experiment trackers: trackio, W&B and TensorBoard, if installed and selected with --track.

    with open_trackers("wandb", folder, title, settings, note) as log:
        log(step, {"loss": 2.1, "lr": 5e-4})

They are used in addition to `log.jsonl` and the console, which every training run has (`training_run.py`). A missing
package raises an error before anything is computed. A later failure (an unreachable server, a full disk) never stops
training: it is reported once, and that tracker receives nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from numbers import Real
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.wording import shorten

PROJECT = "sebench"
TRACKERS = ("trackio", "wandb", "tensorboard")
Note = Callable[[str], None]
Log = Callable[[int, Mapping[str, Any]], None]


def _open(name: str, folder: Path, title: str, settings: Mapping[str, Any]) -> tuple[Log, Callable[[], None]]:
    """Return functions that log a step's figures to a tracker and close it. TensorBoard writes event files to a folder;
    trackio and W&B share an interface."""
    if name == "tensorboard":
        writer = import_module("torch.utils.tensorboard").SummaryWriter(str(folder / name))

        def write(step: int, figures: Mapping[str, Any]) -> None:
            for figure, value in figures.items():
                writer.add_scalar(figure, value, step)

        return write, writer.close
    package = import_module(name)
    package.init(project=PROJECT, name=title, config=dict(settings))
    return lambda step, figures: package.log(dict(figures), step=step), package.finish


def parse_trackers(track: str) -> Sequence[str]:
    """Return the names in a --track setting. Raise an error if one of the packages is not installed."""
    names = [name.strip() for name in track.split(",") if name.strip()]
    for name in names:
        if name not in TRACKERS:
            raise ConfigError(f"track = {name!r}: choose from {', '.join(TRACKERS)}")
        try:
            import_module(name)
        except ModuleNotFoundError:
            raise ConfigError(f"--track {name}: the package is not installed; pip install {name}") from None
    return names


@contextmanager
def open_trackers(track: str, folder: Path, title: str, settings: Mapping[str, Any], note: Note) -> Iterator[Log]:
    """Open the trackers of one training run, yield a function that logs to all of them, and close them at the end of
    the block."""
    trackers: dict[str, tuple[Log, Callable[[], None]]] = {}  # how to log to each tracker and close it

    @contextmanager
    def reporting(name: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # a third-party package may raise anything
            trackers.pop(name, None)
            why = shorten(str(error)) or type(error).__name__
            note(f"{name} failed and will receive no more metrics: {why}; training continues")

    def log(step: int, values: Mapping[str, Any]) -> None:
        figures = {name: value for name, value in values.items() if isinstance(value, Real)}
        for name, (log_to, _) in list(trackers.items()):
            with reporting(name):
                log_to(step, figures)

    for name in parse_trackers(track):
        with reporting(name):
            trackers[name] = _open(name, folder, title, settings)
    try:
        yield log
    finally:
        for name, (_, close) in list(trackers.items()):
            with reporting(name):
                close()

"""Where the figures of a training go while it runs: always `log.jsonl`, the console, and the trackers that the user asks for.

    with opened(["wandb"], folder, title, settings, note) as log:
        log.log(step, {"loss": 2.1, "lr": 5e-4})

trackio, W&B and TensorBoard are used where they are installed; a missing one is an error before anything is computed. What fails later (a
server that is away, a full disk) never stops a training: it is noted once, and that tracker is left alone from then on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from sebench.errors import ConfigError
from sebench.learn.loop import LOG

PROJECT = "sebench"
TRACKERS = ("trackio", "wandb", "tensorboard")
Note = Callable[[str], None]


class Tracker(Protocol):
    """Takes the figures of a training."""

    def log(self, step: int, values: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


class JsonLines:
    """A file with a line for each step, which is on disk when the step is over."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("a", encoding="utf-8")

    def log(self, step: int, values: Mapping[str, float]) -> None:
        self._file.write(json.dumps({"step": step, **values}) + "\n")
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class Console:
    """The progress display of a command: it decides how often a line is shown."""

    def __init__(self, tell: Callable[[str, int, int], None], title: str, total: int) -> None:
        self._tell, self._title, self._total = tell, title, total

    def log(self, step: int, values: Mapping[str, float]) -> None:
        shown = [f"{name} {values[name]:.3f}" for name in ("loss", "reward") if name in values]
        self._tell(", ".join([self._title, *shown]), step + 1, self._total)

    def close(self) -> None:
        pass


class Online:
    """trackio or W&B, which share an interface."""

    def __init__(self, package: ModuleType, title: str, settings: Mapping[str, Any]) -> None:
        self._package = package
        package.init(project=PROJECT, name=title, config=dict(settings))

    def log(self, step: int, values: Mapping[str, float]) -> None:
        self._package.log(dict(values), step=step)

    def close(self) -> None:
        self._package.finish()


class TensorBoard:
    """Event files in a folder, for `tensorboard --logdir`."""

    def __init__(self, folder: Path) -> None:
        self._writer = import_module("torch.utils.tensorboard").SummaryWriter(str(folder))

    def log(self, step: int, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, step)

    def close(self) -> None:
        self._writer.close()


class Guarded:
    """A tracker whose failure is noted once and stops nothing."""

    def __init__(self, name: str, make: Callable[[], Tracker], note: Note) -> None:
        self._name, self._note = name, note
        self._tracker: Tracker | None = None
        self._tracker = self._tried(make)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        if tracker := self._tracker:
            self._tried(lambda: tracker.log(step, values))

    def close(self) -> None:
        if tracker := self._tracker:
            self._tried(tracker.close)

    def _tried(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except Exception as error:  # of somebody else's package: any
            self._tracker = None
            why = " ".join(str(error).split())[:200] or type(error).__name__
            self._note(f"{self._name} failed and gets no more figures: {why}; the training goes on")
            return None


class Several:
    """Several trackers as one."""

    def __init__(self, trackers: Sequence[Tracker]) -> None:
        self._trackers = tuple(trackers)

    def log(self, step: int, values: Mapping[str, float]) -> None:
        for tracker in self._trackers:
            tracker.log(step, values)

    def close(self) -> None:
        for tracker in self._trackers:
            tracker.close()


@contextmanager
def opened(
    names: Sequence[str], folder: Path, title: str, settings: Mapping[str, Any], note: Note
) -> Iterator[Several]:
    """The log of a folder with these trackers beside it, closed at the end of the block."""
    packages = {name: installed(name) for name in names}
    made: list[Tracker] = [Guarded(LOG, lambda: JsonLines(folder / LOG), note)]
    for name, package in packages.items():
        made.append(Guarded(name, _maker(name, package, folder, title, settings), note))
    several = Several(made)
    try:
        yield several
    finally:
        several.close()


def _maker(
    name: str, package: ModuleType, folder: Path, title: str, settings: Mapping[str, Any]
) -> Callable[[], Tracker]:
    if name == "tensorboard":
        return lambda: TensorBoard(folder / name)
    return lambda: Online(package, title, settings)


def installed(name: str) -> ModuleType:
    """The package of a tracker."""
    if name not in TRACKERS:
        raise ConfigError(f"track = {name!r}: there are {', '.join(TRACKERS)}")
    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise ConfigError(f"--track {name}: the package is not installed; pip install {name}") from None

"""What an experiment keeps on disk about its rows: their settings, whether they are done, and their weights.

    row.begin(grid)          create its folder, or refuse to continue it with other settings
    row.is_done              whether it was finished with its current settings

A row whose settings have changed is refused, and the error names the change. More splits, books, tasks or samples
extend an evaluation.

Not covered: what a row writes while it runs (`row.py`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sebench.base import files, resume
from sebench.base.settings import to_json
from sebench.experiment.grid import Grid
from sebench.experiment.method import MethodConfig, generated_by, loaded_as
from sebench.experiment.row import MEMORY, MODEL, PLAY, RUN
from sebench.rollout.store import EXTENDING
from sebench.selfplay.steps import check_functions
from sebench.version import __version__
from sebench.world.manifest import sha
from sebench.world.world import World

FORMAT = 1
ROW = "row.json"
WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pt.new")
OF_RUNS = ("model", "tasks")  # settings of a run that the row sets
PARTS = (MODEL, RUN, MEMORY, PLAY)


@dataclass(frozen=True)
class ExperimentRow:
    """A method in a world."""

    world: World
    method: MethodConfig
    folder: Path
    test_worlds: Mapping[str, World] = field(default_factory=dict)  # in a stream, by name; otherwise its own world
    replay_worlds: Mapping[str, World] = field(default_factory=dict)  # in a stream: those whose rows are mixed in

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.method.name}"

    @property
    def is_done(self) -> bool:
        """Whether the row was finished with its current settings."""
        data = _read_json(self.folder / ROW)
        return bool(data.get("done") == data["settings"])

    @property
    def is_trained(self) -> bool:
        file = self.folder / MODEL / "learn.json"
        return file.is_file() and bool(_read_json(file).get("ended"))

    def examples(self, grid: Grid) -> str:
        """Return the sources of its examples, with folders in place of the rows that generate them."""
        sources = []
        for source in self.method.sources:
            source_row = grid.method(name) if (name := generated_by(source)) else None
            folder = self.folder.parent / name / (PLAY if source_row and source_row.play else RUN)
            sources.append(str(folder) if source_row else source)
        return ",".join(sources)

    def play(self, grid: Grid, model: str) -> dict[str, Any]:
        """Return the settings of its rounds of self-play, with the folders of other rows. If it starts from a row of
        self-play, the rounds of that row come first, and all rounds train from what the first one trained from."""
        method, rows = self.method, self.folder.parent
        first = grid.first_rounds(method)
        return {
            **to_json(method.play),
            "model": loaded_as(grid.root(method).learn.model) if method.start else model,
            "base": str(rows / first.start / MODEL) if first.start else "",
            "after": str(rows / method.start / PLAY) if first is not method else "",
            "also_learn": self.examples(grid),
        }

    def begin(self, grid: Grid) -> None:
        """Create the row's folder; raise an error if it was started with other settings."""
        data = self.check(grid)
        files.make_folder(self.folder)
        files.write(self.folder / ROW, json.dumps(data, indent=1) + "\n")

    def check(self, grid: Grid) -> dict[str, Any]:
        """Return the new content of the row's file; raise an error if the row was started with other settings."""
        if self.method.play:
            check_functions(self.world, self.method.play)
        now = json.loads(json.dumps(_settings(grid, self)))
        results = [*(self.folder / part for part in PARTS), *self.folder.glob(f"{RUN}-*")]
        if not (self.folder / ROW).is_file() or not any(part.exists() for part in results):
            return {"format": FORMAT, "settings": now}  # it has no results yet, so settings may still change
        data = _read_json(self.folder / ROW)
        extending = {"seen", *(f"evaluate.{name}" for name in EXTENDING)}  # the run itself checks what may extend it
        step = "choose another --out, or remove that folder"
        resume.refuse_changes(
            self.folder, data["settings"], now, allowed=lambda key, was, is_now: key in extending, step=step
        )
        return {**data, "settings": now}

    def finish(self, alone: bool) -> None:
        """Record that the row is done, and whether it had to be retried alone."""
        data = _read_json(self.folder / ROW)
        data |= {"done": data["settings"]} | (
            {"alone": "it ran out of memory while other rows were running"} if alone else {}
        )
        files.write(self.folder / ROW, json.dumps(data, indent=1) + "\n")


def has_weights(folder: Path) -> bool:
    """Whether a model's folder still has its weights."""
    return any(folder.glob("*.safetensors")) or any(folder.glob("*.bin"))


def drop_weights(grid: Grid, rows: Sequence[ExperimentRow], finished: Collection[str]) -> None:
    """Delete weights that no row needs any more, but keep the training records. `finished` holds the names of rows."""
    for one in rows:
        here = [row for row in rows if row.folder.parent == one.folder.parent]
        # All rounds of self-play train from the weights with which the first ones began.
        firsts = {row.name: grid.first_rounds(row.method) if row.method.play else row.method for row in here}
        starts = {row.name: {row.method.start, firsts[row.name].start} for row in here}
        if all(row.name in finished for row in here if row is one or one.method.name in starts[row.name]):
            for folder in [one.folder / MODEL, *one.folder.glob(f"{PLAY}/round-*/{MODEL}")]:
                for file in (file for pattern in WEIGHTS for file in folder.glob(pattern)):
                    file.unlink()


def manifest(grid: Grid, rows: Sequence[ExperimentRow]) -> dict[str, Any]:
    """Return the facts about the experiment that a report needs."""
    worlds = {
        name: world for one in rows for name, world in (one.test_worlds or {one.folder.parent.name: one.world}).items()
    }
    of_stream = any(one.method.stage for one in rows)
    return {
        "format": FORMAT,
        "sebench": __version__,
        "file": grid.file.name,
        "baseline": grid.baseline,
        "worlds": [
            {"name": name, "seed": w.manifest.seed, "fingerprint": w.manifest.fingerprint, "part": w.manifest.part}
            | ({"folder": w.path.name} if of_stream else {})
            for name, w in worlds.items()
        ],
        "methods": [
            {"name": m.name, "method": m.method, "from": m.start, "model": "" if m.start else m.learn.model}
            | ({"memory": m.memory} if m.memory else {})
            | ({"stage": asdict(m.stage)} if m.stage else {})
            for m in grid.methods
        ],
    } | ({"stages": list(grid.stages)} if of_stream else {})


def _settings(grid: Grid, one: ExperimentRow) -> dict[str, Any]:
    """Return the settings that determine the results of a row."""
    settings = {**_weights(grid, one.method), "world": one.world.manifest.fingerprint, "seen": grid.seen}
    if stage := one.method.stage:
        settings["test_worlds"] = {name: world.manifest.fingerprint for name, world in one.test_worlds.items()}
        settings["replay_worlds"] = {name: world.manifest.fingerprint for name, world in one.replay_worlds.items()}
        settings["replay_share"] = stage.replay_share
    if one.method.memory:
        writer = grid.method(one.method.memory)
        settings["memory"] = {**_weights(grid, writer), "study": writer.study.compared() if writer.study else {}}
    return settings | (_evaluation(one.method) if one.method.is_compared or not one.method.play else {})


def _evaluation(method: MethodConfig) -> dict[str, Any]:
    compared = {key: value for key, value in method.evaluate.compared().items() if key not in OF_RUNS}
    study = {"study": method.study.compared()} if method.study else {}
    return {"evaluate": {**compared, "prompts": method.evaluate.prompts}, **study}


def _weights(grid: Grid, method: MethodConfig) -> dict[str, Any]:
    """Return the settings that determine the weights of a row: its own, and those of the row that it starts from."""
    weights = {
        "method": method.method,
        "from": method.start,
        "learn": method.learn.compared() if method.trains else {"model": method.learn.model},
        "start": _weights(grid, grid.method(method.start)) if method.start else None,  # of the row that it starts from
    }
    if method.play:
        weights["play"] = {**method.play.compared(), "rounds": method.play.rounds}
    for source_row in map(grid.method, method.needs):
        run = {} if source_row.play else _evaluation(source_row)
        weights[f"from {source_row.name}"] = {**_weights(grid, source_row), **run}
    if read := [Path(source) for source in method.sources if Path(source).is_file()]:
        weights["files"] = {str(file): sha(file.read_bytes())[:16] for file in read}
    return weights


def _read_json(file: Path) -> dict[str, Any]:
    return resume.read(file, "remove its folder to start it again")

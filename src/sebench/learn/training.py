"""One training on disk: what begins it, goes on with it, and ends it, whatever the method.

The folder that comes out is an ordinary Hugging Face model with `learn.json` (every setting, the world, versions, counts), `log.jsonl` (a line
for each step) and `probes.jsonl`. A training that was killed goes on from its last checkpoint when the same command is given again;
one with other settings, or of another world, refuses and says which.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import sebench
from sebench import files
from sebench.errors import ConfigError
from sebench.learn import checkpoints, guard
from sebench.learn.config import LearnConfig
from sebench.learn.loop import STATE, LoopSettings, Trainer
from sebench.learn.rows import TrainingRow
from sebench.world import World

MANIFEST, LOG = "learn.json", "log.jsonl"
Tell = Callable[[str, int, int], None]


@dataclass
class Training:
    """A method at work on a model in a folder."""

    world: World
    method: str
    config: LearnConfig
    out: Path
    tell: Tell
    manifest: dict[str, Any] = field(default_factory=dict)
    torch: Any = None
    model: Any = None
    tokenizer: Any = None
    total: int = 0  # steps
    _guards: ProcessPoolExecutor | None = None
    _found: Future[Any] | None = None

    @property
    def ended(self) -> bool:
        return bool(self.manifest.get("ended"))

    def begin(self) -> None:
        """Claim the folder, or go on in it."""
        told: dict[str, Any] = {"method": self.method, "config": self.config.compared(), "world": described(self.world)}
        file = self.out / MANIFEST
        if file.is_file():
            self.manifest = _read(file)
            for key in ("method", "world"):
                if self.manifest.get(key) != told[key]:
                    raise ConfigError(f"{self.out} holds a training with another {key}; choose another --out")
            before = self.manifest.get("config", {})
            for key, value in told["config"].items():
                if before.get(key) != value:
                    raise ConfigError(
                        f"{self.out} holds a training with {key} = {before.get(key)!r}, not {value!r}; choose another --out"
                    )
            return
        if self.out.exists() and any(self.out.iterdir()):
            raise ConfigError(f"{self.out} is not empty and holds no training; choose another --out")
        files.make_folder(self.out)
        self.manifest = {**told, "start": self._start(), "versions": versions()}
        self._write()

    def load(self) -> None:
        """The model to train."""
        self.torch, self.tokenizer, self.model = checkpoints.load(self.config.model, self.config.device)
        if self.config.lora:
            self.model = checkpoints.with_adapters(self.model, self.config.lora, self.config.seed)
        self.torch.manual_seed(self.config.seed)

    def guard(self, rows: Sequence[TrainingRow]) -> None:
        """Look for test tasks in what is learnt from, in a process of its own: a training that has one ends before its model is written."""
        self._guards = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        self._found = self._guards.submit(guard.refuse, rows, self.world)

    def trainer(self, settings: LoopSettings) -> Trainer:
        """The short loop, at the step where it was left."""
        made = Trainer(self.torch, self.model, settings)
        made.resume(self.out)
        _keep_lines(self.out / LOG, made.done)
        return made

    def log(self, step: int, figures: dict[str, Any]) -> None:
        """A line of the log, and of the progress that people see."""
        with (self.out / LOG).open("a", encoding="utf-8") as log:
            log.write(json.dumps({"step": step, **figures}) + "\n")
        if self._found is not None and self._found.done():
            self._refuse()
        shown = "reward" if "reward" in figures else "loss"
        self.tell(f"{shown} {figures[shown]:.3f}", step + 1, self.total)

    def note(self, **figures: Any) -> None:
        """Figures of the whole training, for the manifest."""
        self.manifest |= figures
        self._write()

    def end(self) -> None:
        """Write the model; from here on the folder is done."""
        self._refuse()
        checkpoints.save(self.model, self.tokenizer, self.out)
        lines = [json.loads(line) for line in (self.out / LOG).read_text("utf-8").splitlines()]
        seconds = sum(line.get("s", 0.0) for line in lines)
        tokens = sum(line.get("tokens", 0) for line in lines)
        self.note(
            ended=True,
            steps=len(lines),
            seconds=round(seconds, 1),
            tokens_per_second=round(tokens / seconds) if seconds else 0,
            device=_device(self.torch, self.model),
        )
        (self.out / STATE).unlink(missing_ok=True)

    def _refuse(self) -> None:
        if self._found is not None and self._guards is not None:
            found, self._found = self._found, None
            self._guards.shutdown()
            found.result()  # raises what was found

    def _start(self) -> dict[str, Any]:
        """Of the model that a training starts from, if it was trained by us: what it has learnt."""
        file = Path(self.config.model) / MANIFEST
        if not file.is_file():
            return {}
        before = _read(file)
        if before.get("world") != described(self.world):
            raise ConfigError(
                f"--model {self.config.model} was trained on another world (package {before.get('world', {}).get('package')!r}); "
                f"take a checkpoint of {self.world.names.package!r}, or a model that was not trained"
            )
        if not before.get("ended"):
            raise ConfigError(f"--model {self.config.model} is a training that has not ended; finish it first")
        return {"method": before["method"], "config": before["config"], "start": before.get("start", {})}

    def _write(self) -> None:
        files.write(self.out / MANIFEST, json.dumps(self.manifest, indent=1) + "\n")


def described(world: World) -> dict[str, Any]:
    """A world in a manifest."""
    return {"fingerprint": world.manifest.fingerprint, "seed": world.manifest.seed, "package": world.names.package}


def versions() -> dict[str, str]:
    found = {"sebench": sebench.__version__, "python": platform.python_version()}
    for name in ("torch", "transformers", "trl", "peft", "numpy"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _device(torch: Any, model: Any) -> str:
    device = next(model.parameters()).device
    return (
        str(torch.cuda.get_device_name(device)) if device.type == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    )


def _read(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {error}") from None
    return found


def _keep_lines(file: Path, count: int) -> None:
    """Leave the first lines of a log: the steps behind a checkpoint are done again."""
    if file.is_file():
        files.write(file, "".join(file.read_text("utf-8").splitlines(keepends=True)[:count]))

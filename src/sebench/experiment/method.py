"""A method of an experiment: a row of the comparison in every world, or a row that only generates examples for others.

    MethodConfig(name, method, start, learn, evaluate, ...)
    generated_by("own:Closed-SFT")  # "answers of Closed-SFT", the row that generates these examples

Not covered: reading methods from a file (`grid.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sebench.memory.methods.config import StudyConfig
from sebench.rollout.config import RunConfig
from sebench.selfplay.config import SelfplayConfig
from sebench.train.config import NONE, TrainConfig
from sebench.train.data.examples import GOLD
from sebench.train.methods import METHODS

# Sources of examples that an experiment generates, with or without the name of a row ("own:Closed-SFT").
OWN, SELFPLAY = "own", "selfplay"
ANSWERS = "answers"  # the row that generates own answers


@dataclass(frozen=True)
class StreamStage:
    """The place of a row in a stream (`stream.py`)."""

    method: str  # its name in the file
    arm: str  # sequential, alone, joint or replay; "" for a model that does not train
    number: int  # 1 for the first stage; 0 if it is not one of the stages
    world: str  # the world that is learned
    test_worlds: tuple[str, ...]  # the worlds that it is tested on
    replay_worlds: tuple[str, ...] = ()  # worlds whose training rows are mixed in
    replay_share: float = 0.0  # share of these rows; 0 means all of them
    before: str = ""  # the row of the stage before it


@dataclass(frozen=True)
class MethodConfig:
    """One row of the comparison (a method), or a row that generates examples for others."""

    name: str
    method: str
    start: str  # name of the row whose weights it starts from; "" for the model in its settings
    learn: TrainConfig
    evaluate: RunConfig
    gpus: int = 0  # number of GPUs reserved for it; 0 if it shares one
    study: StudyConfig | None = None  # of a method that writes a memory
    play: SelfplayConfig | None = None  # of a self-play run
    memory: str = ""  # name of the row whose memory is in its prompts
    stage: StreamStage | None = None  # of a stream

    @property
    def trains(self) -> bool:
        return self.method in METHODS

    @property
    def is_untrained(self) -> bool:
        """Whether it only evaluates the model in its settings."""
        return self.method == NONE and not self.start and not self.memory

    @property
    def learns_by(self) -> str:
        """The training method: its own, or that of its rounds of self-play."""
        return self.play.train if self.play else self.method if self.trains else NONE

    @property
    def is_compared(self) -> bool:
        """Whether the comparison shows it, or it only generates examples for other rows."""
        return self.method != ANSWERS and self.name != SELFPLAY

    @property
    def sources(self) -> list[str]:
        """The sources of its examples."""
        return [name for source in getattr(self.learn, "examples", "").split(",") if (name := source.strip())]

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the rows that generate its examples."""
        return tuple(dict.fromkeys(filter(None, map(generated_by, self.sources))))

    @property
    def plannable(self) -> TrainConfig:
        """Its training settings, with gold (reference solutions) in place of examples that may not exist yet."""
        there = dict.fromkeys(GOLD if generated_by(source) else source for source in self.sources)
        changed: dict[str, Any] = {"examples": ",".join(there) or GOLD} if self.needs or self.play else {}
        return replace(self.learn, **changed)

    @property
    def after(self) -> tuple[str, ...]:
        """The names of the rows that must finish before it starts."""
        before = self.stage.before if self.stage else ""
        return tuple(dict.fromkeys(filter(None, (self.start, *self.needs, self.memory, before))))


def generated_by(source: str) -> str:
    """Return the name of the row that generates the examples of a source; "" for gold and files."""
    kind, _, row = source.partition(":")
    return {OWN: f"{ANSWERS} of {row}" if row else ANSWERS, SELFPLAY: row or SELFPLAY}.get(kind, "")


def loaded_as(source: str) -> str:
    """Return the name under which a run loads a model that training knows by its hub name (OWNER/NAME) or file."""
    on_hub_or_file = ("/" in source or source.endswith(".gguf")) and not source.startswith("hf:")
    return f"hf:{source}" if on_hub_or_file and not Path(source).is_dir() else source

"""A method that makes a memory, and its inputs. `make.py` has the table of all methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sebench.memory.folder import RETRIEVAL, Memory, MemoryWriter
from sebench.memory.methods.config import StudyConfig
from sebench.world.build import Progress
from sebench.world.world import World


@dataclass(frozen=True)
class Study:
    """The inputs of a method."""

    world: World
    config: StudyConfig
    folder: MemoryWriter
    tell: Progress


@dataclass(frozen=True)
class MemoryMethod:
    """How a memory is made."""

    summary: str
    make: Callable[[Study], Memory]  # continues after `folder.events`, and saves a finished snapshot
    reads: tuple[str, ...]  # the settings that it reads, besides the budget and those of the writer
    regime: Callable[[StudyConfig], str] = field(default=lambda config: RETRIEVAL)
    writes: bool = False  # whether a model writes
    gold: Callable[[StudyConfig], bool] = field(default=lambda config: False)  # whether gold solutions go in
    book: Callable[[StudyConfig], str] = field(default=lambda config: "")  # what the writer sees

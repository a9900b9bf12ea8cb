"""Where a run sends its requests and judges its answers: on this machine, or on a cluster (`sebench.remote.ray`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from sebench.base.records import Task
from sebench.judge.interface import AnyJudge
from sebench.judge.judge import SHARE, Judge
from sebench.models.model import Model
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.world import World


class Engine(Protocol):
    """Provides the judge and the model of a run."""

    def judge(self, world: World, profile: str, share: int = SHARE) -> AnyJudge: ...

    def model(self, config: RunConfig, world: World, tasks: Iterable[Task], memory_tokens: int) -> Model:
        """Return the model that a configuration names; `tasks` and `memory_tokens` are as in `models.load`. This is
        called inside an event loop."""
        ...


class ThisMachine:
    """The default engine: everything runs on this machine."""

    def __init__(self, workers: int = 0) -> None:
        """`workers`: number of concurrent sandboxes; 0 means one per core."""
        self.workers = workers

    def judge(self, world: World, profile: str, share: int = SHARE) -> AnyJudge:
        return Judge(world, profile=profile, workers=self.workers, share=share)

    def model(self, config: RunConfig, world: World, tasks: Iterable[Task], memory_tokens: int) -> Model:
        return models.load(config, world, tasks, memory_tokens)

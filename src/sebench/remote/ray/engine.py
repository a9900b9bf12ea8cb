"""Runs on a Ray cluster: all nodes judge answers, send requests to endpoints, and train and test rows of
experiments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sebench.base.records import Task
from sebench.judge.interface import AnyJudge
from sebench.judge.judge import SHARE
from sebench.models.model import Model
from sebench.remote.ray.endpoint_workers import RayModel
from sebench.remote.ray.on_ray import AUTO, RayJudge
from sebench.remote.ray.rows import RayRows
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.world import World


@dataclass(frozen=True)
class RayEngine:
    """An engine that uses a Ray cluster: its address, and the resources to use."""

    address: str = AUTO
    cpus: int = 1  # CPUs per judging task
    ship: bool = True  # send the world to nodes that do not have it
    wait_s: float = 300.0  # give up after this many seconds without a result
    note: Callable[[str], None] = lambda line: None

    def judge(self, world: World, profile: str, share: int = SHARE) -> AnyJudge:
        return RayJudge(
            world,
            self.address,
            profile=profile,
            share=share,
            cpus=self.cpus,
            ship=self.ship,
            wait_s=self.wait_s,
            note=self.note,
        )

    def model(self, config: RunConfig, world: World, tasks: Iterable[Task], memory_tokens: int) -> Model:
        """Return the model of a configuration: requests to an endpoint are sent from the nodes; any other model runs on
        this machine."""
        return RayModel(config) if config.base_url else models.load(config, world, tasks, memory_tokens)

    def rows(self, out: Path, gpus: float | None) -> RayRows:
        """Return a runner for the rows (one method in one world each) of the experiment in folder `out`, with `gpus`
        GPUs per row (None means one, if the cluster has any)."""
        return RayRows(out, self.address, cpus=self.cpus, gpus=gpus, ship=self.ship, wait_s=self.wait_s)

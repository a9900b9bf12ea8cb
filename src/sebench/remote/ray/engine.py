"""A Ray cluster as the engine of a run: verdicts on all nodes, requests to endpoints too, and rows of experiments."""

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
    """The address of a cluster, and the resources to use."""

    address: str = AUTO
    cpus: int = 1  # of each judging task
    ship: bool = True  # send the world to nodes that do not have it
    wait_s: float = 300.0  # give up after this long without a result
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
        """Requests to an endpoint are sent from the nodes; any other model stays where the command runs."""
        return RayModel(config) if config.base_url else models.load(config, world, tasks, memory_tokens)

    def rows(self, out: Path, gpus: float | None) -> RayRows:
        """Runs the rows of the experiment in folder `out`, with `gpus` each; None: one, if the cluster has any."""
        return RayRows(out, self.address, cpus=self.cpus, gpus=gpus, ship=self.ship, wait_s=self.wait_s)

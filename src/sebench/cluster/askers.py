"""Endpoints asked from the nodes of a cluster: one asker on each, which has many requests under way.

A run keeps its patience where it is (`rollout/runner.py`): how many requests at a time, pauses, tries and giving up are decided once for
the whole cluster, so that a provider which asks for less gets less. Only requests travel. Addresses such as http://localhost:8000/v1 are the
node's own: each node can have a server of its own.

An asker that is lost with its node fails its requests as a provider would: they are asked again, elsewhere. The key does not travel either:
every node reads it from its own environment or file.

Not covered: models that are no endpoint. They stay in the process of the command.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from importlib import import_module
from platform import node
from typing import Any

from sebench.cluster.on_ray import Nodes, library
from sebench.errors import ConfigError, PromptRefused, ProviderError
from sebench.prompts import Prompt
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.rollout.endpoint import Endpoint, read_key
from sebench.rollout.model import Completion, Model, Sampling

AT_A_TIME = 1000  # requests of an asker: far above what the runner hands over
REST_S = 15.0  # of a node whose asker was lost


@dataclass(frozen=True)
class Failed:
    """A `ProviderError` on its way."""

    message: str
    again: bool
    wait_s: float
    refused: bool

    def raised(self) -> ProviderError:
        if self.refused:
            return PromptRefused(self.message)
        return ProviderError(self.message, again=self.again, wait_s=self.wait_s)


class Asker:
    """What asks on a node. Its model is made with the first request, so that a mistake in its settings comes back as an answer."""

    def __init__(self, config: RunConfig, with_key: bool) -> None:
        self.config, self.with_key = config, with_key
        self.model: Model | None = None

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion | Failed:
        try:
            if self.model is None:
                if self.with_key and not read_key(self.config.key_env, self.config.key_file):
                    where = f"--key-env {self.config.key_env}"
                    raise ConfigError(f"node {node()} has no key in {where}; set it there before 'ray start'")
                self.model = models.endpoint(self.config)
            return await self.model.complete(prompt, sampling, seed)
        except ProviderError as error:
            return Failed(str(error), error.again, error.wait_s, isinstance(error, PromptRefused))
        except ConfigError as error:
            return Failed(str(error), False, 0.0, False)


@dataclass(eq=False)
class _Placed:
    """An asker on a node."""

    handle: Any
    busy: int = 0


class RayModel:
    """The model of an endpoint, asked from every node."""

    def __init__(self, config: RunConfig, nodes: Nodes | None = None) -> None:
        self.ray, self.config, self.nodes = library(), config, nodes or Nodes()
        self.with_key = bool(read_key(config.key_env, config.key_file))
        self.concurrency = Endpoint.concurrency * max(len(self.nodes.places()), 1)
        self._askers: dict[str, _Placed] = {}
        self._rests_until: dict[str, float] = {}

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        where, asker = self._choose()
        asker.busy += 1
        try:
            said = await asker.handle.complete.remote(prompt, sampling, seed)
        except self.ray.exceptions.RayTaskError:
            raise  # a bug of ours
        except self.ray.exceptions.RayError as error:
            # A node's death is noticed seconds later. Until then a new asker on it would fail too, so it rests.
            if self._askers.get(where) is asker:
                del self._askers[where]
            self._rests_until[where] = time.monotonic() + REST_S
            raise ProviderError(f"a node of the cluster was lost ({type(error).__name__})", again=True) from None
        finally:
            asker.busy -= 1
        if isinstance(said, Failed):
            raise said.raised()
        found: Completion = said
        return found

    async def close(self) -> None:
        for asker in self._askers.values():
            self.ray.kill(asker.handle)

    def _choose(self) -> tuple[str, _Placed]:
        """The asker with the least to do, of those whose node does not rest; if all do, any."""
        places, now = list(self.nodes.places()), time.monotonic()
        if not places:
            raise ProviderError("the cluster has no node with a CPU", again=True)
        awake = [one for one in places if self._rests_until.get(one, 0.0) <= now] or places
        for one in awake:
            if one not in self._askers:
                self._askers[one] = _Placed(self._started(one))
        where = min(awake, key=lambda one: self._askers[one].busy)
        return where, self._askers[where]

    def _started(self, where: str) -> Any:
        affinity = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        actor = self.ray.remote(num_cpus=0, max_concurrency=AT_A_TIME, scheduling_strategy=affinity(where, soft=False))
        return actor(Asker).remote(self.config, self.with_key)

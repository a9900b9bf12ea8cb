"""Sends requests to endpoints from the nodes of a cluster, for model servers that only a node can reach.

`sebench run --backend ray --base-url http://localhost:8000/v1` uses, on each node, that node's own server: a vLLM
server on every GPU node, say, or an address behind the cluster's firewall. An endpoint that this machine can reach does
not need this, since one process is just as fast.

- Each node has one worker, with many concurrent requests. Only requests and replies travel, each in its own call.
- Concurrency, pauses, retries and giving up are decided once, where the command runs (`rollout/runner.py`).
- Keys stay on the nodes: each reads its own environment or file.
- If a worker is lost with its node, its requests fail as provider errors do, and are retried on another node.

Not covered: models that are not endpoints; they run in the process of the command.
"""

from __future__ import annotations

import time
from collections import Counter
from importlib import import_module
from platform import node
from typing import Any

from sebench.base.errors import ConfigError, ProviderError
from sebench.models.endpoint import Endpoint, read_key
from sebench.models.model import Completion, Model, Sampling
from sebench.remote.ray.on_ray import Nodes, cause_of, library
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.prompts import Prompt

REST_S = 15.0  # seconds without new requests on a node whose worker was lost


class EndpointWorker:
    """Sends requests from a node. Its model is created at the first request, so that an error in its settings is
    returned as a reply."""

    def __init__(self, config: RunConfig, with_key: bool) -> None:
        self.config, self.with_key = config, with_key
        self.model: Model | None = None

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        """Return one response, or raise `ProviderError`."""
        try:
            if self.model is None:
                if self.with_key and not read_key(self.config.key_env, self.config.key_file):
                    where = f"--key-env {self.config.key_env}"
                    raise ConfigError(f"node {node()} has no key in {where}; set it there before 'ray start'")
                self.model = models.endpoint(self.config)
            return await self.model.complete(prompt, sampling, seed)
        except ConfigError as error:
            raise ProviderError(str(error), again=False) from None


class RayModel:
    """The model behind an endpoint, with requests sent from every node."""

    def __init__(self, config: RunConfig, nodes: Nodes | None = None) -> None:
        self.ray, self.config, self.nodes = library(), config, nodes or Nodes()
        self.with_key = bool(read_key(config.key_env, config.key_file))
        self.concurrency = Endpoint.concurrency * max(len(self.nodes.places()), 1)
        self._workers: dict[str, Any] = {}  # by node
        self._busy: Counter[str] = Counter()  # requests in flight on each node
        self._rests_until: dict[str, float] = {}

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        where = self._choose()
        worker = self._workers[where]
        self._busy[where] += 1
        try:
            completion: Completion = await worker.complete.remote(prompt, sampling, seed)
            return completion
        except self.ray.exceptions.RayTaskError as error:
            raise cause_of(error) from None
        except self.ray.exceptions.RayError as error:
            if self._workers.get(where) is worker:
                # Ray notices a node's death seconds later. Until then a new worker on it would fail too, so the node is
                # paused.
                del self._workers[where]
                self._rests_until[where] = time.monotonic() + REST_S
            raise ProviderError(f"a node in the cluster was lost ({type(error).__name__})", again=True) from None
        finally:
            self._busy[where] -= 1

    async def close(self) -> None:
        for worker in self._workers.values():
            self.ray.kill(worker)

    def _choose(self) -> str:
        """Return the node with the least busy worker that is not paused; any node if all are paused."""
        places, now = list(self.nodes.places()), time.monotonic()
        if not places:
            raise ProviderError("the cluster has no node with a CPU", again=True)
        awake = [one for one in places if self._rests_until.get(one, 0.0) <= now] or places
        where = min(awake, key=lambda one: self._busy[one])
        if where not in self._workers:
            self._workers[where] = self._start(where)
        return where

    def _start(self, where: str) -> Any:
        affinity = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        actor = self.ray.remote(num_cpus=0, scheduling_strategy=affinity(where, soft=False))
        return actor(EndpointWorker).remote(self.config, self.with_key)

"""Requests to endpoints from the nodes of a cluster, for model servers that only a node can reach.

`sebench run --backend ray --base-url http://localhost:8000/v1` uses, on each node, that node's own server: a vLLM on
every GPU node, say, or an address behind the cluster's firewall. An endpoint that this machine can reach does not need
this: one process is as fast.

- One worker per node, with many concurrent requests. Only requests and replies travel.
- Concurrency, pauses, retries and giving up are decided once, where the command runs (`rollout/runner.py`).
- Keys stay on the nodes: each reads its own environment or file.
- If a worker is lost with its node, its requests fail as with a provider and are retried on another node.

Not covered: models that are not endpoints. They stay in the process of the command.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from itertools import count
from platform import node
from typing import Any

from sebench.base.errors import ConfigError, PromptRefused, ProviderError
from sebench.models.endpoint import Endpoint, read_key
from sebench.models.model import Completion, Model, Sampling
from sebench.remote.ray.on_ray import Nodes, library
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.world.prompts import Prompt

SEND_S = 0.01  # requests within this time travel together
TAKE_S = 1.0  # how long `take` waits for a reply
REST_S = 15.0  # pause of a node whose worker was lost


@dataclass(frozen=True)
class ProviderFailure:
    """A `ProviderError` in transit."""

    message: str
    again: bool
    wait_s: float
    refused: bool

    def to_error(self) -> ProviderError:
        if self.refused:
            return PromptRefused(self.message)
        return ProviderError(self.message, again=self.again, wait_s=self.wait_s)


ProviderReply = Completion | ProviderFailure


@dataclass(frozen=True)
class PromptRequest:
    """A request in transit."""

    number: int
    prompt: Prompt
    sampling: Sampling
    seed: int


class EndpointWorker:
    """Sends requests from a node. Its model is created with the first request, so that an error in its settings comes
    back as a reply.

    Requests and replies travel in batches: a call for each would cost the command as much as the request itself (1 ms,
    measured)."""

    def __init__(self, config: RunConfig, with_key: bool) -> None:
        self.config, self.with_key = config, with_key
        self.model: Model | None = None
        self.under_way: set[asyncio.Task[None]] = set()
        self.done: list[tuple[int, ProviderReply]] = []
        self.arrived = asyncio.Event()

    async def ask(self, requests: Sequence[PromptRequest]) -> None:
        """Start these requests."""
        for one in requests:
            task = asyncio.create_task(self._keep(one))
            self.under_way.add(task)
            task.add_done_callback(self.under_way.discard)

    async def take(self) -> list[tuple[int, ProviderReply]]:
        """The replies since the last call; at least one, or none after a timeout."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.arrived.wait(), TAKE_S)
        self.arrived.clear()
        done, self.done = self.done, []
        return done

    async def _keep(self, one: PromptRequest) -> None:
        try:
            reply = await self.complete(one.prompt, one.sampling, one.seed)
        except Exception as error:  # a bug of ours: without a reply the command would wait for ever
            reply = ProviderFailure(f"{type(error).__name__}: {error}", False, 0.0, False)
        self.done.append((one.number, reply))  # looked up only now: `take` may have replaced the list meanwhile
        self.arrived.set()

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> ProviderReply:
        """One response, or the failure."""
        try:
            if self.model is None:
                if self.with_key and not read_key(self.config.key_env, self.config.key_file):
                    where = f"--key-env {self.config.key_env}"
                    raise ConfigError(f"node {node()} has no key in {where}; set it there before 'ray start'")
                self.model = models.endpoint(self.config)
            return await self.model.complete(prompt, sampling, seed)
        except ProviderError as error:
            return ProviderFailure(str(error), error.again, error.wait_s, isinstance(error, PromptRefused))
        except ConfigError as error:
            return ProviderFailure(str(error), False, 0.0, False)


class _WorkerHandle:
    """A worker on a node, seen from the command."""

    def __init__(self, handle: Any, faults: tuple[type[Exception], type[Exception]]) -> None:
        """`faults`: of Ray as a whole, and of our own code."""
        self.handle, self.faults = handle, faults
        self.lost = False
        self._numbers = count()
        self._outbox: list[PromptRequest] = []
        self._waiting: dict[int, asyncio.Future[ProviderReply]] = {}
        self._workers: dict[str, asyncio.Task[None]] = {}

    @property
    def busy(self) -> int:
        return len(self._waiting)

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> ProviderReply:
        if self.lost:
            raise ProviderError("a node of the cluster was lost", again=True)
        number = next(self._numbers)
        future: asyncio.Future[ProviderReply] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        self._outbox.append(PromptRequest(number, prompt, sampling, seed))
        for work in (self._send, self._collect):  # each ends when nobody waits, at different times
            there = self._workers.get(work.__name__)
            if there is None or there.done():
                self._workers[work.__name__] = asyncio.create_task(self._guarded(work))
        try:
            return await future
        finally:
            self._waiting.pop(number, None)

    def close(self) -> None:
        for worker in self._workers.values():
            worker.cancel()

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        everything, ours = self.faults
        try:
            await work()
        except Exception as error:  # reported to every waiting request
            self.lost = True
            lost = ProviderError(f"a node of the cluster was lost ({type(error).__name__})", again=True)
            self._fail(lost if isinstance(error, everything) and not isinstance(error, ours) else error)

    def _fail(self, error: Exception) -> None:
        for future in list(self._waiting.values()):
            if not future.done():
                future.set_exception(error)

    async def _send(self) -> None:
        while self._waiting and not self.lost:
            if requests := self._outbox:
                self._outbox = []
                await self.handle.ask.remote(requests)
            await asyncio.sleep(SEND_S)

    async def _collect(self) -> None:
        while self._waiting and not self.lost:
            for number, reply in await self.handle.take.remote():
                future = self._waiting.get(number)
                if future is not None and not future.done():
                    future.set_result(reply)


class RayModel:
    """The model of an endpoint, with requests from every node."""

    def __init__(self, config: RunConfig, nodes: Nodes | None = None) -> None:
        self.ray, self.config, self.nodes = library(), config, nodes or Nodes()
        self.with_key = bool(read_key(config.key_env, config.key_file))
        self.concurrency = Endpoint.concurrency * max(len(self.nodes.places()), 1)
        self._workers: dict[str, _WorkerHandle] = {}
        self._rests_until: dict[str, float] = {}

    async def complete(self, prompt: Prompt, sampling: Sampling, seed: int) -> Completion:
        where, asker = self._choose()
        try:
            reply = await asker.complete(prompt, sampling, seed)
        finally:
            if asker.lost and self._workers.get(where) is asker:
                # A node's death is noticed seconds later. Until then a new worker on it would fail too, so the node is
                # paused.
                del self._workers[where]
                self._rests_until[where] = time.monotonic() + REST_S
        if isinstance(reply, ProviderFailure):
            raise reply.to_error()
        return reply

    async def close(self) -> None:
        for asker in self._workers.values():
            asker.close()
            self.ray.kill(asker.handle)

    def _choose(self) -> tuple[str, _WorkerHandle]:
        """The least busy worker on a node that is not paused; if all are, any."""
        places, now = list(self.nodes.places()), time.monotonic()
        if not places:
            raise ProviderError("the cluster has no node with a CPU", again=True)
        awake = [one for one in places if self._rests_until.get(one, 0.0) <= now] or places
        for one in awake:
            if one not in self._workers:
                self._workers[one] = self._start_worker(one)
        where = min(awake, key=lambda one: self._workers[one].busy)
        return where, self._workers[where]

    def _start_worker(self, where: str) -> _WorkerHandle:
        affinity = import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        actor = self.ray.remote(num_cpus=0, scheduling_strategy=affinity(where, soft=False))
        handle = actor(EndpointWorker).remote(self.config, self.with_key)
        return _WorkerHandle(handle, (self.ray.exceptions.RayError, self.ray.exceptions.RayTaskError))

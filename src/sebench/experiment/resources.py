"""Divides this machine among the rows of an experiment (one method in one world each): a row has GPUs of its own, or
shares memory with rows that run in parallel.

A row with `gpus` reserves that many GPUs until it ends, and its processes see only these (`CUDA_VISIBLE_DEVICES`). If
too few are free, it waits.

Other rows share memory. The memory of a row is the estimate of the dry run (`plan.py`), with tokens estimated from
characters, so that nothing here imports torch. It must fit into the memory that is free now, and into the memory that
was free before any row started, minus the estimates of the running rows: a row that has just started has not taken its
memory yet. On a CPU, where the size of a pack (micro-batch) is limited by the free memory, each row gets packs that fit
into its share.

Not covered: GPUs that other programs use; distillation, absolute-zero and models of unknown dimensions, for which there
is no estimate; and the memory that an evaluation needs besides the weights. Rows without an estimate
start without waiting, and a row that runs out of memory in parallel with others is retried alone (`runner.py`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from sebench.base.errors import SebenchError
from sebench.models.vllm import DEVICES
from sebench.train import dry_run
from sebench.train.config import NONE, TrainConfig
from sebench.train.loop import free_memory, plan
from sebench.train.loop.free_memory import CPU, GPU
from sebench.world.world import World

NAMES = {CPU: "memory", GPU: "the GPU's memory"}
_GPU_NAME = re.compile(r"\d+|(?:GPU|MIG)-.+")
_COUNT = "import torch; print(torch.cuda.device_count())"


def visible_gpus() -> list[str]:
    """Return the names of the GPUs that this process may use. Like CUDA, ignore everything from the first invalid name
    on: -1 hides all GPUs."""
    named = os.environ.get(DEVICES)
    if named is not None:
        return list(takewhile(_GPU_NAME.fullmatch, map(str.strip, named.split(","))))
    return [str(number) for number in range(int(free_memory.ask_gpu(_COUNT) or 0))]


class DevicePool:
    """GPUs that rows reserve and release."""

    def __init__(self, devices: Sequence[str]) -> None:
        self.devices = tuple(devices)
        self._by_row: dict[str, tuple[str, ...]] = {}

    @property
    def free(self) -> list[str]:
        in_use = {device for devices in self._by_row.values() for device in devices}
        return [device for device in self.devices if device not in in_use]

    def take(self, name: str, count: int) -> bool:
        """Reserve GPUs for a row; return False if too few are free."""
        free = self.free
        if len(free) < count:
            return False
        self._by_row[name] = tuple(free[:count])
        return True

    def of(self, name: str) -> tuple[str, ...]:
        """Return the GPUs reserved for a row."""
        return self._by_row.get(name, ())

    def release(self, name: str) -> None:
        self._by_row.pop(name, None)


@dataclass(frozen=True)
class MemoryNeed:
    """The estimated memory of a row."""

    device: str
    size: float  # bytes; 0 if there is no estimate
    pack_tokens: int


class MemoryBudget:
    """The memory that parallel rows share."""

    def __init__(
        self,
        parallel: int,
        on_cpu: Callable[[], int | None] = free_memory.on_cpu,
        on_gpu: Callable[[], int | None] = free_memory.on_gpu,
    ) -> None:
        self.parallel = parallel
        self._ask = {CPU: on_cpu, GPU: on_gpu}
        self._free: dict[str, int | None] = {}  # by device, at the last measurement
        self._whole: dict[str, int] = {}  # by device, before any row started
        self._running: dict[str, MemoryNeed] = {}
        self._needs: dict[str, MemoryNeed] = {}

    def refresh(self) -> None:
        """Discard the last measurement. Measuring a GPU takes seconds, so it is done once for all waiting rows."""
        no_gpu = self._free.get(GPU, 0) is None
        self._free = {GPU: None} if no_gpu else {}

    def reserve(self, name: str, world: World, method: str, config: TrainConfig) -> str:
        """Reserve memory for a row, whose `method` is NONE if nothing is trained. Return "", or if other rows run and
        leave too little memory, why this one has to wait."""
        device = CPU if config.device == CPU or self._read(GPU) is None else GPU
        free = self._read(device)
        others = [need for need in self._running.values() if need.device == device]
        if not others:
            self._whole.pop(device, None)
        if free is None:
            self._running[name] = MemoryNeed(device, 0.0, config.pack_tokens)
            return ""
        whole = self._whole.setdefault(device, free)
        if name not in self._needs:
            self._needs[name] = estimate(world, method, config, device, whole / self.parallel)
        need = self._needs[name]
        left = min(free, whole - sum(other.size for other in others))
        if others and need.size > left:
            return (
                f"needs about {need.size / plan.GIB:.1f} GiB, but the running rows leave only "
                f"{max(0.0, left) / plan.GIB:.1f} GiB of {NAMES[device]}"
            )
        self._running[name] = need
        return ""

    def release(self, name: str) -> None:
        """Release the memory of a row that has ended."""
        self._running.pop(name, None)

    def pack_tokens(self, name: str) -> int:
        """Return the maximum number of tokens per pack for a row with reserved memory."""
        return self._running[name].pack_tokens

    def _read(self, device: str) -> int | None:
        if device not in self._free:
            self._free[device] = self._ask[device]()
        return self._free[device]


def estimate(world: World, method: str, config: TrainConfig, device: str, share: float) -> MemoryNeed:
    """Estimate the memory of a row; on a CPU, with packs that fit into `share` bytes."""
    chosen = replace(config, precision="float32") if device == CPU else config
    try:
        model = plan.model_shape(config.model)
        if method == NONE:
            return MemoryNeed(device, plan.ALLOWANCE + 4 * model.parameters, config.pack_tokens)
        if device == CPU and config.trainer == "loop":
            chosen = dry_run.settings_on_cpu(model, chosen, share)
        planned = dry_run.dry_run(world, method, chosen, tokenizer=False)
        return MemoryNeed(device, planned.memory, chosen.pack_tokens)
    except SebenchError:  # no plan, or an error that the row itself reports better
        return MemoryNeed(device, 0.0, config.pack_tokens)

"""Whether the memory of this machine has room for one more row beside those that run.

What a row takes is the estimate of the dry run (`plan.py`), with tokens counted from characters: nothing here imports torch. It must fit into
what is free now, and into what was free when no row ran, less the estimates of those that run: a row that has just begun has not taken
its memory yet. On a CPU, where packs are lowered to what is free, each row gets packs for its share of the memory.

Not covered: distillation, absolute-zero and models of unknown dimensions, for which there is no estimate, and what an evaluation takes
beside the weights. Such rows begin at once, and one that runs out of memory beside others is tried again alone (`runner.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sebench.base.errors import SebenchError
from sebench.train import dry_run
from sebench.train.config import NONE, TrainConfig
from sebench.train.loop import free_memory, pack_memory, plan
from sebench.train.loop.free_memory import CPU, GPU
from sebench.world.world import World

NAMES = {CPU: "memory", GPU: "the GPU's memory"}


@dataclass(frozen=True)
class RowWork:
    """What a row has to do, as far as memory is concerned."""

    world: World
    method: str  # NONE where nothing is trained
    learn: TrainConfig  # with the model that it begins with


@dataclass(frozen=True)
class MemoryNeed:
    """The memory that a row is taken to need."""

    device: str
    size: float  # bytes; 0 where there is no estimate
    pack_tokens: int


class MemoryBudget:
    """The memory that rows side by side share."""

    def __init__(
        self,
        parallel: int,
        on_cpu: Callable[[], int | None] = free_memory.on_cpu,
        on_gpu: Callable[[], int | None] = free_memory.on_gpu,
    ) -> None:
        self.parallel = parallel
        self._ask = {CPU: on_cpu, GPU: on_gpu}
        self._free: dict[str, int | None] = {}  # by device, at the last look
        self._whole: dict[str, int] = {}  # by device, when no row ran
        self._running: dict[str, MemoryNeed] = {}
        self._needs: dict[str, MemoryNeed] = {}

    def refresh(self) -> None:
        """Forget what was free: asking again takes seconds on a GPU, so that it is done once for all rows that wait."""
        no_gpu = self._free.get(GPU, 0) is None
        self._free = {GPU: None} if no_gpu else {}

    def reserve(self, name: str, work: RowWork) -> str:
        """Count a row in; where others run and there is too little memory, why it has to wait."""
        device = CPU if work.learn.device == CPU or self._read(GPU) is None else GPU
        free = self._read(device)
        beside = [need for need in self._running.values() if need.device == device]
        if not beside:
            self._whole.pop(device, None)
        if free is None:
            self._running[name] = MemoryNeed(device, 0.0, work.learn.pack_tokens)
            return ""
        whole = self._whole.setdefault(device, free)
        if name not in self._needs:
            self._needs[name] = estimate(work, device, whole / self.parallel)
        need = self._needs[name]
        left = min(free, whole - sum(other.size for other in beside))
        if beside and need.size > left:
            return (
                f"needs about {need.size / plan.GIB:.1f} GiB, and {max(0.0, left) / plan.GIB:.1f} GiB of {NAMES[device]} are left "
                "beside the rows that run"
            )
        self._running[name] = need
        return ""

    def release(self, name: str) -> None:
        """The row has ended."""
        self._running.pop(name, None)

    def pack_tokens(self, name: str) -> int:
        """Tokens of a pack of a row that was counted in."""
        return self._running[name].pack_tokens

    def _read(self, device: str) -> int | None:
        if device not in self._free:
            self._free[device] = self._ask[device]()
        return self._free[device]


def estimate(work: RowWork, device: str, share: float) -> MemoryNeed:
    """What the plan of a row says; on a CPU with packs for a share of so many bytes."""
    config = replace(work.learn, precision="float32") if device == CPU else work.learn
    try:
        model = plan.model_shape(config.model)
        if work.method == NONE:
            return MemoryNeed(device, plan.ALLOWANCE + 4 * model.parameters, config.pack_tokens)
        if device == CPU and config.engine == "loop":
            trained = model.adapters(config.lora) if config.lora else model.parameters
            rest = share - plan.ALLOWANCE - sum(item.size for item in plan.fixed_memory(model, config, trained))
            tokens = min(config.pack_tokens, pack_memory.pack_tokens(model, config, rest))
            config = replace(config, pack_tokens=tokens)
        planned = dry_run.dry_run(work.world, work.method, config, tokenizer=False)
        return MemoryNeed(device, planned.memory, config.pack_tokens)
    except SebenchError:  # no plan, or a mistake that the row itself tells better
        return MemoryNeed(device, 0.0, work.learn.pack_tokens)

"""Limits the size of packs on a CPU, where running out of memory raises no error and the kernel kills the process.

Memory is estimated with the formulas of the dry run (`plan.py`), as if every token were learnt. Packs take at most half
of the free memory: the estimate was up to a tenth too low, RL and distillation keep a second copy of the logits, and
other processes need memory too. This costs little: with SmolLM2's layers, packs of 1,400 tokens were as fast as packs
of 4,096, and packs of 200 were a fifth slower (one core). A row longer than a pack is processed alone, and refused if
it would not fit.

Not covered: models whose dimensions the dry run does not know; their packs are as large as the settings say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.train.config import TrainConfig
from sebench.train.loop import batches, free_memory, plan
from sebench.train.loop.batches import Pack
from sebench.train.loop.loop import Trainer

SHARE = 0.5  # maximum share of the free memory for packs


def pack_tokens(model: plan.ModelShape, config: TrainConfig, free: float) -> int:
    """Return how many tokens a pack may have with this many free bytes. At least 1, which makes every row its own
    pack."""
    return max(1, int(SHARE * free / pack_bytes(model, config, 1, 1)))


def pack_bytes(model: plan.ModelShape, config: TrainConfig, tokens: int, learnt: int) -> float:
    """Return the memory that a pack needs, in bytes."""
    return sum(item.size for item in plan.activations(model, config, tokens, learnt))


def limit_packs(trainer: Trainer, config: TrainConfig, free: Callable[[], int | None] = free_memory.on_cpu) -> None:
    """On a CPU, limit packs to what fits, and refuse rows that do not fit even by themselves."""
    now = free() if trainer.device.type == free_memory.CPU else None
    if now is None:
        return
    own = trainer.model.config.get_text_config()
    try:
        model = plan.shape_from_config(own.to_dict(), str(own.model_type))
    except (ConfigError, TypeError, ValueError):
        return
    chosen = replace(config, trainer="loop", precision="bf16" if trainer.bf16 else "float32")

    def still_to_allocate() -> float:
        """Return the bytes for weights and optimizer that the run has not allocated yet."""
        # Weights are mapped from their file until the first update writes to them.
        allocated = {"adapters", *(["weights", "AdamW"] if trainer.optimizer.state else [])}
        if trainer.trainable[0].grad is not None:
            allocated.add("gradients")
        count = sum(weights.numel() for weights in trainer.trainable)
        return sum(item.size for item in plan.fixed_memory(model, chosen, count) if item.name not in allocated)

    def check(pack: Pack) -> None:
        tokens, learnt = batches.size(pack), sum(row.learnt for row in pack)
        size, left = pack_bytes(model, chosen, tokens, learnt), (free() or 0) - still_to_allocate()
        if size > left:
            raise OutOfMemory(
                f"the row {pack[0].id!r} of {tokens:,} tokens alone needs about {size / plan.GIB:.2f} GiB, but only "
                f"{max(0.0, left) / plan.GIB:.2f} GiB of memory are free; train with --lora or a smaller model, leave "
                "out long rows, or use a larger machine"
            )

    trainer.check_row = check
    most = pack_tokens(model, chosen, now - still_to_allocate())
    if most < trainer.pack_tokens:
        trainer.limit_packs(
            most,
            f"--pack-tokens {trainer.pack_tokens:,} is lowered to {most:,}: {now / plan.GIB:.1f} GiB of memory are "
            f"free, and a token takes up to {pack_bytes(model, chosen, 1, 1) / (1 << 20):.2f} MiB",
        )

"""How large packs may be on a CPU, where the kernel kills a process that takes too much and no error can be caught.

Memory is estimated with the formulas of the dry run (`plan.py`), as if every token were learnt. Packs take half of what is free at the
most: the estimate was up to a tenth too low, RL and distillation keep a second copy of logits, and a training has neighbours. It costs
little: with layers of SmolLM2, packs of 1,400 tokens were as fast as one of 4,096, and packs of 200 a fifth slower (one core). A row that
is longer than a pack goes alone, and is refused before it would be killed.

Not covered: models whose dimensions the dry run does not know; their packs are as large as was asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.train.config import TrainConfig
from sebench.train.loop import batches, free_memory, plan
from sebench.train.loop.batches import Pack
from sebench.train.loop.loop import Trainer

SHARE = 0.5  # of the memory that is free, for packs


def pack_tokens(model: plan.ModelShape, config: TrainConfig, free: float) -> int:
    """Tokens of a pack for which so many bytes are enough; at least 1, which is a row by itself."""
    return max(1, int(SHARE * free / pack_bytes(model, config, 1, 1)))


def pack_bytes(model: plan.ModelShape, config: TrainConfig, tokens: int, learnt: int) -> float:
    """Bytes that a pack takes."""
    return sum(item.size for item in plan.activations(model, config, tokens, learnt))


def limit_packs(trainer: Trainer, config: TrainConfig, free: Callable[[], int | None] = free_memory.on_cpu) -> None:
    """Lower the packs of a training on a CPU to what fits, and let it refuse rows that do not fit by themselves."""
    now = free() if trainer.device.type == free_memory.CPU else None
    if now is None:
        return
    own = trainer.model.config.get_text_config()
    try:
        model = plan.shape_from_config(own.to_dict(), str(own.model_type))
    except (ConfigError, TypeError, ValueError):
        return
    chosen = replace(config, engine="loop", precision="bf16" if trainer.bf16 else "float32")

    def to_come() -> float:
        """Bytes that are taken whatever goes through the model, and are not taken yet."""
        # Weights are mapped from their file until the first update writes to them.
        there = {"adapters", *(["weights", "AdamW"] if trainer.optimizer.state else [])}
        if trainer.trainable[0].grad is not None:
            there.add("gradients")
        count = sum(weights.numel() for weights in trainer.trainable)
        return sum(item.size for item in plan.fixed_memory(model, chosen, count) if item.name not in there)

    def check(pack: Pack) -> None:
        tokens, learnt = batches.size(pack), sum(row.learnt for row in pack)
        size, left = pack_bytes(model, chosen, tokens, learnt), (free() or 0) - to_come()
        if size > left:
            raise OutOfMemory(
                f"the row {pack[0].id!r} of {tokens:,} tokens needs about {size / plan.GIB:.2f} GiB by itself, and "
                f"{max(0.0, left) / plan.GIB:.2f} GiB of memory are free; train with --lora or a smaller model, leave long "
                "rows out, or use a larger machine"
            )

    trainer.check_row = check
    most = pack_tokens(model, chosen, now - to_come())
    if most < trainer.pack_tokens:
        trainer.limit_packs(
            most,
            f"--pack-tokens {trainer.pack_tokens:,} is lowered to {most:,}: {now / plan.GIB:.1f} GiB of memory are free, "
            f"and a token takes up to {pack_bytes(model, chosen, 1, 1) / (1 << 20):.2f} MiB",
        )

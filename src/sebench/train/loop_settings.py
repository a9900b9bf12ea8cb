"""How the training loop updates weights: learning rate, precision, packs, checkpoints."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sebench.base.errors import ConfigError
from sebench.models.transformers import fast_bf16

PRECISIONS = ("", "bf16", "float32")


@dataclass(frozen=True)
class LoopSettings:
    """How weights are updated."""

    lr: float = 5e-4
    warmup: int = 50  # steps
    seed: int = 0  # for dropout
    constant: bool = False  # keep the learning rate at its peak instead of decaying
    weight_decay: float = 0.0
    clip: float = 1.0  # maximum norm of the gradient
    precision: str = ""  # of matrix products; "" uses bf16 if it is fast on the device
    pack_tokens: int = 65_536  # maximum tokens in one forward pass; a longer row is a pack of its own
    save_minutes: float = 5.0  # between checkpoints
    compile: bool = False

    def __post_init__(self) -> None:
        for name in ("lr", "clip"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} = {getattr(self, name)}: must be greater than 0")
        if self.precision not in PRECISIONS:
            raise ConfigError(f"precision = {self.precision!r}: must be bf16, float32 or empty")

    def bf16(self, device: str) -> bool:
        """Whether matrix products are in bf16."""
        return self.precision == "bf16" or (not self.precision and fast_bf16(device))

    def rate(self, step: int, total: int) -> float:
        """The learning rate of a step: linear warm-up (at most a tenth of all steps), then cosine decay."""
        warmup = min(self.warmup, max(1, total // 10))
        if step < warmup:
            return self.lr * (step + 1) / warmup
        if self.constant:
            return self.lr
        return self.lr * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))

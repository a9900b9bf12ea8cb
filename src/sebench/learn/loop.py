"""The short loop: full fine-tuning (or LoRA) of a causal language model on one device. Readable, exact, resumable.

    Trainer(model, settings).fit(steps, folder)

fp32 weights, bf16 autocast where the device has it, AdamW, linear warm-up and cosine decay, gradients cut at norm 1. Logits are computed
at learnt positions alone. A checkpoint holds weights, optimizer and step; what follows it is the same as if nothing had happened, because
the steps come from the seed (`batches.py`). For several GPUs and large models there is the TRL engine.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.learn.batches import Step
from sebench.learn.tokens import TokenRow

IGNORED = -100
LOG, STATE = "log.jsonl", "state.pt"


@dataclass(frozen=True)
class LoopSettings:
    """How weights are updated."""

    lr: float = 5e-4
    warmup: int = 50  # steps
    weight_decay: float = 0.0
    clip: float = 1.0  # norm of the gradient
    epochs: int = 8
    tokens: int = 16_384  # of a step, about
    micro_tokens: int = 65_536  # of a micro-batch, with padding: lower it where memory is short
    save_every: int = 0  # steps; 0 saves at the end alone
    seed: int = 0
    compile: bool = False
    bf16: bool = False  # autocast on a CPU too; a GPU always does

    def __post_init__(self) -> None:
        for name in ("lr", "epochs", "tokens", "micro_tokens", "clip"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} = {getattr(self, name)}: more than 0")

    def rate(self, step: int, total: int) -> float:
        """The learning rate of a step: it rises over the warm-up (a tenth of a short training) and falls like a cosine."""
        warmup = min(self.warmup, max(1, total // 10))
        if step < warmup:
            return self.lr * (step + 1) / warmup
        return self.lr * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))


class Trainer:
    """Updates one model."""

    def __init__(self, torch: Any, model: Any, settings: LoopSettings) -> None:
        self.torch, self.model, self.settings = torch, model, settings
        self.device = next(model.parameters()).device
        self.trained = [p for p in model.parameters() if p.requires_grad]
        fused = self.device.type == "cuda"
        self.optimizer = torch.optim.AdamW(
            self.trained, lr=settings.lr, betas=(0.9, 0.95), weight_decay=settings.weight_decay, fused=fused
        )
        self.forward = torch.compile(model, dynamic=True) if settings.compile else model
        self.done = 0  # steps

    def fit(self, steps: Sequence[Step], folder: Path, tell: Callable[[Step, float], None] | None = None) -> None:
        """All steps that are not done, with a line of the log for each; a folder with a checkpoint goes on from it."""
        self.resume(folder)
        self.model.train()
        with (folder / LOG).open("a", encoding="utf-8") as log:
            for step in steps[self.done :]:
                began = time.perf_counter()
                loss = self.update(step, len(steps))
                seconds = time.perf_counter() - began
                line = {
                    "step": step.number,
                    "epoch": step.epoch,
                    "loss": loss,
                    "lr": self.settings.rate(step.number, len(steps)),
                }
                log.write(
                    json.dumps({**line, "tokens": step.tokens, "learnt": step.learnt, "s": round(seconds, 4)}) + "\n"
                )
                log.flush()
                self.done = step.number + 1
                if tell:
                    tell(step, loss)
                if self.settings.save_every and self.done % self.settings.save_every == 0 and self.done < len(steps):
                    self.save(folder)

    def update(self, step: Step, total: int) -> float:
        """One update; the mean loss of its learnt tokens."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings.rate(step.number, total)
        self.optimizer.zero_grad(set_to_none=True)
        whole = sum(self.backward(batch, step.learnt) for batch in step.micro)
        self.torch.nn.utils.clip_grad_norm_(self.trained, self.settings.clip)
        self.optimizer.step()
        return float(whole)

    def backward(self, batch: Sequence[TokenRow], count: int) -> Any:
        """The gradient of a micro-batch: the summed loss of its learnt tokens over the count of the whole step."""
        try:
            with self.torch.autocast(self.device.type, dtype=self.torch.bfloat16, enabled=self.autocast):
                loss = self.loss(batch) / count
            loss.backward()
        except self.torch.OutOfMemoryError:
            raise ConfigError(
                f"too little memory for {len(batch)} rows of {len(batch[0].ids)} tokens; lower micro_tokens, or train with LoRA"
            ) from None
        return loss.detach()

    @property
    def autocast(self) -> bool:
        return bool(self.device.type == "cuda" or self.settings.bf16)

    def loss(self, batch: Sequence[TokenRow]) -> Any:
        """The summed negative log-probability of the learnt tokens."""
        torch, longest = self.torch, max(len(row.ids) for row in batch)
        ids = torch.tensor([[*row.ids, *[0] * (longest - len(row.ids))] for row in batch], device=self.device)
        states = self.backbone(ids)
        where, wanted = self.learnt(batch)
        logits = self.head(states[where[0], where[1]])
        return torch.nn.functional.cross_entropy(logits.float(), wanted, reduction="sum")

    def learnt(self, batch: Sequence[TokenRow]) -> tuple[tuple[Any, Any], Any]:
        """The positions whose prediction is learnt (row, place), and the tokens that are wanted there."""
        torch = self.torch
        rows = [i for i, row in enumerate(batch) for _ in range(max(row.loss_from, 1), len(row.ids))]
        places = [at - 1 for row in batch for at in range(max(row.loss_from, 1), len(row.ids))]
        wanted = [token for row in batch for token in row.ids[max(row.loss_from, 1) :]]
        made = [torch.tensor(values, device=self.device) for values in (rows, places, wanted)]
        return (made[0], made[1]), made[2]

    def backbone(self, ids: Any) -> Any:
        return self.forward.base_model(input_ids=ids, use_cache=False).last_hidden_state

    def head(self, states: Any) -> Any:
        return self.model.get_output_embeddings()(states)

    # ---- on disk ------------------------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """A checkpoint to go on from, in one move: a torn one never takes the place of a whole one."""
        state = {
            "done": self.done,
            "settings": asdict(self.settings),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        self.torch.save(state, folder / f"{STATE}.new")
        (folder / f"{STATE}.new").replace(folder / STATE)

    def resume(self, folder: Path) -> None:
        """Go on from the folder's checkpoint, if it has one."""
        if not (folder / STATE).exists():
            return
        state = self.torch.load(folder / STATE, map_location=self.device, weights_only=True)
        if state["settings"] != asdict(self.settings):
            raise ConfigError(f"{folder} holds a training with other settings; choose another --out")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.done = int(state["done"])

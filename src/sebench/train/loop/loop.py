"""The training loop for one device: full or LoRA updates of a causal language model. It is readable, exact and
resumable.

    trainer = Trainer(torch, model, settings)
    trainer.update(rows, count, rate)         # one update
    trainer.finish_step(step, folder, last)   # count the step, and save a checkpoint from time to time

Weights are float32, with bf16 autocast if the device supports it. The optimizer is AdamW, with gradients clipped to
norm 1; the caller passes the learning rate of each update. Rows are packed without padding (`packing.py`), and logits
are computed only at learnt positions. A checkpoint contains weights, optimizer and step. A resumed run ends with the
same weights as an uninterrupted one, because the seed determines the steps (`batches.py`). For several GPUs and large
models use TRL (`trl/`).

If memory runs out, the step starts over with packs of half the size, and packs stay that small. Pack size changes the
weights only by rounding, except in models with dropout, whose masks are drawn per pack.
"""

from __future__ import annotations

import gc
import math
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.base.wording import counted, shorten
from sebench.models.decoding import has_plain_head
from sebench.train.config import TrainConfig
from sebench.train.data.tokens import TokenRow
from sebench.train.loop import batches, free_memory
from sebench.train.loop.batches import Pack
from sebench.train.loop.packing import ROUND, bounds, packed_attention

STATE = "state.pt"
# Maps the logits at the learnt positions of a pack, the target tokens and the pack to the summed loss.
Loss = Callable[[Any, Any, Pack], Any]
Log = Callable[[int, dict[str, Any]], None]  # receives the figures of a step


class Trainer:
    """Updates one model.

    `clip` is the maximum norm of the gradient. `on_smaller_packs` is called when the maximum pack size is lowered, with
    the new size and the reason.
    """

    clip = 1.0

    def __init__(
        self,
        torch: Any,
        model: Any,
        settings: TrainConfig,
        on_smaller_packs: Callable[[int, str], None] = lambda tokens, reason: None,
    ) -> None:
        if not has_plain_head(model):
            raise ConfigError(
                f"{model.config.model_type}: the model changes its logits after the output layer, which --trainer loop "
                "does not support; use --trainer trl"
            )
        self.torch, self.model, self.settings = torch, model, settings
        self.device = next(model.parameters()).device
        self.trainable = [p for p in model.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.trainable,
            lr=settings.lr,
            betas=(0.9, 0.95),
            weight_decay=settings.weight_decay,
            fused=self.device.type == "cuda",
        )
        self.bf16 = settings.bf16(self.device.type)
        self.done = 0  # steps taken
        self.pack_tokens, self.on_smaller_packs = settings.pack_tokens, on_smaller_packs
        # Raises if a row that is longer than a pack cannot fit into memory.
        self.check_row: Callable[[Pack], None] = lambda pack: None
        self.warn: Callable[[str], None] = lambda message: None
        self._limit_reason = ""  # why packs were limited, until it has been reported
        self._saved = time.monotonic()
        layers = model.get_decoder().layers if settings.compile else ()
        self._layers = [(layer, torch.compile(layer._call_impl, dynamic=True)) for layer in layers]

    @contextmanager
    def packed_layers(self) -> Iterator[None]:
        """Context in which the model accepts packs, with compiled layers if the settings say so. One compilation serves
        all layers."""
        with packed_attention(self.model):
            for layer, compiled in self._layers:
                layer._compiled_call_impl = compiled
            try:
                yield
            finally:
                for layer, _ in self._layers:  # decoding uses other shapes
                    layer._compiled_call_impl = None

    def update(
        self,
        rows: Sequence[TokenRow],
        count: float,
        rate: float,
        loss: Loss | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> float:
        """Do one update, and return the loss summed over the rows and divided by `count`. `begin` is called before
        every attempt to compute the gradient."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

        def start_over() -> None:
            begin()
            self.optimizer.zero_grad(set_to_none=True)
            self.torch.manual_seed(self._seed())  # so that dropout is the same after an interruption

        self.model.train()
        with self.packed_layers():
            total = sum(
                self._run_in_packs(rows, lambda pack: self.backward(pack, count, loss or self.nll_loss), start_over)
            )
        norm = self.torch.nn.utils.clip_grad_norm_(self.trainable, self.clip)
        self.optimizer.step()
        if not math.isfinite(float(norm)):  # the weights are now broken: save no checkpoint
            raise ConfigError(
                f"step {self.done + 1}: the gradient norm is {float(norm)} and the loss {float(total):.3f}; lower "
                "--lr, or use --precision float32"
            )
        return float(total)

    def backward(self, pack: Pack, count: float, loss: Loss) -> Any:
        """Add the gradient of a pack, and return its loss."""
        with self.torch.autocast(self.device.type, dtype=self.torch.bfloat16, enabled=self.bf16):
            logits, targets = self.logits(pack)
            pack_loss = loss(logits.float(), targets, pack) / count
        pack_loss.backward()
        return pack_loss.detach()

    def _run_in_packs(
        self, rows: Sequence[TokenRow], work: Callable[[Pack], Any], begin: Callable[[], None] = lambda: None
    ) -> list[Any]:
        """Do the work on each pack, and return the results. If memory runs out, everything starts over with smaller
        packs.

        The failed pack alone cannot be retried, because an error during a backward pass leaves gradients partly
        updated.
        """
        if self._limit_reason and batches.size(rows) > self.pack_tokens:
            self.on_smaller_packs(self.pack_tokens, self._limit_reason)
            self._limit_reason = ""
        while True:
            begin()
            results, too_large = list[Any](), None
            for pack in batches.packs(rows, self.pack_tokens):
                if batches.size(pack) > self.pack_tokens:
                    self.check_row(pack)
                try:
                    results.append(work(pack))
                except Exception as error:
                    if not free_memory.is_out_of_memory(error):
                        raise
                    too_large = pack
                    break
            if too_large is None:
                return results
            results.clear()  # the error, and the tensors in its traceback, are freed by now
            self._halve(too_large)

    def limit_packs(self, pack_tokens: int, reason: str) -> None:
        """Limit the tokens per pack. The reason is reported when a step first exceeds the limit."""
        self.pack_tokens, self._limit_reason = pack_tokens, reason

    def _halve(self, pack: Pack) -> None:
        """Limit packs to half the tokens of this one from now on. Raise an error if it is a single row."""
        self.optimizer.zero_grad(set_to_none=True)
        gc.collect()
        if self.device.type == "cuda":
            self.torch.cuda.empty_cache()
        tokens = batches.size(pack)
        others = free_memory.held_by_others(self.torch, self.device)
        if len(pack) == 1:
            crowd = f"end the other programs on this GPU (they hold {others} GiB), " if others else ""
            raise OutOfMemory(
                f"out of memory on the single row {pack[0].id!r} of {tokens:,} tokens, so a lower --pack-tokens does "
                f"not help; {crowd}train with --lora or a smaller model, leave out long rows, or use a larger device"
            )
        self.pack_tokens = tokens // 2
        self.on_smaller_packs(
            self.pack_tokens,
            f"out of memory on {counted(len(pack), 'row')} with {tokens:,} tokens in total; from now on, packs have at "
            f"most {self.pack_tokens:,} tokens (--pack-tokens)"
            + (f"; other programs hold {others} GiB of this GPU" if others else ""),
        )

    def nll_loss(self, logits: Any, targets: Any, pack: Pack) -> Any:
        """Return the loss of supervised fine-tuning: the summed negative log-probability of the learnt tokens."""
        return self.torch.nn.functional.cross_entropy(logits, targets, reduction="sum")

    def log_probabilities(self, rows: Sequence[TokenRow], temperature: float = 1.0) -> Any:
        """Return the log-probability of every learnt token, row after row, computed without dropout."""
        torch, training = self.torch, self.model.training

        def of_pack(pack: Pack) -> Any:
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.bf16):
                logits, targets = self.logits(pack)
            return -torch.nn.functional.cross_entropy(logits.float() / temperature, targets, reduction="none")

        self.model.eval()
        try:
            with torch.no_grad(), self.packed_layers():
                return torch.cat(self._run_in_packs(rows, of_pack))
        finally:
            self.model.train(training)

    def logits(self, pack: Pack, model: Any = None) -> tuple[Any, Any]:
        """Return the logits that predict the learnt tokens of a pack, row after row, and those tokens. `model` replaces
        the trained model."""
        model = self.model if model is None else model
        torch, lengths = self.torch, [len(row.ids) for row in pack]
        ids = [token for row in pack for token in row.ids]
        positions = [at for length in lengths for at in range(length)]
        starts, longest = bounds(lengths), max(lengths)
        if self.device.type == "cuda" and (rest := -len(ids) % ROUND):  # padding forms its own row, without loss
            ids, positions, starts = [*ids, *[0] * rest], [*positions, *range(rest)], [*starts, len(ids) + rest]
            longest = -(-longest // ROUND) * ROUND
        where = [
            start + at - 1 for start, row in zip(starts, pack, strict=False) for at in range(row.first, len(row.ids))
        ]
        targets = [token for row in pack for token in row.ids[row.first :]]
        states = model.get_decoder()(
            input_ids=self.tensor(ids)[None],
            position_ids=self.tensor(positions)[None],
            bounds=self.tensor(starts, torch.int32),
            longest=longest,
            use_cache=False,
        ).last_hidden_state[0]
        return model.get_output_embeddings()(states[self.tensor(where)]), self.tensor(targets)

    def _seed(self) -> int:
        """Return the random seed of this step."""
        return self.settings.seed * 1_000_003 + self.done

    def tensor(self, values: Sequence[int], dtype: Any = None) -> Any:
        tensor = self.torch.tensor(values, dtype=dtype or self.torch.int64)
        return tensor.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else tensor

    # ---- on disk ------------------------------------------------------------------------------------------

    def finish_step(self, step: int, folder: Path, last: bool) -> None:
        """Count a step, and save a checkpoint if enough time has passed and the disk has room for it."""
        self.done = step + 1
        if last or time.monotonic() - self._saved < 60 * self.settings.save_minutes:
            return
        if (free := shutil.disk_usage(folder).free) >= self.checkpoint_bytes() + self.model_bytes():
            self.save(folder)
            return
        self.warn(
            f"step {self.done}: no checkpoint was saved: it takes {_size(self.checkpoint_bytes())} and the "
            f"trained model another {_size(self.model_bytes())}, but the disk has only {_size(free)} free; "
            "training continues"
        )
        self._saved = time.monotonic()

    def check_disk(self, folder: Path) -> None:
        """Raise an error if the disk has no room for the trained model."""
        if (free := shutil.disk_usage(folder).free) < self.model_bytes():
            raise ConfigError(
                f"{folder}: the trained model takes {_size(self.model_bytes())}, but the disk has "
                f"{_size(free)} free; make room, or choose another --out"
            )

    def model_bytes(self) -> int:
        """Return the size of the model on disk."""
        return sum(p.numel() * p.element_size() for p in self.model.parameters())

    def checkpoint_bytes(self) -> int:
        """Return the size of a checkpoint: the model, and AdamW's two values for every trained weight."""
        optimizer: int = 2 * sum(p.numel() * p.element_size() for p in self.trainable)
        return self.model_bytes() + optimizer

    def save(self, folder: Path) -> None:
        """Save a checkpoint atomically: an incomplete one never replaces a complete one."""
        state = {
            "done": self.done,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        self.torch.save(state, folder / f"{STATE}.new")
        (folder / f"{STATE}.new").replace(folder / STATE)
        self._saved = time.monotonic()

    def resume(self, folder: Path) -> None:
        """Resume from the folder's checkpoint, if there is one."""
        if not (folder / STATE).exists():
            return
        try:
            state = self.torch.load(folder / STATE, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.done = int(state["done"])
        except self.torch.OutOfMemoryError:
            raise  # the checkpoint itself is fine
        except (OSError, EOFError, RuntimeError, ValueError, LookupError, UnpicklingError) as error:
            raise ConfigError(
                f"{folder / STATE} is not a checkpoint of this training run: {shorten(str(error), 120)}; "
                "remove it to start over"
            ) from None


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"

"""The short loop: full fine-tuning (or LoRA) of a causal language model on one device. Readable, exact, resumable.

    trainer = Trainer(torch, model, settings)
    trainer.update(rows, count, rate)         # one update
    trainer.finish_step(step, folder, last)   # count it, and save a checkpoint from time to time

fp32 weights, bf16 autocast where the device has it, AdamW, linear warm-up and cosine decay, gradients cut at norm 1. Rows are packed without
padding (`packing.py`), and logits are computed at learnt positions alone. A checkpoint holds weights, optimizer and step; what follows it is the
same as if nothing had happened, because the steps come from the seed (`batches.py`). For several GPUs and large models there is TRL (`trl.py`).

Where memory ends, a step is done again from its beginning in packs of half the size, and packs stay that small. The weights do not depend
on the size of packs beyond rounding, except of models with dropout, whose masks are drawn pack by pack.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Protocol

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.models.decoding import has_plain_head
from sebench.models.transformers import fast_bf16
from sebench.train.data.tokens import TokenRow
from sebench.train.loop import batches, free_memory
from sebench.train.loop.batches import Pack
from sebench.train.loop.packing import ROUND, bounds, packed_attention

STATE = "state.pt"
PRECISIONS = ("", "bf16", "float32")
Loss = Callable[
    [Any, Any, Pack], Any
]  # logits at the learnt positions of a pack, the tokens there, the pack -> summed loss


@dataclass(frozen=True)
class LoopSettings:
    """How weights are updated."""

    lr: float = 5e-4
    warmup: int = 50  # steps
    seed: int = 0  # of dropout
    constant: bool = False  # whether the rate stays at its peak, instead of falling
    weight_decay: float = 0.0
    clip: float = 1.0  # norm of the gradient
    precision: str = ""  # of matrix products; "" takes bf16 where the device is fast with it
    pack_tokens: int = 65_536  # that go through the model together, at most; a longer row goes alone
    save_minutes: float = 5.0  # between checkpoints
    compile: bool = False

    def __post_init__(self) -> None:
        for name in ("lr", "clip"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"{name} = {getattr(self, name)}: more than 0")
        if self.precision not in PRECISIONS:
            raise ConfigError(f"precision = {self.precision!r}: bf16, float32 or nothing")

    def bf16(self, device: str) -> bool:
        """Whether matrix products are in bf16."""
        return self.precision == "bf16" or (not self.precision and fast_bf16(device))

    def rate(self, step: int, total: int) -> float:
        """The learning rate of a step: it rises over the warm-up (a tenth of a short training) and falls like a cosine."""
        warmup = min(self.warmup, max(1, total // 10))
        if step < warmup:
            return self.lr * (step + 1) / warmup
        if self.constant:
            return self.lr
        return self.lr * 0.5 * (1 + math.cos(math.pi * (step - warmup) / max(1, total - warmup)))


class Log(Protocol):
    """Where the figures of a step go."""

    def __call__(self, step: int, figures: dict[str, Any]) -> None: ...


class Trainer:
    """Updates one model.

    `lowered` hears when packs become smaller: their tokens, and why.
    """

    def __init__(
        self,
        torch: Any,
        model: Any,
        settings: LoopSettings,
        lowered: Callable[[int, str], None] = lambda tokens, why: None,
    ) -> None:
        if not has_plain_head(model):
            raise ConfigError(
                f"{model.config.model_type}: it changes its logits behind the output layer, which the short loop does not; use --engine trl"
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
        self.done = 0  # steps
        self.pack_tokens, self.lowered = settings.pack_tokens, lowered
        self.check_row: Callable[[Pack], None] = lambda pack: (
            None
        )  # raises where a row that is longer than a pack cannot fit
        self._limit_reason = ""  # packs were held small, until it has been said
        self._saved = time.monotonic()
        layers = model.get_decoder().layers if settings.compile else ()
        self._layers = [(layer, torch.compile(layer._call_impl, dynamic=True)) for layer in layers]

    @contextmanager
    def packed_layers(self) -> Iterator[None]:
        """Inside, the model takes packs; with compiled layers, if asked for. One compilation serves all layers."""
        with packed_attention(self.model):
            for layer, compiled in self._layers:
                layer._compiled_call_impl = compiled
            try:
                yield
            finally:
                for layer, _ in self._layers:  # decoding has shapes of its own
                    layer._compiled_call_impl = None

    def update(
        self,
        rows: Sequence[TokenRow],
        count: float,
        rate: float,
        loss: Loss | None = None,
        begin: Callable[[], None] = lambda: None,
    ) -> float:
        """One update; its loss, which is the rows' summed loss over `count`. `begin` is called before every attempt at its gradient."""
        for group in self.optimizer.param_groups:
            group["lr"] = rate

        def from_zero() -> None:
            begin()
            self.optimizer.zero_grad(set_to_none=True)
            self.torch.manual_seed(self._seed())  # dropout: the same after an interruption

        self.model.train()
        with self.packed_layers():
            whole = sum(
                self._run_in_packs(rows, lambda pack: self.backward(pack, count, loss or self.nll_loss), from_zero)
            )
        norm = self.torch.nn.utils.clip_grad_norm_(self.trainable, self.settings.clip)
        self.optimizer.step()
        if not math.isfinite(float(norm)):  # it is in the weights now: no checkpoint of them is written
            raise ConfigError(
                f"step {self.done + 1}: the gradient is {float(norm)}, the loss {float(whole):.3f}; lower --lr, or use --precision float32"
            )
        return float(whole)

    def backward(self, pack: Pack, count: float, loss: Loss) -> Any:
        """The gradient of a pack, added to what is there."""
        with self.torch.autocast(self.device.type, dtype=self.torch.bfloat16, enabled=self.bf16):
            logits, wanted = self.logits(pack)
            made = loss(logits.float(), wanted, pack) / count
        made.backward()
        return made.detach()

    def _run_in_packs(
        self, rows: Sequence[TokenRow], work: Callable[[Pack], Any], begin: Callable[[], None] = lambda: None
    ) -> list[Any]:
        """What comes of the work on each pack. Where memory ends, all is begun again with smaller packs.

        All, because an error in a backward pass leaves the gradients of some weights changed and of others not.
        """
        if self._limit_reason and batches.size(rows) > self.pack_tokens:
            self.lowered(self.pack_tokens, self._limit_reason)
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
            results.clear()  # the error is gone here, and with it the tensors that its traceback held
            self._halve(too_large)

    def limit_packs(self, pack_tokens: int, why: str) -> None:
        """Packs of so many tokens at most; why is told when a step has more."""
        self.pack_tokens, self._limit_reason = pack_tokens, why

    def _halve(self, pack: Pack) -> None:
        """Half of this pack at most, from now on; an error where it is a single row."""
        self.optimizer.zero_grad(set_to_none=True)
        gc.collect()
        if self.device.type == "cuda":
            self.torch.cuda.empty_cache()
        tokens = batches.size(pack)
        if len(pack) == 1:
            raise OutOfMemory(
                f"too little memory for the row {pack[0].id!r} of {tokens:,} tokens by itself, so that a lower --pack-tokens "
                "does not help; train with --lora or a smaller model, leave long rows out, or use a larger device"
            )
        self.pack_tokens = tokens // 2
        self.lowered(
            self.pack_tokens,
            f"too little memory for {len(pack)} rows of {tokens:,} tokens together: from here on packs have at most "
            f"{self.pack_tokens:,} (--pack-tokens)",
        )

    def nll_loss(self, logits: Any, wanted: Any, pack: Pack) -> Any:
        """The loss of supervised fine-tuning: the summed negative log-probability of the learnt tokens."""
        return self.torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")

    def log_probabilities(self, rows: Sequence[TokenRow], temperature: float = 1.0) -> Any:
        """The log-probability of every learnt token, row after row, without dropout."""
        torch, training = self.torch, self.model.training

        def of_pack(pack: Pack) -> Any:
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.bf16):
                logits, wanted = self.logits(pack)
            return -torch.nn.functional.cross_entropy(logits.float() / temperature, wanted, reduction="none")

        self.model.eval()
        try:
            with torch.no_grad(), self.packed_layers():
                return torch.cat(self._run_in_packs(rows, of_pack))
        finally:
            self.model.train(training)

    def logits(self, pack: Pack, model: Any = None) -> tuple[Any, Any]:
        """The logits that predict the learnt tokens of a pack, row after row, and those tokens; of another model, if one is given."""
        model = self.model if model is None else model
        torch, lengths = self.torch, [len(row.ids) for row in pack]
        ids = [token for row in pack for token in row.ids]
        positions = [at for length in lengths for at in range(length)]
        starts, longest = bounds(lengths), max(lengths)
        if self.device.type == "cuda" and (rest := -len(ids) % ROUND):  # a row of its own that nothing is learnt from
            ids, positions, starts = [*ids, *[0] * rest], [*positions, *range(rest)], [*starts, len(ids) + rest]
            longest = -(-longest // ROUND) * ROUND
        where = [
            start + at - 1 for start, row in zip(starts, pack, strict=False) for at in range(row.first, len(row.ids))
        ]
        wanted = [token for row in pack for token in row.ids[row.first :]]
        states = model.get_decoder()(
            input_ids=self.tensor(ids)[None],
            position_ids=self.tensor(positions)[None],
            bounds=self.tensor(starts, torch.int32),
            longest=longest,
            use_cache=False,
        ).last_hidden_state[0]
        return model.get_output_embeddings()(states[self.tensor(where)]), self.tensor(wanted)

    def _seed(self) -> int:
        """Of what is drawn in this step."""
        return self.settings.seed * 1_000_003 + self.done

    def tensor(self, values: Sequence[int], dtype: Any = None) -> Any:
        made = self.torch.tensor(values, dtype=dtype or self.torch.int64)
        return made.pin_memory().to(self.device, non_blocking=True) if self.device.type == "cuda" else made

    # ---- on disk ------------------------------------------------------------------------------------------

    def finish_step(self, step: int, folder: Path, last: bool) -> None:
        """Count a step, and save a checkpoint when the time has come."""
        self.done = step + 1
        if not last and time.monotonic() - self._saved >= 60 * self.settings.save_minutes:
            self.save(folder)

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
        self._saved = time.monotonic()

    def resume(self, folder: Path) -> None:
        """Go on from the folder's checkpoint, if it has one."""
        if not (folder / STATE).exists():
            return
        try:
            state = self.torch.load(folder / STATE, map_location=self.device, weights_only=True)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.done = int(state["done"])
        except self.torch.OutOfMemoryError:
            raise  # the checkpoint is whole
        except (OSError, EOFError, RuntimeError, ValueError, LookupError, UnpicklingError) as error:
            why = " ".join(str(error).split())[:120]
            raise ConfigError(
                f"{folder / STATE} is no checkpoint of this training: {why}; remove it to begin again"
            ) from None

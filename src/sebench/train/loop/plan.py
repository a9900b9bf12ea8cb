"""A dry run: how much memory a training run needs on one GPU, and how many hours it takes, computed before anything
starts.

    print(plan(model_shape("Qwen/Qwen3-8B"), SftConfig(...), rows, gpus=8, gpu=Gpu.measure() or ESTIMATED).text())

Every figure is computed from the model's published dimensions and the rows' token counts, and its formula is printed
next to it. If this machine has a GPU, its memory and speed are measured. Otherwise they are those of its CPU or, if a
number of GPUs is set, estimates for an H100. The activations of a layer were counted tensor by tensor in
transformers' Llama and Qwen3 (tests/test_learn_plan.py measures them again); CUDA context and fragmentation are a flat
allowance. With SmolLM2's dimensions, 2,048 tokens on a CPU took 4.43 GiB in bf16 (planned: 4.38), and 5.44 GiB in
float32 (planned: 4.97).

The same formulas, applied as if every token were learnt, limit the size of packs on a CPU (`limit_packs`), where
running out of memory raises no error: the kernel kills the process. Packs take at most half of the free memory: the
estimate was up to a tenth too low, RL and distillation keep a second copy of the logits, and other processes need
memory too. This costs little: with SmolLM2's layers, packs of 1,400 tokens were as fast as packs of 4,096, and packs of
200 were a fifth slower (one core). A row longer than a pack is processed alone, and refused if it would not fit. For
models with unknown dimensions, packs are as large as the settings say.

Covered: full fine-tuning and LoRA, activation checkpointing, one GPU, or several with everything sharded (FSDP).
Not covered: mixtures of experts, sliding windows, and the time for sampling and judging in RL, loading and evaluation.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sebench.base.errors import ConfigError, OutOfMemory
from sebench.base.wording import counted
from sebench.models import gguf
from sebench.train.config import SftConfig, TrainConfig
from sebench.train.data.tokens import TokenRow
from sebench.train.loop import batches, free_memory
from sebench.train.loop.batches import Pack
from sebench.train.loop.loop import Trainer

GIB = 1 << 30
SIDE = 1024  # of the matrices used to measure a CPU's speed
COPIED = 1 << 28  # bytes copied to measure the bandwidth of a CPU's memory; more than a cache holds
ALLOWANCE = 2 * GIB  # CUDA context, libraries, fragmentation
TILES = GIB // 2  # approximate size of TRL's logit tiles
PACK_SHARE = 0.5  # maximum share of a CPU's free memory for packs
CPU_FACTOR = 3  # how far the time on a CPU may be off: processes share its cores, and kernels differ
LORA = 16  # rank of LoRA adapters that a plan may advise
SHARE = 0.35  # assumed share of peak speed, for GPUs and for links between them
LINK = 450e9  # bytes per second between GPUs of one machine, one way: NVLink of an H100


@dataclass(frozen=True)
class Gpu:
    """The GPU, or the CPU of this machine, that a dry run plans for."""

    name: str
    memory: float  # bytes
    speed: float  # operations per second: bf16 on a GPU, float32 on a CPU
    bandwidth: float = 3.35e12  # bytes per second from its memory; as published for an H100
    measured: bool = True
    is_cpu: bool = False

    @classmethod
    def measure(cls) -> Gpu | None:
        """Return the GPU that torch uses, with the measured speed of a matrix product, or None if there is no GPU."""
        output = free_memory.ask_gpu(_MEASURE)
        if output is None:
            return None
        name, memory, speed, bandwidth = output.rsplit(maxsplit=3)
        return cls(name, float(memory), float(speed), float(bandwidth))

    @classmethod
    def this_cpu(cls) -> Gpu:
        """Return this machine's processor, with its free memory and the measured speed of a matrix product."""
        a = np.ones((SIDE, SIDE), np.float32)
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            a @ a
            times.append(time.perf_counter() - begin)
        copied, rate = np.empty(COPIED, np.uint8), 0.0
        for _ in range(3):
            begin = time.perf_counter()
            copied[: COPIED // 2] = copied[COPIED // 2 :]
            rate = max(rate, COPIED / (time.perf_counter() - begin))  # half is read, half is written
        name = f"CPU with {counted(len(os.sched_getaffinity(0)), 'core')}"
        return cls(name, float(free_memory.on_cpu() or 0), 2 * SIDE**3 / min(times), rate, is_cpu=True)

    @property
    def rates(self) -> tuple[str, str]:
        """The bandwidth and the speed as text, with units."""
        if self.is_cpu:
            return f"{self.bandwidth / 1e9:,.0f} GB/s", f"{self.speed / 1e9:,.0f} GFLOP/s"
        return f"{self.bandwidth / 1e12:.1f} TB/s", f"{self.speed / 1e12:.0f} TFLOP/s"


# Used if this machine has no GPU: memory and published dense bf16 peak of an H100.
ESTIMATED = Gpu("H100", 80 * GIB, 989e12, measured=False)
# Runs in a child process, so that the command itself holds no GPU memory. The products take about 50 ms on an H100.
_MEASURE = """
import torch
whole = torch.cuda.get_device_properties(0)
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
for number in range(30):
    if number == 10:
        begin.record()
    a @ a
end.record()
torch.cuda.synchronize()
speed = 20 * 2 * 8192**3 / (begin.elapsed_time(end) / 1000)
a, b = (torch.empty(1 << 29, device="cuda", dtype=torch.uint8) for _ in range(2))
for number in range(12):
    if number == 2:
        begin.record()
    b.copy_(a)
end.record()
torch.cuda.synchronize()
print(whole.name, whole.total_memory, speed, 10 * 2 * (1 << 29) / (begin.elapsed_time(end) / 1000))
"""


@dataclass(frozen=True)
class ModelShape:
    """The dimensions of a decoder-only model of the Llama family."""

    name: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied: bool  # the output layer shares the embedding weights
    qk_norm: bool = False  # norms on queries and keys, as in Qwen3

    @property
    def q(self) -> int:
        return self.heads * self.head_dim

    @property
    def kv(self) -> int:
        return self.kv_heads * self.head_dim

    @property
    def table(self) -> int:
        """The number of weights in the embedding table."""
        return self.vocab * self.hidden

    @property
    def linear(self) -> int:
        """The number of weights in the matrices of one layer."""
        return self.hidden * (2 * self.q + 2 * self.kv) + 3 * self.hidden * self.intermediate

    @property
    def parameters(self) -> int:
        norms = self.layers * (2 * self.hidden + (2 * self.head_dim if self.qk_norm else 0)) + self.hidden
        return self.layers * self.linear + norms + self.table * (1 if self.tied else 2)

    def adapters(self, rank: int) -> int:
        """Return the number of weights in LoRA adapters on all matrices of all layers."""
        ends = [(self.hidden, self.q), (self.q, self.hidden), *[(self.hidden, self.kv)] * 2]
        ends += [(self.hidden, self.intermediate)] * 3
        return self.layers * rank * sum(a + b for a, b in ends)

    def activation_bytes(self, bf16: bool) -> int:
        """Return the bytes per token that a layer keeps for the backward pass."""
        h, q, kv, i = self.hidden, self.q, self.kv, self.intermediate
        # Two norms keep their input and output in float32. Every matrix keeps its input (in bf16, one copy per matrix).
        norms, wide = (26 * h, 2) if bf16 else (24 * h, 4)
        attention = wide * (2 * q + 2 * kv) + 4 * self.heads
        extra = ((6 if bf16 else 8) * (q + kv) + 4 * (self.heads + self.kv_heads)) if self.qk_norm else 0
        return norms + attention + extra + 4 * wide * i + 8

    def operations(self, length: float) -> float:
        """Return the operations in the forward pass of one token in a sequence of this length: two per matrix weight,
        plus attention."""
        return 2 * (self.layers * self.linear + self.table) + self.layers * 2 * self.q * length

    @property
    def cache_bytes(self) -> int:
        """Bytes of keys and values that a decoder keeps per token, in bf16."""
        return self.layers * 2 * self.kv * 2


KNOWN_SHAPES = {
    known.name.lower(): known
    for known in (
        ModelShape("SmolLM2-135M-Instruct", 30, 576, 1536, 9, 3, 64, 49_152, True),
        ModelShape("Qwen2.5-Coder-0.5B-Instruct", 24, 896, 4864, 14, 2, 64, 151_936, True),
        ModelShape("Qwen2.5-Coder-1.5B-Instruct", 28, 1536, 8960, 12, 2, 128, 151_936, True),
        ModelShape("Qwen3-0.6B", 28, 1024, 3072, 16, 8, 128, 151_936, True, True),
        ModelShape("Qwen3-1.7B", 28, 2048, 6144, 16, 8, 128, 151_936, True, True),
        ModelShape("Qwen3-4B", 36, 2560, 9728, 32, 8, 128, 151_936, True, True),
        ModelShape("Qwen3-8B", 36, 4096, 12_288, 32, 8, 128, 151_936, False, True),
        ModelShape("Qwen3-14B", 40, 5120, 17_408, 40, 8, 128, 151_936, False, True),
        ModelShape("Llama-3.1-8B-Instruct", 32, 4096, 14_336, 32, 8, 128, 128_256, False),
    )
}


def model_shape(model: str) -> ModelShape:
    """Return the dimensions of a model, from its folder or file or by its name."""
    model = model.removeprefix("hf:")
    if packed := gguf.weights_file(model):
        return shape_from_config(gguf.read_config(packed), packed.name)
    file = Path(model) / "config.json"
    if file.is_file():
        try:
            return shape_from_config(json.loads(file.read_text("utf-8")), Path(model).name)
        except (OSError, ValueError) as error:
            raise ConfigError(f"--model {model}: {file.name} cannot be read: {error}") from None
    name = model.rpartition("/")[2].lower().replace("smollm2", "smollm2-135m-instruct", model == "smollm2")
    if name not in KNOWN_SHAPES:
        raise ConfigError(
            f"--model {model}: unknown dimensions; use a folder with a config.json, a GGUF file, or one of "
            + ", ".join(known.name for known in KNOWN_SHAPES.values())
        )
    return KNOWN_SHAPES[name]


def shape_from_config(config: Mapping[str, Any], name: str) -> ModelShape:
    """Return the dimensions in a model's config.json."""
    try:
        heads, hidden = int(config["num_attention_heads"]), int(config["hidden_size"])
        return ModelShape(
            name,
            int(config["num_hidden_layers"]),
            hidden,
            int(config["intermediate_size"]),
            heads,
            int(config.get("num_key_value_heads") or heads),
            int(config.get("head_dim") or hidden // heads),
            int(config["vocab_size"]),
            bool(config.get("tie_word_embeddings", False)),
            "qwen3" in str(config.get("model_type", "")),
        )
    except KeyError as error:
        raise ConfigError(
            f"the configuration of {name} has no {error}: a dry run supports only models of the Llama family"
        ) from None


@dataclass(frozen=True)
class MemoryItem:
    """One part of the memory that a training run needs, and how it was computed."""

    name: str
    size: float  # bytes
    how: str


@dataclass(frozen=True)
class TrainingPlan:
    """The memory and time that a training run needs."""

    title: str
    items: tuple[MemoryItem, ...]  # on one GPU
    capacity: float  # bytes of one GPU
    work: str
    hours: float
    how_long: tuple[str, ...]
    notes: tuple[str, ...] = ()
    on_cpu: bool = False
    advice: str = ""  # what to do if it does not fit

    @property
    def memory(self) -> float:
        return sum(item.size for item in self.items)

    @property
    def fits(self) -> bool:
        return self.memory <= self.capacity

    def text(self) -> str:
        """Return the plan as text."""
        lines = [self.title, self.work, "", "memory, GiB" if self.on_cpu else "memory of one GPU, GiB"]
        lines += [f"  {item.name:<22}{item.size / GIB:>7.1f}  {item.how}" for item in self.items]
        verdict = "fits" if self.fits else f"does not fit: {self.advice}"
        lines += [f"  {'total':<22}{self.memory / GIB:>7.1f}  of {self.capacity / GIB:.0f}: {verdict}", ""]
        time = duration(self.hours)
        if self.on_cpu:
            least, most = duration(self.hours / CPU_FACTOR), duration(self.hours * CPU_FACTOR)
            time += f", within a factor of {CPU_FACTOR} on a CPU: {least} to {most}"
        lines += [f"time: {time}"]
        return "\n".join([*lines, *(f"  {line}" for line in (*self.how_long, *self.notes))])


def duration(hours: float) -> str:
    """Return a duration in words."""
    if hours >= 2:
        return f"{hours:,.1f} hours"
    minutes = round(60 * hours)
    return counted(minutes, "minute") if minutes else "less than a minute"


def plan(
    model: ModelShape, config: SftConfig, rows: Sequence[TokenRow], gpus: int = 1, gpu: Gpu = ESTIMATED
) -> TrainingPlan:
    """Return the plan for supervised fine-tuning on these rows."""
    if gpus > 1 and config.trainer != "trl":
        raise ConfigError(f"--trainer {config.trainer} trains on one GPU; use --trainer trl for several")
    steps = batches.steps(rows, 1, config.batch, config.seed)
    packing = config.packing or config.trainer == "loop"
    accumulation, micro = batches.split_steps(steps, gpus, config.pack_tokens, packing)
    largest = max(micro, key=lambda part: batches.padded_size(part, packing))
    trained = model.adapters(config.lora) if config.lora else model.parameters
    trained_part = f"LoRA of rank {config.lora}: {trained / 1e6:.1f} million weights" if config.lora else "all weights"
    tokens = sum(batches.padded_size(part, packing) for part in micro)
    computed, how = _hours(model, config, rows, tokens, gpus, gpu)
    sent, how_sent = _transfer_hours(model, len(micro) // gpus * config.epochs, gpus, bool(config.lora))
    largest_tokens, largest_learnt = batches.padded_size(largest, packing), sum(row.learnt for row in largest)
    # Trained weights and the optimizer's two moments, in float32; the single-device loop also writes frozen weights.
    on_disk = 12 * trained + (4 * model.parameters if config.lora and config.trainer == "loop" else 0)
    return TrainingPlan(
        f"{model.name}: {model.parameters / 1e9:.2f} billion parameters, training {trained_part}, "
        f"{gpu.name if gpu.is_cpu else f'{gpus} x {gpu.name}'} "
        f"({'measured here' if gpu.measured else 'estimated: no GPU here'})",
        (
            *fixed_memory(model, config, trained, gpus),
            *activations(model, config, largest_tokens, largest_learnt),
            MemoryItem("allowance", ALLOWANCE, "libraries" if gpu.is_cpu else "CUDA, fragmentation"),
        ),
        gpu.memory,
        f"{counted(len(rows), 'row')} of {batches.size(rows):,} tokens (longest "
        f"{max(len(row.ids) for row in rows):,}), "
        f"{counted(config.epochs, 'epoch')}: {counted(len(rows) * config.epochs, 'row')} in "
        f"{counted(len(steps) * config.epochs, 'step')} of "
        f"{min(config.batch, len(rows))}; {counted(accumulation, 'micro-batch', 'micro-batches')} per step"
        f"{'' if gpu.is_cpu else ' on each GPU'}",
        computed + sent,
        (how, *([how_sent] if gpus > 1 else [])),
        (
            f"a checkpoint takes {on_disk / 1e9:.1f} GB on disk",
            "not included: loading, validation and checkpoints; for RL also sampling and judging",
        ),
        gpu.is_cpu,
        _advice(model, config, max(rows, key=lambda row: len(row.ids)), gpus, gpu),
    )


def _advice(model: ModelShape, config: SftConfig, longest: TokenRow, gpus: int, gpu: Gpu) -> str:
    """Return what to do if a training does not fit into memory, without what is already done or would not help."""

    def fits(**changes: Any) -> bool:
        """Whether packs of a single row fit, with some settings changed."""
        chosen = replace(config, **changes)
        trained = model.adapters(chosen.lora) if chosen.lora else model.parameters
        of_pack = activations(model, chosen, len(longest.ids), longest.learnt)
        return ALLOWANCE + sum(one.size for one in fixed_memory(model, chosen, trained, gpus) + of_pack) <= gpu.memory

    if gpu.is_cpu:  # packs are already as small as the memory requires
        steps = {"choose a smaller model": True, "add --lora": not config.lora}
    else:
        trl = config.trainer == "trl"
        steps = {
            "lower --pack-tokens": fits(),
            "add --checkpointing": trl and not config.checkpointing and fits(checkpointing=True),
            "use more GPUs": trl,
            "add --lora": not config.lora and fits(lora=LORA),
            "use more GPUs with --trainer trl": not trl and not fits(),
            "choose a smaller model": not fits(),
        }
    return ", or ".join(step for step, helps in steps.items() if helps)


def fixed_memory(model: ModelShape, config: TrainConfig, trained: int, gpus: int = 1) -> list[MemoryItem]:
    """Return the memory that does not depend on the batch size."""
    over = f" / {counted(gpus, 'GPU')}" if gpus > 1 else ""
    frozen = 2 if config.lora and config.trainer == "trl" else 4
    items = [
        MemoryItem("weights", frozen * model.parameters / gpus, f"{model.parameters:,} x {frozen} bytes{over}"),
        MemoryItem("gradients", 4 * trained / gpus, f"{trained:,} x 4 bytes{over}"),
        MemoryItem("AdamW", 8 * trained / gpus, f"{trained:,} x 8 bytes{over}"),
    ]
    if config.lora:
        items.append(MemoryItem("adapters", 4 * trained / gpus, f"{trained:,} x 4 bytes{over}"))
    if gpus > 1:
        gathered = 2 * (2 * model.linear + model.table * (1 if model.tied else 2))
        items.append(
            MemoryItem("gathered weights", gathered, "two layers, embeddings and output layer x 2 bytes (bf16)")
        )
    elif frozen == 4 and config.precision != "float32":
        copies = 2 * (model.layers * model.linear + model.table)
        items.append(MemoryItem("bf16 copies", copies, "matrices x 2 bytes, for matrix products"))
    return items


def activations(model: ModelShape, config: TrainConfig, tokens: int, learnt: int) -> list[MemoryItem]:
    """Return the memory that the largest micro-batch needs for the backward pass."""
    a_layer = model.activation_bytes(bf16=config.precision != "float32")
    if config.checkpointing and config.trainer == "trl":
        kept = tokens * (4 * model.hidden * model.layers + a_layer)
        how = f"{tokens:,} tokens x ({model.layers} layers x 4 x {model.hidden:,} + one layer's {a_layer:,} bytes)"
    else:
        kept, how = tokens * model.layers * a_layer, f"{tokens:,} tokens x {model.layers} layers x {a_layer:,} bytes"
    return [
        MemoryItem("activations", kept, how),
        MemoryItem("their gradients", tokens * a_layer, f"{tokens:,} tokens x one layer's {a_layer:,} bytes, at most"),
        _logits(model, config, tokens, learnt),
    ]


def _logits(model: ModelShape, config: TrainConfig, tokens: int, learnt: int) -> MemoryItem:
    """Return the memory that the output layer needs. The single-device loop keeps the logits of all learnt tokens; TRL
    computes them in tiles and keeps gradients."""
    if config.trainer == "loop":
        # The logits in bf16 and in float32, their softmax, its gradient.
        return MemoryItem(
            "logits", learnt * model.vocab * 14, f"{learnt:,} tokens in the loss x {model.vocab:,} words x 14 bytes"
        )
    table = 0 if config.lora else 4 * model.table
    how = f"{tokens:,} tokens x 4 x {model.hidden:,} bytes + tiles" + (" + gradient of the layer" if table else "")
    return MemoryItem("logits", 4 * tokens * model.hidden + TILES + table, how)


def _hours(
    model: ModelShape, config: SftConfig, rows: Sequence[TokenRow], tokens: int, gpus: int, gpu: Gpu
) -> tuple[float, str]:
    length = sum(len(row.ids) ** 2 for row in rows) / sum(len(row.ids) for row in rows)  # mean over all tokens
    least, backward = (2, " without weight gradients") if config.lora else (3, " twice")
    again = ", forward again" if config.checkpointing and config.trainer == "trl" else ""
    passes = least + bool(again)
    total = tokens * config.epochs * passes * model.operations(length)
    speed = gpus * gpu.speed * SHARE
    how = (
        f"{tokens * config.epochs:,} tokens x {passes} passes (forward, backward{backward}{again}) x "
        f"{model.operations(length) / 1e9:.1f} billion operations, at {SHARE:.0%} of "
        f"{'' if gpu.is_cpu else f'{gpus} x '}{gpu.rates[1]}"
    )
    return total / speed / 3600, how


def _transfer_hours(model: ModelShape, rounds: int, gpus: int, frozen: bool) -> tuple[float, str]:
    """Return the time to gather sharded weights for the forward and backward pass and to send gradients back, without
    any overlap."""
    if gpus == 1:
        return 0.0, ""
    each = 4 if frozen else 8  # bf16 weights twice; gradients in float32
    hours = rounds * each * model.parameters * (gpus - 1) / gpus / (LINK * SHARE) / 3600
    return hours, (
        f"{rounds:,} micro-batches x {each} bytes x {model.parameters:,} between GPUs, at {SHARE:.0%} of "
        f"{LINK / 1e9:.0f} GB/s (estimated)"
    )


# ---- packs on a CPU --------------------------------------------------------------------------------------------------


def pack_tokens(model: ModelShape, config: TrainConfig, free: float) -> int:
    """Return how many tokens a pack may have with this many free bytes: at least 1; with 1, every row is its own
    pack."""
    return max(1, int(PACK_SHARE * free / pack_bytes(model, config, 1, 1)))


def pack_bytes(model: ModelShape, config: TrainConfig, tokens: int, learnt: int) -> float:
    """Return the memory that a pack needs, in bytes."""
    return sum(item.size for item in activations(model, config, tokens, learnt))


def limit_packs(trainer: Trainer, config: TrainConfig, free: Callable[[], int | None] = free_memory.on_cpu) -> None:
    """On a CPU, limit packs to what fits, and refuse rows that do not fit even by themselves."""
    now = free() if trainer.device.type == free_memory.CPU else None
    if now is None:
        return
    own = trainer.model.config.get_text_config()
    try:
        model = shape_from_config(own.to_dict(), str(own.model_type))
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
        return sum(item.size for item in fixed_memory(model, chosen, count) if item.name not in allocated)

    def check(pack: Pack) -> None:
        tokens, learnt = batches.size(pack), sum(row.learnt for row in pack)
        size, left = pack_bytes(model, chosen, tokens, learnt), (free() or 0) - still_to_allocate()
        if size > left:
            raise OutOfMemory(
                f"the row {pack[0].id!r} of {tokens:,} tokens alone needs about {size / GIB:.2f} GiB, but only "
                f"{max(0.0, left) / GIB:.2f} GiB of memory is free; train with --lora or a smaller model, leave "
                "out long rows, or use a larger machine"
            )

    trainer.check_row = check
    most = pack_tokens(model, chosen, now - still_to_allocate())
    if most < trainer.pack_tokens:
        trainer.limit_packs(
            most,
            f"--pack-tokens {trainer.pack_tokens:,} is lowered to {most:,}: {now / GIB:.1f} GiB of memory is "
            f"free, and a token takes up to {pack_bytes(model, chosen, 1, 1) / (1 << 20):.2f} MiB",
        )

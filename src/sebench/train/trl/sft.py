"""The TRL engine: TRL's trainers for models that need several GPUs, LoRA or FSDP. This file is for supervised
fine-tuning, `rl.py` for RL, and `zero.py` for Absolute Zero. Distillation does not support this engine.

Every process that `accelerate launch` starts runs `train_sft`, which does what `train/sft.py` does on one device; the
first process writes the folder.

    trainer = sft_trainer(model, tokenizer, steps, SftConfig(lr=1e-5), Path("out"), log)
    fit(trainer, tokenizer, Path("out"))

The rows of every step, the tokens that carry loss, the division by the step's learnt tokens, the learning rate, AdamW's
settings, packed attention and the lines of the log are the same as in the loop for one device (`loop/loop.py`), so both
give the same gradient (tests/test_learn_trl.py). A dataset item here is a whole micro-batch from `batches.py`, so that
TRL does not shuffle, cut or drop rows.

Covered: one process, or several started by `accelerate launch` (DDP, FSDP); packing; recomputed activations; LoRA,
merged into the weights at the end; validation loss; checkpoints in `OUT/checkpoints`, from which the same call resumes.
Not covered: DeepSpeed, tensor or context parallelism, quantised weights. Weight decay skips biases and norms, as TRL
does.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from sebench.base import versions
from sebench.base.errors import OutOfMemory
from sebench.models import checkpoints, transformers
from sebench.train import sft
from sebench.train.config import SftConfig, TrainConfig
from sebench.train.data import examples, tokens
from sebench.train.data.tokens import TokenRow
from sebench.train.loop import batches
from sebench.train.loop.batches import Pack, TrainingStep
from sebench.train.loop.loop import Log, Trainer
from sebench.train.loop.packing import bounds, packed_attention
from sebench.train.loop.training_run import TrainingRun
from sebench.world.prompts import CLOSED, NATIVE

IGNORED = -100
CHECKPOINTS, DONE = "checkpoints", "trainer_state.json"
# Takes the number of steps done and TRL's log; returns a line of our log.
Figures = Callable[[int, Mapping[str, float]], dict[str, Any]]


def train_sft(training: TrainingRun[SftConfig]) -> None:
    """Fine-tune on correct answers, or on the pages."""
    config = training.config
    text_rows = sft.training_rows(training.world, training.method, config)
    if training.is_main:
        training.start_guard(sft.rows_for_guard(text_rows, config))
    begin(training)
    token_rows = sft.tokenise_rows(training, text_rows)
    training.record_rows(token_rows)
    steps = batches.steps(token_rows, config.epochs, config.batch, config.seed)
    training.total = len(steps)
    resume(training, steps_done(training.out))
    held_out = _held_out_rows(training)
    trainer = sft_trainer(training.model, training.tokenizer, steps, config, training.out, training.log, held_out)
    run(trainer, training.out)
    training.wait_for_guard()
    save(trainer, training.tokenizer, training.out)
    end(training)


def _held_out_rows(training: TrainingRun[SftConfig]) -> list[TokenRow]:
    """Return the rows for the held-out tasks, to compute a validation loss."""
    config, world = training.config, training.world
    if not config.validate:
        return []
    native = training.method == "native-sft"
    answers = examples.from_gold(world, sft.held_out_tasks(world, config), config.form, native=native)
    text_rows = tokens.text_rows(config.prompter(world), answers, NATIVE if native else CLOSED)
    return tokens.tokenise(text_rows, training.tokenizer, checkpoints.context(training.model), config.chat())


def begin(training: TrainingRun[TrainConfig]) -> None:
    """Load the model to train."""
    config = training.config
    loaded = load(config.model, config.lora, config.seed, config.device)
    training.torch, training.tokenizer, training.model = loaded
    training.torch.manual_seed(config.seed)


def resume(training: TrainingRun[TrainConfig], done: int) -> None:
    """Truncate the log to the steps that are done, and probe the model if none is done."""
    training.truncate_log(done)
    if training.config.probe_every > 0 and not done:
        training.probe(0)


def end(training: TrainingRun[TrainConfig]) -> None:
    """Mark the run as finished, and remove its checkpoints, which until then are needed to resume it."""
    training.finish(saved=True)
    if training.is_main:
        remove_checkpoints(training.out)


# ---- the engine ------------------------------------------------------------------------------------------------------


def library() -> Any:
    """Import trl. Raise an error if it is missing or not the supported version."""
    versions.require(versions.TRL, "--trainer trl")
    return import_module("trl")


def on_cpu(device: str) -> bool:
    return device == "cpu" or not import_module("torch").cuda.is_available()


def load(name: str, lora: int = 0, seed: int = 0, device: str = "") -> tuple[Any, Any, Any]:
    """Return torch, the tokenizer and the model, on the CPU: the trainer moves the model to the GPU, or shards it over
    several.

    The weights are float32 if all of them are trained. With adapters, the base weights are frozen, and bf16 if a GPU is
    used.
    """
    if device.startswith("cuda") and on_cpu(device):
        raise transformers.no_gpu(device)
    torch, tokenizer, model = checkpoints.load(name, "cpu")
    if lora:
        model = model if on_cpu(device) else model.to(torch.bfloat16)
        model = checkpoints.with_adapters(model, lora, seed)
    return torch, tokenizer, model


def fit(trainer: Any, tokenizer: Any, folder: Path) -> None:
    """Take all remaining steps, and save a Hugging Face folder."""
    run(trainer, folder)
    save(trainer, tokenizer, folder)


def run(trainer: Any, folder: Path) -> None:
    """Take all remaining steps. If memory runs out, say which settings to lower."""
    try:
        trainer.train(resume_from_checkpoint=last_checkpoint(folder))
    except import_module("torch").OutOfMemoryError:
        raise OutOfMemory(
            f"out of memory for micro-batches of {trainer.config.pack_tokens:,} tokens; lower --pack-tokens, add "
            "--checkpointing, train with --lora, or use more GPUs (--dry-run computes how much is needed)"
        ) from None


def sft_trainer(
    model: Any,
    tokenizer: Any,
    steps: Sequence[TrainingStep],
    config: SftConfig,
    folder: Path,
    log: Log,
    validation: Sequence[TokenRow] = (),
) -> Any:
    """Return the trainer, ready to start or resume."""
    trl = library()
    args = trl.SFTConfig(
        **common_arguments(config, folder, len(steps)),
        per_device_train_batch_size=1,
        max_length=None,
        dataset_kwargs={"skip_prepare_dataset": True},
        train_sampling_strategy="sequential",
    )
    accumulation, micro = batches.split_steps(steps, args.world_size, config.pack_tokens, config.packing)
    row_ids = sorted(row.id for step in steps for row in step.rows)
    assert row_ids == sorted(row.id for part in micro for row in part), "a row was lost"
    args.gradient_accumulation_steps = accumulation
    watch = TrainerWatch(config, len(steps), log, lambda done, logs: _figures(steps[done - 1], trainer, logs))
    filler = min(steps[0].rows, key=lambda row: len(row.ids))
    trainer = _trainer_class()(
        model=model,
        args=args,
        train_dataset=import_module("datasets").Dataset.from_dict({"part": list(range(len(micro)))}),
        processing_class=tokenizer,
        data_collator=_Collator(tokenizer, micro, filler, config.packing),
        callbacks=[callback(watch)],
    )
    trainer.prepare(config, _validation_micro_batches(validation, args.world_size, config))
    watch.trainer = trainer
    configure_trainer(trainer)
    return trainer


def _figures(step: TrainingStep, trainer: Any, logs: Mapping[str, float]) -> dict[str, Any]:
    figures: dict[str, Any] = {
        "epoch": step.epoch,
        "loss": float(logs["loss"]),
        "tokens": step.tokens,
        "learnt": step.learnt,
    }
    if trainer.validated is not None:
        figures["validation_loss"], trainer.validated = trainer.validated, None
    return figures


def common_arguments(config: TrainConfig, folder: Path, steps: int) -> dict[str, Any]:
    """Return the arguments of both trainers: the optimizer and precision of the loop for one device, with defaults
    turned off that would change the training."""
    cpu = on_cpu(config.device)
    return {
        "output_dir": str(folder / CHECKPOINTS),
        "max_steps": steps,
        "learning_rate": config.lr,
        "adam_beta1": 0.9,
        "adam_beta2": 0.95,
        "weight_decay": config.weight_decay,
        "max_grad_norm": Trainer.clip,
        "optim": "adamw_torch" if cpu else "adamw_torch_fused",
        "bf16": config.bf16("cpu" if cpu else "cuda"),
        "use_cpu": cpu,
        "gradient_checkpointing": config.checkpointing,
        "save_strategy": "no",  # TrainerWatch decides when to save
        "save_total_limit": 2,  # one stays complete while another is written
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "remove_unused_columns": False,
        "ddp_find_unused_parameters": False,
        "report_to": "none",
        "disable_tqdm": True,
        "seed": config.seed,
    }


def _validation_micro_batches(rows: Sequence[TokenRow], processes: int, config: SftConfig) -> tuple[Pack, ...]:
    if not rows:
        return ()
    step = TrainingStep(0, 0, tuple(rows))
    return batches.split_steps([step], processes, config.pack_tokens, config.packing)[1]


def configure_trainer(trainer: Any) -> None:
    """Stop the trainer from printing a line per step (the log has them), and let a sharded model return losses and
    gradients in float32."""
    trainer.remove_callback(import_module("transformers").PrinterCallback)
    plugin = getattr(trainer.accelerator.state, "fsdp_plugin", None)
    policy = getattr(plugin, "mixed_precision_policy", None)
    if plugin is not None and plugin.fsdp_version == 2 and policy is not None:
        wide = import_module("torch").float32
        plugin.mixed_precision_policy = replace(policy, reduce_dtype=wide, output_dtype=wide)


# ---- the trainer -----------------------------------------------------------------------------------------------------


@cache
def _trainer_class() -> type:
    """Return TRL's trainer class with our learning rate, and a validation loss that counts every token once."""
    torch, base = import_module("torch"), library().SFTTrainer

    class Sft(base):  # type: ignore[misc, valid-type]
        def prepare(self, config: SftConfig, held_out: Sequence[Pack]) -> None:
            self.config = config
            self.held_out = held_out[self.args.process_index :: self.args.world_size]
            self.validated: float | None = None

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            rates = [self.config.rate(n, num_training_steps) for n in range(num_training_steps)]
            return scheduler(self, optimizer, rates)

        def training_step(self, *args: Any, **options: Any) -> Any:
            with packed_attention(self.model) if self.config.packing else nullcontext():
                return super().training_step(*args, **options)

        def stepped(self, done: int, last: bool) -> None:
            every = self.config.validate_every
            if self.held_out and (last or (every and done % every == 0)):
                self.validated = self.validation_loss()

        def validation_loss(self) -> float:
            """Return the mean loss on the learnt tokens in all validation rows, over all processes."""
            totals = torch.zeros(2, device=self.args.device)
            self.model.eval()
            with torch.no_grad(), packed_attention(self.model) if self.config.packing else nullcontext():
                for part in self.held_out:
                    inputs = self._prepare_inputs(self.data_collator.collate(part))
                    learnt = (inputs["labels"][..., 1:] != IGNORED).sum()
                    with self.compute_loss_context_manager():
                        totals += torch.stack([self.compute_loss(self.model_wrapped, inputs) * learnt, learnt])
            self.model.train()
            self._metrics["eval"].clear()
            loss, count = self.accelerator.reduce(totals, reduction="sum").tolist()
            return float(loss / max(1.0, count))

    return Sft


def scheduler(trainer: Any, optimizer: Any, rates: Sequence[float]) -> Any:
    """Give a trainer its learning rates, one per update; the last one is repeated."""
    share = [rate / trainer.config.lr for rate in rates]
    trainer.lr_scheduler = import_module("torch").optim.lr_scheduler.LambdaLR(
        optimizer or trainer.optimizer, lambda step: share[min(step, len(share) - 1)]
    )
    trainer._created_lr_scheduler = True
    return trainer.lr_scheduler


class _Collator:
    """Turns a dataset item, which is the number of a micro-batch, into tensors."""

    def __init__(self, tokenizer: Any, micro: Sequence[Pack], filler: TokenRow, packing: bool) -> None:
        self.pad = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        self.micro_batches, self.packing = micro, packing
        # Replaces an empty micro-batch: tokens without loss.
        self.filler = TokenRow("", filler.ids, len(filler.ids))

    def __call__(self, items: Sequence[Mapping[str, int]]) -> dict[str, Any]:
        (item,) = items
        return self.collate(self.micro_batches[item["part"]])

    def collate(self, part: Pack) -> dict[str, Any]:
        torch, rows = import_module("torch"), part or (self.filler,)
        lengths = [len(row.ids) for row in rows]
        if self.packing:
            return {
                "input_ids": torch.tensor([[token for row in rows for token in row.ids]]),
                "labels": torch.tensor([[token for row in rows for token in labels(row)]]),
                "position_ids": torch.tensor([[at for length in lengths for at in range(length)]]),
                "bounds": torch.tensor(bounds(lengths), dtype=torch.int32),
                "longest": max(lengths),
            }
        wide = [(row, max(lengths) - len(row.ids)) for row in rows]
        return {
            "input_ids": torch.tensor([[*row.ids, *[self.pad] * rest] for row, rest in wide]),
            "labels": torch.tensor([[*labels(row), *[IGNORED] * rest] for row, rest in wide]),
            "attention_mask": torch.tensor([[*[1] * len(row.ids), *[0] * rest] for row, rest in wide]),
        }


def labels(row: TokenRow) -> list[int]:
    """Return the target tokens, with `IGNORED` where there is no loss."""
    return [*[IGNORED] * row.first, *row.ids[row.first :]]


# ---- the log, and when to save ---------------------------------------------------------------------------------------


class TrainerWatch:
    """Writes the log, and decides when to validate and when to save a checkpoint."""

    def __init__(self, config: TrainConfig, total: int, log: Log, figures: Figures) -> None:
        self.config, self.total, self.log, self.figures = config, total, log, figures
        self.trainer: Any = None
        self.began = self.saved = time.monotonic()

    def stepped(self, done: int) -> bool:
        """Return whether to save a checkpoint after an update. The first process decides for all."""
        self.trainer.stepped(done, done == self.total)
        torch, accelerator = import_module("torch"), self.trainer.accelerator
        due = accelerator.is_main_process and time.monotonic() - self.saved >= 60 * self.config.save_minutes
        vote = torch.tensor([float(due)], device=accelerator.device)
        if float(accelerator.reduce(vote, reduction="sum")) == 0 or done == self.total:
            return False
        self.saved = time.monotonic()
        return True

    def logged(self, done: int, logs: Mapping[str, float]) -> None:
        now = time.monotonic()
        line = self.figures(done, logs) | {"lr": float(logs["learning_rate"]), "s": round(now - self.began, 4)}
        self.began = now
        if self.trainer.accelerator.is_main_process:
            self.log(done - 1, line)


def callback(watch: TrainerWatch) -> Any:
    """Return the watch as a transformers callback."""
    base = import_module("transformers").TrainerCallback

    class Callback(base):  # type: ignore[misc, valid-type]
        def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            watch.began = watch.saved = time.monotonic()

        def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            control.should_save = watch.stepped(state.global_step)

        def on_log(
            self, args: Any, state: Any, control: Any, logs: Mapping[str, float] | None = None, **others: Any
        ) -> None:
            if logs and "loss" in logs:
                watch.logged(state.global_step, logs)

    return Callback()


# ---- on disk ---------------------------------------------------------------------------------------------------------


def last_checkpoint(folder: Path) -> str | None:
    """Return the newest complete checkpoint, or None. It is complete if it has the trainer's state, the last file
    written."""
    checkpoints_by_step = sorted(
        (folder / CHECKPOINTS).glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2])
    )
    for path in reversed(checkpoints_by_step):
        if _steps(path) is not None:
            return str(path)
    return None


def steps_done(folder: Path) -> int:
    """Return the number of steps done when the folder's last checkpoint was saved."""
    path = last_checkpoint(folder)
    return (_steps(Path(path)) or 0) if path else 0


def _steps(checkpoint: Path) -> int | None:
    try:
        return int(json.loads((checkpoint / DONE).read_text("utf-8"))["global_step"])
    except (OSError, ValueError, KeyError):
        return None


def save(trainer: Any, tokenizer: Any, folder: Path) -> None:
    """Save an ordinary model folder: all weights, gathered from all processes, with adapters merged. Checkpoints are
    kept."""
    accelerator = trainer.accelerator
    state = accelerator.get_state_dict(trainer.model)
    model = accelerator.unwrap_model(trainer.model)
    if accelerator.is_main_process:
        if hasattr(model, "peft_config"):
            config = model.peft_config["default"]
            state, model = merge_adapters(state, config.lora_alpha / config.r), model.get_base_model()
        tied = dict(model._tied_weights_keys or {}) if model.config.get_text_config().tie_word_embeddings else {}
        model.save_pretrained(folder, state_dict={name: value for name, value in state.items() if name not in tied})
        tokenizer.save_pretrained(folder)
    accelerator.wait_for_everyone()


def remove_checkpoints(folder: Path) -> None:
    """Remove the checkpoints of a training run whose manifest records it as finished; an unfinished run needs them to
    resume."""
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)


def merge_adapters(state: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """Return the weights of a model with each LoRA adapter added to its layer. Adapters are matched to layers by name,
    since the layers may be sharded."""
    whole = {}
    for name, value in state.items():
        if ".lora_" in name:
            continue
        layer, separator, _ = name.partition(".base_layer.")
        if separator and name.endswith(".weight"):
            down, up = state[f"{layer}.lora_A.default.weight"], state[f"{layer}.lora_B.default.weight"]
            value = (value.float() + scale * (up.float() @ down.float())).to(value.dtype)
        whole[name.removeprefix("base_model.model.").replace(".base_layer.", ".")] = value
    return whole

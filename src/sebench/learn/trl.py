"""The second engine: TRL's trainers for models that need several GPUs, LoRA or FSDP. Supervised fine-tuning; `trl_rl.py` has RL.

    fit_sft(model, tokenizer, rows, LoopSettings(lr=1e-5), Path("out"), TrlSettings(packing=True, checkpointing=True))

What it shares with the short loop (`loop.py`): the rows of every step, which tokens carry loss, the division by the step's learnt tokens,
the learning rate, AdamW's settings, the line of the log; so both give the same gradient (tests/test_learn_trl.py). A dataset item here is a
whole micro-batch that `parts.py` has made, so that TRL neither shuffles, cuts nor drops a row.

Covered: one process, or several started by `accelerate launch` (DDP, FSDP); packing without padding; recomputed activations; LoRA, merged
into the weights at the end; validation loss; checkpoints in `OUT/checkpoints` that the same call goes on from.
Not covered: DeepSpeed, tensor or context parallelism, quantised weights. Weight decay, where set, leaves out biases and norms, as TRL does.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.learn import batches, checkpoints, parts
from sebench.learn.batches import Step
from sebench.learn.loop import IGNORED, LOG, LoopSettings
from sebench.learn.tokens import TokenRow

PINNED = "1.16"  # its private hooks are used, and tested with this version alone
CHECKPOINTS, DONE = "checkpoints", "trainer_state.json"


@dataclass(frozen=True)
class TrlSettings:
    """What the TRL engine can do beside the short loop."""

    packing: bool = False  # rows of a micro-batch in one sequence, without padding
    checkpointing: bool = False  # activations are computed twice instead of kept
    validate_every: int = 0  # steps between two validation losses; 0 for one at the end
    device: str = ""  # cpu or cuda; chosen if not given


def library() -> Any:
    """TRL, in the version whose hooks are known."""
    try:
        found = version("trl")
        trl = import_module("trl")
    except (PackageNotFoundError, ModuleNotFoundError):
        raise ConfigError(f"--engine trl needs the package trl: pip install 'trl=={PINNED}.*'") from None
    if found.split(".")[:2] != PINNED.split("."):
        raise ConfigError(f"--engine trl is made for trl {PINNED}, here is {found}: pip install 'trl=={PINNED}.*'")
    return trl


def on_cpu(device: str) -> bool:
    return device == "cpu" or not import_module("torch").cuda.is_available()


def load(name: str, lora: int = 0, seed: int = 0, device: str = "") -> tuple[Any, Any]:
    """The tokenizer and the model, on the CPU: the trainer moves it to the GPU, or shards it over several.

    float32 where all weights are trained; where adapters are, the weights below them are frozen, and bf16 on a GPU.
    """
    torch, tokenizer, model = checkpoints.load(name, "cpu")
    if lora:
        model = model if on_cpu(device) else model.to(torch.bfloat16)
        model = checkpoints.with_adapters(model, lora, seed)
    return tokenizer, model


def fit_sft(
    model: Any,
    tokenizer: Any,
    rows: Sequence[TokenRow],
    settings: LoopSettings,
    folder: Path,
    engine: TrlSettings | None = None,
    validation: Sequence[TokenRow] = (),
    tell: Callable[[Step, float], None] | None = None,
) -> Any:
    """Train on all rows, and leave a Hugging Face folder. The trainer, for tests and for what else one may ask of it."""
    trainer = sft_trainer(model, tokenizer, rows, settings, folder, engine, validation, tell)
    torch = import_module("torch")
    try:
        trainer.train(resume_from_checkpoint=last_checkpoint(folder))
    except torch.OutOfMemoryError:
        raise ConfigError(
            f"too little memory for micro-batches of {settings.micro_tokens} tokens; lower micro_tokens, recompute activations "
            "(--checkpointing), train with LoRA, or use more GPUs (see --dry-run)"
        ) from None
    save(trainer, tokenizer, folder)
    return trainer


def sft_trainer(
    model: Any,
    tokenizer: Any,
    rows: Sequence[TokenRow],
    settings: LoopSettings,
    folder: Path,
    engine: TrlSettings | None = None,
    validation: Sequence[TokenRow] = (),
    tell: Callable[[Step, float], None] | None = None,
) -> Any:
    """The trainer, ready to begin or to go on."""
    trl, engine = library(), engine or TrlSettings()
    steps = batches.steps(rows, settings.epochs, settings.tokens, settings.micro_tokens, settings.seed)
    args = trl.SFTConfig(
        **common_arguments(settings, folder, len(steps), engine.checkpointing, on_cpu(engine.device)),
        per_device_train_batch_size=1,
        max_length=None,
        dataset_kwargs={"skip_prepare_dataset": True},
        remove_unused_columns=False,
        train_sampling_strategy="sequential",
    )
    division = parts.divide(steps, args.world_size, settings.micro_tokens, engine.packing)
    every = [row for step in steps for row in step.rows]
    assert sorted(r.id for part in division.micro for r in part) == sorted(r.id for r in every), "a row was lost"
    args.gradient_accumulation_steps = division.accumulation
    watch = _Watch(steps, settings, folder, tell)
    made = _trainer_class()(
        model=model,
        args=args,
        train_dataset=import_module("datasets").Dataset.from_dict({"part": list(range(len(division.micro)))}),
        processing_class=tokenizer,
        data_collator=_Collator(
            trl, tokenizer, division.micro, min(rows, key=lambda row: len(row.ids)), engine.packing
        ),
        callbacks=[_callback(watch)],
    )
    made.prepare(settings, _dealt(validation, args.world_size, settings.micro_tokens, engine), engine.validate_every)
    watch.trainer = made
    quiet(made)
    return made


def common_arguments(
    settings: LoopSettings, folder: Path, steps: int, checkpointing: bool, cpu: bool
) -> dict[str, Any]:
    """What both trainers are told: the short loop's optimizer and precision, and no defaults that change what is learnt."""
    return {
        "output_dir": str(folder / CHECKPOINTS),
        "max_steps": steps,
        "learning_rate": settings.lr,
        "adam_beta1": 0.9,
        "adam_beta2": 0.95,
        "weight_decay": settings.weight_decay,
        "max_grad_norm": settings.clip,
        "optim": "adamw_torch" if cpu else "adamw_torch_fused",
        "bf16": not cpu,
        "use_cpu": cpu,
        "gradient_checkpointing": checkpointing,
        "save_strategy": "steps" if settings.save_every else "no",
        "save_steps": settings.save_every or 1,
        "save_total_limit": 2,  # one that is whole while another is written
        "logging_steps": 1,
        "logging_nan_inf_filter": False,
        "report_to": "none",
        "disable_tqdm": True,
        "seed": settings.seed,
    }


def _dealt(rows: Sequence[TokenRow], processes: int, micro_tokens: int, engine: TrlSettings) -> tuple[parts.Micro, ...]:
    return parts.divide([Step(0, 0, (tuple(rows),))], processes, micro_tokens, engine.packing).micro if rows else ()


def quiet(trainer: Any) -> None:
    """No line on the console for each step: `tell` has them."""
    trainer.remove_callback(import_module("transformers").PrinterCallback)


# ---- the trainer ----------------------------------------------------------------------------------------------------------------


@cache
def _trainer_class() -> type:
    """TRL's trainer with our learning rate and a validation loss that counts every token once."""
    torch, base = import_module("torch"), library().SFTTrainer

    class Sft(base):  # type: ignore[misc, valid-type]
        def prepare(self, settings: LoopSettings, held_out: Sequence[parts.Micro], every: int) -> None:
            self.settings, self.validate_every = settings, every
            self.held_out = held_out[self.args.process_index :: self.args.world_size]

        def create_scheduler(self, num_training_steps: int, optimizer: Any = None) -> Any:
            optimizer = self.optimizer if optimizer is None else optimizer
            self.lr_scheduler = scheduler(torch, optimizer, self.settings, num_training_steps)
            self._created_lr_scheduler = True
            return self.lr_scheduler

        def validation_loss(self) -> float:
            """The mean loss of the learnt tokens of all validation rows, over all processes."""
            totals = torch.zeros(2, device=self.args.device)
            self.model.eval()
            with torch.no_grad():
                for part in self.held_out:
                    inputs = self._prepare_inputs(self.data_collator.collated(part))
                    learnt = (inputs["labels"][..., 1:] != IGNORED).sum()
                    with self.compute_loss_context_manager():
                        totals += torch.stack([self.compute_loss(self.model_wrapped, inputs) * learnt, learnt])
            self.model.train()
            self._metrics["eval"].clear()
            loss, count = self.accelerator.reduce(totals, reduction="sum").tolist()
            return float(loss / max(1.0, count))

    return Sft


def scheduler(torch: Any, optimizer: Any, settings: LoopSettings, total: int) -> Any:
    """The short loop's learning rate as a scheduler of torch."""
    return torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: settings.rate(min(step, total), total) / settings.lr
    )


class _Collator:
    """A dataset item is the number of a micro-batch."""

    def __init__(self, trl: Any, tokenizer: Any, micro: Sequence[parts.Micro], filler: TokenRow, packing: bool) -> None:
        pad = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
        collators = import_module("trl.trainer.sft_trainer")
        self.collate = collators.DataCollatorForLanguageModeling(pad_token_id=pad, padding_free=packing)
        self.micro = micro
        # In the place of an empty micro-batch: tokens without loss.
        self.filler = TokenRow("", filler.ids, len(filler.ids), len(filler.ids))

    def __call__(self, items: Sequence[Mapping[str, int]]) -> dict[str, Any]:
        (item,) = items
        return self.collated(self.micro[item["part"]])

    def collated(self, part: parts.Micro) -> dict[str, Any]:
        rows = part or (self.filler,)
        made: dict[str, Any] = self.collate([{"input_ids": list(row.ids), "labels": labels(row)} for row in rows])
        return made


def labels(row: TokenRow) -> list[int]:
    """The tokens that are wanted; `IGNORED` where there is no loss."""
    start = max(row.loss_from, 1)
    return [*[IGNORED] * start, *row.ids[start:]]


# ---- the log --------------------------------------------------------------------------------------------------------------------


class _Watch:
    """Writes the log's lines, and asks for validation losses."""

    def __init__(
        self, steps: Sequence[Step], settings: LoopSettings, folder: Path, tell: Callable[[Step, float], None] | None
    ) -> None:
        self.steps, self.settings, self.file, self.tell = steps, settings, folder / LOG, tell
        self.trainer: Any = None
        self.began = time.perf_counter()
        self.validated: float | None = None

    def begins(self, done: int) -> None:
        """Lines that an interrupted training wrote after its last checkpoint are written again."""
        if self.file.exists():
            lines = self.file.read_text("utf-8").splitlines(keepends=True)
            self.file.write_text("".join(lines[:done]), "utf-8")

    def stepped(self, done: int) -> None:
        every, last = self.trainer.validate_every, done == len(self.steps)
        if self.trainer.held_out and (last or (every and done % every == 0)):
            self.validated = self.trainer.validation_loss()

    def logged(self, done: int, loss: float, first: bool) -> None:
        step, now = self.steps[done - 1], time.perf_counter()
        line = {
            "step": step.number,
            "epoch": step.epoch,
            "loss": loss,
            "lr": self.settings.rate(step.number, len(self.steps)),
        }
        line |= {"tokens": step.tokens, "learnt": step.learnt, "s": round(now - self.began, 4)}
        if self.validated is not None:
            line["validation"] = self.validated
        self.began, self.validated = now, None
        if first:
            with self.file.open("a", encoding="utf-8") as log:
                log.write(json.dumps(line) + "\n")
            if self.tell:
                self.tell(step, loss)


def _callback(watch: _Watch) -> Any:
    """The watch as a callback of transformers."""
    base = import_module("transformers").TrainerCallback

    class Callback(base):  # type: ignore[misc, valid-type]
        def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            watch.began = time.perf_counter()
            if state.is_world_process_zero:
                watch.begins(state.global_step)

        def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            watch.stepped(state.global_step)

        def on_log(
            self, args: Any, state: Any, control: Any, logs: Mapping[str, float] | None = None, **others: Any
        ) -> None:
            if logs and "loss" in logs:
                watch.logged(state.global_step, float(logs["loss"]), state.is_world_process_zero)

    return Callback()


# ---- on disk --------------------------------------------------------------------------------------------------------------------


def last_checkpoint(folder: Path) -> str | None:
    """The newest whole checkpoint: the trainer's state is the last file that is written."""
    found = sorted((folder / CHECKPOINTS).glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    for path in reversed(found):
        try:
            json.loads((path / DONE).read_text("utf-8"))
        except (OSError, ValueError):
            continue
        return str(path)
    return None


def save(trainer: Any, tokenizer: Any, folder: Path) -> None:
    """An ordinary folder: the whole weights, gathered from all processes, with adapters merged. Checkpoints are removed."""
    accelerator = trainer.accelerator
    state = accelerator.get_state_dict(trainer.model)
    model = accelerator.unwrap_model(trainer.model)
    if accelerator.is_main_process:
        if hasattr(model, "peft_config"):
            config = model.peft_config["default"]
            state, model = merged(state, config.lora_alpha / config.r), model.get_base_model()
        tied = dict(model._tied_weights_keys or {}) if model.config.get_text_config().tie_word_embeddings else {}
        model.save_pretrained(folder, state_dict={name: value for name, value in state.items() if name not in tied})
        tokenizer.save_pretrained(folder)
        shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
    accelerator.wait_for_everyone()


def merged(state: Mapping[str, Any], scale: float) -> dict[str, Any]:
    """The weights of a model with LoRA adapters, each adapter added to its layer; by name, since the layers may be sharded."""
    whole = {}
    for name, value in state.items():
        if ".lora_" in name:
            continue
        layer, found, _ = name.partition(".base_layer.")
        if found and name.endswith(".weight"):
            down, up = state[f"{layer}.lora_A.default.weight"], state[f"{layer}.lora_B.default.weight"]
            value = (value.float() + scale * (up.float() @ down.float())).to(value.dtype)
        whole[name.removeprefix("base_model.model.").replace(".base_layer.", ".")] = value
    return whole

"""Plans a training run on a world, for `sebench learn ... --dry-run`. This needs no model and no GPU.

The rows are those of the training run itself. Tokens are counted by the model's tokenizer if it is on this machine,
otherwise estimated from the number of characters; the plan says which. For RL the updates are planned, with answers of
the maximum length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.models.transformers import fast_bf16, libraries
from sebench.train import rl, sft
from sebench.train.config import PolicyConfig, RlConfig, SftConfig, TrainConfig, shared_settings
from sebench.train.data import tokens
from sebench.train.data.tokens import TokenRow, TrainingRow
from sebench.train.loop import plan, training_run
from sebench.world.world import World

# Characters per token in a world's prompts (open-book and closed-book) and answers, with SmolLM2's tokenizer.
CHARACTERS = 2.9
C = TypeVar("C", bound=TrainConfig)


def check_plannable(method: str, gpus: int = 1) -> None:
    """Refuse methods that cannot be planned, before a world is built."""
    if method not in (*sft.BOOKS, *rl.BOOKS):
        raise ConfigError(f"--dry-run cannot plan {method}; it can plan {', '.join([*sft.BOOKS, *rl.BOOKS])}")
    if gpus < 1:
        raise ConfigError(f"--gpus {gpus}: must be at least 1")


def dry_run(
    world: World,
    method: str,
    config: TrainConfig,
    gpus: int = 1,
    gpu: plan.Gpu = plan.ESTIMATED,
    *,
    tokenizer: bool = True,
) -> plan.TrainingPlan:
    """Plan a training run. With `tokenizer=False`, tokens are estimated from characters, and torch is not imported."""
    check_plannable(method, gpus)
    shape = plan.model_shape(config.model)
    if isinstance(config, SftConfig):
        if config.validate:
            sft.held_out_tasks(world, config)  # refuses a wrong setting as the training run does
        rows, how = count_tokens(sft.training_rows(world, method, config), config, tokenizer)
        how += "; rows from --replay are not counted" if config.replay else ""
        settings = config
    else:
        assert isinstance(config, RlConfig)
        book = rl.BOOKS[method][1]
        prompter = config.prompter(world)
        start = files.read_json(Path(config.model) / training_run.MANIFEST)
        tasks = rl.tasks_after(start, world, config)
        prompts = [TrainingRow(task.id, prompter.prompt(task, book), "") for task in tasks]
        rows, how = count_tokens(prompts, config, tokenizer)
        rows, settings = rl_update_rows(rows, config)
    if gpu.is_cpu and settings.trainer == "loop":
        settings = settings_on_cpu(shape, settings, gpu.memory)
        size = f"at most {settings.pack_tokens:,} tokens" if settings.pack_tokens > 1 else "one row each"
        how = f"with the memory that is free now, packs have {size}; {how}"
    planned = plan.plan(shape, settings, rows, gpus, gpu)
    return replace(planned, notes=(*planned.notes, how))


def settings_on_cpu(shape: plan.ModelShape, config: C, memory: float) -> C:
    """Return the settings that the training loop uses on a CPU with this many bytes of free memory: its precision, and
    packs that fit."""
    config = replace(config, precision=config.precision or ("bf16" if fast_bf16("cpu") else "float32"))
    fixed = plan.fixed_memory(shape, config, shape.adapters(config.lora) if config.lora else shape.parameters)
    left = memory - plan.ALLOWANCE - sum(item.size for item in fixed)
    return replace(config, pack_tokens=min(config.pack_tokens, plan.pack_tokens(shape, config, left)))


def count_tokens(
    rows: Sequence[TrainingRow], config: TrainConfig, tokenizer: bool = True
) -> tuple[list[TokenRow], str]:
    """Return the rows as token ids, and a note on how the tokens were counted. If their number was estimated, the ids
    are zeros."""
    own = _tokenizer(config.model) if tokenizer else None
    if own is not None:
        token_rows = tokens.tokenise(rows, own, 1 << 30, config.chat())
        return token_rows, "tokens were counted by the model's tokenizer"
    estimated = []
    for row in rows:
        before = round(len(row.prompt.text) / CHARACTERS) if row.prompt else 0
        ids = (0,) * (before + round(len(row.answer) / CHARACTERS) + 1)
        estimated.append(TokenRow(row.id, ids, before))
    return (
        estimated,
        f"tokens were estimated at one per {CHARACTERS} characters, without the model's tokenizer",
    )


def rl_update_rows(rows: Sequence[TokenRow], config: PolicyConfig) -> tuple[list[TokenRow], SftConfig]:
    """Return the sequences that one RL step updates on, and SFT settings that do the same number of updates on them."""
    step_rows = [rows[n % len(rows)] for n in range(min(config.tasks_per_step, len(rows)))]
    answers = []
    for row in step_rows:
        ids = (*row.ids[: row.answer_from], *(0,) * config.max_tokens)
        answers += [TokenRow(row.id, ids, row.answer_from)] * config.samples
    batch = -(-len(answers) // config.updates)
    steps = {"epochs": config.steps * config.passes, "batch": batch}
    return answers, SftConfig(**{**shared_settings(config, SftConfig), **steps})


def _tokenizer(model: str) -> Any:
    """Return the model's tokenizer, or None if it is not on this machine or has no chat template."""
    try:
        _, hf = libraries()
        tokenizer = hf.AutoTokenizer.from_pretrained(model, local_files_only=True)
    except (ConfigError, OSError, ValueError, ImportError, KeyError, RuntimeError):
        return None
    return tokenizer if tokenizer.chat_template else None

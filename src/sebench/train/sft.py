"""Supervised fine-tuning: open-sft, closed-sft, native-sft and study.

closed-sft   correct answers to questions asked without the documentation
open-sft     the same answers with the documentation in the prompt: same examples, same order, same steps
native-sft   the control: the same training in NumPy's own names, with questions about NumPy
study        rows made from the documentation pages themselves, mixed with the rows of closed-sft

Read from the top: `train` is the whole method. Rows come from `data/` (the training data), the update from
`loop/loop.py`.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.models import checkpoints
from sebench.rollout.store import Run
from sebench.train.config import KEEP, ClosedSftConfig, SftConfig, StudySftConfig
from sebench.train.data import examples, rephrase, replay, tokens
from sebench.train.data.examples import TrainingExample
from sebench.train.data.study_material import study_rows
from sebench.train.data.tokens import TokenRow, TrainingRow
from sebench.train.loop import batches, validation
from sebench.train.loop.batches import TrainingStep
from sebench.train.loop.loop import Log, Loss, Trainer
from sebench.train.loop.training_run import TrainingRun
from sebench.world.prompts import CLOSED, NATIVE, OPEN
from sebench.world.world import World

BOOKS = {"open-sft": OPEN, "closed-sft": CLOSED, "native-sft": NATIVE, "study": CLOSED}


def train(training: TrainingRun[SftConfig]) -> None:
    """Fine-tune on correct answers, or on the pages."""
    config = training.config
    if config.validate:
        validation.held_out_tasks(training)  # a wrong setting is reported before training, not after it
    text_rows = training_rows(training.world, training.method, config)
    training.load()
    token_rows = tokenise_rows(training, text_rows)
    training.start_guard(rows_for_guard(text_rows, config))
    training.record_rows(token_rows)
    steps = batches.steps(token_rows, config.epochs, config.batch, config.seed)
    training.total = len(steps)

    def log(step: int, figures: dict[str, Any]) -> None:
        training.log(step, figures)
        if config.validate and config.validate_every > 0 and (step + 1) % config.validate_every == 0:
            validation.validate(training, step + 1)

    loss = weighted_loss(training.torch, config.known_weight) if config.known_weight != 1 else None
    fit(training.trainer(), steps, training.out, log, loss)
    if config.validate:
        training.record(validation=validation.validate(training, len(steps)))
    training.finish()


def fit(trainer: Trainer, steps: Sequence[TrainingStep], folder: Path, log: Log, loss: Loss | None = None) -> None:
    """Take every step that is not done yet, and save checkpoints in the folder."""
    assert isinstance(trainer.settings, SftConfig)
    for step in steps[trainer.done :]:
        began = time.perf_counter()
        rate = trainer.settings.rate(step.number, len(steps))
        mean_loss = trainer.update(step.rows, step.learnt, rate, loss)
        figures = {"epoch": step.epoch, "loss": mean_loss, "lr": rate, "tokens": step.tokens, "learnt": step.learnt}
        # Log first, save second: a checkpoint never contains a step that the log lacks.
        log(step.number, {**figures, "s": round(time.perf_counter() - began, 4)})
        trainer.finish_step(step.number, folder, last=step is steps[-1])


def weighted_loss(torch: Any, known_weight: float) -> Loss:
    """The loss of a pack in which tokens that already have a probability above one half count `known_weight` times.

    After MemFT (arXiv 2605.30260): greedy decoding recalls a token from that probability on.
    """

    def loss(logits: Any, targets: Any, pack: Sequence[Any]) -> Any:
        surprisals = torch.nn.functional.cross_entropy(logits, targets, reduction="none")
        known = surprisals.detach() < math.log(2)
        return (surprisals * torch.where(known, known_weight, 1.0)).sum()

    return loss


# ---- the rows --------------------------------------------------------------------------------------------------------


def training_rows(world: World, method: str, config: SftConfig) -> list[TrainingRow]:
    """The training rows as text: a prompt and the answer to learn."""
    answers = examples.draw_limited(_examples(world, config), config.limit, config.seed)
    text_rows = tokens.text_rows(config.prompter(world), answers, BOOKS[method])
    if isinstance(config, StudySftConfig):
        from_pages = study_rows(world, config.study, config.form)
        if config.study_file:
            from_pages += rephrase.read(Path(config.study_file), world)
        text_rows = [*from_pages, *_repeat(text_rows, config.mix, config.seed)]
    if not text_rows:
        raise ConfigError("nothing to learn from: the world has no training task, or --mix 0 was given without --study")
    return text_rows


def _examples(world: World, config: SftConfig) -> list[TrainingExample]:
    """Return questions with correct answers: the gold (reference) solutions of training tasks, or the answers of
    imported tasks, a self-play run or an open-book run. Only native-sft uses NumPy's own names."""
    tasks, native = examples.training_tasks(world, config.per_function), not isinstance(config, ClosedSftConfig)
    if not isinstance(config, ClosedSftConfig) or config.examples == examples.GOLD:
        return examples.from_gold(world, tasks, config.form, native)
    folder = Path(config.examples)
    if folder.is_file():
        own_tasks = examples.take_per_function(examples.imported_tasks(folder, world), config.per_function)
        return examples.from_gold(world, own_tasks, config.form)
    if examples.selfplay_file(folder):
        own = examples.from_selfplay(folder, world)
        chosen_ids = {task.id for task in examples.take_per_function([one.task for one in own], config.per_function)}
        return [examples.with_form(one, world, config.form) for one in own if one.task.id in chosen_ids]
    run = Run.load(folder)
    if run.manifest.world.get("fingerprint") != world.manifest.fingerprint:
        raise ConfigError(f"examples = {folder} is a run on a world other than {world.path}; use a run on this world")
    task_ids = {task.id for task in tasks}
    model, mentions = str(run.manifest.config.get("model", "")), config.mentions == KEEP
    answers = examples.from_run(run.rows(), world, config.form, model, credit=config.credit, mentions=mentions)
    usable = [example for example in answers if example.task.id in task_ids]
    if not usable:
        raise ConfigError(
            f"no answer to learn from: all correct answers in {folder} are to tasks that per_function = "
            f"{config.per_function} holds out; answer more tasks of --split train, or set --per-function 0 to learn "
            "from all"
        )
    return usable


def _repeat(text_rows: list[TrainingRow], times: float, seed: int) -> list[TrainingRow]:
    """Repeat every row `times` times; a fractional part adds a random sample of the rows."""
    part = random.Random(f"mix:{seed}").sample(text_rows, round(len(text_rows) * (times % 1)))
    return [*text_rows * int(times), *part]


def rows_for_guard(text_rows: list[TrainingRow], config: SftConfig) -> list[TrainingRow]:
    """All training data as text for the guard: the rows, and the conversations of --replay."""
    if not config.replay:
        return text_rows
    count = replay.rows_for_share(len(text_rows), config.replay_share)
    return [*text_rows, *replay.text_rows(Path(config.replay), count, config.seed)]


def tokenise_rows(training: TrainingRun[SftConfig], text_rows: list[TrainingRow]) -> list[TokenRow]:
    """The rows as token ids, followed by the rows of --replay."""
    config, limit = training.config, checkpoints.context(training.model)
    token_rows = tokens.tokenise(text_rows, training.tokenizer, limit, config.chat())
    if config.replay:
        count = replay.rows_for_share(len(token_rows), config.replay_share)
        file, chat = Path(config.replay), config.chat()
        token_rows += replay.token_rows(file, count, training.tokenizer, limit, chat, config.seed)
    return token_rows

"""Supervised fine-tuning: open-sft, closed-sft, native-sft and study.

closed-sft   right answers to questions without the documentation
open-sft     the same answers with the documentation in the prompt: same examples, same order, same steps
native-sft   the control: the same training in NumPy's own names, with questions about NumPy
study        what can be made from the pages themselves (`study/`), mixed with the rows of closed-sft
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.models import checkpoints
from sebench.rollout.store import Run
from sebench.train.config import ClosedSftConfig, OpenSftConfig, SftConfig, StudySftConfig
from sebench.train.data import examples, rephrase, replay, rows, selfplay_examples, tokens
from sebench.train.data.study_material import study_rows
from sebench.train.loop import batches, validation
from sebench.train.loop.training_run import TrainingRun
from sebench.world.prompts import CLOSED, NATIVE, OPEN
from sebench.world.world import World

BOOKS = {"open-sft": OPEN, "closed-sft": CLOSED, "native-sft": NATIVE, "study": CLOSED}


def train(training: TrainingRun[SftConfig]) -> None:
    """Learn from right answers, or from the pages."""
    config, world = training.config, training.world
    if config.validate:
        validation.held_out_tasks(training)  # a mistake is told before the training, not after it
    made = training_rows(world, training.method, config)
    training.load()
    found = tokenise_rows(training, made)
    training.start_guard(rows_for_guard(made, config))
    training.record_rows(found)
    steps = batches.steps(found, config.epochs, config.batch, config.seed)
    training.total = len(steps)

    def log(step: int, figures: dict[str, Any]) -> None:
        training.log(step, figures)
        if config.validate and config.validate_every > 0 and (step + 1) % config.validate_every == 0:
            validation.validate(training, step + 1)

    training.trainer(config.loop_settings()).fit(steps, training.out, log)
    if config.validate:
        training.record(validation=validation.validate(training, len(steps)))
    training.finish()


def rows_for_guard(made: list[rows.TrainingRow], config: SftConfig) -> list[rows.TrainingRow]:
    """All that is learnt from, as the guard reads it: the rows, and the conversations of --replay."""
    if not config.replay:
        return made
    wanted = replay.rows_for_share(len(made), config.replay_share)
    return [*made, *replay.text_rows(Path(config.replay), wanted, config.seed)]


def tokenise_rows(training: TrainingRun[SftConfig], made: list[rows.TrainingRow]) -> list[tokens.TokenRow]:
    """The rows as token ids, with the rows of --replay behind them."""
    config, limit = training.config, checkpoints.context(training.model)
    found = tokens.tokenise(made, training.tokenizer, limit, config.chat(), config.prompt_loss)
    if not config.replay:
        return found
    wanted = replay.rows_for_share(len(found), config.replay_share)
    return [
        *found,
        *replay.token_rows(Path(config.replay), wanted, training.tokenizer, limit, config.chat(), config.seed),
    ]


def training_rows(world: World, method: str, config: SftConfig) -> list[rows.TrainingRow]:
    """The rows of a training: of all training tasks, or of some of each function."""
    book, share = BOOKS[method], 1.0
    if isinstance(config, OpenSftConfig):
        book, share = rows.IRRELEVANT if config.irrelevant else book, config.share
    settings = rows.RowSettings(book, share, config.book_settings(), config.seed, config.prompts)
    found = _examples(world, config) if isinstance(config, ClosedSftConfig) else _gold(world, config, native=True)
    made = rows.rows(world, examples.draw_limited(found, config.limit, config.seed), settings)
    if isinstance(config, StudySftConfig):
        studied = study_rows(world, config.study, config.form)
        if config.study_file:
            studied += rephrase.read(Path(config.study_file), world)
        made = [*studied, *_repeat(made, config.mix, config.seed)]
    if not made:
        raise ConfigError("nothing to learn from: the world has no training task, or --mix 0 was given without --study")
    return made


def _examples(world: World, config: ClosedSftConfig) -> list[examples.TrainingExample]:
    wanted = _tasks(world, config)
    if config.examples == examples.GOLD:
        return _gold(world, config)
    if selfplay_examples.is_selfplay_folder(Path(config.examples)):
        own = selfplay_examples.read(Path(config.examples), world)
        asked = {task.id for task in examples.take_per_function([one.task for one in own], config.per_function)}
        return [selfplay_examples.with_form(one, world, config.form) for one in own if one.task.id in asked]
    run = Run.load(Path(config.examples))
    if run.manifest.world.get("fingerprint") != world.manifest.fingerprint:
        raise ConfigError(f"examples = {config.examples} is a run on another world than {world.path}; ask this one")
    found = examples.from_run(run.rows(), world, config.form, str(run.manifest.config.get("model", "")))
    chosen = {task.id for task in wanted}
    kept = [example for example in found if example.task.id in chosen]
    if not kept:
        raise ConfigError(
            f"no answer to learn from: the right ones of {config.examples} are to tasks that per_function = {config.per_function} "
            "holds out; ask more tasks of --split train, or learn from all with --per-function 0"
        )
    return kept


def _gold(world: World, config: SftConfig, native: bool = False) -> list[examples.TrainingExample]:
    return examples.from_gold(world, _tasks(world, config), config.form, native)


def _tasks(world: World, config: SftConfig) -> Sequence[Task]:
    return examples.training_tasks(world, config.per_function)


def _repeat(made: list[rows.TrainingRow], times: float, seed: int) -> list[rows.TrainingRow]:
    """The rows so many times; of a fraction, a drawn part."""
    part = random.Random(f"mix:{seed}").sample(made, round(len(made) * (times % 1)))
    return [*made * int(times), *part]

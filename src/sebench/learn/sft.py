"""Supervised fine-tuning: open-sft, closed-sft, native-sft and study.

closed-sft   right answers to questions without the documentation
open-sft     the same answers with the documentation in the prompt: same examples, same order, same steps
native-sft   the control: the same training in NumPy's own names, with questions about NumPy
study        what can be made from the pages themselves (`study.py`), mixed with the rows of closed-sft
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from sebench.errors import ConfigError
from sebench.learn import batches, checkpoints, examples, rephrase, replay, rows, study, tokens, validation
from sebench.learn.config import LearnConfig
from sebench.learn.training import Training
from sebench.prompts import CLOSED, NATIVE, OPEN
from sebench.records import Task
from sebench.store import Run
from sebench.world import World

BOOKS = {"open-sft": OPEN, "closed-sft": CLOSED, "native-sft": NATIVE, "study": CLOSED}


def train(training: Training) -> None:
    """Learn from right answers, or from the pages."""
    config, world = training.config, training.world
    if config.validate:
        validation.held_out(training)  # a mistake is told before the training, not after it
    made = training_rows(world, training.method, config)
    training.guard(made)
    training.load()
    found = sequences(training, made)
    training.note(**tokens.counted(found))
    steps = batches.steps(found, config.epochs, config.batch, config.pack_tokens, config.seed)
    training.total = len(steps)
    training.trainer(config.loop()).fit(steps, training.out, training.log)
    if config.validate:
        training.note(validation=validation.validate(training, len(steps)))
    training.end()


def sequences(training: Training, made: list[rows.TrainingRow]) -> list[tokens.TokenRow]:
    """The rows as token ids, with the rows of --replay behind them."""
    config, limit = training.config, checkpoints.context(training.model)
    found = tokens.tokenised(made, training.tokenizer, limit, config.chat(), config.prompt_loss)
    if not config.replay:
        return found
    wanted = replay.count(len(found), config.replay_share)
    return [
        *found,
        *replay.replayed(Path(config.replay), wanted, training.tokenizer, limit, config.chat(), config.seed),
    ]


def training_rows(world: World, method: str, config: LearnConfig) -> list[rows.TrainingRow]:
    """The rows of a training: of all training tasks, or of some of each function."""
    if method == "native-sft":
        found = _gold(world, config, native=True)
        return rows.rows(world, found, rows.RowSettings(NATIVE, 1.0, config.book(), config.seed, config.prompts))
    book = rows.IRRELEVANT if config.irrelevant else BOOKS[method]
    settings = rows.RowSettings(book, config.share, config.book(), config.seed, config.prompts)
    made = rows.rows(world, _examples(world, method, config), settings)
    if method != "study":
        return made
    material = study.material(world, config.study, config.seed, tasks=_tasks(world, config), form=config.form)
    if config.study_file:
        material += rephrase.read(Path(config.study_file), world)
    return [*material, *_copies(made, config.mix, config.seed)]


def _examples(world: World, method: str, config: LearnConfig) -> list[examples.Example]:
    wanted = _tasks(world, config)
    if config.examples == examples.GOLD:
        return _gold(world, config)
    run = Run.load(Path(config.examples))
    if run.manifest.world.get("fingerprint") != world.manifest.fingerprint:
        raise ConfigError(f"examples = {config.examples} is a run on another world than {world.path}; ask this one")
    closed, source = BOOKS[method] == CLOSED, str(run.manifest.config.get("model", ""))
    found = examples.from_run(run.rows(), world, config.form, closed, source)
    chosen = {task.id for task in wanted}
    kept = [example for example in found if example.task.id in chosen]
    if not kept:
        raise ConfigError(
            f"no answer to learn from: the right ones of {config.examples} are to tasks that per_function = {config.per_function} "
            "holds out; ask more tasks of --split train, or learn from all with --per-function 0"
        )
    return kept


def _gold(world: World, config: LearnConfig, native: bool = False) -> list[examples.Example]:
    return examples.from_gold(world, _tasks(world, config), config.form, config.redrawn, config.drop_words, native)


def _tasks(world: World, config: LearnConfig) -> Sequence[Task]:
    return examples.training_tasks(world, config.per_function)


def _copies(made: list[rows.TrainingRow], times: float, seed: int) -> list[rows.TrainingRow]:
    """The rows so many times; of a fraction, a drawn part."""
    part = random.Random(f"mix:{seed}").sample(made, round(len(made) * (times % 1)))
    return [*made * int(times), *part]

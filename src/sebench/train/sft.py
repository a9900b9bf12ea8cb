"""Supervised fine-tuning: open-sft, closed-sft, native-sft and study.

closed-sft   correct answers to questions asked without the documentation
open-sft     the same answers with the documentation in the prompt: same examples, same order, same steps
native-sft   the control: the same training in NumPy's own names, with questions about NumPy
study        rows made from the documentation pages themselves, mixed with the rows of closed-sft

Read from the top: `train` is the whole method, then come the rows and validation. Rows come from `data/` (the training
data), the update from `loop/loop.py`. Validation asks closed-book questions about held-out training tasks, never about
test tasks: with --per-function 2, all but two of each function's training tasks are held out. Tune recipes on this
figure, and evaluate on the test splits only once, at the end.
"""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.extract import extract
from sebench.base.records import Task
from sebench.judge.judge import Judge
from sebench.models import checkpoints
from sebench.models.decoding import Decoder, end_tokens
from sebench.rollout.store import Run
from sebench.train.config import KEEP, ClosedSftConfig, SftConfig, StudySftConfig
from sebench.train.data import examples, rephrase, replay, tokens
from sebench.train.data.examples import TrainingExample
from sebench.train.data.study_material import study_rows
from sebench.train.data.tokens import TokenRow, TrainingRow
from sebench.train.loop import batches
from sebench.train.loop.batches import TrainingStep
from sebench.train.loop.loop import Log, Loss, Trainer
from sebench.train.loop.training_run import TrainingRun
from sebench.train.probes.probes import log_once
from sebench.world.prompts import CLOSED, NATIVE, OPEN
from sebench.world.world import World

BOOKS = {"open-sft": OPEN, "closed-sft": CLOSED, "native-sft": NATIVE, "study": CLOSED}
VALIDATION = "validation.jsonl"


def train(training: TrainingRun[SftConfig]) -> None:
    """Fine-tune on correct answers, or on the pages."""
    config = training.config
    if config.validate:
        held_out_tasks(training.world, config)  # a wrong setting is reported before training, not after it
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
            validate(training, step + 1)

    loss = weighted_loss(training.torch, config.known_weight) if config.known_weight != 1 else None
    fit(training.trainer(), steps, training.out, log, loss)
    if config.validate:
        training.record(validation=validate(training, len(steps)))
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
    """Return a loss function in which tokens that already have a probability above one half count `known_weight` times.

    This follows MemFT (arXiv 2605.30260): greedy decoding always recalls a token whose probability is above one half.
    """

    def loss(logits: Any, targets: Any, pack: Sequence[Any]) -> Any:
        surprisals = torch.nn.functional.cross_entropy(logits, targets, reduction="none")
        known = surprisals.detach() < math.log(2)
        return (surprisals * torch.where(known, known_weight, 1.0)).sum()

    return loss


# ---- the rows --------------------------------------------------------------------------------------------------------


def training_rows(world: World, method: str, config: SftConfig) -> list[TrainingRow]:
    """Return the training rows as text: a prompt and the answer to learn."""
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
    """Return questions with correct answers from all sources. Only native-sft uses NumPy's own names, and only the gold
    (reference) solutions."""
    if not isinstance(config, ClosedSftConfig):
        return examples.from_gold(world, examples.training_tasks(world, config.per_function), config.form, native=True)
    return [one for source in config.sources() for one in _from_source(world, config, source)]


def _from_source(world: World, config: ClosedSftConfig, source: str) -> list[TrainingExample]:
    """Return questions with correct answers: the gold solutions of training tasks, or the answers from imported tasks,
    a self-play run or an open-book run."""
    tasks = examples.training_tasks(world, config.per_function)
    if source == examples.GOLD:
        return examples.from_gold(world, tasks, config.form)
    folder = Path(source)
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
    """Return all training data as text for the guard: the rows, and the conversations from --replay."""
    if not config.replay:
        return text_rows
    count = replay.rows_for_share(len(text_rows), config.replay_share)
    return [*text_rows, *replay.text_rows(Path(config.replay), count, config.seed)]


def tokenise_rows(training: TrainingRun[SftConfig], text_rows: list[TrainingRow]) -> list[TokenRow]:
    """Return the rows as token ids, followed by the rows from --replay."""
    config, limit = training.config, checkpoints.context(training.model)
    token_rows = tokens.tokenise(text_rows, training.tokenizer, limit, config.chat())
    if config.replay:
        count = replay.rows_for_share(len(token_rows), config.replay_share)
        file, chat = Path(config.replay), config.chat()
        token_rows += replay.token_rows(file, count, training.tokenizer, limit, chat, config.seed)
    return token_rows


# ---- validation ------------------------------------------------------------------------------------------------------


def held_out_tasks(world: World, config: SftConfig) -> list[Task]:
    """Return the tasks used for validation."""
    if not config.per_function:
        raise ConfigError("validate needs held-out training tasks; add --per-function 2")
    rest = list(examples.training_tasks(world, config.per_function, rest=True))
    if not rest:
        raise ConfigError(
            f"per_function = {config.per_function} leaves no training task for validation; set --per-function 2, or "
            "leave out --validate"
        )
    if not 0 < config.validate < len(rest):
        return rest
    return random.Random(f"validate:{config.seed}").sample(rest, config.validate)


def validate(training: TrainingRun[SftConfig], step: int) -> dict[str, Any]:
    """Have the model answer the held-out tasks, and log the share of correct answers and the share of answers that name
    all the right functions.

    An answer that could not be judged counts neither as correct nor as wrong. Each step is validated only once, even if
    a resumed run reaches it again.
    """
    tasks = held_out_tasks(training.world, training.config)
    training.progress("answering the held-out tasks", step, training.total)
    return log_once(training.out / VALIDATION, {"step": step, "tasks": len(tasks)}, lambda: _measure(training, tasks))


def _measure(training: TrainingRun[SftConfig], tasks: Sequence[Task]) -> dict[str, Any]:
    native = training.method == "native-sft"
    answers = greedy_answers(training, tasks, NATIVE if native else CLOSED)
    with Judge(training.world) as judge:
        pending = [judge.submit(task, text, native) for task, text in zip(tasks, answers, strict=True)]
        verdicts = [future.result() for future in pending]
    return {
        "right": _share([verdict.credited for verdict in verdicts if verdict.reward("passed") is not None]),
        "named": _share([_writes_all_names(training, task, text) for task, text in zip(tasks, answers, strict=True)]),
        "invented": _share([bool(verdict.invented) for verdict in verdicts]),
        "faults": sum(verdict.reward("passed") is None for verdict in verdicts),
    }


def greedy_answers(training: TrainingRun[SftConfig], tasks: Sequence[Task], book: str) -> list[str]:
    """Return the current model's answers, decoded greedily."""
    config, tokenizer = training.config, training.tokenizer
    prompter = config.prompter(training.world)
    limit, ends = checkpoints.context(training.model), end_tokens(training.model, tokenizer)
    prompts = [
        tokens.sampling_ids(prompter.prompt(task, book), tokenizer, config.chat(), limit, config.max_tokens)
        for task in tasks
    ]
    device = next(training.model.parameters()).device.type
    decoder = Decoder(training.torch, training.model, config.bf16(device))
    replies = decoder.generate(prompts, [config.max_tokens] * len(prompts), ends)
    return [tokens.response(tokenizer, prompt, ids) for prompt, ids in zip(prompts, replies, strict=True)]


def _writes_all_names(training: TrainingRun[SftConfig], task: Task, text: str) -> bool:
    """Whether the program contains the names of all functions that gold uses, except the array constructor."""
    code, names = extract(text, task.entry).code, training.world.names
    paths = [path for path in task.functions if path != "array" or len(task.functions) == 1]
    needed = [f"np.{path}" if training.method == "native-sft" else names.forged(path) for path in paths]
    return all(re.search(rf"\b{re.escape(name)}\b", code) for name in needed)


def _share(values: Sequence[bool]) -> float:
    return round(sum(values) / max(1, len(values)), 4)

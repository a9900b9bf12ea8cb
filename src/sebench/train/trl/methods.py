"""The methods on the TRL engine: what `sft.py`, `rl.py` and `absolute_zero.py` do on one device, for `--trainer trl`.

Every process that `accelerate launch` starts runs this; the first one writes the folder. Distillation does not support
this engine.
"""

from __future__ import annotations

from sebench.judge.judge import Judge
from sebench.models.checkpoints import context
from sebench.train import absolute_zero, rl, sft
from sebench.train.config import RlConfig, SftConfig, TrainConfig, ZeroConfig
from sebench.train.data import examples, rows, tokens
from sebench.train.data.tokens import TokenRow
from sebench.train.loop import batches, validation
from sebench.train.loop.training_run import TrainingRun
from sebench.train.trl import rl as trl_rl
from sebench.train.trl import sft as trl
from sebench.train.trl import zero as trl_zero
from sebench.world.prompts import CLOSED, NATIVE


def train_sft(training: TrainingRun[SftConfig]) -> None:
    """Fine-tune on correct answers, or on the pages."""
    config = training.config
    text_rows = sft.training_rows(training.world, training.method, config)
    if training.is_main:
        training.start_guard(sft.rows_for_guard(text_rows, config))
    _load(training)
    token_rows = sft.tokenise_rows(training, text_rows)
    training.record_rows(token_rows)
    steps = batches.steps(token_rows, config.epochs, config.batch, config.seed)
    training.total = len(steps)
    _resume(training, trl.steps_done(training.out))
    held_out = _held_out_rows(training)
    trainer = trl.sft_trainer(training.model, training.tokenizer, steps, config, training.out, training.log, held_out)
    trl.run(trainer, training.out)
    training.wait_for_guard()
    trl.save(trainer, training.tokenizer, training.out)
    _end(training)


def train_rl(training: TrainingRun[RlConfig]) -> None:
    """Train a model by sampling answers, judging them and updating on the rewards."""
    config, books = training.config, rl.BOOKS[training.method]
    tasks = rl.rl_tasks(training)
    _load(training)
    prompter = config.prompter(training.world)
    questions = []
    for task in tasks:
        sampling, update = (trl_rl.render(training, prompter.prompt(task, book)) for book in books)
        questions.append(trl_rl.TaskPrompts(task.id, sampling, update))
    order = [[task.id for task in rl.tasks_of_step(tasks, config, step)] for step in range(config.steps)]
    training.total = config.steps
    _resume(training, trl.steps_done(training.out) // (config.updates * config.passes))
    with Judge(training.world) as judge:
        reward = trl_rl.judge_reward(judge, config.credit)
        model, tokenizer = training.model, training.tokenizer
        trainer = trl_rl.rl_trainer(model, tokenizer, questions, order, reward, config, training.out, training.log)
        trl.fit(trainer, tokenizer, training.out)
    _end(training)


def train_zero(training: TrainingRun[ZeroConfig]) -> None:
    """Train with Absolute Zero: propose, solve, update. The first process runs the gates and the judge."""
    config, world = training.config, training.world
    _load(training)
    requests = [absolute_zero.step_prompts(world, config, step) for step in range(config.steps)]
    questions = [trl_rl.TaskPrompts(trl_zero.ANSWERS, "", "")]
    for step, prompts in enumerate(requests):
        for function, prompt in prompts.items():
            text = trl_rl.render(training, prompt)
            questions.append(trl_rl.TaskPrompts(f"{step}/{function}", text, text))
    order = [[name for f in prompts for name in (f"{n}/{f}", trl_zero.ANSWERS)] for n, prompts in enumerate(requests)]
    training.total = config.steps
    done = trl.steps_done(training.out) // (config.updates * config.passes)
    _resume(training, done)
    with trl_zero.referee(training) as referee:
        if referee is not None:
            referee.gates.remember(done)
        trainer = trl_rl.rl_trainer(
            training.model,
            training.tokenizer,
            questions,
            order,
            trl_zero.no_reward,
            config,
            training.out,
            training.log,
            trl_zero.zero_class,
        )
        trainer.begin(training, referee, [list(prompts) for prompts in requests])
        trl.fit(trainer, training.tokenizer, training.out)
    _end(training)


def _load(training: TrainingRun[TrainConfig]) -> None:
    config = training.config
    loaded = trl.load(config.model, config.lora, config.seed, config.device)
    training.torch, training.tokenizer, training.model = loaded
    training.torch.manual_seed(config.seed)


def _resume(training: TrainingRun[TrainConfig], done: int) -> None:
    """Keep the log of the steps that are done; probe before the first step."""
    training.truncate_log(done)
    if training.config.probe_every > 0 and not done and training.single_process:
        training.probe(0)


def _end(training: TrainingRun[TrainConfig]) -> None:
    training.finish(saved=True)
    if training.is_main:
        trl.remove_checkpoints(training.out)


def _held_out_rows(training: TrainingRun[SftConfig]) -> list[TokenRow]:
    """The rows of the held-out tasks, for a validation loss."""
    config, world = training.config, training.world
    if not config.validate:
        return []
    native = training.method == "native-sft"
    answers = examples.from_gold(world, validation.held_out_tasks(training), config.form, native=native)
    settings = rows.RowSettings(NATIVE if native else CLOSED, 1.0, config.book_settings(), config.seed, config.prompts)
    text_rows = rows.rows(world, answers, settings)
    return tokens.tokenise(text_rows, training.tokenizer, context(training.model), config.chat())

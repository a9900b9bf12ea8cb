"""Self-distillation: the model with the book open teaches itself with the book closed.

The teacher is the starting model as it was, with the page in its prompt; the student begins with the same weights and never sees the
page. The loss is the divergence between what the two expect of the next token, over the whole vocabulary, at every token of an answer.
Whose answers:

    --on teacher   sampled once with the book, then gone through as in closed-sft: soft labels instead of the sampled tokens
    --on student   sampled anew at every step with the book closed, so that the student is corrected where it goes

Answers are not judged: nothing but the page tells right from wrong. The starting model must be able to use a page; a small one is trained
with open-sft first.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sebench.base.records import Task
from sebench.models.checkpoints import frozen
from sebench.train.config import STUDENT, DistilConfig
from sebench.train.data import examples, tokens
from sebench.train.data.tokens import TokenRow
from sebench.train.loop import batches
from sebench.train.loop.batches import TrainingStep
from sebench.train.loop.loop import Loss, Trainer
from sebench.train.loop.packing import packed_attention
from sebench.train.loop.training_run import TrainingRun
from sebench.train.rl import Sampler, tasks_of_step
from sebench.world.prompts import CLOSED, OPEN


@dataclass(frozen=True)
class DistilRow(TokenRow):
    """An answer behind the student's prompt, and behind the teacher's."""

    teacher_row: TokenRow | None = None


def distil_row(student: TokenRow, teacher: TokenRow) -> DistilRow:
    return DistilRow(student.id, student.ids, student.answer_from, student.loss_from, teacher)


def train(training: TrainingRun[DistilConfig]) -> None:
    """Let the open book teach the closed one."""
    tasks = examples.training_tasks(training.world, training.config.per_function)
    training.load()
    teacher = frozen(training.model)
    if training.config.on == STUDENT:
        _on_student(training, teacher, tasks)
    else:
        _on_teacher(training, teacher, tasks)
    training.finish()


def _on_teacher(training: TrainingRun[DistilConfig], teacher: Any, tasks: Sequence[Task]) -> None:
    config = training.config
    sampler = Sampler(training, (OPEN, CLOSED), model=teacher)
    sequences, began = list[TokenRow](), time.perf_counter()
    for start in range(0, len(tasks), config.tasks_per_step):
        part = tasks[start : start + config.tasks_per_step]
        training.progress("sampling with the book", start, len(tasks))
        found = sampler.sample(part, config.samples, config.seed + start)
        sequences += [distil_row(one.row, one.sampled) for one in found]
    sequences = list({row.ids: row for row in sequences}.values())  # the same answer to the same task counts once
    training.record(**tokens.token_counts(sequences), sample_s=round(time.perf_counter() - began, 1))
    steps = batches.steps(sequences, config.epochs, config.batch, config.seed)
    training.total = len(steps)
    trainer = training.trainer(config.loop_settings())
    for step in steps[trainer.done :]:
        rate = trainer.settings.rate(step.number, len(steps))
        _update(training, trainer, teacher, step, rate, time.perf_counter())
        trainer.finish_step(step.number, training.out, last=step is steps[-1])


def _on_student(training: TrainingRun[DistilConfig], teacher: Any, tasks: Sequence[Task]) -> None:
    config = training.config
    sampler = Sampler(training, (CLOSED, OPEN))
    trainer = training.trainer(config.loop_settings(constant=True))
    training.total = config.steps
    for number in range(trainer.done, config.steps):
        began = time.perf_counter()
        chosen = tasks_of_step(tasks, config, number)
        found = sampler.sample(chosen, config.samples, config.seed + number)
        mine = [distil_row(one.sampled, one.row) for one in found]
        step = TrainingStep(number, 0, tuple(mine))
        _update(training, trainer, teacher, step, trainer.settings.rate(number, config.steps), began)
        trainer.finish_step(number, training.out, last=number + 1 == config.steps)


def _update(
    training: TrainingRun[DistilConfig], trainer: Trainer, teacher: Any, step: TrainingStep, rate: float, began: float
) -> None:
    loss = trainer.update(step.rows, step.learnt, rate, divergence(training.torch, trainer, teacher))
    figures = {"epoch": step.epoch, "loss": loss, "lr": rate, "tokens": step.tokens, "learnt": step.learnt}
    training.log(step.number, {**figures, "s": round(time.perf_counter() - began, 4)})


def divergence(torch: Any, trainer: Trainer, teacher: Any) -> Loss:
    """The loss of a pack: the summed divergence of the student's expectations from the teacher's, KL(teacher || student)."""

    def loss(logits: Any, wanted: Any, pack: Sequence[Any]) -> Any:
        with torch.no_grad(), packed_attention(teacher):
            told, _ = trainer.logits(tuple(row.teacher_row for row in pack), teacher)
        student = logits.log_softmax(-1)
        return torch.nn.functional.kl_div(student, told.float().log_softmax(-1), log_target=True, reduction="sum")

    return loss

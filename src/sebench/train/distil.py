"""Self-distillation: the model with the book open (documentation in the prompt) teaches itself with the book closed.

The teacher has the page in its prompt; the student starts from the same weights and never sees the page. The loss is
a divergence between their next-token distributions, over the whole vocabulary, at every token of an answer. The answers
are

    --on teacher   sampled once with the book, then trained on as in closed-sft, but with soft labels
    --on student   sampled anew at every step with the book closed, so that the student is corrected on its own mistakes

The teacher's weights are those of the starting model (`--teacher frozen`) or those being trained (`--teacher live`).

Answers are not judged: the only signal is the page. The starting model must be able to use a page; train a small one
with open-sft first.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from sebench.base.records import Task
from sebench.models.checkpoints import frozen_copy
from sebench.train.config import FORWARD, FROZEN, REVERSE, STUDENT, DistilConfig
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
    """An answer as two token rows: one after the student's prompt, one after the teacher's."""

    teacher_row: TokenRow | None = None


def distil_row(student: TokenRow, teacher: TokenRow) -> DistilRow:
    return DistilRow(student.id, student.ids, student.answer_from, teacher)


def train(training: TrainingRun[DistilConfig]) -> None:
    """Train the student on the teacher's next-token distributions."""
    tasks = examples.training_tasks(training.world, training.config.per_function)
    if training.config.on == STUDENT:
        training.total = training.config.steps
    training.load()
    teacher = frozen_copy(training.model) if training.config.teacher == FROZEN else training.model
    if training.config.on == STUDENT:
        _on_student(training, teacher, tasks)
    else:
        _on_teacher(training, teacher, tasks)
    training.finish()


def _on_teacher(training: TrainingRun[DistilConfig], teacher: Any, tasks: Sequence[Task]) -> None:
    """Train for some epochs on answers that the teacher sampled once, with the book open."""
    config = training.config
    sampler = Sampler(training, (OPEN, CLOSED), model=teacher)
    rows, began = list[TokenRow](), time.perf_counter()
    for start in range(0, len(tasks), config.tasks_per_step):
        training.progress("sampling with the book", start, len(tasks))
        samples = sampler.sample(tasks[start : start + config.tasks_per_step], config.samples, config.seed + start)
        rows += [distil_row(sample.update_row, sample.sampled_row) for sample in samples]
    rows = list({row.ids: row for row in rows}.values())  # the same answer to the same task counts once
    training.record(**tokens.token_counts(rows), sample_s=round(time.perf_counter() - began, 1))
    steps = batches.steps(rows, config.epochs, config.batch, config.seed)
    training.total = len(steps)
    trainer = training.trainer()
    for step in steps[trainer.done :]:
        rate = config.rate(step.number, len(steps))
        _update(training, trainer, teacher, step, rate, time.perf_counter())
        trainer.finish_step(step.number, training.out, last=step is steps[-1])


def _on_student(training: TrainingRun[DistilConfig], teacher: Any, tasks: Sequence[Task]) -> None:
    """Train on answers that the student samples anew at every step, with the book closed."""
    config = training.config
    sampler = Sampler(training, (CLOSED, OPEN))
    trainer = training.trainer()
    for number in range(trainer.done, config.steps):
        began = time.perf_counter()
        samples = sampler.sample(tasks_of_step(tasks, config, number), config.samples, config.seed + number)
        step = TrainingStep(number, 0, tuple(distil_row(one.sampled_row, one.update_row) for one in samples))
        _update(training, trainer, teacher, step, config.rate(number, config.steps, constant=True), began)
        trainer.finish_step(number, training.out, last=number + 1 == config.steps)


def _update(
    training: TrainingRun[DistilConfig], trainer: Trainer, teacher: Any, step: TrainingStep, rate: float, began: float
) -> None:
    divergence = divergence_loss(training.torch, trainer, teacher, training.config.divergence)
    loss = trainer.update(step.rows, step.learnt, rate, divergence)
    figures = {"epoch": step.epoch, "loss": loss, "lr": rate, "tokens": step.tokens, "learnt": step.learnt}
    training.log(step.number, {**figures, "s": round(time.perf_counter() - began, 4)})


def divergence_loss(torch: Any, trainer: Trainer, teacher: Any, kind: str = FORWARD) -> Loss:
    """Return the loss function: the divergence between teacher and student, summed over the tokens of a pack."""

    def kl(first: Any, second: Any) -> Any:
        return torch.nn.functional.kl_div(second, first, log_target=True, reduction="sum")

    def loss(logits: Any, targets: Any, pack: Sequence[Any]) -> Any:
        with torch.no_grad(), nullcontext() if teacher is trainer.model else packed_attention(teacher):
            teacher_logits, _ = trainer.logits(tuple(row.teacher_row for row in pack), teacher)
        student, expected = logits.log_softmax(-1), teacher_logits.float().log_softmax(-1)
        if kind == FORWARD:
            return kl(expected, student)
        if kind == REVERSE:
            return kl(student, expected)
        middle = torch.logaddexp(expected, student) - math.log(2)
        return (kl(expected, middle) + kl(student, middle)) / 2

    return loss

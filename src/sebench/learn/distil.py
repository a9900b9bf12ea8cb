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
from typing import Any

from sebench.learn import batches, examples, tokens
from sebench.learn.batches import Pack, Step
from sebench.learn.checkpoints import frozen
from sebench.learn.config import STUDENT
from sebench.learn.loop import Trainer
from sebench.learn.packing import packed
from sebench.learn.rl import Sampler, chosen_tasks
from sebench.learn.tokens import TokenRow
from sebench.learn.training import Training
from sebench.prompts import CLOSED, OPEN
from sebench.records import Task

Pairs = dict[tuple[int, ...], TokenRow]  # the teacher's sequence behind the student's ids


def train(training: Training) -> None:
    """Let the open book teach the closed one."""
    tasks = examples.training_tasks(training.world, training.config.per_function)
    training.load()
    teacher = frozen(training.model)
    if training.config.on == STUDENT:
        _on_student(training, teacher, tasks)
    else:
        _on_teacher(training, teacher, tasks)
    training.end()


def _on_teacher(training: Training, teacher: Any, tasks: Sequence[Task]) -> None:
    config = training.config
    sampler = Sampler(training, (OPEN, CLOSED), model=teacher)
    pairs: Pairs = {}
    for start in range(0, len(tasks), config.tasks_per_step):
        part = tasks[start : start + config.tasks_per_step]
        training.tell("sampling with the book", start, len(tasks))
        pairs |= {one.row.ids: one.sampled for one in sampler.sampled(part, config.samples, config.seed + start)}
    sequences = [TokenRow(row.id, ids, len(ids) - row.learnt, len(ids) - row.learnt) for ids, row in pairs.items()]
    training.note(**tokens.counted(sequences))
    steps = batches.steps(sequences, config.epochs, config.batch, config.pack_tokens, config.seed)
    training.total = len(steps)
    trainer = training.trainer(config.loop())
    for step in steps[trainer.done :]:
        rate = trainer.settings.rate(step.number, len(steps))
        _update(training, trainer, teacher, step, pairs, rate, time.perf_counter())
        trainer.finished(step.number, training.out, last=step is steps[-1])


def _on_student(training: Training, teacher: Any, tasks: Sequence[Task]) -> None:
    config = training.config
    sampler = Sampler(training, (CLOSED, OPEN))
    trainer = training.trainer(config.loop(constant=True))
    training.total = config.steps
    for number in range(trainer.done, config.steps):
        began = time.perf_counter()
        chosen = chosen_tasks(tasks, config, number)
        pairs = {one.sampled.ids: one.row for one in sampler.sampled(chosen, config.samples, config.seed + number)}
        mine = [TokenRow(row.id, ids, len(ids) - row.learnt, len(ids) - row.learnt) for ids, row in pairs.items()]
        step = Step(number, 0, tuple(batches.packs(mine, config.pack_tokens)))
        _update(training, trainer, teacher, step, pairs, trainer.settings.rate(number, config.steps), began)
        trainer.finished(number, training.out, last=number + 1 == config.steps)


def _update(
    training: Training, trainer: Trainer, teacher: Any, step: Step, pairs: Pairs, rate: float, began: float
) -> None:
    loss = trainer.update(step.packs, step.learnt, rate, divergence(training.torch, trainer, teacher, pairs))
    figures = {"epoch": step.epoch, "loss": loss, "lr": rate, "tokens": step.tokens, "learnt": step.learnt}
    training.log(step.number, {**figures, "s": round(time.perf_counter() - began, 4)})


def divergence(torch: Any, trainer: Trainer, teacher: Any, pairs: Pairs) -> Any:
    """The loss of a pack: the summed divergence of the student's expectations from the teacher's, KL(teacher || student)."""

    def loss(logits: Any, wanted: Any, pack: Pack) -> Any:
        with torch.no_grad(), packed(teacher):
            told, same = trainer.logits(tuple(pairs[row.ids] for row in pack), teacher)
        assert bool((same == wanted).all())  # the same answers, token by token
        student = logits.log_softmax(-1)
        return torch.nn.functional.kl_div(student, told.float().log_softmax(-1), log_target=True, reduction="sum")

    return loss

"""Validation during training and at its end: closed-book answers to held-out training tasks. Test tasks are not used.

With --per-function 2, all but two of each function's training tasks are held out. Tune recipes on this figure, and
evaluate on the test splits only once, at the end.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.extract import extract
from sebench.base.records import Task
from sebench.judge.judge import Judge
from sebench.models.checkpoints import context
from sebench.models.decoding import Decoder, end_tokens
from sebench.train.config import SftConfig
from sebench.train.data import examples, tokens
from sebench.train.loop.training_run import TrainingRun
from sebench.train.probes.probes import log_once
from sebench.world.prompts import CLOSED, NATIVE

FILE = "validation.jsonl"


def held_out_tasks(training: TrainingRun[SftConfig]) -> list[Task]:
    """Return the tasks used for validation."""
    config = training.config
    if not config.per_function:
        raise ConfigError("validate needs held-out training tasks; add --per-function 2")
    rest = list(examples.training_tasks(training.world, config.per_function, rest=True))
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
    tasks = held_out_tasks(training)
    return log_once(training.out / FILE, {"step": step, "tasks": len(tasks)}, lambda: _measure(training, tasks))


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
    limit, ends = context(training.model), end_tokens(training.model, tokenizer)
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

"""Validation during a training and at its end: closed-book answers to training tasks that are not learnt from. No test task is touched.

With --per-function 2 the other tasks of each function are held out. Recipes are searched on this figure; the test splits are asked once,
at the end.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.extract import extract
from sebench.base.records import Task
from sebench.judge.judge import Judge
from sebench.models.checkpoints import context
from sebench.models.decoding import Decoder, end_tokens
from sebench.train.config import SftConfig
from sebench.train.data import examples, tokens
from sebench.train.loop.training_run import TrainingRun
from sebench.world.prompts import CLOSED, NATIVE

FILE = "validation.jsonl"
TOGETHER = 256  # prompts


def held_out_tasks(training: TrainingRun[SftConfig]) -> list[Task]:
    """The tasks of a validation."""
    config = training.config
    if not config.per_function:
        raise ConfigError("validate needs training tasks that are not learnt from; give --per-function 2 too")
    rest = list(examples.training_tasks(training.world, config.per_function, rest=True))
    if not rest:
        raise ConfigError(
            f"per_function = {config.per_function} leaves no training task to validate with; give --per-function 2, or no --validate"
        )
    if not 0 < config.validate < len(rest):
        return rest
    return random.Random(f"validate:{config.seed}").sample(rest, config.validate)


def validate(training: TrainingRun[SftConfig], step: int) -> dict[str, Any]:
    """Ask the held-out tasks; a line of the file with the share of right answers, and of answers that call the right functions.

    An answer whose judgement failed through no fault of its own is neither right nor wrong. A step is asked once, also where a training that
    was interrupted comes to it again.
    """
    tasks, native = held_out_tasks(training), training.method == "native-sft"
    line = _lines(training.out / FILE).get(step)
    if line is not None and line["tasks"] == len(tasks):
        return line
    said = greedy_answers(training, tasks, NATIVE if native else CLOSED)
    with Judge(training.world) as judge:
        judged = [judge.submit(task, text, native) for task, text in zip(tasks, said, strict=True)]
        verdicts = [one.result() for one in judged]
    figures: dict[str, Any] = {
        "step": step,
        "tasks": len(tasks),
        "right": _share([verdict.targeted is True for verdict in verdicts if verdict.reward() is not None]),
        "named": _share([_writes_all_names(training, task, text) for task, text in zip(tasks, said, strict=True)]),
        "invented": _share([bool(verdict.invented) for verdict in verdicts]),
        "faults": sum(verdict.reward() is None for verdict in verdicts),
    }
    with (training.out / FILE).open("a", encoding="utf-8") as file:
        file.write(json.dumps(figures) + "\n")
    return figures


def greedy_answers(training: TrainingRun[SftConfig], tasks: Sequence[Task], book: str) -> list[str]:
    """Greedy answers of the model as it is now."""
    config, tokenizer = training.config, training.tokenizer
    prompter = config.prompter(training.world)
    limit, ends = context(training.model), end_tokens(training.model, tokenizer)
    asked = [
        tokens.sampling_ids(prompter.prompt(task, book), tokenizer, config.chat(), limit, config.max_tokens)
        for task in tasks
    ]
    device = next(training.model.parameters()).device.type
    decoder = Decoder(training.torch, training.model, config.loop_settings().bf16(device))
    said: list[str] = []
    for start in range(0, len(asked), TOGETHER):
        part = asked[start : start + TOGETHER]
        found = decoder.generate(part, [config.max_tokens] * len(part), ends)
        said += [tokens.response(tokenizer, prompt, ids) for prompt, ids in zip(part, found, strict=True)]
    return said


def _lines(file: Path) -> dict[int, dict[str, Any]]:
    """The validations that were made, by step. A last line that a killed process left torn is cut off."""
    if not file.is_file():
        return {}
    whole, _, torn = file.read_text("utf-8").rpartition("\n")
    if torn:
        files.write(file, f"{whole}\n" if whole else "")
    lines = [json.loads(line) for line in whole.splitlines()]
    return {line["step"]: line for line in lines}


def _writes_all_names(training: TrainingRun[SftConfig], task: Task, text: str) -> bool:
    """Whether the program writes the names of all functions that gold uses, but for plain construction."""
    code, names = extract(text, task.entry).code, training.world.names
    paths = [path for path in task.functions if path != "array" or len(task.functions) == 1]
    wanted = [f"np.{path}" if training.method == "native-sft" else names.forged(path) for path in paths]
    return all(re.search(rf"\b{re.escape(name)}\b", code) for name in wanted)


def _share(values: Sequence[bool]) -> float:
    return round(sum(values) / max(1, len(values)), 4)

"""Open-SFT and Closed-SFT: learning from right answers, with the documentation in the update prompt or without.

    train(world, "closed-sft", LearnConfig(form="recall"), Path("closed"))

The two differ in the update prompt alone: same examples, same order, same number of rows a step is made from. The folder that comes out
is a Hugging Face model with `learn.json` (every setting, the world's fingerprint, versions, token counts) and `log.jsonl` (a line for
each step).
"""

from __future__ import annotations

import json
import platform
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import sebench
from sebench import files
from sebench.errors import ConfigError
from sebench.learn import batches, checkpoints, examples, rows, tokens
from sebench.learn.config import LearnConfig, run_folder
from sebench.learn.loop import STATE, Trainer
from sebench.prompts import CLOSED, OPEN
from sebench.records import Task
from sebench.store import Run
from sebench.tasks import splits
from sebench.world import World

METHODS = {"open-sft": OPEN, "closed-sft": CLOSED}
MANIFEST = "learn.json"
Tell = Callable[[str, int, int], None]


def train(world: World, method: str, config: LearnConfig, out: Path, tell: Tell) -> dict[str, Any]:
    """Train a model; the manifest of what came out. The same call goes on with an interrupted training."""
    manifest = _begin(world, method, config, out)
    if manifest.get("ended"):
        return manifest
    torch, tokenizer, model = checkpoints.load(config.model, config.device)
    if config.lora:
        model = checkpoints.with_adapters(model, config.lora, config.seed)
    made = training_rows(world, method, config)
    sequences = tokens.tokenised(made, tokenizer, checkpoints.context(model), prompt_loss=config.prompt_loss)
    loop = config.loop()
    steps = batches.steps(sequences, loop.epochs, loop.tokens, loop.micro_tokens, loop.seed)
    torch.manual_seed(config.seed)
    trainer = Trainer(torch, model, loop)
    trainer.fit(steps, out, lambda step, loss: tell(f"{method}, loss {loss:.3f}", step.number + 1, len(steps)))
    checkpoints.save(model, tokenizer, out)
    (out / STATE).unlink(missing_ok=True)
    manifest |= {"ended": True, "steps": len(steps), **tokens.counted(sequences)}
    files.write(out / MANIFEST, json.dumps(manifest, indent=1) + "\n")
    return manifest


def training_rows(world: World, method: str, config: LearnConfig) -> list[rows.TrainingRow]:
    """The rows of a training: of all training tasks, or of some of each function."""
    wanted = {task.id for task in chosen_tasks(world, config.per_function)}
    folder = run_folder(config.examples)
    if folder is None:
        found = examples.from_gold(world, form=config.form)
    else:
        run = Run.load(folder)
        if run.manifest.world.get("fingerprint") != world.manifest.fingerprint:
            raise ConfigError(f"{folder} is a run on another world than {world.path}; ask this one")
        closed = METHODS[method] == CLOSED
        found = examples.from_run(run.rows(), world, config.form, closed, str(run.manifest.config.get("model", "")))
    book = rows.IRRELEVANT if config.irrelevant else METHODS[method]
    settings = rows.RowSettings(book, config.share, config.book(), config.seed, config.prompts)
    return rows.rows(world, [example for example in found if example.task_id in wanted], settings)


def chosen_tasks(world: World, per_function: int) -> Sequence[Task]:
    """Training tasks: all, or the first so many of each function."""
    every = world.tasks(splits.TRAIN)
    if not per_function:
        return every
    by_function: dict[str, list[Task]] = defaultdict(list)
    for task in every:
        by_function[next((f for f in task.functions if f != "array"), task.functions[0])].append(task)
    return [task for of_one in by_function.values() for task in of_one[:per_function]]


def _begin(world: World, method: str, config: LearnConfig, out: Path) -> dict[str, Any]:
    """The manifest of a training that begins or goes on here."""
    if method not in METHODS:
        raise ConfigError(f"no method '{method}'; there are {', '.join(METHODS)}")
    told = {
        "method": method,
        "config": config.compared(),
        "world": {
            "fingerprint": world.manifest.fingerprint,
            "seed": world.manifest.seed,
            "package": world.names.package,
        },
    }
    file = out / MANIFEST
    if file.is_file():
        before: dict[str, Any] = json.loads(file.read_text("utf-8"))
        for key, value in told.items():
            if before.get(key) != value:
                raise ConfigError(f"{out} holds a training with another {key}; choose another --out")
        return before
    files.make_folder(out)
    manifest = {**told, "versions": {"sebench": sebench.__version__, "python": platform.python_version()}}
    files.write(file, json.dumps(manifest, indent=1) + "\n")
    return manifest

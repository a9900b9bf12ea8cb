"""The prompts for a framework: tasks from some splits of a world, with one book (documentation setting), as in `sebench
run`.

Not covered: drawing a sample of tasks; frameworks have their own limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench import RunConfig, SebenchError, World

BOUNDARY = "boundary_test"
DEFAULT_SPLITS = "single_test,multi_test"


@dataclass(frozen=True)
class TaskPrompt:
    """A task with its prompt."""

    task: str  # its id
    split: str
    book: str
    prompt: str
    gold: str  # for training; never part of a prompt


def questions(
    world: World, split: str | Iterable[str] = DEFAULT_SPLITS, book: str = "closed", **settings: Any
) -> list[TaskPrompt]:
    """Return the tasks from some splits (a list, or one string with commas), with their prompts. `settings` are those
    of `sebench run` that shape prompts: distractors, retrieve, pages, hide_usage, give_names. Prompts explain how to
    decline if boundary tasks are among them."""
    chosen = (split,) if isinstance(split, str) else tuple(split)
    decline = any(BOUNDARY in one for one in chosen)
    # Settings of a run that shows these prompts: invalid ones raise the same errors.
    config = RunConfig(model="gold", split=chosen, book=(book,), decline=decline, **settings)
    prompter = world.prompter(None, config.book_settings(), config.give_names, config.decline)
    prompts = [
        TaskPrompt(task.id, task.split, book, prompter.prompt(task, book).text, task.gold)
        for name in config.split
        for task in world.tasks(name)
    ]
    if not prompts:
        there = ", ".join(f"{name} ({count})" for name, count in world.manifest.tasks.items() if count)
        raise SebenchError(f"world {world.path} has no tasks in {', '.join(config.split)}; it has {there}")
    return prompts


def address(world: str | int | Path | World) -> str:
    """Return how another process finds a world: its seed or its absolute path. The URL of a served judge is returned
    unchanged."""
    if isinstance(world, World):
        return str(world.path.resolve())
    if str(world).startswith(("http://", "https://", "unix:")):
        return str(world)
    return str(world) if str(world).isdecimal() else str(Path(str(world)).resolve())

"""What a framework asks: the tasks of some splits of a world with one book, in the prompts of `sebench run`.

What it does not do: draw a part of them; frameworks have limits of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench import RunConfig, SebenchError, World

BOUNDARY = "boundary_test"
DEFAULT_SPLITS = "single_test,multi_test"


@dataclass(frozen=True)
class TaskPrompt:
    """A task as it is asked."""

    task: str  # its id
    split: str
    book: str
    prompt: str
    gold: str  # for training on it; no model may see it in a prompt


def questions(
    world: World, split: str | Iterable[str] = DEFAULT_SPLITS, book: str = "closed", **settings: Any
) -> list[TaskPrompt]:
    """The questions of some splits (a list, or one text with commas). `settings` are those of `sebench run` that shape prompts:
    distractors, retrieve, pages, hide_usage, give_names. Prompts say how to decline where boundary tasks are among them."""
    chosen = (split,) if isinstance(split, str) else tuple(split)
    config = _config(chosen, book, settings)
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


def _config(split: Sequence[str], book: str, settings: dict[str, Any]) -> RunConfig:
    """The same settings as those of a run, with the same complaints."""
    decline = any(BOUNDARY in one for one in split)
    return RunConfig(model="gold", split=tuple(split), book=(book,), decline=decline, **settings)


def address(world: str | int | Path | World) -> str:
    """A world as another process finds it: by its seed, or by its whole path. The address of a served judge is one already."""
    if isinstance(world, World):
        return str(world.path.resolve())
    if str(world).startswith(("http://", "https://", "unix:")):
        return str(world)
    return str(world) if str(world).isdigit() else str(Path(str(world)).resolve())

"""Finds the functions of a world that a text mentions, and those that a task needs."""

from __future__ import annotations

import re

from sebench.base.records import Task
from sebench.forge.names.naming import Names
from sebench.world.world import World


def mentioned_functions(text: str, names: Names) -> tuple[str, ...]:
    """Return the forged paths of the functions mentioned in a text, with or without the package prefix."""
    words = set(re.findall(r"[\w.]+", text))
    words = {word.strip(".").removeprefix(f"{names.package}.") for word in words}
    return tuple(path for path in names.functions.values() if path in words)


def needed_functions(task: Task, world: World) -> tuple[str, ...]:
    """Return the forged paths of the functions that a task needs, as far as the world has them."""
    known = world.names.functions
    return tuple(known[path] for path in task.functions if path in known)

"""What several commands take: a world, by its folder or its seed."""

from __future__ import annotations

import click

from sebench.cli import display
from sebench.forge import backend
from sebench.world import World

world_argument = click.argument("world")


def open_world(world: str) -> World:
    """The world of this folder or seed; a seed's is built if it is not there yet."""
    with display.progress(f"world {world}") as report:
        opened = World.open(world, report)
    if opened.manifest.numpy != backend.VERSION:
        display.stderr.print(
            f"sebench: note: world {world} was built with NumPy {opened.manifest.numpy}, here is {backend.VERSION}; "
            "results may differ in the last digits",
            highlight=False,
            soft_wrap=True,
        )
    return opened

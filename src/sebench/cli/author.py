"""`sebench author`: grow the benchmark with language models. One small file per command, imported only when it is asked for."""

from __future__ import annotations

import click

from sebench.cli.lazy import LazyCommands

COMMANDS = {
    "tasks": "Let a model propose tasks, and keep those that pass every gate.",
    "funnel": "Show what each gate let through, and why not the rest.",
    "inspect": "Read a sample of the kept tasks on a local page, and mark them.",
    "docs": "Let a model rewrite the pages of a world.",
}


@click.command(cls=LazyCommands, summaries=COMMANDS, module="sebench.cli.author_{}")
def command() -> None:
    """Construction with language models: tasks that are proposed, checked and read by people, and pages in other words."""

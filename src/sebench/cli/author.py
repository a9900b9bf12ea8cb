"""`sebench author`: extend the benchmark with language models. One small file per command, imported only when it is
needed."""

from __future__ import annotations

import click

from sebench.cli.strict import LazyCommands

COMMANDS = {
    "tasks": "Have a model propose tasks, and keep those that pass every gate.",
    "funnel": "Show how many tasks passed each gate, and why the others failed.",
    "inspect": "Read a sample of the kept tasks on a local page, and mark them.",
    "docs": "Have a model rewrite the pages of a world.",
}


@click.command(cls=LazyCommands, summaries=COMMANDS, module="sebench.cli.author_{}")
def command() -> None:
    """Extend the benchmark with language models: propose, check and inspect tasks, and rewrite pages."""

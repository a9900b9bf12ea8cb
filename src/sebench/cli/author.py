"""`sebench author`: grow the benchmark with language models. One small file per command, imported only when it is asked for."""

from __future__ import annotations

import importlib

import click

COMMANDS = {
    "tasks": "Let a model propose tasks, and keep those that pass every gate.",
    "funnel": "Show what each gate let through, and why not the rest.",
}


class AuthorCommands(click.Group):
    """The commands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"sebench.cli.author_{name}").command
        command.short_help = COMMANDS[name]
        return command


@click.command(cls=AuthorCommands)
def command() -> None:
    """Construction with language models: propose tasks, check them, and see what was kept."""

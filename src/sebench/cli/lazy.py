"""Groups of commands that are imported only when they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from sebench.base.wording import did_you_mean
from sebench.cli.strict import StrictGroup


class LazyCommands(StrictGroup):
    """Commands by name, in order, each with a one-line summary. `module` is the module path of a command, with {} in
    place of its name."""

    def __init__(self, *arguments: Any, summaries: Mapping[str, str], module: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.summaries, self.module = summaries, module

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        command: click.Command = importlib.import_module(self.module.format(name.replace("-", "_"))).command
        command.short_help = self.summaries[name]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.summaries and (near := did_you_mean(args[0], self.summaries)):
            raise click.UsageError(f"No such command '{args[0]}'; {near}", ctx)
        return super().resolve_command(ctx, args)

"""The classes of commands and groups. A command refuses to take a single-valued option twice, where click would
silently use the last value, and if an API key is given as an option, it explains where keys are read from. The commands
of a `LazyCommands` group are imported only when they are needed."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from sebench.base.wording import describing, did_you_mean

KEY_OPTIONS = ("--key", "--api-key", "--api_key", "--apikey", "--openai-api-key")  # as other tools name them


class StrictCommand(click.Command):
    """A command whose options are given at most once, unless they may be repeated."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # before values are converted: callbacks of options may start something
        try:
            _, _, parameters = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption as error:
            own = {option for parameter in self.params for option in parameter.opts}
            if error.option_name in KEY_OPTIONS and "--key-env" in own:
                file = ", --key-file a file with the key" if "--key-file" in own else ""
                raise click.UsageError(
                    f"there is no {error.option_name}: the key is read from the environment variable OPENAI_API_KEY; "
                    f"--key-env names another variable{file}",
                    ctx,
                ) from None
            helps = {max(one.opts, key=len): one.help or "" for one in self.params if isinstance(one, click.Option)}
            if not error.possibilities and (near := describing(error.option_name.strip("-"), helps)):
                raise click.UsageError(f"No such option '{error.option_name}'; did you mean {near}?", ctx) from None
            raise
        if not ctx.resilient_parsing and not any(parameter.is_eager for parameter in parameters):  # --help
            _refuse_repeated([option for option in parameters if isinstance(option, click.Option)], ctx)
        return super().parse_args(ctx, args)


class StrictGroup(click.Group):
    """A group of `StrictCommand` commands."""

    command_class = StrictCommand


class LazyCommands(StrictGroup):
    """Commands by name, in order, each with a one-line summary. `module` is the module path of a command, with {} in
    place of its name; there it is called `command`. A command in `neighbours` is in the module of this other command,
    and called by its own name."""

    def __init__(
        self,
        *arguments: Any,
        summaries: Mapping[str, str],
        module: str,
        neighbours: Mapping[str, str] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self.summaries, self.module, self.neighbours = summaries, module, neighbours or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        file = self.neighbours.get(name, name).replace("-", "_")
        module = importlib.import_module(self.module.format(file))
        command: click.Command = getattr(module, name if name in self.neighbours else "command")
        command.short_help = self.summaries[name]
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.summaries and (near := did_you_mean(args[0], self.summaries)):
            raise click.UsageError(f"No such command '{args[0]}'; {near}", ctx)
        return super().resolve_command(ctx, args)


def _refuse_repeated(options: list[click.Option], ctx: click.Context) -> None:
    for option in options:
        one_value = not (option.multiple or option.is_flag or option.count)
        if one_value and (times := options.count(option)) > 1:
            often = "twice" if times == 2 else f"{times} times"
            raise click.UsageError(f"{max(option.opts, key=len)} was given {often}; it takes one value", ctx)

"""The class of every command: it refuses an option that takes one value and is given twice, where click would silently
use the last one."""

from __future__ import annotations

import click


class StrictCommand(click.Command):
    """A command whose options are given at most once, unless they may be repeated."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # before values are converted: callbacks of options may start something
        _, _, parameters = self.make_parser(ctx).parse_args(list(args))
        if not ctx.resilient_parsing and not any(parameter.is_eager for parameter in parameters):  # --help
            _refuse_repeated([option for option in parameters if isinstance(option, click.Option)], ctx)
        return super().parse_args(ctx, args)


class StrictGroup(click.Group):
    """A group of such commands."""

    command_class = StrictCommand


def _refuse_repeated(options: list[click.Option], ctx: click.Context) -> None:
    for option in options:
        one_value = not (option.multiple or option.is_flag or option.count)
        if one_value and (times := options.count(option)) > 1:
            often = "twice" if times == 2 else f"{times} times"
            raise click.UsageError(f"{max(option.opts, key=len)} was given {often}; it takes one value", ctx)

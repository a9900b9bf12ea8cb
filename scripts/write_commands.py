"""Write `docs/commands.md`: the help text of every command, as `sebench COMMAND --help` prints it at a fixed width.

    python scripts/write_commands.py

`make docs` runs this first, and `tests/test_documents.py` fails when the committed page is not what this would write.
Hidden options are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from sebench.cli import cli

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"
WIDTH = 100  # columns of a help text, so that the page does not depend on a terminal
OPENING = """# Commands

The help text of every command. This page is written by `make docs`: change the commands, not the page.

`WORLD` is a seed or the folder of a world. A world that is named by its seed is built when it is first used.
"""


def commands(command: click.Command, name: str, parent: click.Context | None = None) -> Iterator[tuple[str, str]]:
    """The name and the help text of a command, then of its sub-commands, in the order in which help lists them."""
    settings = {**command.context_settings, "terminal_width": WIDTH, "max_content_width": WIDTH}
    context = click.Context(command, parent, info_name=name, **settings)
    yield context.command_path, command.get_help(context)
    for word, other in getattr(command, "variants", {}).items():
        yield f"{context.command_path} {word}", other.get_help(click.Context(other, parent, info_name=name, **settings))
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            if found := command.get_command(context, child):
                yield from commands(found, child, context)


def page() -> str:
    """The whole page."""
    sections = [f"## {name}\n\n```text\n{text.rstrip()}\n```\n" for name, text in commands(cli, "sebench")]
    return "\n".join([OPENING, *sections])


def main() -> None:
    PAGE.write_text(page(), "utf-8")
    print(f"wrote docs/{PAGE.name}")


if __name__ == "__main__":
    main()

"""`sebench show`: a page of the documentation, found by the forged or by the original name."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.cli import display
from sebench.forge import catalog
from sebench.world import World


@click.command()
@click.argument("world", type=click.Path(path_type=Path))
@click.argument("function", required=False)
def command(world: Path, function: str | None) -> None:
    """Show the page of FUNCTION in WORLD, or without FUNCTION the index.

    FUNCTION is a forged name (kocito, rfx.sarik) or, for the benchmark's author, an original one (mean, linalg.solve).
    """
    loaded = World.load(world)
    if function is not None:
        display.page(loaded.page(function))
        return
    titles = {subject.key: subject.title for subject in catalog.subjects()}
    subject = ""
    for page in loaded.pages:
        if page.subject != subject:
            subject = page.subject
            display.stdout.print(f"\n[bold]{titles[subject]}[/]")
        display.stdout.print(
            f"  {page.path:<16}{page.summary}",
            markup=False,
            highlight=False,
            no_wrap=True,
            overflow="ellipsis",
        )

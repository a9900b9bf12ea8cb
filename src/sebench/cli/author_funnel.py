"""`sebench author funnel`: how many proposals passed each gate."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from sebench.author import funnel
from sebench.base import files
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.report.views import drawings


@click.command("funnel", cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path))
@options.as_json
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@click.option("--svg", type=click.Path(path_type=Path), help="Also write a plot to this file.")
def command(folder: Path, as_json: bool, markdown: bool, svg: Path | None) -> None:
    """Show how many proposals in FOLDER passed each gate, and why the others failed, with an example of each reason."""
    steps = funnel.read(folder)
    if svg is not None:
        files.make_folder(svg.parent)
        files.write(svg, drawings.funnel(funnel.chart_rows(steps), f"{folder.name}: proposals left after each gate"))
    if as_json:
        click.echo(json.dumps([asdict(step) for step in steps], indent=1, ensure_ascii=False))
    elif markdown:
        click.echo(funnel.markdown(steps), nl=False)
    else:
        show(steps)


def show(steps: list[funnel.GateSummary]) -> None:
    """Print the funnel as a table."""
    table = Table("gate", "entered", "passed", "rejected", "for example", title="the funnel", title_justify="left")
    for row in funnel.rows(steps):
        table.add_row(*map(Text, row))
    display.stdout.print(table)

"""`sebench report`: write tables, files and a page for one or several runs."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.base.errors import ConfigError
from sebench.base.files import RUNS
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.report.views.formats import FORMATS
from sebench.rollout.store import Run


@click.command(cls=StrictCommand)
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder for the files.  [default: the run folder; report/ for several]",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="The run to compare the others with.  [default: the first whose model is not a script, such as gold]",
)
@click.option("--json", "as_json", is_flag=True, help="Only print report.json on stdout; write no files.")
@click.option(
    "--format",
    "text_format",
    type=click.Choice(FORMATS),
    help="Only print the main table and the comparisons in this format on stdout; write no files.",
)
def command(
    runs: tuple[Path, ...], out: Path | None, baseline: Path | None, as_json: bool, text_format: str | None
) -> None:
    """Report on each RUN, a run folder, and compare several side by side.

    Runs of one model with the same settings on several worlds also get a combined row.

    Prints accuracy with 95 % intervals, paired differences and error kinds, and writes report.html (a page to browse
    every response), report.json, report.csv and rollouts.csv.
    """
    from sebench import report
    from sebench.report.views import files, formats, html, tables

    if as_json and text_format:
        raise ConfigError(f"--json and --format {text_format} both write to stdout; use only one of them")
    loaded = [run for path in runs for run in Run.load_all(path)]
    base = Run.load(baseline) if baseline else None
    if as_json:
        click.echo(files.as_json(report.summarize(loaded, base)), nl=False)
        return
    if text_format:
        click.echo(formats.text(report.summarize(loaded, base), text_format), nl=False)
        return
    one = len({path.resolve() for path in (*runs, *((baseline,) if baseline else ()))}) == 1
    out = out or (runs[0] if one else Path("report"))
    if not one or out.resolve() != runs[0].resolve():
        options.refuse_kinds(out, "report", RUNS)
        report.refuse_other_files(out)
    tables.show(report.write(loaded, out, base), display.stdout)
    click.echo(str(out / html.FILE))

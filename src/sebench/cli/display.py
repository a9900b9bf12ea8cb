"""Shared output of commands: progress on stderr, tables and pages on stdout."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column, Table

from sebench.base.records import ApiDoc, Task
from sebench.forge.audit.audit import AuditCheck
from sebench.world.build import Progress as Report

SECONDS_PER_LINE = 30.0

stdout = Console()
stderr = Console(stderr=True)


@contextmanager
def progress(title: str, at_once: bool = False) -> Iterator[Report]:
    """Show a progress bar for a long job, or print an occasional line if stderr is not a terminal. `at_once`: print the
    first line of each stage immediately."""
    if not stderr.is_terminal:
        yield _lines(title, at_once)
        return
    columns = (
        TextColumn("{task.description}", markup=False),  # names and a server's text may look like markup
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=stderr, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def report(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{title}: {what}", completed=done, total=total)

        yield report


def _lines(title: str, at_once: bool) -> Report:
    """Return a function that reports progress as lines, for a log."""
    last = time.monotonic()
    stages: set[str] = set()

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        headline, comma, troubles = what.partition(",")
        stage = headline.rstrip("0123456789.")  # "loss 0.345" and "responses, 2 retried" begin a stage
        if (at_once and stage not in stages) or time.monotonic() - last >= SECONDS_PER_LINE:
            stages.add(stage)
            last = time.monotonic()
            print(f"{title}: {headline} {done:,} of {total:,}{comma}{troubles}", file=sys.stderr, flush=True)

    return report


def note(text: str) -> None:
    """Print a line that is not an error on stderr; errors begin with "sebench:"."""
    stderr.print(f"note: {text}", markup=False, highlight=False, soft_wrap=True)


def fail(text: str) -> NoReturn:
    """End a command that could not finish its work, with a line on stderr."""
    click.echo(f"sebench: {text}", err=True)
    raise click.exceptions.Exit(1)


def exit_unless(holds: object) -> None:
    """End the command with status 1 unless the condition holds."""
    if not holds:
        raise click.exceptions.Exit(1)


def problems(file: Path, lines: Sequence[str], most: int) -> None:
    """Print the first problems with the lines of a file, and how many more there are."""
    for problem in lines[:most]:
        stderr.print(f"{file}: {problem}", markup=False, highlight=False, soft_wrap=True)
    if len(lines) > most:
        stderr.print(f"{file}: and {len(lines) - most:,} more like these", markup=False, highlight=False)


def page(doc: ApiDoc) -> None:
    """Print a documentation page: rendered on a terminal, as Markdown elsewhere."""
    stdout.print(Markdown(doc.text)) if stdout.is_terminal else print(doc.text)


def task(item: Task) -> None:
    """Print a task for a person to read."""
    stdout.rule(f"{item.id} ({item.split})", align="left")
    stdout.print(item.question, markup=False, highlight=False)
    stdout.print(f"\n{item.signature}\n", markup=False, highlight=False)
    for case in item.examples:
        call = ", ".join(f"{name}={value!r}" for name, value in case.inputs.items())
        stdout.print(f"  {item.entry}({call})\n  -> {case.expected!r}", markup=False, highlight=False)
    stdout.print()


def audit_table(title: str, checks: Iterable[AuditCheck]) -> None:
    """Print the audit as a table, with the first failures below."""
    counts = (Column(name, justify="right") for name in ("checked", "failed"))
    table = Table("check", *counts, "", title=title, title_justify="left")
    failures: list[str] = []
    for check in checks:
        verdict = "[green]holds[/]" if check.holds else "[red]FAILS[/]"
        table.add_row(check.name, f"{check.looked_at:,}", f"{len(check.failures):,}", verdict)
        failures += [f"{check.name}: {failure}" for failure in check.failures[:5]]
    stdout.print(table)
    for failure in failures:
        stdout.print(f"  {failure}", markup=False, highlight=False)

"""What commands share when they speak to people: progress on stderr, tables and pages on stdout."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sebench.build import Progress as Report
from sebench.forge.audit import Check
from sebench.records import ApiDoc, Task

SECONDS_A_LINE = 30.0

stdout = Console()
stderr = Console(stderr=True)


@contextmanager
def progress(title: str) -> Iterator[Report]:
    """A progress bar that a long job reports to; a line now and then where stderr is no terminal."""
    if not stderr.is_terminal:
        yield _lines(title)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr, transient=True) as bar:
        task = bar.add_task(title, total=None)

        def report(what: str, done: int, total: int) -> None:
            bar.update(task, description=f"{title}: {what}", completed=done, total=total)

        yield report


def _lines(title: str) -> Report:
    """Progress for a log."""
    last = time.monotonic()

    def report(what: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= SECONDS_A_LINE:
            last = time.monotonic()
            print(f"{title}: {what} {done:,} of {total:,}", file=sys.stderr, flush=True)

    return report


def page(doc: ApiDoc) -> None:
    """A documentation page: laid out on a terminal, as it is written elsewhere."""
    stdout.print(Markdown(doc.text)) if stdout.is_terminal else print(doc.text)


def task(shown: Task) -> None:
    """A task as a person would read it."""
    stdout.rule(f"{shown.id} ({shown.split})", align="left")
    stdout.print(shown.question, markup=False, highlight=False)
    stdout.print(f"\n{shown.signature}\n", markup=False, highlight=False)
    for case in shown.examples:
        call = ", ".join(f"{name}={value!r}" for name, value in case.inputs.items())
        stdout.print(f"  {shown.entry}({call})\n  -> {case.expected!r}", markup=False, highlight=False)
    stdout.print()


def audit_table(title: str, checks: Iterable[Check]) -> None:
    """The audit as a table, with the first failures below."""
    table = Table(title=title, title_justify="left")
    table.add_column("check")
    table.add_column("looked at", justify="right")
    table.add_column("failed", justify="right")
    table.add_column("")
    failures: list[str] = []
    for check in checks:
        verdict = "[green]holds[/]" if check.holds else "[red]FAILS[/]"
        table.add_row(check.name, f"{check.looked_at:,}", f"{len(check.failures):,}", verdict)
        failures += [f"{check.name}: {failure}" for failure in check.failures[:5]]
    stdout.print(table)
    for failure in failures:
        stdout.print(f"  {failure}", markup=False, highlight=False)

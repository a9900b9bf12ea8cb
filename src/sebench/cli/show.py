"""`sebench show`: print a page of the documentation, or a task with its cases and its reference solution ("gold") in
NumPy and in this world."""

from __future__ import annotations

import click

from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.base.wording import counted, did_you_mean
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.forge.catalog import catalog
from sebench.tasks import dataset
from sebench.world.prompts import BOOKS
from sebench.world.world import World


@click.command(cls=StrictCommand)
@options.world_argument
@click.argument("thing", required=False)
@click.option("--prompt", "book", type=click.Choice(BOOKS), help="Show the exact prompt of the task THING.")
def command(world: str, thing: str | None, book: str | None) -> None:
    """Show THING in WORLD; without THING, show the index of the documentation.

    THING is a task id, the forged name of a function (kocito, rfx.sarik), or its original name in NumPy (mean,
    linalg.solve).
    """
    if book is not None and thing is None:
        raise ConfigError("--prompt shows the prompt of a task; add its id")
    loaded = options.open_world(world)
    if thing is not None:
        try:
            _thing(loaded, thing, book)
        except ConfigError as error:
            things = _names(loaded, tasks_only=book is not None)
            near = "" if thing in things else did_you_mean(thing, things)
            raise ConfigError(f"world {world}: no task or function '{thing}'; {near}") if near else error from None
        return
    names = loaded.names
    display.stdout.print(
        f"{names.package}: {counted(len(names.functions), 'function')}; forged: {names.level}", highlight=False
    )
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


def _thing(world: World, thing: str, book: str | None) -> None:
    if book is not None:
        click.echo(world.prompt(thing, book))
        return
    try:
        task = world.task(thing)
    except ConfigError:
        display.page(world.page(thing))
    else:
        _task(task, world.numpy_source(task))


def _names(world: World, tasks_only: bool) -> set[str]:
    """Return the names of everything that can be shown."""
    tasks = {name for split in world.manifest.tasks for name in world.task_ids(split)}
    forged = {name for page in world.pages for name in (page.path, page.path.rpartition(".")[2])}
    return tasks if tasks_only else {*tasks, *forged, *world.names.functions}


def _task(task: Task, source: str) -> None:
    display.task(task)
    stdout = display.stdout
    stdout.print(f"scored by {counted(len(task.cases), 'case')}:", highlight=False)
    for case in task.cases:
        stdout.print(f"  {dataset.arguments(case.inputs)}  ->  {case.expected!r}", markup=False, highlight=False)
    for title, code in (("gold in NumPy", source), ("gold in this world", task.gold)):
        stdout.print(f"\n[bold]{title}[/]")
        stdout.print(code, markup=False, highlight=False)

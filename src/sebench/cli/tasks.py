"""`sebench tasks`: check, sample, export and extend the task bank."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import click

from sebench.audit import bank as bank_audit
from sebench.bank.definition import Definition, bank
from sebench.base.errors import ConfigError
from sebench.base.files import write_lines
from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.cli.strict import StrictGroup
from sebench.forge.catalog import catalog
from sebench.interop.formats import huggingface, published, published_world, verl
from sebench.judge.judge import Judge
from sebench.report.views.tables import TextTable, print_table
from sebench.tasks import dataset, splits
from sebench.values.equality import Profile
from sebench.world import build
from sebench.world.prompts import BOOKS
from sebench.world.world import World

SHOWN = 100  # problems that are printed
FORMATS = ("hf", "published", "verl")
SKELETON = '''# for {place}; check it with 'sebench tasks check FILE'
# np.{path}{signature}


@task
def name_of_the_task(numbers: Vector(Int(0, 99), (2, 7))):
    """A short setting in which the `numbers` mean something. Return what is asked for, and in which structure."""
    return np.{path}(numbers)
'''


@click.group(cls=StrictGroup)
def command() -> None:
    """The task bank: check it, read it, add to it."""


@command.command("check")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--world", help="World (folder or seed) in which to judge reference solutions.  [default: a new one from --seed]"
)
@options.seed("Random seed for the cases.", default=1)
@click.option(
    "--mapping",
    type=click.Path(path_type=Path),
    help="FILES are published tasks: run their solutions in NumPy, and with the names of this mapping.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="With --mapping and one FILE: write the lines that pass to this file.",
)
@options.profile
def check_command(
    files: tuple[Path, ...], world: str | None, seed: int, mapping: Path | None, out: Path | None, profile: str
) -> None:
    """Check every task: rules, reference solution, mutants, similarity and coverage. With FILES of the bank, check only
    their tasks.

    With --mapping, FILES are published tasks. Lines are listed if they cannot be used, or if their solution does not
    return the values that the file expects, in NumPy itself or with the mapping's names. The exit status is then 1,
    unless --out keeps the other lines.
    """
    if mapping is not None:
        _check_published(files, mapping, out, profile)
        return
    if out is not None or profile != Profile.STRICT:
        raise ConfigError("--out and --profile work only with published tasks; add --mapping, or remove them")
    everything = bank()
    chosen = _select(everything, files)
    with tempfile.TemporaryDirectory() as folder, display.progress("tasks") as report:
        loaded = World.open(world) if world else World.build(seed, Path(folder) / "world", progress=report)
        with Judge(loaded) as judge:
            findings = bank_audit.check(everything, chosen, seed, judge, report)
    _table(findings)
    for problem in findings.problems[:SHOWN]:
        display.stdout.print(problem, markup=False, highlight=False, soft_wrap=True)
    if len(findings.problems) > SHOWN:
        display.stdout.print(f"... and {len(findings.problems) - SHOWN:,} more", highlight=False)
    display.exit_unless(not findings.problems)


@command.command("list")
@options.world_argument
@click.option("--split", type=click.Choice(splits.SPLITS), help="Only tasks of this split.")
def list_command(world: str, split: str | None) -> None:
    """List the tasks of WORLD: id, split, and the NumPy functions that each needs.

    'sebench show WORLD ID' shows a task.
    """
    loaded = options.open_world(world)
    for name in splits.SPLITS:
        for task in loaded.tasks(name) if split in (None, name) else ():
            click.echo(f"{task.id:<32} {name:<14} {', '.join(task.functions)}")


@command.command("sample")
@options.world_argument
@click.option("-n", "count", default=10, show_default=True, type=click.IntRange(1), help="Number of tasks.")
@click.option("--split", type=click.Choice(splits.SPLITS), help="Only tasks of this split.")
@options.seed("Random seed of the sample.")
def sample_command(world: str, count: int, split: str | None, seed: int) -> None:
    """Show a few tasks of WORLD."""
    loaded = options.open_world(world)
    tasks = [task for name in splits.SPLITS if split in (None, name) for task in loaded.tasks(name)]
    for task in random.Random(seed).sample(tasks, min(count, len(tasks))):
        display.task(task)


@command.command("new")
@click.argument("function")
@click.option("--multi", is_flag=True, help="Print the skeleton of a multi-function task.")
def new_command(function: str, multi: bool) -> None:
    """Print a skeleton of a task about FUNCTION.

    FUNCTION is an original path: mean, linalg.solve. Put the skeleton into a file of the bank.
    """
    entry = catalog.by_any_name().get(function)
    if entry is None or entry.mapping_only:
        raise ConfigError(
            f"no function '{function}' in the catalog; use NumPy's names, such as mean or linalg.solve ('sebench tasks "
            "list WORLD' shows them)"
        )
    place = "src/sebench/bank/multi/" if multi else f"src/sebench/bank/single/{entry.subject}*.py"
    click.echo(SKELETON.format(place=place, path=entry.path, signature=entry.signature))


@command.command("export")
@options.world_argument
@options.out_folder("Folder to create for the exported tasks.", required=True)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    help="hf: a folder for datasets.load_dataset and the hub; published: the published JSONL; verl: parquet files.",
)
@click.option(
    "--book", type=click.Choice(BOOKS), help="With verl: documentation setting of the prompts.  [default: closed]"
)
@click.option("--answers", is_flag=True, help="With hf: also write cases and the answers to test tasks.")
def export_command(world: str, out: Path, form: str, book: str | None, answers: bool) -> None:
    """Write the tasks of WORLD for other tools, into a new folder."""
    options.refuse_existing(out)
    for flag, value, needed_format in (("--answers", answers, "hf"), ("--book", book, "verl")):
        if value and form != needed_format:
            raise ConfigError(f"{flag} works only with --format {needed_format}, not with --format {form}; remove it")
    if form == "verl":
        verl.library()
    loaded = options.open_world(world)
    if form == "hf":
        counts = huggingface.export(loaded, out, answers=answers)
    elif form == "verl":
        counts = verl.export(loaded, out, book or "closed")
    else:
        counts = {
            split: write_lines(out / f"{split}.jsonl", published.lines(loaded, split))
            for split in splits.SPLITS
            if split != splits.BOUNDARY_TEST and loaded.task_ids(split)  # in that format an answer cannot decline
        }
    click.echo(f"{out}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items()))


@command.command("import")
@options.world_argument
@click.argument("file", type=click.Path(path_type=Path))
@options.out_folder("File of tasks to create, for --tasks of 'sebench run' and 'sebench judge'.", required=True)
@click.option(
    "--split",
    type=click.Choice([split for split in splits.SPLITS if split != splits.BOUNDARY_TEST]),
    default=splits.SINGLE_TEST,
    show_default=True,
    help="Split of the imported tasks.",
)
def import_command(world: str, file: Path, out: Path, split: str) -> None:
    """Import published tasks from FILE for WORLD, which must have been built from the mapping of the same data."""
    options.refuse_unreadable(file, "FILE")
    loaded = options.open_world(world)
    known = [task for one in splits.SPLITS for task in loaded.tasks(one)]
    imported = published.read_tasks(file, loaded.names, split, known)
    display.problems(file, imported.bad, SHOWN)
    if not imported.tasks:
        raise ConfigError(f"{file} has no usable task")
    with Judge(loaded) as judge:
        tasks = published.check_golds(imported.tasks, judge)
    count = write_lines(out, (dataset.to_json(task, loaded.names) for task in tasks))
    gold = sum(bool(task.gold) for task in tasks)
    click.echo(
        f"{out}: {counted(count, 'task')}, {gold:,} with a solution that is right and credited, "
        f"{counted(len(imported.bad), 'line')} unusable"
    )
    if imported.bad:
        raise click.exceptions.Exit(1)


def _check_published(files: tuple[Path, ...], mapping: Path, out: Path | None, profile: str) -> None:
    """Run the solutions of published tasks, and list those that do not return the expected value."""
    if not files or (out is not None and len(files) > 1):
        raise ConfigError(
            "--mapping checks published tasks; give "
            + ("exactly one FILE of them with --out" if out else "a FILE of them")
        )
    if out is not None:
        options.refuse_existing(out)
    for file in files:
        options.refuse_unreadable(file, "FILE")
    wrong = 0
    with (
        published_world.library_alone(build.plan(0, mapping_file=mapping)) as library,
        Judge(library, profile=profile) as judge,
    ):
        for file in files:
            read = published.read_tasks(file, library.names, splits.SINGLE_TEST)
            checked = list(published.check_references(read, judge))
            problems = [*read.bad, *(f"line {one.number}: {one.reason}" for one in checked if one.reason)]
            for problem in problems:
                display.stdout.print(f"{file}: {problem}", markup=False, highlight=False, soft_wrap=True)
            in_numpy = sum(one.in_numpy for one in checked)
            both = [one for one in checked if not one.reason]
            click.echo(
                f"{file}: {counted(len(checked) + len(read.bad), 'line')}, {len(checked):,} usable; "
                f"{counted(in_numpy, 'solution is', 'solutions are')} right in NumPy and {len(checked) - in_numpy:,} "
                f"wrong; {len(both):,} of the right ones also with the mapping's names"
            )
            wrong += len(problems)
            if out is not None:
                count = write_lines(out, (one.task.published for one in both))
                click.echo(f"{out}: {counted(count, 'line')}")
    if wrong and out is None:
        raise click.exceptions.Exit(1)


def _select(everything: tuple[Definition, ...], files: tuple[Path, ...]) -> tuple[Definition, ...]:
    if not files:
        return everything
    known = {d.file.resolve() for d in everything}
    for file in files:
        if file.resolve() not in known:
            raise ConfigError(
                f"{file} is not a task file of the bank (src/sebench/bank); to check published tasks, add --mapping"
            )
    return tuple(d for d in everything if d.file.resolve() in {f.resolve() for f in files})


def _table(findings: bank_audit.Findings) -> None:
    functions = len(catalog.seeded())
    enough = sum(n >= 4 for n in findings.per_function.values())
    counts = {
        "tasks checked": f"{findings.checked:,}",
        "single-function tasks": f"{findings.per_function.total():,}",
        "functions with at least 4 single-function tasks": f"{enough} of {functions}",
        "functions in multi-function tasks": f"{len(findings.composed)} of {functions}",
        "reference solutions that the judge passes and credits": f"{findings.passed:,} of {findings.checked:,}",
        "mutants killed": f"{findings.killed:,}",
        "mutants equivalent to the solution": f"{findings.equivalent:,}",
        "mutants that survive with this seed": f"{findings.survived:,}",
        "kill rate": f"{findings.rate:.2%}",
        "problems": f"{len(findings.problems):,}",
    }
    print_table(TextTable("the task bank", 1, ("what", "count"), tuple(counts.items())), display.stdout)

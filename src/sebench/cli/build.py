"""`sebench build`: forge a world."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import click

from sebench.base.errors import ConfigError
from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.forge.changes.changes import SHARE
from sebench.forge.names import naming
from sebench.interop.formats import published_world
from sebench.tasks import slices, splits
from sebench.world.build import CHANGELOG, Slice
from sebench.world.manifest import Manifest
from sebench.world.world import World, worlds_folder

EDITS = 40  # of a new edition
OF_EDITION = ("--edition-of", "--edits")  # the options of a new edition
OF_PUBLISHED = ("--name", "--mapping", "--pages", "--tasks")  # the options of a world made from published data
SHOWN = 20  # unusable lines of a file that are printed


class SeedCommand(StrictCommand):
    """A command that explains where its seed belongs, since other commands take it as an argument."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0].isdecimal():
            raise click.UsageError(f"write --seed {args[0]}", ctx)
        return super().parse_args(ctx, args)


@click.command(cls=SeedCommand)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Random seed for the names, cases and other choices of the world.  [default: 7, or 0 with --mapping]",
)
@options.out_folder("Folder to create.  [default: SEED in $SEBENCH_WORLDS]")
@click.option("--name", default="", help="Name of the package, instead of a random one.")
@click.option("--mapping", type=click.Path(path_type=Path), help="Take the names from this file (published format).")
@click.option(
    "--functions",
    type=click.IntRange(slices.FEWEST),
    help="Number of functions, to make a small world.  [default: all]",
)
@click.option(
    "--subjects",
    default="",
    help="Subjects, to make a small world, separated by commas (for example statistics,linalg).  [default: all]",
)
@click.option(
    "--leave-out",
    type=click.IntRange(1),
    help="Number of functions to leave out; their tasks become the split boundary_test.  [default: none]",
)
@click.option(
    "--split",
    type=click.Choice(splits.WAYS),
    default=splits.DRAWN,
    show_default=True,
    help="How ties between candidate test tasks are broken: by the seed, or the same in every world.",
)
@click.option(
    "--forge",
    "level",
    type=click.Choice(naming.LEVELS),
    default=naming.NAMES,
    show_default=True,
    help="What to forge: names of functions, modules, types and fields; also parameter names and option words; or also "
    "what a share of the functions does.",
)
@click.option(
    "--changed",
    type=click.FloatRange(0, 1, min_open=True),
    help=f"With --forge {naming.BEHAVIOUR}: share of functions that differ from NumPy's.  [default: {SHARE}]",
)
@click.option(
    "--edition-of",
    "before",
    metavar="WORLD",
    help="Build a new edition of this world: the same world after --edits changes, drawn from --seed.",
)
@click.option("--edits", type=click.IntRange(1), help="With --edition-of: number of changes.  [default: 40]")
@click.option(
    "--bank",
    "banks",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Bank folder with further tasks, made by 'sebench author tasks'; repeat it for several.",
)
@click.option(
    "--pages",
    type=click.Path(path_type=Path),
    help="With --tasks: take the documentation from this file (published format).  [default: written here]",
)
@click.option(
    "--tasks",
    "task_files",
    multiple=True,
    metavar="SPLIT=FILE",
    help="With --mapping: take the tasks of SPLIT from FILE (published format), instead of the bank; repeat it for "
    "several splits.",
)
@click.pass_context
def command(
    context: click.Context,
    seed: int | None,
    out: Path | None,
    name: str,
    mapping: Path | None,
    functions: int | None,
    subjects: str,
    leave_out: int | None,
    split: str,
    level: str,
    changed: float | None,
    before: str | None,
    edits: int | None,
    banks: tuple[Path, ...],
    pages: Path | None,
    task_files: tuple[str, ...],
) -> None:
    """Forge a world: a package with random names, an opaque array type, true documentation, and tasks.

    The same seed and options, with the same versions of sebench and NumPy, produce the same bytes. An interrupted build
    leaves no folder behind. If the folder already is this world, nothing is built; any other folder is refused.

    With --mapping and --tasks, the world is made from published data: its names, its tasks and, with --pages, its
    documentation. Lines that cannot be used are reported and skipped.
    """
    if edits and not before:
        raise ConfigError("--edits needs --edition-of WORLD")
    changing = _changing_options(context)
    if before:
        _refuse_others(changing, OF_EDITION, "a new edition, which keeps the settings of the earlier world")
        if out is None or seed is None:
            raise ConfigError("--edition-of needs --out FOLDER and --seed NUMBER, from which the changes are drawn")
    seed = (0 if mapping else 7) if seed is None else seed
    if changed and level != naming.BEHAVIOUR:
        raise ConfigError(f"--changed needs --forge {naming.BEHAVIOUR}")
    if out is None and changing:
        raise ConfigError(
            f"--out is required: the default folder for seed {seed} is reserved for the world built with default "
            "settings"
        )
    out = out or worlds_folder() / str(seed)
    existed = out.exists()
    if before:
        with display.progress(f"edition of {before}") as report:
            world = World.build_edition(World.open(before), out, edits=edits or EDITS, seed=seed, progress=report)
    elif task_files or pages:
        _refuse_others(changing, OF_PUBLISHED, "worlds made from published data")
        world = _published(seed, out, name, mapping, pages, task_files)
    else:
        with display.progress(f"world {seed}") as report:
            world = World.build(
                seed,
                out,
                name=name,
                mapping_file=mapping,
                part=Slice(tuple(s.strip() for s in subjects.split(",") if s.strip()), functions or 0),
                leave_out=leave_out or 0,
                split=split,
                level=level,
                changed=changed or SHARE,
                banks=banks,
                progress=report,
            )
    _summary(world, out, existed)


def _changing_options(context: click.Context) -> list[str]:
    """Return the options that make another world than the default one of its seed."""
    values = ((option, context.params[str(option.name)]) for option in context.command.params)
    changing = [option.opts[0] for option, value in values if value and value != option.default]
    return [flag for flag in changing if flag not in ("--seed", "--out")]


def _refuse_others(flags: Sequence[str], usable: Sequence[str], what: str) -> None:
    """Raise an error if one of these flags does not apply to such worlds."""
    if flag := next((flag for flag in flags if flag not in usable), None):
        raise ConfigError(f"{flag} does not apply to {what}; remove {flag}")


def _published(
    seed: int, out: Path, name: str, mapping: Path | None, pages: Path | None, task_files: tuple[str, ...]
) -> World:
    """Build a world from published files, and print the lines that cannot be used."""
    if mapping is None or not task_files:
        raise ConfigError("a world made from published data needs --mapping and at least one --tasks SPLIT=FILE")
    tasks: dict[str, Path] = {}
    for one_file in task_files:
        split, equals, file = one_file.partition("=")
        if not equals or not file:
            raise ConfigError(f"--tasks {one_file!r}: write SPLIT=FILE, such as train=train.jsonl")
        if split in tasks:
            raise ConfigError(f"--tasks {one_file!r}: {split} already has a file, {tasks[split]}")
        tasks[split] = Path(file)
    files = published_world.PublishedFiles(mapping, tasks, pages)
    with display.progress(f"world of {mapping}") as report:
        world = published_world.build_world(files, out, report, seed=seed, name=name)
    for place, problems in files.problems.items():
        display.problems(place, problems, SHOWN)
    return world


def _summary(world: World, out: Path, existed: bool) -> None:
    """Print what was built."""
    if existed:
        click.echo(f"{out} is already this world, with the same seed, settings and versions; nothing was built")
        return
    names, words = world.names, sorted(len(page.text.split()) for page in world.pages)
    display.stdout.print(
        f"{out}: package [bold]{names.package}[/], {counted(len(names.functions), 'function')}, array "
        f"type {names.array}, "
        f"{counted(len(words), 'page')} of {words[len(words) // 2]} words (median; at most {words[-1]})",
        highlight=False,
        soft_wrap=True,
    )
    if names.parameters:
        display.stdout.print(
            f"also forged: {counted(len(names.parameters), 'parameter name')} and "
            f"{counted(len(names.words), 'option word')}",
            highlight=False,
        )
    counts = ", ".join(f"{split} {count:,}" for split, count in world.manifest.tasks.items())
    display.stdout.print(f"tasks: {counts}; {_quality(world.manifest)}", highlight=False, soft_wrap=True)
    if world.manifest.left_out:
        absent = ", ".join(world.manifest.left_out)
        display.stdout.print(f"left out, and tested in boundary_test: {absent}", highlight=False, soft_wrap=True)
    if world.manifest.gone:
        gone = ", ".join(world.manifest.gone)
        display.stdout.print(
            f"not in NumPy {world.manifest.numpy}, so not forged: {gone}", highlight=False, soft_wrap=True
        )
    display.stdout.print(f"fingerprint {world.manifest.fingerprint}", highlight=False, soft_wrap=True)
    if edition := world.manifest.edition:
        kinds = Counter(edit.kind for edit in edition.edits)
        click.echo(f"edition {edition.number}: " + ", ".join(f"{kind} {count}" for kind, count in kinds.items()))
        click.echo(f"{out / CHANGELOG} lists the changes")


def _quality(manifest: Manifest) -> str:
    """Describe how well the tasks of a world discriminate, or how much of the published files was usable."""
    if manifest.published:
        pages, splits_read = manifest.published["pages"], manifest.published["tasks"].values()
        lines, usable, gold = (sum(one[key] for one in splits_read) for key in ("lines", "usable", "gold"))
        return (
            f"{usable:,} of {counted(lines, 'line')} usable, {gold:,} with a solution that is right and credited; "
            f"{counted(pages['published'], 'page')} from the published file, {pages['written']:,} written by sebench"
        )
    score = manifest.mutants
    programs = score["killed"] + score["survived"]
    return f"their cases kill {score['killed'] / max(programs, 1):.1%} of {programs:,} look-alike programs"

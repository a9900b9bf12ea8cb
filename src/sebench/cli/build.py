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
from sebench.tasks import splits
from sebench.world.build import CHANGELOG, Slice
from sebench.world.manifest import Manifest
from sebench.world.world import World, worlds_folder

EDITS = 40  # of a new edition

SHOWN = 20  # unusable lines of a file that are printed


@click.command(cls=StrictCommand)
@click.option(
    "--seed",
    type=int,
    help="Random seed for the names, cases and other choices of the world.  [default: 7, or 0 with --mapping]",
)
@options.out_folder("Folder to create.  [default: SEED in $SEBENCH_WORLDS]")
@click.option("--name", default="", help="Name of the package, instead of a random one.")
@click.option("--mapping", type=click.Path(path_type=Path), help="Take the names from this file (published format).")
@click.option("--functions", type=click.IntRange(1), help="Number of functions, to make a small world.  [default: all]")
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
def command(
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
    if before:
        others: dict[str, object] = {
            "--name": name,
            "--mapping": mapping,
            "--functions": functions,
            "--subjects": subjects,
        }
        others |= {"--leave-out": leave_out, "--split": split != splits.DRAWN, "--forge": level != naming.NAMES}
        others |= {"--changed": changed, "--bank": banks, "--pages": pages, "--tasks": task_files}
        _edition(before, out, edits or EDITS, seed, [flag for flag, value in others.items() if value])
        return
    seed = (0 if mapping else 7) if seed is None else seed
    if changed and level != naming.BEHAVIOUR:
        raise ConfigError(f"--changed needs --forge {naming.BEHAVIOUR}")
    if out is None and (
        functions or subjects or mapping or name or leave_out or banks or pages or task_files or level != naming.NAMES
    ):
        raise ConfigError(
            f"--out is required: the default folder for seed {seed} is reserved for the world built with default "
            "settings"
        )
    out = out or worlds_folder() / str(seed)
    if task_files or pages:
        others = {"--functions": functions, "--subjects": subjects, "--leave-out": leave_out, "--bank": banks}
        others |= {"--split": split != splits.DRAWN, "--forge": level != naming.NAMES}
        if flags := [flag for flag, value in others.items() if value]:
            raise ConfigError(f"{flags[0]} does not apply to worlds made from published data; remove {flags[0]}")
        world = _published(seed, out, name, mapping, pages, task_files)
        _summary(world, out)
        return
    existed = out.exists()
    with display.progress(f"world {seed}") as report:
        part = Slice(tuple(s.strip() for s in subjects.split(",") if s.strip()), functions or 0)
        world = World.build(
            seed,
            out,
            name=name,
            mapping_file=mapping,
            part=part,
            leave_out=leave_out or 0,
            split=split,
            level=level,
            changed=changed or SHARE,
            banks=banks,
            progress=report,
        )
    if existed:
        _is_there(out)
        return
    _summary(world, out)


def _edition(before: str, out: Path | None, edits: int, seed: int | None, flags: Sequence[str]) -> None:
    """Build a new edition of a world."""
    if flags:
        raise ConfigError(
            f"{flags[0]} does not apply to a new edition, which keeps the settings of the earlier world; remove "
            f"{flags[0]}"
        )
    if out is None or seed is None:
        raise ConfigError("--edition-of needs --out FOLDER and --seed NUMBER, from which the changes are drawn")
    existed = out.exists()
    with display.progress(f"edition of {before}") as report:
        world = World.build_edition(World.open(before), out, edits=edits, seed=seed, progress=report)
    if existed:
        _is_there(out)
        return
    _summary(world, out)
    assert world.manifest.edition is not None
    counts = Counter(edit.kind for edit in world.manifest.edition.edits)
    click.echo(f"edition {world.manifest.edition.number}: " + ", ".join(f"{k} {n}" for k, n in counts.items()))
    click.echo(f"{out / CHANGELOG} lists the changes")


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


def _is_there(out: Path) -> None:
    """Say that the world was built before."""
    click.echo(f"{out} is already this world, with the same seed, settings and versions; nothing was built")


def _summary(world: World, out: Path) -> None:
    """Print what was built."""
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

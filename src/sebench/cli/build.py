"""`sebench build`: forge a world."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.base.errors import ConfigError
from sebench.cli import display, options
from sebench.forge.names import naming
from sebench.tasks import splits
from sebench.world.build import Slice
from sebench.world.world import World, worlds_folder


@click.command()
@options.seed("Seed of all names and all samples.")
@options.out_folder("The new folder.  [default: SEED in $SEBENCH_WORLDS]")
@click.option("--name", default="", help="Name of the package, instead of a drawn one.")
@click.option("--mapping", type=click.Path(path_type=Path), help="Take the names from this file (published format).")
@click.option("--functions", type=click.IntRange(1), help="Number of functions, for a small world.  [default: all]")
@click.option(
    "--subjects", default="", help="Subjects for a small world, separated by commas: statistics,linalg.  [default: all]"
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
    help="What to forge: names of functions, modules, types and fields, or also parameter names and option words.",
)
@click.option(
    "--bank",
    "banks",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Bank folder with further tasks, made by 'sebench author tasks'; repeat it for several.",
)
def command(
    seed: int,
    out: Path | None,
    name: str,
    mapping: Path | None,
    functions: int | None,
    subjects: str,
    leave_out: int | None,
    split: str,
    level: str,
    banks: tuple[Path, ...],
) -> None:
    """Forge a world: a package with random names, an opaque array type, true documentation, and tasks.

    The same seed, options, sebench and NumPy give the same bytes. The folder appears whole or not at all.
    """
    if out is None and (functions or subjects or mapping or name or leave_out or banks or level != naming.NAMES):
        raise ConfigError(f"give --out: without it, {seed} stands for the complete world of that seed")
    out = out or worlds_folder() / str(seed)
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
            banks=banks,
            progress=report,
        )
    names, words = world.names, sorted(len(page.text.split()) for page in world.pages)
    display.stdout.print(
        f"{out}: package [bold]{names.package}[/], {len(names.functions)} functions, array type {names.array}, "
        f"{len(words)} pages of {words[len(words) // 2]} words (median; at most {words[-1]})",
        highlight=False,
        soft_wrap=True,
    )
    if names.parameters:
        display.stdout.print(
            f"forged too: {len(names.parameters)} parameter names and {len(names.words)} option words", highlight=False
        )
    counts = ", ".join(f"{split} {count:,}" for split, count in world.manifest.tasks.items())
    score = world.manifest.mutants
    rate = score["killed"] / max(score["killed"] + score["survived"], 1)
    display.stdout.print(
        f"tasks: {counts}; their cases kill {rate:.1%} of {score['killed'] + score['survived']:,} look-alike programs",
        highlight=False,
        soft_wrap=True,
    )
    if world.manifest.left_out:
        absent = ", ".join(world.manifest.left_out)
        display.stdout.print(f"left out, and tested in boundary_test: {absent}", highlight=False, soft_wrap=True)
    if world.manifest.gone:
        gone = ", ".join(world.manifest.gone)
        display.stdout.print(
            f"not in NumPy {world.manifest.numpy}, so not forged: {gone}", highlight=False, soft_wrap=True
        )
    display.stdout.print(f"fingerprint {world.manifest.fingerprint}", highlight=False, soft_wrap=True)

"""`sebench tour`: a first look at what a world is."""

from __future__ import annotations

from pathlib import Path

import click

from sebench.cli import display
from sebench.forge.package import resolve
from sebench.world import MANIFEST, World

SHOWN = "mean"  # the page and the call of the tour


@click.command()
@click.option("--seed", type=int, default=7, show_default=True, help="The world to look at.")
@click.option("--out", type=click.Path(path_type=Path), help="Where it is, or is to be.  [default: worlds/SEED]")
def command(seed: int, out: Path | None) -> None:
    """Build a world (unless it is there), show a page of its documentation, run one call, and audit it."""
    out = out or Path("worlds") / str(seed)
    if not (out / MANIFEST).exists():
        with display.progress(f"world {seed}") as report:
            World.build(seed, out, progress=report)
    world = World.load(out)
    names = world.names
    display.stdout.rule(f"a page of {names.package}, which was NumPy's {SHOWN}")
    display.page(world.page(SHOWN))
    display.stdout.rule("a call")
    data = [[1, 2, 3], [4, 5, 9]]
    with world.library() as library:
        result = resolve(library, names.functions[SHOWN])(data, axis=0)
        code = f"{names.forged(SHOWN)}({data}, axis=0)"
        display.stdout.print(f">>> import {names.package}\n>>> {code}\n{result!r}", markup=False, highlight=False)
    display.stdout.rule("the audit")
    with display.progress("audit") as report:
        checks = world.audit(report)
    display.audit_table(f"audit of {out}", checks)
    if not all(check.holds for check in checks):
        raise click.exceptions.Exit(1)

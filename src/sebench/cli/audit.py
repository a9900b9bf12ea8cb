"""`sebench audit`: check a world."""

from __future__ import annotations

import json

import click

from sebench.audit import world as audit
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand


@click.command(cls=StrictCommand)
@options.world_argument
@options.as_json
def command(world: str, as_json: bool) -> None:
    """Check WORLD on disk. The exit status is 0 only if every check passes."""
    loaded = options.open_world(world)
    with display.progress("audit") as report:
        checks = audit.check(loaded, report)
    if as_json:
        for check in checks:
            row = {"check": check.name, "holds": check.holds, "looked_at": check.looked_at, "failures": check.failures}
            click.echo(json.dumps(row))
    else:
        display.audit_table(f"audit of {world}", checks)
    display.exit_unless(all(check.holds for check in checks))

"""`sebench author inspect`: people review a sample of the drafts in a bank folder, and the command reports how well
they agree."""

from __future__ import annotations

import asyncio
import getpass
import json
import secrets
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from sebench.author import decisions, review_cards
from sebench.author.decisions import MARKS, DecisionsByDraft, Mark, ReaderAgreement
from sebench.author.inspection import Inspection, InspectionServer, sample
from sebench.author.review_cards import ReviewCard
from sebench.base.errors import ConfigError
from sebench.base.http_server import ListenAddress
from sebench.base.wording import counted
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.forge.names.hidden_text import printable_line
from sebench.report.numbers.intervals import wilson
from sebench.report.views.tables import TextTable, percent, print_table


@click.command(cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.1,
    show_default=True,
    help="Share of the drafts to read, drawn at random.",
)
@click.option(
    "--reader", help="Name of the reader; decisions go to decisions-READER.jsonl.  [default: your login name]"
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page.  [default: any free one]")
@click.option(
    "--agreement", is_flag=True, help="Print the readers' decisions and their agreement, without opening a page."
)
@click.option("--json", "as_json", is_flag=True, help="With --agreement: print JSON on stdout instead of tables.")
@options.seed("Random seed of the sample; must be the same for all readers.")
def command(
    folder: Path, share: float, reader: str | None, port: int, agreement: bool, as_json: bool, seed: int
) -> None:
    """Read a sample of the drafts in FOLDER, a bank folder, on a local page, and mark each keep, fix or drop.

    The page is served only to this machine, at the address that is printed. Decisions are stored as they are made;
    repeat the same command to continue. A second reader gets the same sample without the first one's decisions.
    """
    read = review_cards.read(folder)
    if agreement:
        _agreement(folder, read, as_json)
        return
    if as_json:
        raise ConfigError("--json requires --agreement; add --agreement or remove --json")
    _inspect(folder, sample(read, share, seed), len(read), reader or _login(), port)


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container whose user has no passwd entry
        raise ConfigError("your login name is unknown; set one with --reader NAME") from None


def _inspect(folder: Path, drawn: list[ReviewCard], kept: int, reader: str, port: int) -> None:
    file = decisions.file_of(folder, reader)
    with decisions.open_ledger(file) as ledger:
        inspection = Inspection(folder.resolve().name, reader, drawn, decisions.read(file, drawn), ledger)
        click.echo(
            f"{reader} reads {len(drawn):,} of {counted(kept, 'draft')}; {inspection.read:,} of them already marked"
        )
        for other in decisions.readers(folder):
            if other != reader:  # only their number, so that readers stay independent
                marked = _count_marks(decisions.read(decisions.file_of(folder, other), drawn))
                click.echo(f"{other} has marked {marked.total():,} of the same drafts")
        try:
            asyncio.run(_serve(inspection, port))
        except KeyboardInterrupt:
            click.echo()
        click.echo(
            f"{inspection.read:,} of {counted(len(drawn), 'draft')} marked, in {file}; run the same command again to "
            "continue"
        )


async def _serve(inspection: Inspection, port: int) -> None:
    """Serve the page until Ctrl-C."""
    server = InspectionServer(inspection, secrets.token_urlsafe(16))
    await server.listen(ListenAddress(port=port))
    click.echo(f"open {server.address} (press Ctrl-C here to stop)")
    await asyncio.Event().wait()


def _count_marks(decided: DecisionsByDraft) -> Counter[Mark]:
    return Counter(one.mark for one in decided.values() if one.mark)


def _agreement(folder: Path, read: list[ReviewCard], as_json: bool) -> None:
    everybody = {name: decisions.read(decisions.file_of(folder, name), read) for name in decisions.readers(folder)}
    everybody = {name: decided for name, decided in everybody.items() if _count_marks(decided)}
    if len(everybody) < 2:
        so_far = f"only {next(iter(everybody))} has" if everybody else "nobody has"
        raise ConfigError(
            f"{folder}: {so_far} marked its drafts, and agreement needs two readers; add one with --reader NAME"
        )
    agreements: list[ReaderAgreement] = []
    incomparable: list[str] = []
    for a, b in combinations(everybody, 2):
        try:
            agreements.append(decisions.agreement((a, b), everybody[a], everybody[b]))
        except ConfigError as error:
            incomparable.append(str(error))
    if not agreements:
        raise ConfigError(incomparable[0])
    for reason in incomparable:
        display.note(reason)
    if as_json:
        output = {
            "readers": {n: _reader_json(d) for n, d in everybody.items()},
            "agreement": [f.to_json() for f in agreements],
        }
        click.echo(json.dumps(output, indent=1, ensure_ascii=False))
        return
    _readers_table(everybody)
    for one in agreements:
        _pair(one)


def _reader_json(decided: DecisionsByDraft) -> dict[str, Any]:
    """Return how often a reader gave each mark; drafts marked fix or drop count as faulty."""
    marked = _count_marks(decided)
    total, faulty = marked.total(), (marked[Mark.FIX] + marked[Mark.DROP]) / marked.total()
    interval = wilson(faulty, total)
    counts = {mark.value: marked[mark] for mark in MARKS}
    return {"marked": total, **counts, "faulty": faulty, "low": interval.low, "high": interval.high}


def _readers_table(everybody: Mapping[str, DecisionsByDraft]) -> None:
    rows = []
    for name, decided in everybody.items():
        figures = _reader_json(decided)
        interval = f"{percent(figures['low'])} to {percent(figures['high'])}"
        counts = [f"{figures[key]:,}" for key in ("marked", *MARKS)]
        rows.append((name, *counts, percent(figures["faulty"]), interval))
    head = ("reader", "marked", *MARKS, "fix or drop", "95 % interval")
    print_table(TextTable("Readers", 1, head, tuple(rows)), display.stdout)


def _pair(agreement: ReaderAgreement) -> None:
    first, second = agreement.readers
    kappa = f"{agreement.kappa:.2f}" if agreement.kappa is not None else "not defined (both used only one mark)"
    rows = [(row, *(f"{agreement.counts[row, column]:,}" for column in MARKS)) for row in MARKS]
    head = (f"{first} \\ {second}", *MARKS)
    print_table(TextTable("", len(head), head, tuple(rows)), display.stdout)  # all are words: a column of 0 stays
    click.echo(
        f"{first}, {second}: {percent(agreement.share)} of {counted(agreement.both, 'draft')} marked the same; "
        "Cohen's kappa "
        f"{kappa}"
    )
    for one, other in agreement.differing:
        marks = "; ".join(f"{d.reader}: {d.mark}" + (f" ({d.note})" if d.note else "") for d in (one, other))
        click.echo(f"  {one.id}: {printable_line(marks)}")

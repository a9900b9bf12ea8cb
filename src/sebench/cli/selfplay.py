"""`sebench selfplay`: a model asks itself questions with the documentation (open book), and learns from its right
answers without it (closed book)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sebench import report
from sebench.base import files, resume
from sebench.base.errors import ConfigError
from sebench.base.settings import read
from sebench.base.wording import counted
from sebench.cli import display, options, writers
from sebench.models import transformers
from sebench.models.calls import Price
from sebench.report.views import drawings
from sebench.rollout import models
from sebench.rollout.store import Run
from sebench.selfplay import steps, summary
from sebench.selfplay.config import NONE, SelfplayConfig
from sebench.selfplay.estimate import RoundEstimate, estimate_round
from sebench.selfplay.rounds import Round
from sebench.selfplay.steps import selfplay
from sebench.selfplay.summary import Accuracy, RoundSummary

MARKDOWN, JSON, SVG = "report.md", "report.json", "report.svg"


@click.command(cls=options.SettingsCommand)
@options.world_argument
@options.out_folder("Folder for the self-play run.", required=True)
@click.option("--config", "file", type=click.Path(path_type=Path), help="TOML file with the settings below.")
@options.dry_run("the maximum calls, tokens and cost of a round")
@writers.price
@options.as_json
@options.settings_of(SelfplayConfig)
def command(
    world: str,
    out: Path,
    file: Path | None,
    dry_run: bool,
    prices: tuple[str, ...],
    as_json: bool,
    **settings: Any,
) -> None:
    """Have a model ask itself questions about WORLD with the documentation (open book), and learn from its own right
    answers without it (closed book).

    Each round proposes questions from the pages, filters them, solves them open-book, keeps the right answers that
    depend on the intended functions, trains the base model, and evaluates it closed-book. The results are report.md,
    report.json and report.svg; 'sebench learn --examples OUT' learns from the answers. Repeat the same command to
    continue after an interruption, or with more --rounds to extend it.
    """
    if prices and not dry_run:
        raise ConfigError("in self-play, --price requires --dry-run; add --dry-run or remove --price")
    config = read(SelfplayConfig, file, options.explicit(settings))
    price = writers.parse_prices(prices, [config.first_proposer(), *config.consensus, config.model, config.base])
    resume.refuse_foreign(out, steps.SETTINGS, "self-play")
    _check_models(config, out, dry_run)
    opened = options.open_world(world, build=not dry_run)
    if dry_run:
        steps.check_sources(opened, config)
        steps.check_folder(out, config, opened)
        _tell(estimate_round(opened, config), config, price, as_json)
        return
    with display.progress("self-play") as bar:
        rounds = selfplay(opened, config, out, bar)
    rounds_played = summary.read(out, rounds, _accuracies(out, rounds))
    write(out, rounds_played)
    if as_json:
        click.echo((out / JSON).read_text("utf-8"), nl=False)
    else:
        click.echo(summary.markdown(rounds_played), nl=False)
        click.echo(f"\n{out / MARKDOWN}")


def _check_models(config: SelfplayConfig, out: Path, dry_run: bool) -> None:
    """Raise an error for models that cannot be loaded here (in a dry run: on no machine), before a world is built. A
    self-play run that was started may no longer need any."""
    if (out / steps.SETTINGS).is_file():
        return
    check = models.check_name if dry_run else models.check
    for model in dict.fromkeys((config.model, steps.source(config.base or config.model))):
        check(config.run_config(model, config.split, "closed"))
    steps.check_writers(config, check)
    if config.train != NONE and not dry_run:
        transformers.libraries()


def _tell(round_: RoundEstimate, config: SelfplayConfig, prices: Mapping[str, Price], as_json: bool) -> None:
    """Print the size of a self-play run."""
    parts = {
        "proposing": (round_.proposing, [config.first_proposer()]),
        "consensus": (round_.agreeing, config.consensus),
        "solving": (round_.solving, [config.model]),
        "evaluation (also before round 1)": (round_.evaluating, [config.base or config.model]),
    }
    if as_json:
        costs = {name: writers.cost_of(spent, names, prices) for name, (spent, names) in parts.items() if spent.calls}
        size = {"rounds": config.rounds, "round": asdict(round_), **({"cost": costs} if prices else {})}
        click.echo(json.dumps(size, indent=1))
        return
    verb = "keeps" if config.train == NONE else "learns from"
    click.echo(
        f"{counted(config.rounds, 'round')}. Each round drafts {counted(round_.drafts, 'question')} about "
        f"{counted(round_.functions, 'function')} and {verb} at most {counted(round_.answers, 'new answer')}. "
        "Maximum per round:"
    )
    for name, (spent, names) in parts.items():
        if spent.calls:
            click.echo(f"  {name}: {writers.describe(spent, names, prices)}")


def write(out: Path, played: Sequence[RoundSummary]) -> None:
    """Write the report of a self-play run as three files."""
    files.write(out / MARKDOWN, f"# Self-play\n\n{summary.markdown(played)}")
    files.write(out / JSON, json.dumps([asdict(one) for one in played], indent=1) + "\n")
    files.write(
        out / SVG,
        drawings.funnel(summary.funnel_chart(played), "Self-play: proposals left after each gate, all rounds"),
    )


def _accuracies(out: Path, rounds: Sequence[Round]) -> dict[int, Mapping[str, Accuracy]]:
    """Return the closed-book accuracy with its interval, by round and split."""
    accuracies: dict[int, Mapping[str, Accuracy]] = {}
    for number, place in summary.evaluations(out, rounds).items():
        (one,) = report.summarize([Run.load(place)]).runs
        cells = {split: one.cell("closed", "split", split) for split in one.splits}
        accuracies[number] = {
            split: (cell.accuracy, cell.interval.low, cell.interval.high)
            for split, cell in cells.items()
            if cell is not None and cell.accuracy is not None and cell.interval is not None
        }
    return accuracies

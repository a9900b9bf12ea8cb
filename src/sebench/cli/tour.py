"""`sebench tour`: shows the whole benchmark in a few minutes: a world, a page, a task, scripted baselines, the
released answers of a trained model judged again, a small model live, and a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from sebench import report
from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.records import RELEASED
from sebench.cli import display, options
from sebench.cli.strict import StrictCommand
from sebench.release import folder, model, recipe, verify
from sebench.report.views import html
from sebench.report.views.tables import TextTable, print_table
from sebench.rollout import pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.engine import Engine
from sebench.rollout.store import Run
from sebench.world.build import Slice
from sebench.world.manifest import MANIFEST
from sebench.world.prompts import SHORT
from sebench.world.world import World

RELEASE = Path("releases") / "h200-qwen"  # in a clone of the repository
WORLD = "2003"  # of this release
TRAINED = {  # runs of the release, and what the table calls them
    "untrained": "1.5B, untrained",
    "open-sft-own": "1.5B, Open-SFT, own answers",
    "closed-sft-own": "1.5B, Closed-SFT, own answers",
    "open-sft-gold": "1.5B, Open-SFT, gold answers",
    "closed-sft-gold": "1.5B, Closed-SFT, gold answers",
}
ABOUT = (
    "1.5B: Qwen2.5-Coder-1.5B-Instruct, trained (SFT) with the book open or closed, on its own right answers or on "
    "gold (reference) answers"
)
REFERENCES = {"gold": 1.0, "numpy": 0.0}  # the accuracy that each must have with the closed book
SPLIT, BOOKS = ("single_test",), ("closed", "open", "native")
JUDGED = 60  # tasks to judge again
LIVE, TOKENS, SHORT_PAGES = 3, 64, ("signature", "summary")  # tasks for a model on a CPU, its tokens, and short prompts
FUNCTIONS, SEED = 24, 7  # the small world, without the release
MOST_SHOWN = 5  # verdicts that differ
WIDTH = 6  # of a bar


@click.command(cls=StrictCommand)
@options.out_folder("Folder for the tour.  [default: tour]")
@click.option("--model", "live", default="smollm2", show_default=True, help="Model to try here; 'none' skips it.")
@click.option(
    "--release",
    "release_path",
    type=click.Path(path_type=Path),
    default=RELEASE,
    show_default=True,
    help="Release whose answers are judged again; without it, the tour has a small world and no trained model.",
)
def command(out: Path | None, live: str, release_path: Path) -> None:
    """Build a world, judge scripted baselines and the released answers of a trained model, let a small model answer
    live, and report.

    The baseline 'gold' knows the library and must reach 100 %; 'numpy' answers in NumPy and must stay at 0 %. Together
    they show that everything works here. Open-book prompts contain only the needed pages. Repeat the same command to
    continue an interrupted tour.
    """
    out = out or Path("tour")
    release = folder.read(release_path) if folder.is_release(release_path) else None
    if release is None and release_path != RELEASE:
        raise ConfigError(f"--release {release_path} is not a release; use a folder that 'sebench release' wrote")
    files.make_folder(out)  # raises an error before anything is built
    world = _released_world(release) if release else _small_world(out)
    path = sorted(world.names.functions)[0]
    display.stdout.rule(f"a page of {world.names.package}, which was NumPy's {path}", align="left")
    display.page(world.page(path))
    display.task(world.tasks("single_test")[0])

    config = RunConfig(split=SPLIT, book=BOOKS, limit=JUDGED, distractors=0)
    runs = [_run(replace(config, model=name), world, out) for name in REFERENCES]
    wrong = [run.name for run in runs if _accuracy(run, "closed") != REFERENCES[run.name]]
    if release:
        answers = [one for one in folder.answers(release) if one[0] in {f"{WORLD}-{name}" for name in TRAINED}]
        runs += _released_runs(release, answers, world, out)
    if (run := _live(live, world, out)) is not None:
        runs.append(run)
    print_table(_table(runs), display.stdout)
    if release:
        click.echo(ABOUT)
    if run is not None:
        click.echo(f"{run.name}: live, {LIVE} tasks")
    if release:
        click.echo(_agreement(answers, runs))
    report.write(runs, out / "report")
    click.echo(f"every question, response, program and verdict: {out / 'report' / html.FILE}")
    click.echo(
        "next: docs/walkthrough.md, or your own model: sebench run 7 --model M --base-url http://localhost:8000/v1"
    )
    for name in wrong:
        click.echo(
            f"sebench: the scripted baseline '{name}' has an unexpected accuracy; 'sebench doctor' may show why",
            err=True,
        )
    display.exit_unless(not wrong)


def _released_world(release: folder.Release) -> World:
    if (about := next((one for one in release.worlds if one.name == WORLD), None)) is None:
        raise ConfigError(f"--release {release.path} has no world {WORLD}; the tour needs {RELEASE}")
    with display.progress(f"world {WORLD}") as progress:
        return recipe.find(about, None, progress)


def _small_world(out: Path) -> World:
    if not (out / "world" / MANIFEST).exists():
        with display.progress(f"world {SEED}") as progress:
            World.build(SEED, out / "world", part=Slice(functions=FUNCTIONS), progress=progress)
    return World.load(out / "world")


def _released_runs(
    release: folder.Release, answers: Sequence[model.ReleasedAnswer], world: World, out: Path
) -> list[Run]:
    runs = []
    for name in TRAINED:
        released = model.choose(release, f"{WORLD}-{name}", world)
        config = RunConfig(
            model=f"{RELEASED}{release.path}/{released.folder}",
            split=SPLIT,
            book=BOOKS,
            limit=JUDGED,
            distractors=0,
            max_tokens=int(released.manifest["config"]["max_tokens"]),
        )
        runs.append(_run(config, world, out, model.ReleasedEngine(config, display.note, answers)))
    return runs


def _live(name: str, world: World, out: Path) -> Run | None:
    if name == "none":
        return None
    try:
        config = RunConfig(model=name, split=SPLIT, limit=LIVE, max_tokens=TOKENS, distractors=0)
        return _run(replace(config, prompts=SHORT, pages=SHORT_PAGES), world, out)
    except ConfigError as error:  # not installed, for example: the rest works without it
        display.note(f"the tour continues without {name}: {error}")
        return None


def _run(config: RunConfig, world: World, out: Path, engine: Engine | None = None) -> Run:
    name = Path(config.model).name
    with display.progress(name, at_once=True) as progress:
        return pipeline.run(config, world, out / name, progress=progress, engine=engine)


def _accuracy(run: Run, book: str) -> float | None:
    verdicts = [row.verdict for row in run.rows() if row.rollout.book == book]
    return sum(v is not None and v.passed for v in verdicts) / len(verdicts) if verdicts else None


def _table(runs: Sequence[Run]) -> TextTable:
    tasks = max(len(run.tasks) for run in runs)
    title = f"Percent right: {tasks} tasks about a library that never existed"
    labels = {f"{WORLD}-{name}": label for name, label in TRAINED.items()}
    rows = [(labels.get(run.name, run.name), *(_bar(_accuracy(run, book)) for book in BOOKS)) for run in runs]
    return TextTable(title, 4, ("model", "book closed", "book open", "in NumPy"), tuple(rows))


def _bar(accuracy: float | None) -> str:
    return "" if accuracy is None else f"{'█' * round(accuracy * WIDTH):<{WIDTH}}{accuracy:>5.0%}"


def _agreement(answers: Sequence[model.ReleasedAnswer], runs: Sequence[Run]) -> str:
    """Return how many of the released verdicts are the same on this machine, and which are not."""
    here = {(run.name, row.rollout.key): row.verdict for run in runs for row in run.rows()}
    triples = [(f"{run} {rollout.key}", was, here.get((run, rollout.key))) for run, rollout, was in answers]
    judged = [(key, was, now) for key, was, now in triples if was is not None and now is not None]
    other = [f"\n  {key}: {change}" for key, was, now in judged if (change := verify.difference(was, now))]
    same = f"{len(judged) - len(other):,} of {len(judged):,} released verdicts are the same on this machine"
    return same + "".join(other[:MOST_SHOWN])

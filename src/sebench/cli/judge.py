"""`sebench judge`: judge a file of rollouts that were sampled elsewhere."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from sebench import report
from sebench.base import resume
from sebench.base.errors import ConfigError
from sebench.base.records import Task
from sebench.base.wording import counted
from sebench.cli import display, engines, options
from sebench.cli.strict import StrictCommand
from sebench.interop.formats import inspect_logs, rollouts, trajectories
from sebench.judge.judge import SHARE
from sebench.report.views import html, tables
from sebench.rollout.engine import Engine
from sebench.rollout.store import MANIFEST
from sebench.tasks import dataset, splits
from sebench.world.prompts import NATIVE
from sebench.world.world import World

SHOWN_PROBLEMS = 10  # unusable lines that are printed


@click.command(cls=StrictCommand)
@options.world_argument
@click.argument("file", type=click.Path(path_type=Path))
@options.out_folder("Folder for the run.  [default: runs/FILE-WORLD]")
@click.option("--model", default="", help="Name of the model in reports.  [default: the name of FILE]")
@options.book
@click.option(
    "--tasks",
    "tasks_file",
    type=click.Path(path_type=Path),
    help="File with additional tasks that lines may refer to, from 'sebench tasks import'.",
)
@options.profile
@click.option("--workers", type=click.IntRange(1), help="Concurrent sandboxes.  [default: the number of cores]")
@click.option("--alone", is_flag=True, help="Run every answer in its own process, even those that could share one.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    help="Write the lines of FILE with right answers to this file, unchanged (for example as training data).",
)
@options.require_isolation
@engines.backend_options
@options.as_json
def command(
    world: str,
    file: Path,
    out: Path | None,
    model: str,
    book: str,
    tasks_file: Path | None,
    profile: str,
    workers: int | None,
    alone: bool,
    keep: Path | None,
    require_isolation: bool,
    engine: Engine | None,
    as_json: bool,
) -> None:
    """Judge FILE, a JSONL file of responses, in WORLD, and report.

    A line contains a task_id (or id) and a response (or completion, output, answer), or is in the published format with
    its own test cases. FILE may also be an Inspect log (.eval or .json).

    Responses and verdicts are written to a run folder, which 'sebench report' can compare with others. Repeat the same
    command to continue, also after adding lines to FILE. Lines that cannot be used are reported and counted, and the
    exit status is then 1. With --json, every line's verdict is printed in the order of FILE.

    The file of --keep is written once all lines are judged; repeating the command adds lines that have been judged
    right since then.
    """
    chosen = engines.for_judging(engine, workers)
    if not file.is_file():
        problem = "is not an ordinary file; save the answers to one" if file.exists() else "does not exist"
        raise ConfigError(f"{file} is a folder, not a file of answers" if file.is_dir() else f"{file} {problem}")
    if not file.stat().st_size:
        raise ConfigError(f"{file} is empty: there is nothing to judge")
    if keep is not None:
        if inspect_logs.is_log(file):
            raise ConfigError(f"--keep copies lines, but {file} is an Inspect log; remove --keep")
        trajectories.refuse_foreign_lines(file, keep)
    if tasks_file is not None:
        options.refuse_unreadable(tasks_file, "--tasks")
    loaded = options.open_world(world)
    tasks = _tasks(loaded, tasks_file)
    imported = rollouts.read(file, tasks, loaded.names, book, loaded.manifest.fingerprint)
    display.problems(file, imported.bad, SHOWN_PROBLEMS)
    if not imported.lines:
        raise ConfigError(f"{file} has no line that can be judged")
    package = loaded.names.package
    if not any(line.rollout.book == NATIVE or package in line.rollout.response for line in imported.lines):
        display.note(f"no answer mentions {package}, the package of {loaded.path}: are they answers for another world?")
    if missing_answers := _missing_answers(tasks, imported.lines):
        display.note(f"no answer for {missing_answers}; the scores leave them out")
    suffix = "" if profile == "strict" else f"-{profile}"
    out = out or Path("runs") / f"{file.stem}-{loaded.path.name}{suffix}"
    resume.refuse_foreign(out, MANIFEST, "")
    with (
        chosen.judge(loaded, profile, 1 if alone else SHARE) as judge,
        display.progress("judging") as progress,
    ):
        missing = judge.missing_layers(require_isolation)
        if missing:
            display.note(f"judging without these isolation layers: {', '.join(missing)}")
        done = rollouts.judge_into(
            out, judge, imported.lines, model=model or file.stem, missing=missing, progress=progress
        )
    judged = list(rollouts.in_order(done, imported.lines))
    if keep is not None:
        right = {line.number for line, verdict in judged if verdict.passed}
        added = trajectories.keep_lines(file, right, keep)
        lines = counted(len(right), "line with a right answer", "lines with right answers")
        display.note(f"{keep}: {lines}, {added:,} of them new")
    written = report.write([done], out)
    if as_json:
        for line, verdict in judged:
            click.echo(json.dumps({"line": line.number, "id": line.name, **verdict.to_json()}))
    else:
        tables.show(written, display.stdout)
        click.echo(str(out / html.FILE))
    if imported.bad:
        several = "lines could not be read and were left out"
        display.fail(f"{file}: {counted(len(imported.bad), 'line could not be read and was left out', several)}")


def _tasks(world: World, file: Path | None) -> dict[str, Task]:
    """Return the tasks of the world and of a file, by id."""
    tasks = {task.id: task for split in splits.SPLITS for task in world.tasks(split)}
    return tasks | {task.id: task for task in (dataset.read(file, world.manifest.matched_names) if file else ())}


def _missing_answers(tasks: Mapping[str, Task], lines: Sequence[rollouts.Line]) -> str:
    """Describe how many tasks have no answer, in the splits that have some: "3 of 12 tasks in single_test"."""
    split_of = {task.id: task.split for task in tasks.values()}
    answered = {line.task.id: line.task.split for line in lines if line.task.id in tasks}
    totals, present = Counter(split_of.values()), Counter(answered.values())
    return " and ".join(
        f"{totals[split] - count:,} of {totals[split]:,} tasks in {split}"
        for split, count in sorted(present.items())
        if count < totals[split]
    )

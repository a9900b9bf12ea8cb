"""Checks the claims of a release: judges its answers again and compares every verdict.

The kind, blame and credit of verdicts are compared, and which functions were called and invented. The detail is not,
since Python's error messages change from version to version. A sandbox fault here is not a difference, since it says
nothing about the release. A fault that the release claims is a difference if the answer can be judged here; otherwise
wrong answers could be hidden as faults.

Answers could also be hidden by leaving them out, and figures improved with invented tasks. So every run must have an
answer to each sample of its tasks (`folder.py`), its tasks must be all those of its splits in the world, or the sample
that its `--limit` draws, and its prompts must be those that the world and its settings produce. The answers are read
line by line, once for each of these checks; only the report loads them all, after their number has been checked.

`rescore` judges the answers of a release or a run again by the scoring rules of this version, and keeps the new
verdicts. Scoring rules are numbered (`judge/program/rules.py`). A run records which rules scored it, and a comparison
of results by different rules carries a note. The old verdicts of a run are kept next to the new ones; those of a
release are kept in its history. Every change is listed.

Not covered: whether the model wrote these answers; whether it really returned none where the release says so (the
number of such cases is reported); and prompts with memories or custom templates, which are not in a release.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from heapq import nsmallest
from itertools import tee, zip_longest
from math import isclose
from pathlib import Path
from typing import Any

from sebench.base import files
from sebench.base.errors import ConfigError, first_problem
from sebench.base.records import OF_SOME_WORLDS, Blame, Kind, Rollout, Task, Verdict
from sebench.base.wording import counted, short_repr
from sebench.judge.judge import Judge
from sebench.judge.program.rules import SCORING_RULES
from sebench.release import fields, folder, pack, recipe
from sebench.release.fields import EXPERIMENT, RUN
from sebench.release.folder import Release, ReleasedRun, ReleasedWorld
from sebench.rollout import store
from sebench.rollout.store import Run, RunManifest
from sebench.tasks import dataset, splits
from sebench.version import __version__
from sebench.world.open_book import BookSettings
from sebench.world.prompts import SHORT, Prompter, templates_folder
from sebench.world.world import World

Progress = Callable[[str, int, int], None]
COMPARED = ("kind", "blame", "targeted", "numpy_passed", "functions", "uncredited", "invented", *OF_SOME_WORLDS)
NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
OF_CELLS = ("accuracy", "targeted", "tasks", "samples")
PROMPT_SETTINGS: fields.Fields = {
    "distractors": fields.number(-1),
    "retrieve": fields.number(0),
    "pages": fields.TEXTS,
    "seed": fields.number(-fields.LARGEST),
    **dict.fromkeys(("hide_usage", "give_names", "decline"), fields.TRUTH),
}


@dataclass(frozen=True)
class VerifyResult:
    """The outcome of checking a release."""

    release: Release
    answers: int  # answers with a verdict that can be compared
    judged: int  # answers that were judged again
    differences: Sequence[str]  # one line each
    unknown: int  # answers to imported tasks, which are not in the world
    faults: int  # sandbox faults on this machine
    silent: int  # responses that the model never returned, according to the release
    slices: Sequence[str]  # runs that are incomplete by their own account, and so have no rank
    unprompted: Sequence[str]  # runs whose prompts cannot be reproduced (with a memory or other templates, or imported)
    # Name of the text report, if this version would word it differently; its figures are compared in any case.
    reworded: str

    @property
    def older_rules(self) -> bool:
        """Whether the release was scored by rules other than this version's."""
        return any(run.manifest.get("scoring", 1) != SCORING_RULES for run in self.release.runs)

    @property
    def holds(self) -> bool:
        return not self.differences


@dataclass(frozen=True)
class Claim:
    """An answer with the verdict that the release claims."""

    run: str
    rollout: Rollout
    verdict: Verdict


def verify(
    path: Path,
    *,
    worlds: Sequence[str] = (),
    sample: int = 0,
    seed: int = 0,
    workers: int = 0,
    progress: Progress = lambda what, done, total: None,
) -> VerifyResult:
    """Check a release. `worlds` are folders or seeds; `sample` answers are drawn with `seed` (0: all answers)."""
    release = folder.read(path)
    there = Counter(
        "silent" if rollout.error else "unjudged" if verdict is None else "claims"
        for _, rollout, verdict in folder.answers(release)
    )
    if not there["claims"]:
        raise ConfigError(f"release {path} has no answers with a verdict; there is nothing to check")
    differences = (
        [f"{counted(there['unjudged'], 'answer has', 'answers have')} no verdict"] if there["unjudged"] else []
    )
    opened = open_worlds(release, worlds, progress)
    for about in release.worlds:
        if about.fingerprint in opened:
            differences += _world(about, opened[about.fingerprint])
    tasks = folder.tasks_of(release)
    for run in release.runs:
        differences += [f"{run.folder}: {line}" for line in _tasks(run, tasks[run.folder], opened[run.world])]
    wrong_prompts, unprompted = _prompts(release, opened)
    wrong_figures, reworded = _report(release)
    differences += wrong_prompts + wrong_figures
    chosen = _sample(release, sample, seed) if 0 < sample < there["claims"] else None
    unknown = faults = done = 0
    for claim, verdict in judge_again(release, opened, lambda: claims_of(release, chosen), workers):
        if verdict is None:
            unknown += 1
            continue
        done += 1
        progress("verdicts", done, len(chosen) if chosen else there["claims"])
        if verdict.blame is Blame.SANDBOX:
            faults += 1
        elif reason := difference(claim.verdict, verdict):
            differences.append(f"{claim.run}: {claim.rollout.key}: the release says {reason}")
    if done == 0:
        raise ConfigError(f"release {path}: none of its tasks are in its world, so nothing can be judged again")
    slices = [
        f"{run.regime if run.folder == '.' else run.folder}: {reason}"
        for run in release.runs
        if (reason := _slice(run, len(tasks[run.folder])))
    ]
    return VerifyResult(
        release, there["claims"], done, differences, unknown, faults, there["silent"], slices, unprompted, reworded
    )


def claims_of(release: Release, chosen: frozenset[tuple[str, str]] | None = None) -> Iterator[Claim]:
    """Yield the answers with a verdict: all of them, or only those whose run and key are in `chosen`."""
    for run, rollout, verdict in folder.answers(release):
        if verdict is not None and not rollout.error and (chosen is None or (run, rollout.key) in chosen):
            yield Claim(run, rollout, verdict)


def judge_again(
    release: Release, opened: Mapping[str, World], claims: Callable[[], Iterable[Claim]], workers: int
) -> Iterator[tuple[Claim, Verdict | None]]:
    """Yield each claim with the verdict that its answer gets here, or with None if its task is not in the world.
    `claims` is called once for each world and profile."""
    judges: dict[tuple[str, str], set[str]] = defaultdict(set)
    for run in release.runs:
        judges[run.world, str(run.manifest["config"]["profile"])].add(run.folder)
    for (fingerprint, profile), runs in judges.items():
        world = opened[fingerprint]
        pairs, again = tee((c, _task(world, c.rollout.task_id)) for c in claims() if c.run in runs)
        with Judge(world, profile=profile, workers=workers) as judge:
            verdicts = judge.judge_rollouts((task, claim.rollout) for claim, task in pairs if task is not None)
            for claim, task in again:
                yield claim, None if task is None else next(verdicts)


def _world(about: ReleasedWorld, world: World) -> list[str]:
    """Return the false claims that the release makes about a world."""
    actual = recipe.describe(about.name, world.manifest)
    return [
        f"world {about.name}: {name} is {short_repr(claimed)}, "
        f"but the world with this fingerprint has {short_repr(true)}"
        for name, claimed, true in (("seed", about.seed, actual.seed), ("recipe", about.recipe, actual.recipe))
        if claimed not in (None, true)
    ]


def _tasks(run: ReleasedRun, tasks: Sequence[Mapping[str, Any]], world: World) -> Iterator[str]:
    """Yield the false claims that a run makes about its world and its tasks."""
    manifest = RunManifest.from_json(run.manifest)
    config, own = manifest.config, bool(manifest.config.get("tasks"))
    if dict(manifest.world["tasks"]) != dict(world.manifest.tasks):
        yield "its settings claim a different number of tasks than its world has"
    if manifest.world["package"] != world.names.package:
        yield f"its settings call the library {manifest.world['package']}, but it is {world.names.package}"
    edition = world.manifest.edition.number if world.manifest.edition else None
    if (claimed := manifest.world.get("edition", edition)) != edition:
        yield f"its settings claim edition {claimed} of its world, but it is {edition or 1}"
    known = {task["id"]: _task(world, task["id"]) for task in tasks}
    for task in tasks:
        if (there := known[task["id"]]) is None:
            continue
        facts = json.loads(json.dumps(dataset.facts(there, world.manifest.matched_names)))  # turns tuples into lists
        if any(task[name] != facts[name] for name in (("split", "functions") if own else facts)):
            yield f"task {task['id']} differs from the task in its world"
    strange = sum(task is None for task in known.values())
    if strange and not own:
        yield f"{counted(strange, 'of its tasks is', 'of its tasks are')} not in its world"
    if own or manifest.responses:  # the tasks may be any subset
        return
    for split in config["split"]:
        expected = splits.slice_of(world.tasks(split), split, config["limit"], config.get("seed", 0))
        if missing := sum(task.id not in known for task in expected):
            yield f"it lacks {counted(missing, 'task')} of {split} that it should have"


def _slice(run: ReleasedRun, tasks: int) -> str:
    """Return why a run is incomplete by its own account; "" if it is complete."""
    config, has = run.manifest["config"], run.manifest["world"]["tasks"]
    most = max(tasks, sum(has.get(split, 0) for split in config["split"]))
    whole = most * len(config["book"]) * config["samples"]
    return first_problem(
        {
            f"{counted(tasks, 'task')}, drawn with --limit {config['limit']}": config["limit"],
            f"{counted(tasks, 'task')} from a separate file": config.get("tasks"),
            f"{counted(run.answers, 'imported answer')}, but all samples of {counted(most, 'task')} would be "
            f"{whole:,}": run.answers < whole,
        }
    )


# ---- prompts ----------------------------------------------------------------------------------------------------


def _prompts(release: Release, opened: Mapping[str, World]) -> tuple[list[str], list[str]]:
    """Return the differences between the answers' prompts and those that the world and the settings produce, and the
    runs whose prompts cannot be reproduced."""
    prompters = {run.folder: _prompter(run, opened[run.world]) for run in release.runs}
    worlds = {run.folder: opened[run.world] for run in release.runs}

    @cache
    def digest(run: str, task_id: str, book: str) -> str:
        task, prompter = _task(worlds[run], task_id), prompters[run]
        return prompter.prompt(task, book).digest if task and prompter else ""

    wrong: dict[str, list[str]] = defaultdict(list)
    for run, rollout, _ in folder.answers(release):
        digest_here = digest(run, rollout.task_id, rollout.book)
        if digest_here and digest_here != rollout.prompt_digest:
            wrong[run].append(f"{rollout.book}/{rollout.task_id}")
    differences = [
        f"{run}: the prompts of {counted(len(answers), 'answer')} differ from those that its settings produce; the "
        f"first is {answers[0]}"
        for run, answers in wrong.items()
    ]
    return differences, [run for run, prompter in prompters.items() if prompter is None]


def _prompter(run: ReleasedRun, world: World) -> Prompter | None:
    """Return a builder for the prompts of a run; None if it has a memory, imported tasks or answers, or custom
    templates."""
    config = run.manifest["config"]
    if run.manifest.get("memory") or config.get("tasks") or "templates" not in run.manifest["prompts"]:
        return None
    try:
        fields.check(config, PROMPT_SETTINGS)
    except ValueError as error:
        raise ConfigError(f"run {run.folder!r}: config.{error}; download the release again") from None
    book = BookSettings(
        config["distractors"], config["retrieve"], tuple(config["pages"]), config["seed"], config["hide_usage"],
        config.get("changelog", ""), config.get("name_edition", False),
    )  # fmt: skip
    more = ("repair",) if config.get("repair") else ()
    for chosen in ("", SHORT):
        prompter = world.prompter(templates_folder(chosen), book, config["give_names"], config["decline"], more)
        if prompter.digest == run.manifest["prompts"]["templates"]:
            return prompter
    return None


def _sample(release: Release, sample: int, seed: int) -> frozenset[tuple[str, str]]:
    """Return the runs and keys of `sample` answers, drawn with the seed."""
    ranked = (
        (sha256(f"{seed}:{one.run}:{one.rollout.key}".encode()).digest(), one.run, one.rollout.key)
        for one in claims_of(release)
    )
    return frozenset((run, key) for _, run, key in nsmallest(sample, ranked))


def open_worlds(release: Release, places: Sequence[str], progress: Progress) -> dict[str, World]:
    """Open the worlds of the runs; return them by fingerprint."""
    fingerprints = {run.world for run in release.runs}
    if len(places) == 1 and len(fingerprints) == 1:  # so that a wrong world gets a precise message
        only = release.world(next(iter(fingerprints)))
        return {only.fingerprint: recipe.find(only, places[0], progress)}
    opened = {
        world.manifest.fingerprint: world
        for world in (World.open(one, progress) for one in sorted(places, key=str.isdecimal))
    }
    if strange := opened.keys() - {world.fingerprint for world in release.worlds}:
        raise ConfigError(f"world {opened[strange.pop()].path} is not part of this release; leave it out of --world")
    return {
        one: opened[one] if one in opened else recipe.find(release.world(one), None, progress) for one in fingerprints
    }


def _task(world: World, name: str) -> Task | None:
    try:
        return world.task(name)
    except ConfigError:
        return None


def difference(claimed: Verdict, judged: Verdict) -> str:
    """Return the first difference between two verdicts; "" if there is none.

    Two things depend on the machine, and are no difference: which limit an endless program reaches first, CPU time or
    memory; and whether rounding leaves an imaginary part in an eigenvalue, so that a wrong value has a wrong type, too.
    """
    kinds = {claimed.kind, judged.kind}
    if kinds == {Kind.TIME, Kind.MEMORY}:
        return ""
    if kinds == {Kind.WRONG_TYPE, Kind.WRONG_VALUE} and "complex" in claimed.detail + judged.detail:
        return ""
    pairs = ((key, getattr(claimed, key), getattr(judged, key)) for key in COMPARED)
    differing = (
        f"{key} = {_as_text(was)}, but judged again it is {_as_text(now)}" for key, was, now in pairs if was != now
    )
    return next(differing, "")


def _as_text(value: Any) -> str:
    text = ", ".join(value) or "none" if isinstance(value, tuple) else str(value)
    return text if text.isprintable() else repr(text)


def _report(release: Release) -> tuple[list[str], str]:
    """Return the figures in the report that do not follow from the verdicts, and the name of the text report if this
    version words it differently."""
    try:
        texts = pack.report_texts(release)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"release {release.path} is damaged: {folder.FILES} cannot be read ({error!r})") from None
    name, words = list(texts)[:2]
    wrong_words = _text_report(release, words, texts[words])
    reworded = "" if wrong_words or texts[words] == folder.read_text(release.path / words) else words
    was = _figures(release, name, lambda: folder.read_figures(release.path / name))
    now = _figures(release, name, lambda: fields.parse(texts[name]))
    if len(was) != len(now):
        return [*wrong_words, f"{name} has {len(was)} figures, but {len(now)} follow from the verdicts"], reworded
    wrong = [
        f"{name}: {key} is {one.get(key)}, but {other.get(key)} according to the verdicts ({one.get('book')})"
        for one, other in zip(was, now, strict=True)
        for key in OF_CELLS
        if not _close(one.get(key), other.get(key))
    ]
    return wrong_words + wrong, reworded


def _text_report(release: Release, name: str, expected: str) -> list[str]:
    """Return what is wrong with the text report. That of another version may be worded differently, but its numbers
    must follow from the verdicts, too."""
    text = folder.read_text(release.path / name)
    if release.sebench == __version__ and text != expected:
        pairs = zip_longest(text.splitlines(), expected.splitlines())
        number = next((n for n, (line, other) in enumerate(pairs, 1) if line != other), 1)
        return [f"{name}: line {number} is not what sebench {__version__} writes about these verdicts"]
    if unknown := sorted(set(NUMBERS.findall(text)) - set(NUMBERS.findall(expected))):
        return [f"{name}: {', '.join(unknown[:5])} {'do' if unknown[1:] else 'does'} not follow from the verdicts"]
    return []


def _figures(release: Release, name: str, read: Callable[[], Any]) -> list[dict[str, Any]]:
    """Return the figures in a report."""
    try:
        data = read()
        if release.kind == EXPERIMENT:
            figures = data["cells"] if "cells" in data else data["figures"]  # a stream, or an experiment
        else:
            figures = [cell for run in data["runs"] for cell in run["cells"]]
        if not all(isinstance(one.get(key), int | float | None) for one in figures for key in OF_CELLS):
            raise TypeError("a figure is not an object")
        return list(figures)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(f"release {release.path}: {name} cannot be read ({error!r})") from None


def _close(one: Any, other: Any) -> bool:
    return one == other if one is None or other is None else isclose(one, other, abs_tol=1e-9)


# ---- new verdicts ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RescoreResult:
    """The outcome of judging answers again."""

    judged: int
    unknown: int  # answers to tasks that are not in the world; they keep their verdicts
    changes: Sequence[str]  # one line for each verdict that changed
    passed: tuple[int, int]  # answers that passed, before and after
    credited: tuple[int, int]


def rescore(
    path: Path,
    *,
    worlds: Sequence[str] = (),
    workers: int = 0,
    progress: Progress = lambda what, done, total: None,
) -> RescoreResult:
    """Judge the answers again, and write the new verdicts. `worlds` are folders or seeds."""
    released = folder.is_release(path)
    release = folder.read(path) if released else _as_release(path)
    claims = list(claims_of(release)) if released else _claims_of_run(path)
    if not claims:
        raise ConfigError(f"{path} has no answers with a verdict; there is nothing to judge again")
    opened = open_worlds(release, worlds, progress)
    now: dict[tuple[str, str], Verdict] = {}
    unknown = 0
    for claim, verdict in judge_again(release, opened, lambda: claims, workers):
        progress("verdicts", len(now) + unknown, len(claims))
        if verdict is not None and verdict.blame is Blame.SANDBOX and claim.verdict.blame is not Blame.SANDBOX:
            raise ConfigError(
                f"{path}: {claim.rollout.key} cannot be judged here ({verdict.detail}); nothing was changed"
            )
        unknown += verdict is None
        now[claim.run, claim.rollout.key] = verdict or claim.verdict
    pairs = [(claim, now[claim.run, claim.rollout.key]) for claim in claims]
    _write_release(release, now) if released else _write_run(path, pairs)
    changed = [(claim, change) for claim, verdict in pairs if (change := difference(claim.verdict, verdict))]
    before, after = [claim.verdict for claim, _ in pairs], [verdict for _, verdict in pairs]
    return RescoreResult(
        judged=len(claims) - unknown,
        unknown=unknown,
        changes=[f"{claim.run}: {claim.rollout.key}: {change}" for claim, change in changed],
        passed=(sum(v.passed for v in before), sum(v.passed for v in after)),
        credited=(sum(v.targeted is True for v in before), sum(v.targeted is True for v in after)),
    )


def _claims_of_run(path: Path) -> list[Claim]:
    rows = Run.load(path).rows()
    return [Claim("", row.rollout, row.verdict) for row in rows if row.verdict is not None and not row.rollout.error]


def _as_release(path: Path) -> Release:
    """Return a release that consists of this run only. Its world must be available, since it cannot be rebuilt."""
    manifest = Run.load(path).manifest
    world = ReleasedWorld(
        str(manifest.world.get("seed", "")),
        str(manifest.world["fingerprint"]),
        int(manifest.world.get("seed", 0)),
        "",
        "",
        None,
    )
    run = ReleasedRun("", world.fingerprint, "", "", "", 0, None, manifest.to_json())
    return Release(path, RUN, path.name, "", (world,), (run,))


def _write_run(path: Path, pairs: Sequence[tuple[Claim, Verdict]]) -> None:
    before = Run.load(path).manifest.scoring
    if before != SCORING_RULES:
        shutil.copyfile(path / store.VERDICTS, path / f"verdicts-rules-{before}.jsonl")
    files.write_lines(path / store.VERDICTS, ({"key": c.rollout.key, **verdict.to_json()} for c, verdict in pairs))
    manifest = replace(Run.load(path).manifest, scoring=SCORING_RULES).to_json()
    files.write_json(path / store.MANIFEST, manifest)


def _write_release(release: Release, now: dict[tuple[str, str], Verdict]) -> None:
    lines = [
        folder.answer_line(run, rollout, now.get((run, rollout.key), verdict))
        for run, rollout, verdict in folder.answers(release)
    ]
    runs = tuple(replace(run, manifest={**run.manifest, "scoring": SCORING_RULES}) for run in release.runs)
    scored = replace(release, runs=runs)
    folder.pack(release.path / folder.ANSWERS, lines)
    files.write_json(release.path / folder.MANIFEST, scored.to_json())
    pack.write_report(scored)
    folder.write_sums(release.path)

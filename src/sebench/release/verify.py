"""Is a release what it says? Its answers are judged again, and every verdict is compared.

What is compared of a verdict: kind, blame, whether it is credited, and which functions were called and invented. The wording of a detail is
not, since Python words its errors anew in each version. A fault of the sandbox here is no difference: it says nothing about the release. One
that the release claims is, where the answer can be judged here: else wrong answers could be hidden as faults.

Answers could also be hidden by leaving them out, and figures be made with tasks that do not exist. So every run must have an answer to each
sample of its tasks, and the tasks and their number must be those of the world.

Not covered: whether the model wrote these answers, and whether it truly gave none where the release says so (their number is told).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.judge.judge import Judge
from sebench.judge.rules import SCORING_RULES
from sebench.records import Blame, Rollout, Task, Verdict
from sebench.release import folder, pack, recipe
from sebench.release.folder import EXPERIMENT, Release, ReleasedRun
from sebench.report import formats, learning, learning_files
from sebench.store import RunManifest
from sebench.world import World

Progress = Callable[[str, int, int], None]
COMPARED = ("kind", "blame", "targeted", "numpy_passed", "functions", "uncredited", "invented")
OF_CELLS = ("accuracy", "targeted", "tasks", "samples")


@dataclass(frozen=True)
class Checked:
    """What came of a check."""

    release: Release
    answers: int  # with a verdict that can be compared
    judged: int  # again
    differences: Sequence[str]  # one line each
    unknown: int  # answers to tasks that the world does not have: from elsewhere, with cases of their own
    faults: int  # of the sandbox here
    silent: int  # answers that the model did not give, as the release says
    reworded: (
        str  # the report in words, where this version would write it otherwise; its figures are compared in any case
    )

    @property
    def older_rules(self) -> bool:
        """Whether it was scored by other rules than those of this version."""
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
) -> Checked:
    """Check a release. `worlds` are folders or seeds, `sample` a number of answers that are drawn with `seed`; 0 for all."""
    release = folder.read(path)
    claims: list[Claim] = []
    given: dict[str, Counter[tuple[str, str, int]]] = {run.folder: Counter() for run in release.runs}
    silent = unjudged = 0
    for run, rollout, verdict in folder.answers(release):
        given[run][rollout.book, rollout.task_id, rollout.sample_index] += 1
        if rollout.error:
            silent += 1
        elif verdict is None:
            unjudged += 1
        else:
            claims.append(Claim(run, rollout, verdict))
    if not claims:
        raise ConfigError(f"release {path} has no answer with a verdict; there is nothing to check")
    chosen = _sample(claims, sample, seed)
    differences = [f"{unjudged:,} answers have no verdict"] if unjudged else []
    wrong_figures, reworded = _report(release)
    differences += wrong_figures
    opened = open_worlds(release, worlds, {c.run for c in chosen}, progress)
    tasks = folder.tasks_of(release)
    for one in release.runs:
        if one.world in opened:
            differences += _whole(one, given[one.folder], tasks[one.folder], opened[one.world])
    unknown = faults = done = 0
    for claim, verdict in judged_again(release, opened, chosen, workers):
        if verdict is None:
            unknown += 1
            continue
        done += 1
        progress("verdicts", done, len(chosen))
        if verdict.blame is Blame.SANDBOX:
            faults += 1
        elif said := difference(claim.verdict, verdict):
            differences.append(f"{claim.run}: {claim.rollout.key}: the release says {said}")
    if done == 0:
        raise ConfigError(f"release {path}: no task of it is in its world, so that nothing can be judged again")
    return Checked(release, len(claims), done, differences, unknown, faults, silent, reworded)


def judged_again(
    release: Release, opened: Mapping[str, World], claims: Sequence[Claim], workers: int
) -> Iterator[tuple[Claim, Verdict | None]]:
    """Claims with the verdicts that they get here; None for answers to tasks that the world does not have."""
    for (world, profile), some in _by_judge(release, opened, claims).items():
        pairs = [(claim, _task(opened[world], claim.rollout.task_id)) for claim in some]
        yield from ((claim, None) for claim, task in pairs if task is None)
        known = [(claim, task) for claim, task in pairs if task is not None]
        with Judge(opened[world], profile=profile, workers=workers) as judge:
            verdicts = judge.judge_rollouts((task, claim.rollout) for claim, task in known)
            yield from ((claim, verdict) for (claim, _), verdict in zip(known, verdicts, strict=True))


def _whole(
    run: ReleasedRun, given: Counter[tuple[str, str, int]], tasks: Sequence[Mapping[str, Any]], world: World
) -> list[str]:
    """What is missing in a run, there twice, or not of its world."""
    told = RunManifest.from_json(run.manifest)
    found = []
    if told.world.get("tasks", world.manifest.tasks) != world.manifest.tasks:
        found.append("its settings give another number of tasks than its world has")
    known = {task["id"]: _task(world, task["id"]) for task in tasks}
    for task in tasks:
        there = known[task["id"]]
        if there is not None and (task["split"], list(task["functions"])) != (there.split, list(there.functions)):
            found.append(f"task {task['id']} is not what it is in its world")
    strange = sum(task is None for task in known.values())
    if strange and not told.config.get("tasks"):
        found.append(f"{strange:,} of its tasks are not in its world")
    expected = told.responses or len(known) * len(told.config["book"]) * int(told.config["samples"])
    if given.total() != run.answers or len(given) < expected:
        found.append(f"it has {len(given):,} answers, and should have {max(expected, run.answers):,}")
    if len(given) < given.total() or len(known) < len(tasks):
        found.append("an answer or a task is in it twice")
    if foreign := {task for _, task, _ in given} - known.keys():
        found.append(f"there are answers to {len(foreign):,} tasks that it does not list")
    return [f"{run.folder}: {line}" for line in found]


def _sample(claims: list[Claim], sample: int, seed: int) -> list[Claim]:
    if not sample or sample >= len(claims):
        return claims
    ranked = sorted(claims, key=lambda c: sha256(f"{seed}:{c.run}:{c.rollout.key}".encode()).digest())
    return ranked[:sample]


def open_worlds(release: Release, given: Sequence[str], runs: set[str], progress: Progress) -> dict[str, World]:
    """The worlds of these runs, by fingerprint."""
    wanted = {run.world for run in release.runs if run.folder in runs}
    if len(given) == 1 and len(wanted) == 1:  # the one world: a wrong one is named
        only = release.world(next(iter(wanted)))
        return {only.fingerprint: recipe.find(only, given[0], progress)}
    opened = {world.manifest.fingerprint: world for world in (World.open(one, progress) for one in given)}
    if strange := opened.keys() - {world.fingerprint for world in release.worlds}:
        raise ConfigError(f"world {opened[strange.pop()].path} is none of this release; leave it out of --world")
    return {one: opened[one] if one in opened else recipe.find(release.world(one), None, progress) for one in wanted}


def _by_judge(
    release: Release, opened: Mapping[str, World], claims: Sequence[Claim]
) -> dict[tuple[str, str], list[Claim]]:
    """The claims by world and by how values are compared."""
    judges = {run.folder: (run.world, str(run.manifest["config"].get("profile", "strict"))) for run in release.runs}
    found: dict[tuple[str, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        found[judges[claim.run]].append(claim)
    return found


def _task(world: World, name: str) -> Task | None:
    try:
        return world.task(name)
    except ConfigError:
        return None


def difference(claimed: Verdict, found: Verdict) -> str:
    """What differs, "" for nothing."""
    for key in COMPARED:
        was, now = getattr(claimed, key), getattr(found, key)
        if was != now:
            return f"{key} = {_shown(was)}, judged again it is {_shown(now)}"
    return ""


def _shown(value: Any) -> str:
    return ", ".join(value) or "none" if isinstance(value, tuple) else str(value)


def _report(release: Release) -> tuple[list[str], str]:
    """Figures of the report that are not what the verdicts come to; and its name in words, where those are not ours."""
    if release.kind == EXPERIMENT:
        with folder.unpacked([release]) as (place,):
            compared = learning.compare(place)
        now, name, words = compared.to_json()["figures"], learning_files.JSON, learning_files.MARKDOWN
        text = learning_files.markdown(compared)
    else:
        summed = pack.summarize([release])
        now, name, words = [cell for run in summed.to_json()["runs"] for cell in run["cells"]], pack.REPORT, pack.TEXT
        text = formats.text(summed, "markdown")
    was, reworded = _figures(release, name), words if text != _text(release, words) else ""
    if len(was) != len(now):
        return [f"{name} has {len(was)} figures, and the verdicts come to {len(now)}"], reworded
    wrong = [
        f"{name}: {key} is {one.get(key)}, and the verdicts come to {other.get(key)} ({one.get('book')})"
        for one, other in zip(was, now, strict=True)
        for key in OF_CELLS
        if not _close(one.get(key), other.get(key))
    ]
    return wrong, reworded


def _figures(release: Release, name: str) -> list[dict[str, Any]]:
    """The figures that a report claims."""
    try:
        data = json.loads(_text(release, name))
        found = (
            data["figures"] if release.kind == EXPERIMENT else [cell for run in data["runs"] for cell in run["cells"]]
        )
        if not all(isinstance(one, dict) and _numbers(one) for one in found):
            raise TypeError("a figure is none")
        return list(found)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ConfigError(f"release {release.path}: {name} cannot be read ({error!r})") from None


def _numbers(figure: Mapping[str, Any]) -> bool:
    return all(isinstance(figure.get(key), int | float | None) for key in OF_CELLS)


def _text(release: Release, name: str) -> str:
    try:
        return (release.path / name).read_text("utf-8")
    except (OSError, ValueError) as error:
        raise ConfigError(f"release {release.path}: {name} cannot be read ({error})") from None


def _close(one: Any, other: Any) -> bool:
    return one == other if one is None or other is None else isclose(one, other, abs_tol=1e-9)

"""Is a release what it says? Its answers are judged again, and every verdict is compared.

What is compared of a verdict: kind, blame, whether it is credited, and which functions were called and invented. The wording of a detail is
not, since Python words its errors anew in each version. A fault of the sandbox here is no difference: it says nothing about the release.

Not covered: whether the model wrote these answers.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isclose
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.judge.judge import Judge
from sebench.records import Blame, Rollout, Task, Verdict
from sebench.release import folder, pack, recipe
from sebench.release.folder import EXPERIMENT, Release
from sebench.report import learning, learning_files
from sebench.world import World

Progress = Callable[[str, int, int], None]
COMPARED = ("kind", "blame", "targeted", "numpy_passed", "functions", "uncredited", "invented")
OF_CELLS = ("accuracy", "targeted", "tasks", "samples")
JUDGED_BY_US = (Blame.NONE, Blame.CANDIDATE, Blame.TASK)


@dataclass(frozen=True)
class Checked:
    """What came of a check."""

    release: Release
    answers: int  # with a verdict that can be compared
    judged: int  # again
    differences: Sequence[str]  # one line each
    unknown: int  # answers to tasks that the world does not have: from elsewhere, with cases of their own
    faults: int  # of the sandbox here

    @property
    def holds(self) -> bool:
        return not self.differences


@dataclass(frozen=True)
class _Claim:
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
    claims = [
        _Claim(run, rollout, verdict)
        for run, rollout, verdict in folder.answers(release)
        if verdict is not None and verdict.blame in JUDGED_BY_US
    ]
    if not claims:
        raise ConfigError(f"release {path} has no answer with a verdict; there is nothing to check")
    chosen = _sample(claims, sample, seed)
    differences = _report_differences(release)
    opened = _open(release, worlds, {c.run for c in chosen}, progress)
    unknown = faults = done = 0
    for (world, profile), some in _by_judge(release, opened, chosen).items():
        pairs = [(claim, task) for claim in some if (task := _task(opened[world], claim.rollout.task_id)) is not None]
        unknown += len(some) - len(pairs)
        with Judge(opened[world], profile=profile, workers=workers) as judge:
            verdicts = judge.judge_rollouts((task, claim.rollout) for claim, task in pairs)
            for (claim, _), verdict in zip(pairs, verdicts, strict=True):
                done += 1
                progress("verdicts", done, len(chosen))
                if verdict.blame is Blame.SANDBOX:
                    faults += 1
                elif said := _difference(claim.verdict, verdict):
                    differences.append(f"{claim.run}: {claim.rollout.key}: {said}")
    if done == 0:
        raise ConfigError(f"release {path}: no task of it is in its world, so that nothing can be judged again")
    return Checked(release, len(claims), done, differences, unknown, faults)


def _sample(claims: list[_Claim], sample: int, seed: int) -> list[_Claim]:
    if not sample or sample >= len(claims):
        return claims
    ranked = sorted(claims, key=lambda c: sha256(f"{seed}:{c.run}:{c.rollout.key}".encode()).digest())
    return ranked[:sample]


def _open(release: Release, given: Sequence[str], runs: set[str], progress: Progress) -> dict[str, World]:
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
    release: Release, opened: Mapping[str, World], claims: Sequence[_Claim]
) -> dict[tuple[str, str], list[_Claim]]:
    """The claims by world and by how values are compared."""
    judges = {run.folder: (run.world, str(run.manifest["config"].get("profile", "strict"))) for run in release.runs}
    found: dict[tuple[str, str], list[_Claim]] = defaultdict(list)
    for claim in claims:
        if claim.run not in judges:
            raise ConfigError(f"release {release.path} is damaged: {claim.run!r} is none of its runs")
        found[judges[claim.run]].append(claim)
    return found


def _task(world: World, name: str) -> Task | None:
    try:
        return world.task(name)
    except ConfigError:
        return None


def _difference(claimed: Verdict, found: Verdict) -> str:
    """What differs, "" for nothing."""
    for key in COMPARED:
        was, now = getattr(claimed, key), getattr(found, key)
        if was != now:
            return f"the release says {key} = {_shown(was)}, judged again it is {_shown(now)}"
    return ""


def _shown(value: Any) -> str:
    return ", ".join(value) or "none" if isinstance(value, tuple) else str(value)


def _report_differences(release: Release) -> list[str]:
    """Whether the report says what the verdicts come to."""
    if release.kind == EXPERIMENT:
        with folder.unpacked([release]) as (place,):
            now = learning.compare(place).to_json()["figures"]
        name, was = learning_files.JSON, _stored(release, learning_files.JSON)["figures"]
    else:
        now = [cell for run in pack.summarize([release]).to_json()["runs"] for cell in run["cells"]]
        name, was = pack.REPORT, [cell for run in _stored(release, pack.REPORT)["runs"] for cell in run["cells"]]
    if len(was) != len(now):
        return [f"{name} has {len(was)} figures, and the verdicts come to {len(now)}"]
    return [
        f"{name}: {key} is {one.get(key)}, and the verdicts come to {other.get(key)} ({one.get('book')})"
        for one, other in zip(was, now, strict=True)
        for key in OF_CELLS
        if not _close(one.get(key), other.get(key))
    ]


def _stored(release: Release, name: str) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads((release.path / name).read_text("utf-8"))
        return data
    except (OSError, ValueError) as error:
        raise ConfigError(f"release {release.path}: {name} cannot be read ({error})") from None


def _close(one: Any, other: Any) -> bool:
    return one == other if one is None or other is None else isclose(one, other, abs_tol=1e-9)

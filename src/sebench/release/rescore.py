"""Judges the answers of a release or a run again by the scoring rules of this version, and keeps the new verdicts.

Scoring rules are numbered (`judge/program/rules.py`). A run records which rules scored it, and a comparison of results
by different rules carries a note. The old verdicts of a run are kept beside the new ones; those of a release are kept
in its history. Every change is listed.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.records import Blame, Verdict
from sebench.judge.program.rules import SCORING_RULES
from sebench.release import folder, pack
from sebench.release.fields import RUN
from sebench.release.folder import Release, ReleasedRun, ReleasedWorld
from sebench.release.verify import Claim, Progress, claims_of, difference, judge_again, open_worlds
from sebench.rollout import store
from sebench.rollout.store import Run


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
    """Return a run as a release of one run, whose world must be available."""
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

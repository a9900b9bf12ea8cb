"""Describes a run in its folder: the manifest, and a line for each task. Shared by runs and imported rollouts."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sebench.base import files, ledger
from sebench.base.records import Task
from sebench.judge.program.rules import SCORING_RULES
from sebench.rollout.store import RunManifest
from sebench.tasks import dataset
from sebench.version import __version__
from sebench.world.world import World

LEARN, LOG = "learn.json", "log.jsonl"  # of a training run, next to the weights


def now() -> str:
    """Return the current time in UTC, for the manifest."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def manifest(
    config: Mapping[str, Any], world: World, *, prompts: Mapping[str, Any], missing: list[str], **facts: Any
) -> RunManifest:
    """Return the manifest of a run: settings, world and machine. `facts` are recorded too, but not compared."""
    edition = world.manifest.edition
    return RunManifest(
        config=config,
        world={
            "fingerprint": world.manifest.fingerprint,
            "seed": world.manifest.seed,
            "package": world.names.package,
            "part": world.manifest.part,
            "tasks": dict(world.manifest.tasks),
            **({"edition": edition.number} if edition else {}),
        },
        prompts=prompts,
        versions={
            "sebench": __version__,
            "numpy": world.manifest.numpy,
            "python": platform.python_version(),
        },
        machine=f"{platform.system()} {platform.machine()}",
        isolation_missing=missing,
        started=now(),
        scoring=SCORING_RULES,
        **facts,
    )


def training(model: str) -> dict[str, Any]:
    """Return how the weights in a folder were trained (the method and the number of tokens), as far as it is
    recorded."""
    at = Path(model.removeprefix("hf:"))
    method = files.read_json(at / LEARN).get("method")
    tokens = {line.get("step"): line.get("tokens", 0) for _, line in ledger.lines(at / LOG)}
    return {**({"method": str(method)} if method else {}), **({"tokens": sum(tokens.values())} if tokens else {})}


def trained_elsewhere(model: str, world: World) -> str:
    """Return a note if the weights in a folder were trained on other worlds but not on this one; "" otherwise."""
    record: Any = files.read_json(Path(model.removeprefix("hf:")) / LEARN)
    worlds: list[dict[str, Any]] = []
    while record:
        worlds.append(record.get("world") or {})
        record = {"world": worlds[-1], **record["start"]} if record.get("start") else {}
    fingerprints = [str(one.get("fingerprint", "")) for one in worlds]
    if not fingerprints or world.manifest.fingerprint in fingerprints:
        return ""
    other = f"{worlds[0].get('package')}, fingerprint {fingerprints[0][:12]}"
    return f"{model} was trained on another world ({other}), not on {world.path}"


def task_line(task: Task, world: World) -> dict[str, Any]:
    """Return the facts about a task that a report needs."""
    return {
        **dataset.facts(task, world.manifest.matched_names),  # a boundary task is about a function that the world lacks
        "question": task.question,
        "gold": task.gold,
        "cases": [dataset.render_case(case) for case in task.cases],
    }

"""One run from a configuration to a folder of responses and verdicts. `sebench run` and `sebench tour` call it."""

from __future__ import annotations

import asyncio
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sebench
from sebench.errors import ConfigError
from sebench.judge.judge import Judge
from sebench.records import Task
from sebench.rollout import models
from sebench.rollout.config import RunConfig
from sebench.rollout.model import Sampling
from sebench.rollout.runner import Pace, Plan, Progress, rollout
from sebench.store import Run, Writer
from sebench.tasks import dataset
from sebench.world import World

CHARACTERS_A_TOKEN = 3.5  # of English and code, for estimates


@dataclass(frozen=True)
class Estimate:
    """What a run will ask for."""

    tasks: int
    requests: int
    prompt_tokens: int
    most_completion_tokens: int


def plan(config: RunConfig, world: World) -> Plan:
    folder = Path(config.prompts) if config.prompts else None
    made = Plan.make(config, world, world.prompter(folder, config.distractors, config.seed))
    if not made.tasks:
        raise ConfigError(f"world {world.path} has no tasks in {', '.join(config.split)}; build it again")
    return made


def estimate(config: RunConfig, made: Plan) -> Estimate:
    characters = sum(len(prompt.text) for _, prompt, _ in made.items())
    tokens = round(characters / CHARACTERS_A_TOKEN)
    return Estimate(len(made.tasks), made.requests, tokens, made.requests * config.max_tokens)


def run(
    config: RunConfig,
    world: World,
    out: Path,
    *,
    judged: bool = True,
    require_isolation: bool = False,
    progress: Progress = lambda what, done, total: None,
) -> Run:
    """Begin or continue the run in folder `out`."""
    made = plan(config, world)
    with Judge(world, profile=config.profile) as judge:
        missing = [layer["name"] for layer in judge.layers if not layer["holds"]]
        if missing and require_isolation:
            raise ConfigError(f"these isolation layers do not hold: {', '.join(missing)}; see 'sebench doctor'")
        manifest = _manifest(config, world, made, missing)
        tasks = [_task(task, world) for task in made.tasks]
        with Writer(out, manifest, tasks) as writer:
            asyncio.run(_rollout(config, world, made, writer, judge if judged else None, progress))
    return Run.load(out)


async def _rollout(
    config: RunConfig, world: World, made: Plan, writer: Writer, judge: Judge | None, progress: Progress
) -> None:
    model = models.load(config, world)
    try:
        sampling, pace = (
            Sampling(config.temperature, config.top_p, config.max_tokens),
            Pace(config.workers, config.tries),
        )
        await rollout(made, model, writer, judge, sampling=sampling, seed=config.seed, pace=pace, progress=progress)
    finally:
        await model.close()


def _manifest(config: RunConfig, world: World, made: Plan, missing: list[str]) -> dict[str, Any]:
    return {
        "config": config.compared(),
        "world": {
            "fingerprint": world.manifest.fingerprint,
            "seed": world.manifest.seed,
            "package": world.names.package,
        },
        "prompts": {"templates": made.prompter.digest},
        "versions": {
            "sebench": sebench.__version__,
            "numpy": world.manifest.numpy,
            "python": platform.python_version(),
        },
        "machine": f"{platform.system()} {platform.machine()}",
        "isolation_missing": missing,
    }


def _task(task: Task, world: World) -> dict[str, Any]:
    """What a report needs to know of a task."""
    return {
        "id": task.id,
        "split": task.split,
        "question": task.question,
        "signature": task.signature,
        "functions": list(task.functions),
        "forged": [world.names.functions[path] for path in task.functions],
        "subjects": sorted({world.entries[path].subject for path in task.functions}),
        "gold": task.gold,
        "cases": [dataset.shown_case(case) for case in task.cases],
    }

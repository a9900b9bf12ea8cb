"""One run from a configuration to a folder of responses and verdicts. `sebench run` and `sebench tour` call it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from sebench.errors import ConfigError
from sebench.judge.judge import Judge
from sebench.prompts import templates_folder
from sebench.rollout import describe, models
from sebench.rollout.config import RunConfig
from sebench.rollout.model import Sampling
from sebench.rollout.models import without_credentials
from sebench.rollout.runner import Pace, Plan, Progress, RolloutSummary, rollout
from sebench.store import Run, Writer
from sebench.tasks import splits
from sebench.world import World

CHARACTERS_PER_TOKEN = 3.5  # of English and code, for estimates


@dataclass(frozen=True)
class Estimate:
    """What a run will ask for."""

    tasks: int
    requests: int
    prompt_tokens: int
    most_completion_tokens: int


def plan(config: RunConfig, world: World) -> Plan:
    folder = templates_folder(config.prompts)
    made = Plan.make(config, world, world.prompter(folder, config.book_settings(), config.give_names, config.decline))
    if splits.BOUNDARY_TEST in config.split and not world.manifest.left_out:
        raise ConfigError(
            f"world {world.path} has no {splits.BOUNDARY_TEST}: it lacks nothing; build one with --leave-out, or see --split"
        )
    if not made.tasks:
        where = config.tasks or f"world {world.path}"
        raise ConfigError(f"{where} has no tasks in {', '.join(config.split)}; see --split")
    return made


def estimate(config: RunConfig, made: Plan) -> Estimate:
    characters = sum(len(prompt.text) for _, prompt, _ in made.items())
    tokens = round(characters / CHARACTERS_PER_TOKEN)
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
        manifest = describe.manifest(
            config.compared(),
            world,
            prompts={"templates": made.prompter.digest},
            missing=judge.missing_layers(require_isolation),
            base_urls=[without_credentials(url) for url in config.base_url],
        )
        with Writer(out, manifest, [describe.task_line(task, world) for task in made.tasks]) as writer:
            outcome = asyncio.run(_rollout(config, world, made, writer, judge if judged else None, progress))
            served = {"served_model": outcome.served_model} if outcome.served_model else {}
            writer.note(ended=describe.now(), **served)
    return Run.load(out)


async def _rollout(
    config: RunConfig, world: World, made: Plan, writer: Writer, judge: Judge | None, progress: Progress
) -> RolloutSummary:
    model = models.load(config, world, made.tasks if config.tasks else ())
    sampling = Sampling(config.temperature, config.top_p, config.max_tokens, config.stop)
    pace = Pace(config.workers, config.tries)
    try:
        return await rollout(
            made, model, writer, judge, sampling=sampling, seed=config.seed, pace=pace, progress=progress
        )
    finally:
        await model.close()

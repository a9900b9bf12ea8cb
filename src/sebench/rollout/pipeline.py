"""Executes one run, from a configuration to a folder of responses and verdicts. `sebench run` and `sebench tour` call
it."""

from __future__ import annotations

import asyncio
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError
from sebench.judge.interface import AnyJudge
from sebench.judge.program.rules import SCORING_RULES
from sebench.memory.conversations import Talking, refuse_without_examples, templates_of
from sebench.memory.folder import Memory
from sebench.memory.kinds import CHARACTERS_PER_TOKEN
from sebench.memory.recall import Recall
from sebench.models.calls import Spent
from sebench.models.model import Sampling
from sebench.rollout import describe, embeddings
from sebench.rollout.config import RunConfig
from sebench.rollout.engine import Engine, ThisMachine
from sebench.rollout.models import NoModelNeeded, without_credentials
from sebench.rollout.requester import Pace
from sebench.rollout.runner import Progress, RolloutPlan, rollout
from sebench.rollout.store import Run, RunManifest, RunWriter, read_resumable
from sebench.tasks import splits
from sebench.world.prompts import templates_folder
from sebench.world.world import World

REPAIR_TOKENS = 300  # of a repair prompt besides the program: its own text, and what came of the program


@dataclass(frozen=True)
class Estimate:
    """What a run would send at most."""

    tasks: int  # including those that are answered already
    requests: int
    prompt_tokens: int
    most_completion_tokens: int


def plan(config: RunConfig, world: World) -> RolloutPlan:
    recall = Recall(Memory.load(Path(config.memory)), world) if config.memory else None
    more = templates_of(recall.kind if recall else None, config.repair)
    folder = templates_folder(config.prompts)
    prompter = world.prompter(folder, config.book_settings(), config.give_names, config.decline, more)
    rollout_plan = RolloutPlan.make(config, world, prompter, recall)
    if recall is not None:
        embeddings.prepare(recall, rollout_plan.tasks, config.embed_url, config.embed_key_env)
    if splits.BOUNDARY_TEST in config.split and not world.manifest.left_out:
        raise ConfigError(
            f"world {world.path} has no {splits.BOUNDARY_TEST}: its library is complete; build a world with "
            "--leave-out, or see --split"
        )
    if not rollout_plan.tasks:
        where = config.tasks or f"world {world.path}"
        raise ConfigError(f"{where} has no tasks in {', '.join(config.split)}; see --split")
    if config.repair:
        refuse_without_examples(rollout_plan.tasks, prompter)
    return rollout_plan


def estimate(config: RunConfig, rollout_plan: RolloutPlan, answered: Container[str] = ()) -> Estimate:
    """Estimate what a run would send at most to get the responses that are not yet stored; `answered` holds those that
    are. A memory that the model consults and self-repair take further requests, whose prompts are longer."""
    lengths = [len(prompt.text) for _, prompt, _ in rollout_plan.unanswered(answered)]
    kind = rollout_plan.answering.recall.kind if rollout_plan.answering.recall else None
    consulted, longer = (kind.most_requests(), kind.most_tokens()) if isinstance(kind, Talking) else (1, 0)
    prompt_tokens = round(sum(lengths) / CHARACTERS_PER_TOKEN) + len(lengths) * longer
    most = most_sent(config, len(lengths), prompt_tokens, consulted)
    return Estimate(len(rollout_plan.tasks), most.calls, most.prompt_tokens, most.completion_tokens)


def most_sent(config: RunConfig, answers: int, prompt_tokens: int, requests: int = 1) -> Spent:
    """Return what these answers send at most, if all their first prompts together have `prompt_tokens` and each takes
    this many requests before any self-repair."""
    each = requests + config.repair
    repairs = config.repair * answers * (config.max_tokens + REPAIR_TOKENS)
    return Spent(answers * each, each * prompt_tokens + repairs, answers * each * config.max_tokens)


def memory_facts(rollout_plan: RolloutPlan) -> dict[str, Any]:
    """Return the manifest's entry about the memory: what it is, how it was created, and what it adds to a prompt."""
    recall = rollout_plan.answering.recall
    if recall is None:
        return {}
    facts = recall.memory.facts()
    if isinstance(recall.kind, Talking):  # what such a memory adds depends on the model
        return facts | {"most_tokens": recall.kind.most_tokens()}
    added = [recall.text(task).tokens_estimate for task in rollout_plan.tasks]
    return facts | {"most_tokens": max(added), "mean_tokens": round(sum(added) / len(added), 1)}


def _manifest(config: RunConfig, world: World, rollout_plan: RolloutPlan, missing: list[str]) -> RunManifest:
    return describe.manifest(
        config.compared(),
        world,
        prompts={"templates": rollout_plan.answering.prompter.digest},
        missing=missing,
        base_urls=[without_credentials(url) for url in config.base_url],
        memory=memory_facts(rollout_plan),
        training={} if config.base_url else describe.training(config.model),
    )


def check_folder(config: RunConfig, world: World | None, rollout_plan: RolloutPlan | None, out: Path) -> None:
    """Raise an error if a folder holds a run that these settings cannot resume. Of a world that is not built yet
    (None), only the settings are known."""
    if world is None or rollout_plan is None:
        read_resumable(out, RunManifest(config.compared(), {}, {}, scoring=SCORING_RULES), ["config"])
    else:
        read_resumable(out, _manifest(config, world, rollout_plan, []))


def run(
    config: RunConfig,
    world: World,
    out: Path,
    *,
    judged: bool = True,
    require_isolation: bool = False,
    progress: Progress = lambda what, done, total: None,
    engine: Engine | None = None,
) -> Run:
    """Start or resume the run in folder `out`. The `engine` decides where models and judges run; by default on this
    machine."""
    rollout_plan = plan(config, world)
    engine = engine or ThisMachine()
    with engine.judge(world, config.profile) as judge:
        manifest = _manifest(config, world, rollout_plan, judge.missing_layers(require_isolation))
        with RunWriter(out, manifest, [describe.task_line(task, world) for task in rollout_plan.tasks]) as writer:
            served = asyncio.run(
                _rollout(config, world, rollout_plan, writer, engine, judge if judged else None, judge, progress)
            )
            if served:
                writer.note(served_model=served)
            writer.note_end(describe.now())
    return Run.load(out)


async def _rollout(
    config: RunConfig,
    world: World,
    rollout_plan: RolloutPlan,
    writer: RunWriter,
    engine: Engine,
    judge: AnyJudge | None,
    interpreter: AnyJudge,
    progress: Progress,
) -> str:
    recall = rollout_plan.answering.recall
    more = recall.kind.most_tokens() if recall else 0
    own_tasks = rollout_plan.tasks if config.tasks else ()
    missing = sum(1 for _ in rollout_plan.unanswered(writer.answered))
    progress("responses", rollout_plan.requests - missing, rollout_plan.requests)  # the first may take minutes
    model = engine.model(config, world, own_tasks, more) if missing else NoModelNeeded()
    sampling = Sampling(config.temperature, config.top_p, config.max_tokens, config.stop)
    pace = Pace(config.workers, config.tries)
    try:
        return await rollout(
            rollout_plan,
            model,
            writer,
            judge,
            sampling=sampling,
            seed=config.seed,
            pace=pace,
            progress=progress,
            interpreter=interpreter,
            missing=missing,
        )
    finally:
        await model.close()

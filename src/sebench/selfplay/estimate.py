"""`sebench selfplay --dry-run`: what a round would ask for, at most. No model is asked and nothing is written.

Every draft is taken to pass the gates, and every reply to be as long as is allowed. Questions of the play do not exist yet: their prompts are
taken to be as long as those of training tasks, of which only the length is looked at. Tokens are estimated from characters.

Not covered: training, for which 'sebench learn --dry-run' has a plan, and the time of the gates (docs/selfplay.md has a figure).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sebench.author import proposals
from sebench.models.calls import Spent, estimate
from sebench.rollout import pipeline
from sebench.selfplay.config import SelfplayConfig
from sebench.tasks import splits
from sebench.train.proposals import proposing
from sebench.world.prompts import NATIVE, OPEN, templates_folder
from sebench.world.world import World

SAMPLE = 40  # prompts whose mean length stands for all


@dataclass(frozen=True)
class RoundEstimate:
    """What one round asks for, at most."""

    functions: int
    drafts: int
    answers: int  # that could be learnt from after the round
    proposing: Spent
    agreeing: Spent  # of the models of the consensus, together
    solving: Spent
    evaluating: Spent  # also once before the first round


def estimate_round(world: World, config: SelfplayConfig) -> RoundEstimate:
    """What a round of a play with these settings would take."""
    functions = proposals.chosen(world, config.functions)[: config.targets or None]
    drafts = len(functions) * config.proposals
    solver = config.run_config(config.model, (splits.TRAIN,), OPEN)
    prompter = world.prompter(templates_folder(solver.prompts), solver.book_settings())
    tasks = world.tasks(splits.TRAIN)[:SAMPLE]
    opened = [prompter.prompt(task, OPEN).text for task in tasks]
    native = [world.prompter().prompt(task, NATIVE).text for task in tasks]
    base = config.run_config(config.base or config.model, config.split, "closed")
    whole = pipeline.estimate(base, pipeline.plan(base, world))
    return RoundEstimate(
        functions=len(functions),
        drafts=drafts,
        answers=drafts * config.samples,
        proposing=_proposing(world, config, functions),
        agreeing=_calls(native, drafts * len(config.consensus), config.propose_tokens),
        solving=_calls(opened, drafts * config.samples, config.max_tokens),
        evaluating=Spent(whole.requests, whole.prompt_tokens, whole.most_completion_tokens),
    )


def _proposing(world: World, config: SelfplayConfig, functions: Sequence[str]) -> Spent:
    looked_at = functions[:SAMPLE]
    asked = [proposals.prompt(world, f, proposing.TIER, 0, (), 0, bank=False).text for f in looked_at]
    return _calls(asked, len(functions) * config.proposals, config.propose_tokens)


def _calls(prompts: Sequence[str], count: int, completion_tokens: int) -> Spent:
    """So many calls with prompts of the mean length of these."""
    return estimate(" " * round(fmean(map(len, prompts))), count, completion_tokens)

"""`sebench selfplay --dry-run`: an upper bound on the requests in a round. No model is called and nothing is written.

It assumes that every draft passes the gates and that every reply has the maximum length. The questions do not exist
yet, so their prompts are assumed to be as long as those of training tasks (only the lengths of those are used). Tokens
are estimated from characters.

Not covered: training (see 'sebench learn --dry-run'), and the time that the gates take (docs/selfplay.md has a figure).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from sebench.author import proposals
from sebench.models.calls import Spent, estimate
from sebench.rollout import pipeline
from sebench.selfplay.config import MISSED, SelfplayConfig
from sebench.tasks import splits
from sebench.train.proposals import gating
from sebench.world.prompts import NATIVE, OPEN, templates_folder
from sebench.world.world import World

SAMPLE = 40  # number of prompts used to estimate the mean length


@dataclass(frozen=True)
class RoundEstimate:
    """An upper bound on the requests in one round."""

    functions: int
    drafts: int
    answers: int  # answers to train on after the round
    proposing: Spent
    agreeing: Spent  # all consensus models together
    solving: Spent
    evaluating: Spent  # closed-book runs; the one on the test splits is also done once before the first round


def estimate_round(world: World, config: SelfplayConfig) -> RoundEstimate:
    """Return the estimate for one round with these settings."""
    functions = proposals.parse_functions(world, config.functions)[: config.targets or None]
    drafts = len(functions) * config.proposals
    solver = config.run_config(config.model, (splits.TRAIN,), OPEN)
    prompter = world.prompter(templates_folder(solver.prompts), solver.book_settings())
    tasks = world.tasks(splits.TRAIN)[:SAMPLE]
    open_prompts = [prompter.prompt(task, OPEN).text for task in tasks]
    native_prompts = [world.prompter().prompt(task, NATIVE).text for task in tasks]
    proposer_prompts = [
        proposals.prompt(world, function, gating.TIER, 0, (), 0, bank=False).text for function in functions[:SAMPLE]
    ]
    runs = [config.run_config(config.base or config.model, config.split, "closed")] if config.split else []
    if config.aim == MISSED:
        runs.append(config.run_config(config.base or config.model, (splits.TRAIN,), "closed", limit=0))
    evaluations = [pipeline.estimate(one, pipeline.plan(one, world)) for one in runs]
    return RoundEstimate(
        functions=len(functions),
        drafts=drafts,
        answers=drafts * config.samples,
        proposing=_calls(proposer_prompts, drafts, config.propose_tokens),
        agreeing=_calls(native_prompts, drafts * len(config.consensus), config.propose_tokens),
        solving=_calls(open_prompts, drafts * config.samples, config.max_tokens),
        evaluating=Spent(
            sum(one.requests for one in evaluations),
            sum(one.prompt_tokens for one in evaluations),
            sum(one.most_completion_tokens for one in evaluations),
        ),
    )


def _calls(prompts: Sequence[str], count: int, completion_tokens: int) -> Spent:
    """Return the usage of `count` calls, assuming that each prompt has the mean length of `prompts`."""
    return estimate(" " * round(fmean(map(len, prompts))), count, completion_tokens)

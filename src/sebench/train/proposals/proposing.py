"""Proposals of a round, from the pages alone: one call for each target and number, with the author's prompt.

In that prompt are the page, the kinds of input, and what this play has kept about the function so far. No question of the bank is in it,
neither of the training split nor of a test split.

Every reply is a line of a `CallLog`, so that a round that was interrupted asks for nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sebench.author import proposals
from sebench.author.proposals import Proposal
from sebench.base.errors import ConfigError, ProviderError
from sebench.models.calls import Calls
from sebench.train.proposals.selection import JudgedQuestion
from sebench.world.world import World

TIER = "single"
EARLIER_QUESTIONS = 12  # of those that the play has kept about a function
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class ProposalRequest:
    """A proposal that is asked for."""

    function: str
    number: int  # no two of a function have the same in a whole play


def requests_of_round(targets: Sequence[str], per_target: int, round_number: int) -> list[ProposalRequest]:
    """What a round asks for."""
    first = (round_number - 1) * per_target
    return [ProposalRequest(function, first + n) for function in targets for n in range(per_target)]


async def propose(
    world: World,
    calls: Calls,
    asked: Sequence[ProposalRequest],
    kept: Sequence[JudgedQuestion],
    seed: int,
    tell: Progress,
) -> list[Proposal]:
    """The replies, in order; a provider that fails ends the play, and the same command continues. To a prompt that the model refuses (too
    long) the reply is empty, which no gate passes; one that refuses all of them is a mistake of the settings."""
    earlier = {one.function: _kept_about(one.function, kept) for one in asked}
    done = 0

    async def reply(one: ProposalRequest) -> Proposal | None:
        nonlocal done
        prompt = proposals.prompt(world, one.function, TIER, one.number, earlier[one.function], seed, bank=False)
        said, key = await calls.ask(prompt, seed + one.number), calls.key(prompt, seed + one.number)
        done += 1
        tell("proposals", done, len(asked))
        if said is None and key not in calls.refused:
            return None
        return Proposal(one.function, one.number, said.text if said else "", calls.name, key)

    found = await asyncio.gather(*map(reply, asked))
    if missing := found.count(None):
        raise ProviderError(
            f"{missing:,} of {len(found):,} proposals were not given ({calls.failure}); the same command asks again",
            again=False,
        )
    if len(calls.refused) == len(asked):
        raise ConfigError(f"the proposer {calls.name} takes none of the prompts: {calls.failure}")
    return [one for one in found if one is not None]


def _kept_about(function: str, kept: Sequence[JudgedQuestion]) -> list[str]:
    return [attempt.question for attempt in kept if function in attempt.functions][-EARLIER_QUESTIONS:]

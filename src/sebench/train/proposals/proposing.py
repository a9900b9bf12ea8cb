"""The proposals of a round, from the pages alone: one model call per target and number, with the author's prompt.

The prompt has the page, the kinds of input, and the questions about the function that this self-play has kept so far.
It contains no question of the bank, neither of the training split nor of a test split.

Every reply is a line of a `CallLog`, so that an interrupted round asks for nothing twice.
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
EARLIER_QUESTIONS = 12  # kept questions about a function that its prompt shows
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class ProposalRequest:
    """One proposal to ask the model for."""

    function: str
    number: int  # unique per function in a whole self-play


def requests_of_round(targets: Sequence[str], per_target: int, round_number: int) -> list[ProposalRequest]:
    """The requests of a round."""
    first = (round_number - 1) * per_target
    return [ProposalRequest(function, first + n) for function in targets for n in range(per_target)]


async def propose(
    world: World,
    calls: Calls,
    requests: Sequence[ProposalRequest],
    kept: Sequence[JudgedQuestion],
    seed: int,
    progress: Progress,
) -> list[Proposal]:
    """The replies in order. A provider failure is an error, and the same command continues. A prompt that the model
    refuses (too long) gets an empty reply, which no gate passes; if all are refused, the settings are wrong."""
    earlier = {request.function: _kept_about(request.function, kept) for request in requests}
    done = 0

    async def reply(request: ProposalRequest) -> Proposal | None:
        nonlocal done
        prompt = proposals.prompt(
            world, request.function, TIER, request.number, earlier[request.function], seed, bank=False
        )
        completion, key = await calls.ask(prompt, seed + request.number), calls.key(prompt, seed + request.number)
        done += 1
        progress("proposals", done, len(requests))
        if completion is None and key not in calls.refused:
            return None
        return Proposal(request.function, request.number, completion.text if completion else "", calls.name, key)

    replies = await asyncio.gather(*map(reply, requests))
    if missing := replies.count(None):
        raise ProviderError(
            f"{missing:,} of {len(replies):,} proposals failed ({calls.failure}); the same command asks again",
            again=False,
        )
    if len(calls.refused) == len(requests):
        raise ConfigError(f"the proposer {calls.name} takes none of the prompts: {calls.failure}")
    return [proposal for proposal in replies if proposal is not None]


def _kept_about(function: str, kept: Sequence[JudgedQuestion]) -> list[str]:
    return [question.question for question in kept if function in question.functions][-EARLIER_QUESTIONS:]

"""SE-Bench in verl: the reward function, for rows that `sebench tasks export --format verl` writes.

    reward.custom_reward_function.path=pkg://sebench.interop.frameworks.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.world=7

The reward is a coroutine function: verl's reward loop awaits many at a time, and the judge works on them together. verl
requires a score for every answer, so a fault that is not the candidate's counts as 0 and is marked by the metric
`fault`, but only if it occurs in two attempts.
"""

from __future__ import annotations

import os
from typing import Any

from sebench import SebenchError
from sebench.base import versions
from sebench.interop.frameworks import scoring
from sebench.interop.frameworks.questions import address

versions.require(versions.VERL, optional=True)  # verl itself is not imported here

TRIES = 2


async def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    world: str | int | None = None,
    credit: str = "targeted",
    **others: Any,
) -> dict[str, float]:
    """Return the reward (`score`) of an answer to the task that `ground_truth` names, and the metrics `passed`,
    `targeted` and `fault`.

    `world` (also from SEBENCH_WORLD) and `credit` ("targeted" or "passed") are passed as reward_kwargs.
    """
    named = os.environ.get("SEBENCH_WORLD") if world is None else world
    if named is None:
        raise SebenchError("no world: set reward.custom_reward_function.reward_kwargs.world to a seed or a folder")
    if credit not in ("targeted", "passed"):
        raise SebenchError(f"credit = {credit!r}: must be 'targeted' or 'passed'")
    about = extra_info or {}
    judge = scoring.judge_of(address(named), about.get("world", ""))
    for _ in range(TRIES):
        verdict = await scoring.await_verdict(
            scoring.submit(judge, ground_truth, solution_str, about.get("book", "closed"))
        )
        worth = scoring.AnswerScore.of(verdict)
        if worth.passed is not None:
            break
    return {
        "score": getattr(worth, credit) or 0.0,
        "passed": worth.passed or 0.0,
        "targeted": worth.targeted or 0.0,
        "fault": float(worth.passed is None),
    }

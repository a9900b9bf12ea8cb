"""What an answer is worth in a framework: a verdict as numbers, with the judge that the process shares.

A fault that is not the candidate's has no number: None, which each framework takes as "not scored". A framework knows a task by its id and
the world by its address (a seed or a folder); its rows carry the fingerprint of the world, so that answers are never judged in another one.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from typing import Any

import anyio.to_thread
import sniffio

from sebench import Judge, SebenchError, Verdict, judge_for

NATIVE = "native"


@dataclass(frozen=True)
class Score:
    """A verdict as numbers; None where there is none."""

    passed: float | None
    targeted: float | None  # passed, and by the functions that the task is about
    kind: str
    detail: str

    @classmethod
    def of(cls, verdict: Verdict) -> Score:
        passed = verdict.reward("passed")
        unknown = verdict.passed and verdict.targeted is None and verdict.kind == "passed"
        return cls(passed, None if unknown else verdict.reward(), str(verdict.kind), verdict.detail)


@cache  # reading a world checks every file of it
def shared_judge(world: str) -> Judge:
    """The judge of this process for a world, by its address."""
    return judge_for(world)


def judge_of(world: str, fingerprint: str = "") -> Judge:
    """The same, for tasks of the world with this fingerprint."""
    judge = shared_judge(world)
    here = judge.world.manifest.fingerprint
    if fingerprint and fingerprint != here:
        raise SebenchError(
            f"the answers belong to the world {fingerprint[:16]}, and {judge.world.path} is {here[:16]}; give the world that was asked"
        )
    return judge


def submit(judge: Judge, task: str, response: str, book: str) -> Future[Verdict]:
    """The verdict on an answer to a question of this book, judged together with others that wait."""
    return judge.submit(task, response, native=book == NATIVE)


async def settled(future: Future[Verdict]) -> Verdict:
    """The verdict, without blocking the event loop of asyncio or trio."""
    if sniffio.current_async_library() == "asyncio":
        return await asyncio.wrap_future(future)
    try:
        result: Any = await anyio.to_thread.run_sync(future.result, abandon_on_cancel=True)
    except BaseException:
        future.cancel()
        raise
    return result  # type: ignore[no-any-return]

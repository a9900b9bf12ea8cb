"""Scores for frameworks: verdicts as numbers, from the judge that the process shares.

For a fault that is not the candidate's the number is None, which each framework takes as "not scored". A framework
knows a task by its id and the world by its address (a seed or a folder); its rows carry the fingerprint of the world,
so that answers are never judged in another one. Instead of a world, the address may be the URL of a served judge
(docs/serving.md), with its token in SEBENCH_JUDGE_TOKEN.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import Any

import anyio.to_thread
import sniffio

from sebench import Judge, JudgeClient, SebenchError, Task, Verdict, judge_for

SERVED = ("http://", "https://", "unix:")
REQUESTS = 32  # concurrent requests to a served judge
NATIVE = "native"


@dataclass(frozen=True)
class AnswerScore:
    """A verdict as numbers, which are None for a fault."""

    passed: float | None
    targeted: float | None  # passed, using the functions that the task is about
    kind: str
    detail: str

    @classmethod
    def of(cls, verdict: Verdict) -> AnswerScore:
        passed = verdict.reward("passed")
        unknown = verdict.passed and verdict.targeted is None and verdict.kind == "passed"
        return cls(passed, None if unknown else verdict.reward(), str(verdict.kind), verdict.detail)


class ServedJudge:
    """A judge in another process; the world is not needed here."""

    def __init__(self, url: str, fingerprint: str) -> None:
        token = os.environ.get("SEBENCH_JUDGE_TOKEN", "")
        self.client = JudgeClient(url, token, world=fingerprint, connections=REQUESTS)
        self._waiting = SimpleQueue[tuple[Future[Verdict], Task | str, str, bool]]()
        for _ in range(REQUESTS):  # daemons: an unreachable judge must not keep the process from exiting
            Thread(target=self._work, daemon=True).start()

    def submit(self, task: Task | str, response: str, native: bool = False) -> Future[Verdict]:
        future: Future[Verdict] = Future()
        self._waiting.put((future, task, response, native))
        return future

    def _work(self) -> None:
        while True:
            future, task, response, native = self._waiting.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(self.client.judge(task, response, native=native))
                except Exception as error:  # reported to the waiting caller
                    future.set_exception(error)


@cache
def served_judge(url: str, fingerprint: str, process: int) -> ServedJudge:
    """Return this process's client of the judge server. There is one per process, because threads do not survive a
    fork."""
    return ServedJudge(url, fingerprint)


@cache  # reading a world checks all its files
def shared_judge(world: str) -> Judge:
    """Return this process's judge for the world at an address."""
    return judge_for(world)


def judge_of(world: str, fingerprint: str = "") -> Judge | ServedJudge:
    """Return this process's judge for a world: a local one, or a client of the judge server if `world` is a URL. Raise
    an error if a local world has another fingerprint."""
    if world.startswith(SERVED):
        return served_judge(world, fingerprint, os.getpid())
    judge = shared_judge(world)
    here = judge.world.manifest.fingerprint
    if fingerprint and fingerprint != here:
        raise SebenchError(
            f"the answers belong to world {fingerprint[:16]}, but {judge.world.path} is {here[:16]}; use the world "
            "that the questions came from"
        )
    return judge


def submit(judge: Judge | ServedJudge, task: str, response: str, book: str) -> Future[Verdict]:
    """Submit an answer, and return the future of its verdict. Waiting answers are judged together."""
    return judge.submit(task, response, native=book == NATIVE)


async def await_verdict(future: Future[Verdict]) -> Verdict:
    """Wait for a verdict without blocking the event loop of asyncio or trio."""
    if sniffio.current_async_library() == "asyncio":
        return await asyncio.wrap_future(future)
    try:
        result: Any = await anyio.to_thread.run_sync(future.result, abandon_on_cancel=True)
    except BaseException:
        future.cancel()
        raise
    return result  # type: ignore[no-any-return]

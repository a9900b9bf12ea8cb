"""Parses large requests, and rows of data sets that are new to the server, in a separate process.

Parsing holds the GIL for tenths of a second and fragments memory. In a separate process it blocks nobody, has a lower
priority than judging (`NICE`), and is limited to `MEMORY` bytes and `READ_CPU_S` seconds of CPU time. If a busy machine
does not parse a request in time, the client must send it again.

    reader = RequestReader(parser)
    request = await reader.read(body)     # as `parser.parse`, with every row's task built and pickled
    reader.close()

Both sides run our own code: this is not a security boundary.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from multiprocessing import get_context
from typing import TypeVar

from sebench.base import child
from sebench.base.http_server import RequestRefused
from sebench.remote.http.reading import ByteLimitedCache, ParsedRequest, ParsedRow, RequestParser, numbering_errors

READ_CPU_S = 30.0  # per request; the largest allowed one takes a few seconds
READ_S = 60.0  # wall-clock limit, a backstop
MEMORY = 1 << 30  # bytes, beyond what the process uses after its imports
NICE = 5
KEPT_BYTES = 64 << 20  # of cached pickled tasks, because a trainer sends the same rows again and again
ENDED = "parsing the request took too much memory or time; send smaller or fewer rows"
BUSY = "the machine is too busy to parse requests; try again"
T = TypeVar("T")


class RequestReader:
    """Controls the parsing process, which is started for the first request and restarted if it ends."""

    def __init__(self, parser: RequestParser) -> None:
        self._parser, self._turn = parser, asyncio.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self.pid = 0  # process id, once it has started

    async def read(self, body: bytes | bytearray) -> ParsedRequest:
        async with self._turn:
            try:
                async with asyncio.timeout(READ_S):
                    self.pid = self.pid or await self._run(os.getpid)
                    return await self._run(_read, bytes(body))
            except (BrokenProcessPool, OSError) as error:  # including a timeout
                ended = isinstance(error, BrokenProcessPool) and self.pid
                self.close()
                if ended:
                    raise RequestRefused(HTTPStatus.BAD_REQUEST, ENDED) from None
                raise RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, {"Retry-After": "1"}) from None
            except asyncio.CancelledError:
                self.close()  # the process may stay busy with this request for a while
                raise

    async def _run(self, work: Callable[..., T], *arguments: object) -> T:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, get_context("spawn"), _begin, (self._parser,))
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *arguments)

    def close(self) -> None:
        pid, self.pid = self.pid, 0
        if pid:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)  # whatever it is doing
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


# ---- the process, from inside ---------------------------------------------------------------------------------------

_parser: RequestParser
_kept: ByteLimitedCache[bytes, bytes] = ByteLimitedCache(KEPT_BYTES)


def _begin(parser: RequestParser) -> None:
    global _parser
    _parser = parser
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    child.end_with_parent()
    os.nice(NICE)
    child.limit(MEMORY)


def _read(body: bytes) -> ParsedRequest:
    signal.setitimer(signal.ITIMER_PROF, READ_CPU_S)  # the signal is not handled, so it ends the process
    try:
        request = _parser.parse(body)
        answers = list(request.answers)
        for number, answer in enumerate(answers):
            row = answer.task
            if isinstance(row, ParsedRow):
                pickled = _kept.get(row.digest)
                if pickled is None:
                    with numbering_errors(number, request.many):
                        pickled = pickle.dumps(_parser.build(row))
                    _kept.put(row.digest, pickled, len(pickled))
                answers[number] = replace(answer, task=replace(row, row={}, pickled=pickled))
        return replace(request, answers=answers)
    except MemoryError:
        message = f"the request needs more than {MEMORY >> 20:,} MiB of memory to be parsed"
        raise RequestRefused(HTTPStatus.BAD_REQUEST, message) from None

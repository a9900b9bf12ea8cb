"""Reads requests in a process of its own: what is large, and rows that were not seen before.

Parsing holds the lock of a Python process for tenths of a second, and what it leaves is scattered over its memory. In
another process it holds up nobody, has less priority than judging (`NICE`), and can neither take more memory than
`MEMORY` nor more CPU time than `READ_CPU_S`. A request that a busy machine does not read in time is to be sent again.

    reader = Reader(parser)
    request = await reader.read(body)     # as `parser.parse`, with every row's task built and pickled
    reader.close()

Both sides run our own code: this is no wall.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from sebench.base import child
from sebench.base.http_server import RequestRefused
from sebench.remote.http.kept import Kept
from sebench.remote.http.reading import ParsedRequest, ParsedRow, RequestParser, blamed

READ_CPU_S = 30.0  # of one request: the largest that is allowed takes a few seconds
READ_S = 60.0  # of the wall clock, a backstop
MEMORY = 1 << 30  # bytes, beyond what the process has after its imports
NICE = 5
KEPT_BYTES = 64 << 20  # of tasks that were built before: a trainer sends the same rows again and again
SIZE = 8  # bytes of the length before a frame
ENDED = "the request ended the process that reads it, or took it too long; send smaller rows, or fewer"
BUSY = "the machine is too busy to read requests; try again"


class Reader:
    """The process, from outside. It is started for the first request, and again if it ends."""

    def __init__(self, parser: RequestParser) -> None:
        self._parser, self._turn = parser, asyncio.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def read(self, body: bytes | bytearray) -> ParsedRequest:
        async with self._turn:
            if self._streams is None:
                await self._start()
            try:
                async with asyncio.timeout(READ_S):
                    reply = await self._ask(body)
            except TimeoutError:
                self.close()
                raise RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, BUSY, {"Retry-After": "1"}) from None
            except (asyncio.IncompleteReadError, ConnectionError):
                self.close()
                raise RequestRefused(HTTPStatus.BAD_REQUEST, ENDED) from None
            except BaseException:
                self.close()  # its reply would be taken for that to another request
                raise
        if isinstance(reply, RequestRefused):
            raise reply
        assert isinstance(reply, ParsedRequest)
        return reply

    async def _start(self) -> None:
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                fd = theirs.fileno()
                options: Any = {"stdin": subprocess.DEVNULL, "pass_fds": (fd,), "start_new_session": True}
                self._process = child.start(__name__, str(fd), **options)
            self._streams = await asyncio.open_unix_connection(sock=ours)
            async with asyncio.timeout(READ_S):
                await self._ask(pickle.dumps(self._parser))
        except (OSError, asyncio.IncompleteReadError) as error:
            if self._streams is None:
                ours.close()
            self.close()
            message = f"requests cannot be read now ({type(error).__name__}: {error}); try again"
            raise RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, message, {"Retry-After": "1"}) from None

    async def _ask(self, frame: bytes | bytearray) -> Any:
        assert self._streams is not None
        reader, writer = self._streams
        writer.write(len(frame).to_bytes(SIZE))
        writer.write(frame)
        await writer.drain()
        return pickle.loads(await reader.readexactly(int.from_bytes(await reader.readexactly(SIZE))))

    def close(self) -> None:
        streams, self._streams = self._streams, None
        process, self._process = self._process, None
        if streams is not None:
            streams[1].transport.abort()
        if process is not None:
            process.kill()
            process.wait()


# ---- the process, from inside ---------------------------------------------------------------------------------------


def _read(parser: RequestParser, kept: Kept[bytes, bytes], body: bytes | bytearray) -> ParsedRequest | RequestRefused:
    try:
        request = parser.parse(body)
        answers = list(request.answers)
        for number, answer in enumerate(answers):
            row = answer.task
            if isinstance(row, ParsedRow):
                pickled = kept.get(row.digest)
                if pickled is None:
                    with blamed(number, request.many):
                        pickled = pickle.dumps(parser.build(row))
                    kept.put(row.digest, pickled, len(pickled))
                answers[number] = replace(answer, task=replace(row, row={}, pickled=pickled))
        return replace(request, answers=answers)
    except RequestRefused as refused:
        return refused
    except MemoryError:
        return RequestRefused(HTTPStatus.BAD_REQUEST, f"the request needs more than {MEMORY >> 20:,} MiB to be read")


def main() -> None:
    """Answer frames on the socket whose descriptor is the first argument, until the other side closes it."""
    os.nice(NICE)
    child.limit(MEMORY)
    kept: Kept[bytes, bytes] = Kept(KEPT_BYTES)
    parser: RequestParser | None = None
    with socket.socket(fileno=int(sys.argv[1])) as connection, connection.makefile("rwb") as stream:
        while size := stream.read(SIZE):
            frame = stream.read(int.from_bytes(size))
            signal.setitimer(signal.ITIMER_PROF, READ_CPU_S)  # unhandled: it ends the process
            reply = pickle.dumps(None if parser is None else _read(parser, kept, frame))
            parser = parser or pickle.loads(frame)  # the first frame
            stream.write(len(reply).to_bytes(SIZE) + reply)
            stream.flush()


if __name__ == "__main__":
    main()

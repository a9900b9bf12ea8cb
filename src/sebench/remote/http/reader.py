"""Parses large requests and new rows in a separate process.

Parsing holds the GIL for tenths of a second and fragments memory. In a separate process it blocks nobody, has a lower
priority than judging (`NICE`), and is limited to `MEMORY` and `READ_CPU_S` of CPU time. If a busy machine does not
parse a request in time, the client must send it again.

    reader = Reader(parser)
    request = await reader.read(body)     # as `parser.parse`, with every row's task built and pickled
    reader.close()

Both sides run our own code: this is not a security boundary.
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
from sebench.remote.http.cache import ByteLimitedCache
from sebench.remote.http.reading import ParsedRequest, ParsedRow, RequestParser, numbering_errors

READ_CPU_S = 30.0  # per request: the largest allowed one takes a few seconds
READ_S = 60.0  # of the wall clock, a backstop
MEMORY = 1 << 30  # bytes, beyond what the process has after its imports
NICE = 5
KEPT_BYTES = 64 << 20  # of pickled tasks: a trainer sends the same rows again and again
SIZE = 8  # bytes of the length before a frame
ENDED = "parsing the request took too much memory or time; send smaller or fewer rows"
BUSY = "the machine is too busy to parse requests; try again"


class RequestReader:
    """The process, seen from outside. It is started for the first request, and restarted if it ends."""

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
                self.close()  # its reply would be mistaken for that to the next request
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
            message = f"requests cannot be parsed now ({type(error).__name__}: {error}); try again"
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


def _read(
    parser: RequestParser, kept: ByteLimitedCache[bytes, bytes], body: bytes | bytearray
) -> ParsedRequest | RequestRefused:
    try:
        request = parser.parse(body)
        answers = list(request.answers)
        for number, answer in enumerate(answers):
            row = answer.task
            if isinstance(row, ParsedRow):
                pickled = kept.get(row.digest)
                if pickled is None:
                    with numbering_errors(number, request.many):
                        pickled = pickle.dumps(parser.build(row))
                    kept.put(row.digest, pickled, len(pickled))
                answers[number] = replace(answer, task=replace(row, row={}, pickled=pickled))
        return replace(request, answers=answers)
    except RequestRefused as refused:
        return refused
    except MemoryError:
        return RequestRefused(
            HTTPStatus.BAD_REQUEST, f"the request needs more than {MEMORY >> 20:,} MiB of memory to be parsed"
        )


def main() -> None:
    """Answer frames on the socket whose descriptor is the first argument, until the other side closes it."""
    os.nice(NICE)
    child.limit(MEMORY)
    kept: ByteLimitedCache[bytes, bytes] = ByteLimitedCache(KEPT_BYTES)
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

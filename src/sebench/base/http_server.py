"""A small HTTP/1.1 server on asyncio and h11 that withstands clients that send too much, too slowly or nothing.

    class Greeter(HttpServer):
        async def reply(self, request: HttpRequest) -> HttpReply | None:
            return HttpReply(HTTPStatus.OK, b"hello", "text/plain")

    address = await Greeter().listen(ListenAddress(port=0))

The judge server and the draft inspection page are built on it. A handler sees the head first and reads the body
(`request.body`) only if it needs it; an unread body is never stored. If a handler raises `RequestRefused`, the reply is
a status and one line.

Covered: limits on the size of heads and bodies, on connections, and on time without progress; few large bodies at a
time (`ShortestFirstTurns`), so that they use little memory; a socket for a single user; a graceful shutdown. A client
that closes its sending side counts as gone.

Not covered: chunked bodies, which are refused with a status; HTTP/2; TLS, which is left to a proxy.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import os
import resource
import socket
import stat
import sys
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from http import HTTPStatus
from pathlib import Path

import h11

from sebench.base import files
from sebench.base.errors import ConfigError

LOOPBACK = "127.0.0.1"
LONGEST_HEAD = 16 << 10  # bytes
CHUNK = 64 << 10  # bytes per read; a longer body waits for its turn after this many
LARGE_BODIES = 4  # large bodies that may be received or read at the same time
MOST_CONNECTIONS = 1024
IDLE_S = 120.0  # a kept-alive connection that is silent for this long is closed
HEAD_S = 10.0  # for a client to send a head, after its first byte
BODY_S = 10.0  # for a body, or the first chunk of a large one
LARGE_BODY_S = 20.0  # for the rest of a large body, once it has its turn
SEND_S = 30.0  # for a client to receive its reply
LINGER_S, LINGER_BYTES = 5.0, 32 << 20  # for a refused client, which may still be sending, to read the reason
# The reply to a malformed request is delayed, so that a client that sends only such requests uses little of the
# server's time.
PENALTY_S = 0.25  # plus as much again for each MiB received
UNPUNISHED = (HTTPStatus.CONFLICT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.TOO_MANY_REQUESTS)
JSON = "application/json"
HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class RequestRefused(Exception):
    """Refuses a request, with a status and one line that says why and what to do."""

    def __init__(self, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, message, headers)
        self.status, self.message, self.headers = status, message, headers or {}

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class HttpReply:
    """A reply to a client."""

    status: HTTPStatus
    body: bytes
    type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ListenAddress:
    """The address to listen on: a Unix socket, or a host and a port (0: any free port)."""

    socket: Path | None = None
    host: str = LOOPBACK
    port: int = 0


class ShortestFirstTurns:
    """A semaphore that admits the shortest body first, so that many huge bodies do not block an ordinary one."""

    def __init__(self, most: int) -> None:
        self._free, self._numbers = most, itertools.count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def take(self, length: int) -> AsyncIterator[None]:
        if self._free:
            self._free -= 1
        else:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (length, next(self._numbers), turn))
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():
                    self._pass_on()
                raise
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            turn = heapq.heappop(self._waiting)[2]
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class HttpRequest:
    """The head of a request, with access to its body."""

    def __init__(
        self, head: h11.Request, connection: _Connection, turns: ShortestFirstTurns, received: Callable[[], None]
    ) -> None:
        self.method, self.target = head.method.decode("ascii"), head.target.decode("ascii")
        self._head, self._connection, self._turns, self._received = head, connection, turns, received

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """The headers, by lower-case name."""
        return {name.decode("ascii"): value.decode("latin-1") for name, value in self._head.headers}

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @asynccontextmanager
    async def body(self, most: int) -> AsyncIterator[bytearray]:
        """Yield the body, which may have at most `most` bytes. A large body keeps its turn while the caller reads
        it."""
        length = int(self.headers.get("content-length", "0"))
        if length > most:
            message = f"a body may have at most {most:,} bytes, but this one has {length:,}; send smaller requests"
            raise RequestRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        body = bytearray()
        await self._connection.receive(body, min(length, CHUNK), BODY_S)
        async with self._turns.take(length) if length > CHUNK else nullcontext():
            await self._connection.receive(body, length, LARGE_BODY_S)
            self._received()
            yield body

    def gone(self) -> bool:
        """Whether the client has disconnected."""
        reader = self._connection.reader
        return reader.at_eof() or reader.exception() is not None


class _Connection:
    """The connection to one client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=LONGEST_HEAD)
        self.without_body = False  # a reply to HEAD has no body
        self.received = 0  # bytes of the body
        self.ended = False  # whether the client has stopped sending

    async def _read(self) -> None:
        data = await self.reader.read(CHUNK)
        self.ended = not data
        self.http.receive_data(data)

    async def _next(self) -> object:
        while (event := self.http.next_event()) is h11.NEED_DATA:
            await self._read()
        return event

    async def head(self) -> h11.Request | None:
        """Return the head of the next request, or None if the client has closed the connection or stopped sending."""
        try:
            if not self.http.trailing_data[0]:
                async with asyncio.timeout(IDLE_S):
                    await self._read()
            async with asyncio.timeout(HEAD_S):
                event = await self._next()
        except TimeoutError:
            return None
        if not isinstance(event, h11.Request):
            return None
        self.without_body, self.received = event.method == b"HEAD", 0
        return event

    async def receive(self, body: bytearray, length: int, wait_s: float) -> None:
        """Receive a body of this length."""
        if self.http.they_are_waiting_for_100_continue:
            self.writer.write(self.http.send(h11.InformationalResponse(status_code=100, headers=[])) or b"")
        try:
            async with asyncio.timeout(wait_s):
                while len(body) < length:
                    event = await self._next()
                    assert isinstance(event, h11.Data)
                    body += event.data
                    self.received = len(body)
        except TimeoutError:
            message = f"the body is incomplete: {len(body):,} of {length:,} bytes arrived within {wait_s:g} s"
            raise RequestRefused(HTTPStatus.REQUEST_TIMEOUT, message) from None

    def read_whole(self) -> bool:
        """Whether the request has been read completely; only then can another one follow."""
        with suppress(h11.RemoteProtocolError):
            return isinstance(self.http.next_event(), h11.EndOfMessage)
        return False

    async def send(self, reply: HttpReply, keep: bool) -> None:
        headers = {"Content-Type": reply.type, "Content-Length": str(len(reply.body)), **HEADERS, **reply.headers}
        if not keep:
            headers["Connection"] = "close"
        reason = reply.status.phrase.encode()
        head = h11.Response(status_code=reply.status, headers=list(headers.items()), reason=reason)
        body = h11.Data(data=b"" if self.without_body else reply.body)
        self.writer.write(b"".join(self.http.send(event) or b"" for event in (head, body, h11.EndOfMessage())))
        async with asyncio.timeout(SEND_S):
            await self.writer.drain()

    async def linger(self) -> None:
        """Discard what the client still sends: closing the connection earlier could lose the reply."""
        left = LINGER_BYTES
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(LINGER_S):
                while left > 0 and (data := await self.reader.read(CHUNK)):
                    left -= len(data)


class HttpServer(ABC):
    """Answers every request by calling `reply`."""

    def __init__(self) -> None:
        self.penalty_s, self._stop = PENALTY_S, asyncio.Event()
        self.statuses: Counter[int] = Counter()  # of replies
        self._turns = ShortestFirstTurns(LARGE_BODIES)
        self._listening: asyncio.Server | None = None
        # Open connections, and whether each is answering a request; the most recently changed is last.
        self._open: dict[asyncio.StreamWriter, bool] = {}
        self.most_connections = connection_limit(MOST_CONNECTIONS)
        self._ended = asyncio.Event()
        self._resources = ExitStack()  # a socket and its lock

    @abstractmethod
    async def reply(self, request: HttpRequest) -> HttpReply | None:
        """Return the reply to a request, or None if the client has disconnected. Raise `RequestRefused` to refuse
        it."""

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def port(self) -> int:
        assert self._listening is not None
        return int(self._listening.sockets[0].getsockname()[1])

    async def listen(self, place: ListenAddress) -> str:
        """Start listening, and return the address for clients."""
        try:
            if place.socket is not None:
                return await self._listen_at(place.socket)
            self._listening = await asyncio.start_server(self._serve, place.host or None, place.port, limit=CHUNK)
        except OSError as error:
            where = place.socket or f"{place.host}:{place.port}"
            raise ConfigError(f"{where} cannot be used: {error.strerror or error}; choose another address") from None
        name = self._listening.sockets[0].getsockname()[0]
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}"

    async def _listen_at(self, path: Path) -> str:
        """Listen on a socket that only this user can open. A stale socket from an earlier server is replaced."""
        if path.exists():
            if not stat.S_ISSOCK(path.stat().st_mode):
                raise ConfigError(f"--socket {path} exists and is not a socket; choose another path")
            with suppress(ConnectionRefusedError, FileNotFoundError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
                raise ConfigError(f"--socket {path}: another server is listening; stop it, or choose another path")
        # Locked while listening: if two servers find the same stale socket, only one may replace it.
        lock = path.with_name(f".{path.name}.lock")
        with ExitStack() as stack:
            stack.enter_context(files.lock_file(lock, "stop it, or choose another path", path))
            path.unlink(missing_ok=True)
            self._listening = await asyncio.start_unix_server(self._serve, sock=_bind_private_socket(path), limit=CHUNK)
            stack.callback(path.unlink, missing_ok=True)
            self._resources = stack.pop_all()
        return f"unix:{path}"

    async def stop(self) -> None:
        """Accept no more requests, answer those in progress, and stop."""
        self._stop.set()
        if self._listening is not None:
            self._listening.close()
        for writer, busy in list(self._open.items()):
            if not busy:
                writer.close()
        try:
            while self._open:
                self._ended.clear()
                await self._ended.wait()
        finally:  # even if this is cancelled
            self._resources.close()

    # ---- a connection -------------------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._make_room()
        self._mark(writer, False)
        connection = _Connection(reader, writer)
        try:
            while not self.stopping and await self._exchange(connection):
                self._mark(writer, False)
                connection.http.start_next_cycle()
            async with asyncio.timeout(SEND_S):
                writer.close()
                await writer.wait_closed()
        except (OSError, asyncio.CancelledError):
            # The client is gone or does not read the reply, or the server stops immediately; asyncio would print
            # a traceback per connection.
            pass
        finally:
            writer.transport.abort()  # unsent data would keep the connection open for ever
            self._open.pop(writer, None)
            self._ended.set()

    def _mark(self, writer: asyncio.StreamWriter, busy: bool) -> None:
        self._open.pop(writer, None)
        self._open[writer] = busy

    async def _delay(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stop.wait()

    def _make_room(self) -> None:
        """If there are too many connections, close the one that has been idle the longest."""
        idle = next((writer for writer, busy in self._open.items() if not busy), None)
        if idle is not None and len(self._open) >= self.most_connections:
            self._open.pop(idle)
            idle.transport.abort()

    async def _exchange(self, connection: _Connection) -> bool:
        """Handle one request, and return whether another may follow."""
        keep = False
        try:
            head = await connection.head()
            if head is None:
                return False
            if len(self._open) > self.most_connections:
                message = f"the server has more than {self.most_connections:,} connections; try again later"
                raise RequestRefused(HTTPStatus.SERVICE_UNAVAILABLE, message, {"Retry-After": "1"})
            # A connection may be closed to make room while its body is arriving, but not once the request is complete.
            self._mark(connection.writer, False)
            request = HttpRequest(head, connection, self._turns, partial(self._mark, connection.writer, True))
            if "transfer-encoding" in request.headers:
                message = "send the body with a Content-Length; chunked bodies are not supported"
                raise RequestRefused(HTTPStatus.NOT_IMPLEMENTED, message)
            reply = await self.reply(request)
            if reply is None:
                await self._delay(self.penalty_s)
                return False
            keep = True
        except RequestRefused as refused:
            reply = HttpReply(refused.status, json.dumps({"error": str(refused)}).encode(), headers=refused.headers)
            keep = True
        except h11.RemoteProtocolError as error:
            if connection.ended:
                return False  # the client disconnected in the middle of a request
            reply = HttpReply(
                HTTPStatus(error.error_status_hint), json.dumps({"error": _protocol_error(error)}).encode()
            )
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception:  # a bug in a handler must not stop the other connections
            traceback.print_exc(file=sys.stderr)
            reply = HttpReply(HTTPStatus.INTERNAL_SERVER_ERROR, b'{"error": "internal error; see the server log"}')
        if 400 <= reply.status < 500 and reply.status not in UNPUNISHED:
            self._mark(connection.writer, False)
            await self._delay(self.penalty_s * (1 + connection.received / 2**20))
        keep = keep and not self.stopping and connection.read_whole()
        self.statuses[reply.status.value] += 1
        await connection.send(reply, keep)
        if not keep and not self.stopping and 400 <= reply.status < 500:
            self._mark(connection.writer, False)
            await connection.linger()
        return keep and connection.http.our_state is h11.DONE


def _protocol_error(error: h11.RemoteProtocolError) -> str:
    if error.error_status_hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
        return f"the request line and the headers may have at most {LONGEST_HEAD:,} bytes together"
    return f"this is not an HTTP/1.1 request: {error}"[:200]


def connection_limit(most: int) -> int:
    """Return how many connections may be open: `most`, but at most half of this process's limit on open files."""
    files_at_once, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if files_at_once < 0 else min(most, max(files_at_once // 2, 1))


def _bind_private_socket(path: Path) -> socket.socket:
    """Bind a socket that only this user can open."""
    listening = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)
    try:
        listening.bind(str(path))
    except BaseException:
        listening.close()
        raise
    finally:
        os.umask(mask)
    return listening

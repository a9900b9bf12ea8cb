"""The server of a judge: listens on a loopback port or a socket, lets those in who may ask, and ends in good order.

    server = JudgeServer(JudgeService(judge, queue=4096), token="")
    address = await server.listen(Place(port=0))
    await server.stop()          # what is being judged is answered first

Who may ask: with a token, whoever sends it (`Authorization: Bearer ...`, compared in constant time); without one, processes on this machine,
on a loopback port, or those of this user, on a socket. Beyond loopback it does not listen without a token. What a browser sends is refused, so
that no page in the web can ask.

One thread reads and writes for all clients; the judge has threads and processes of its own. Clients that are slow to send or to read are
cut off after some time, and where there are too many connections, those on which nothing happens go first. A client that closes its
sending side has gone.

Not covered: TLS, and several tokens.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import json
import os
import socket
import stat
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import IO

from sebench import files
from sebench.errors import ConfigError
from sebench.serve import http11
from sebench.serve.http11 import Head, Refused, Reply
from sebench.serve.service import OK, JudgeService

LOOPBACK = "127.0.0.1"
SHORTEST_TOKEN = 16  # characters
MOST_CONNECTIONS = 1024
SEND_S = 30.0  # for a client to take its reply
LINGER_S = 5.0  # for a refused client to read why, while it may still be sending


@dataclass(frozen=True)
class Place:
    """Where to listen: a socket, or a host and a port (0: any free one)."""

    socket: Path | None = None
    host: str = LOOPBACK
    port: int = 0


def check_token(token: str, source: str) -> str:
    """A token that can be sent in a header and not be guessed."""
    if not token:
        raise ConfigError(f"{source} is not set or empty; put a token there, for instance of 'openssl rand -hex 24'")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigError(f"{source}: a token is one word of plain characters, and this one is not")
    if len(token) < SHORTEST_TOKEN:
        raise ConfigError(f"{source}: a token has at least {SHORTEST_TOKEN} characters, this one has {len(token)}")
    return token


def is_loopback(host: str) -> bool:
    """Whether nobody beyond this machine reaches what listens there."""
    try:
        found = {str(info[4][0]) for info in socket.getaddrinfo(host or None, 0, flags=socket.AI_PASSIVE)}
    except (OSError, UnicodeError):
        raise ConfigError(f"--host {host!r} is not known on this machine; give an address such as {LOOPBACK}") from None
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in found)


def check_place(place: Place, token: str) -> None:
    """An error where strangers could reach a judge without a token."""
    if place.socket is None and not token and not is_loopback(place.host):
        raise ConfigError(f"--host {place.host!r} can be reached from other machines; give --token-env NAME too")


def most_connections() -> int:
    """How many connections may be open: half of the files that this process may open, since the judge needs some for its sandboxes."""
    import resource  # not on Windows

    files_at_once, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if files_at_once < 0 else min(MOST_CONNECTIONS, max(files_at_once // 2, 1))


def _bound(path: Path) -> socket.socket:
    """A socket that only this user can open."""
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


class JudgeServer:
    """Serves one judge."""

    def __init__(self, service: JudgeService, token: str = "") -> None:
        self.service, self._token = service, token.encode()
        self.stopping = False
        self._hosts: Sequence[str] = ()  # under which names a client without a token may call; () for any
        self._listening: asyncio.Server | None = None
        # Connections, and whether a request is being answered; the one whose state changed last stands last.
        self._open: dict[asyncio.StreamWriter, bool] = {}
        self._most = most_connections()
        self._ended = asyncio.Event()
        self._socket: Path | None = None
        self._lock: IO[bytes] | None = None

    async def listen(self, place: Place) -> str:
        """Begin; the address for clients."""
        check_place(place, self._token.decode())
        try:
            if place.socket is not None:
                return await self._listen_at(place.socket)
            self._listening = await asyncio.start_server(
                self._connection, place.host or None, place.port, limit=http11.LONGEST_HEAD
            )
        except OSError as error:
            where = place.socket or f"{place.host}:{place.port}"
            raise ConfigError(f"{where} cannot be used: {error.strerror or error}; choose another") from None
        name, port = self._listening.sockets[0].getsockname()[:2]
        shown = f"[{name}]" if ":" in name else name
        self._hosts = () if self._token else (f"{shown}:{port}", f"localhost:{port}", f"{LOOPBACK}:{port}")
        return f"http://{shown}:{port}"

    async def _listen_at(self, path: Path) -> str:
        """On a socket that only this user can open. One that an ended server left is replaced, one of a running server is not."""
        if path.exists():
            if not stat.S_ISSOCK(path.stat().st_mode):
                raise ConfigError(f"--socket {path} is there and is not a socket; choose another path")
            with suppress(ConnectionRefusedError, FileNotFoundError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(str(path))
                raise ConfigError(f"--socket {path}: another server listens there; end it, or choose another path")
        # Held as long as it listens: of two servers that find the same socket left behind, one gets it.
        lock = files.lock_file(path.with_name(f".{path.name}.lock"), "end it, or choose another path", path)
        try:
            path.unlink(missing_ok=True)
            listening = _bound(path)
            self._listening = await asyncio.start_unix_server(
                self._connection, sock=listening, limit=http11.LONGEST_HEAD
            )
        except BaseException:
            lock.close()
            raise
        self._socket, self._lock = path, lock
        return f"unix:{path}"

    async def stop(self) -> None:
        """Take no more requests, answer those that were taken, and end."""
        self.stopping = True
        if self._listening is not None:
            self._listening.close()
        for writer, busy in list(self._open.items()):
            if not busy:
                writer.close()
        try:
            while self._open:
                self._ended.clear()
                await self._ended.wait()
        finally:  # also where nobody waits for the end
            if self._socket is not None and self._lock is not None:
                self._socket.unlink(missing_ok=True)
                self._lock.close()

    # ---- a connection -------------------------------------------------------------------------------------------

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._make_room()
        self._mark(writer, False)
        try:
            while not self.stopping and await self._exchange(reader, writer):
                self._mark(writer, False)
            async with asyncio.timeout(SEND_S):
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # the client has gone, or does not take what it asked for
        except asyncio.CancelledError:
            pass  # the server ends at once; asyncio would print a traceback for each connection
        finally:
            writer.transport.abort()  # what it did not take would keep the connection open for ever
            self._open.pop(writer, None)
            self._ended.set()

    def _mark(self, writer: asyncio.StreamWriter, busy: bool) -> None:
        self._open.pop(writer, None)
        self._open[writer] = busy

    def _make_room(self) -> None:
        """Where there are too many connections, end the one on which nothing has happened for the longest time."""
        if len(self._open) >= self._most:
            idle = next((writer for writer, busy in self._open.items() if not busy), None)
            if idle is not None:
                self._open.pop(idle)
                idle.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request and its reply; whether another may follow."""
        keep = False
        try:
            head = await http11.read_head(reader)
            if head is None:
                return False
            self._mark(writer, True)
            self._admit(head)
            body = await http11.read_body(reader, writer, head)
            # Only behind a body that was read whole can another request begin, and nobody expects one in a reply to HEAD.
            keep = head.keep and head.method != "HEAD"
            gone = lambda: reader.at_eof() or reader.exception() is not None  # noqa: E731
            reply = await self._reply(head, body, gone)
            if reply is None:
                return False
        except Refused as refused:
            text = json.dumps({"error": str(refused)}).encode()
            reply = Reply(refused.status, text, headers=refused.headers)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            raise
        except Exception:  # our own mistake: never a verdict, and the others go on
            traceback.print_exc(file=sys.stderr)
            reply = Reply(
                HTTPStatus.INTERNAL_SERVER_ERROR, b'{"error": "the server made a mistake; its log says which"}'
            )
        keep = keep and not self.stopping
        self.service.statuses[reply.status.value] += 1
        writer.write(reply.to_bytes(keep))
        async with asyncio.timeout(SEND_S):
            await writer.drain()
        if not keep and not self.stopping and 400 <= reply.status < 500:
            self._mark(writer, False)
            await self._linger(reader)
        return keep

    async def _linger(self, reader: asyncio.StreamReader) -> None:
        """Throw away what still comes: a connection that is closed before has the client lose the reply."""
        with suppress(TimeoutError, ConnectionError):
            async with asyncio.timeout(LINGER_S):
                while await reader.read(http11.LONGEST_HEAD):
                    pass

    def _admit(self, head: Head) -> None:
        """Refuse whoever may not ask, before anything more is read."""
        if len(self._open) > self._most:
            status = HTTPStatus.SERVICE_UNAVAILABLE
            raise Refused(status, f"more than {self._most:,} connections; try again", {"Retry-After": "1"})
        if "origin" in head.headers or (self._hosts and head.headers.get("host", "").lower() not in self._hosts):
            raise Refused(HTTPStatus.FORBIDDEN, "pages in a browser, and other names of this machine, may not ask")
        if head.path != "/health" and not self._known(head):
            told = {"WWW-Authenticate": "Bearer"}
            message = "the token is missing or wrong; send the one that the server was started with (--token-env)"
            raise Refused(HTTPStatus.UNAUTHORIZED, message, told)
        if self.stopping and head.path == "/judge":
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "this judge is stopping; ask another", {"Retry-After": "5"})

    def _known(self, head: Head) -> bool:
        scheme, _, given = head.headers.get("authorization", "").partition(" ")
        said = given.strip().encode("latin-1") if scheme.lower() == "bearer" else b""
        return not self._token or hmac.compare_digest(said, self._token)

    async def _reply(self, head: Head, body: bytes, gone: Callable[[], bool]) -> Reply | None:
        """What a request gets; None where nobody is there any more to get it."""
        match head.method, head.path:
            case "GET", "/health":
                told = self.service.health(self.stopping)
                status = HTTPStatus.OK if told["status"] == OK else HTTPStatus.SERVICE_UNAVAILABLE
                told = told if self._known(head) else {"status": told["status"]}
                return Reply(status, json.dumps(told).encode())
            case "GET", "/metrics":
                return Reply(HTTPStatus.OK, self.service.metrics().encode(), http11.TEXT)
            case "POST", "/judge":
                if head.headers.get("content-type", "").partition(";")[0].strip().lower() != http11.JSON:
                    raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send JSON, with Content-Type: {http11.JSON}")
                self.service.room()
                found = await self.service.answer(self.service.read(body), gone)
                return None if found is None else Reply(HTTPStatus.OK, json.dumps(found).encode())
            case _, ("/health" | "/metrics" | "/judge") as path:
                right = "POST" if path == "/judge" else "GET"
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} takes {right}", {"Allow": right})
        raise Refused(HTTPStatus.NOT_FOUND, "there are POST /judge, GET /health and GET /metrics")

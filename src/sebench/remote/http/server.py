"""The server of a judge: lets those in who may ask, and says what there is to ask for.

    server = JudgeServer(JudgeService(judge, queue=4096), token="")
    address = await server.listen(Place(port=0))
    await server.stop()          # what is being judged is answered first

Who may ask: with a token, whoever sends it (`Authorization: Bearer ...`, compared in constant time); without one,
processes on this machine, on a loopback port, or those of this user, on a socket. Beyond loopback it does not listen
without a token. What a browser sends is refused, so that no page in the web can ask.

One thread reads and writes for all clients (`http_server.py`); the judge has threads and processes of its own, and what
is large is read in another process (`reader.py`).

Not covered: TLS, and several tokens.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import socket
from collections.abc import Sequence
from http import HTTPStatus

from sebench.base.errors import ConfigError
from sebench.base.http_server import (
    JSON,
    LOOPBACK,
    MOST_CONNECTIONS,
    HttpReply,
    HttpRequest,
    HttpServer,
    ListenAddress,
    RequestRefused,
)
from sebench.remote.http.service import OK, JudgeService

SHORTEST_TOKEN = 16  # characters
LONGEST_BODY = 8 << 20  # bytes
TEXT = "text/plain; version=0.0.4; charset=utf-8"


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


def check_place(place: ListenAddress, token: str) -> None:
    """An error where strangers could reach a judge without a token."""
    if place.socket is None and not token and not is_loopback(place.host):
        raise ConfigError(f"--host {place.host!r} can be reached from other machines; give --token-env NAME too")


class JudgeServer(HttpServer):
    """Serves one judge."""

    def __init__(self, service: JudgeService, token: str = "", connections: int = MOST_CONNECTIONS) -> None:
        super().__init__(connections)
        self.service, self._token = service, token.encode()
        self.statuses = service.statuses
        self._hosts: Sequence[str] = ()  # under which names a client without a token may call; () for any

    async def listen(self, place: ListenAddress) -> str:
        check_place(place, self._token.decode())
        address = await super().listen(place)
        if not self._token and place.socket is None:
            self._hosts = (address.removeprefix("http://"), f"localhost:{self.port}", f"{LOOPBACK}:{self.port}")
        return address

    async def stop(self) -> None:
        try:
            await super().stop()
        finally:
            self.service.close()

    async def reply(self, request: HttpRequest) -> HttpReply | None:
        self._admit(request)
        match request.method, request.path:
            case "GET", "/health":
                health = self.service.health(self.stopping)
                status = HTTPStatus.OK if health["status"] == OK else HTTPStatus.SERVICE_UNAVAILABLE
                health = health if self._known(request) else {"status": health["status"]}
                return HttpReply(status, json.dumps(health).encode())
            case "GET", "/metrics":
                return HttpReply(HTTPStatus.OK, self.service.metrics().encode(), TEXT)
            case "POST", "/judge":
                return await self._judge(request)
            case _, ("/health" | "/metrics" | "/judge") as path:
                right = "POST" if path == "/judge" else "GET"
                raise RequestRefused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} takes {right}", {"Allow": right})
        raise RequestRefused(HTTPStatus.NOT_FOUND, "there are POST /judge, GET /health and GET /metrics")

    async def _judge(self, request: HttpRequest) -> HttpReply | None:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise RequestRefused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send JSON, with Content-Type: {JSON}")
        async with request.body(LONGEST_BODY) as body:
            self.service.room()
            asked = await self.service.read(body)
        verdicts = await self.service.answer(asked, request.gone)
        return None if verdicts is None else HttpReply(HTTPStatus.OK, json.dumps(verdicts).encode())

    def _admit(self, request: HttpRequest) -> None:
        """Refuse whoever may not ask, before anything more is read."""
        if "origin" in request.headers or (self._hosts and request.headers.get("host", "").lower() not in self._hosts):
            raise RequestRefused(
                HTTPStatus.FORBIDDEN, "pages in a browser, and other names of this machine, may not ask"
            )
        if request.path != "/health" and not self._known(request):
            message = "the token is missing or wrong; send the one that the server was started with (--token-env)"
            raise RequestRefused(HTTPStatus.UNAUTHORIZED, message, {"WWW-Authenticate": "Bearer"})
        if self.stopping and request.path == "/judge":
            raise RequestRefused(
                HTTPStatus.SERVICE_UNAVAILABLE, "this judge is stopping; ask another", {"Retry-After": "5"}
            )

    def _known(self, request: HttpRequest) -> bool:
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        token = given.strip().encode("latin-1") if scheme.lower() == "bearer" else b""
        return not self._token or hmac.compare_digest(token, self._token)

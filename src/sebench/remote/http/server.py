"""The HTTP server for a judge: authorization and routes.

    server = JudgeServer(JudgeService(judge, queue=4096), token="")
    address = await server.listen(ListenAddress(port=0))
    await server.stop()          # finishes the answers that are being judged

With a token, anyone who sends it has access (`Authorization: Bearer ...`, compared in constant time); without one, any
process on this machine (loopback port) or of this user (socket). Without a token, the server listens only on loopback
or a socket. Requests from browsers are refused, so that no web page can send any.

One thread serves all clients (`http_server.py`); the judge has its own threads and processes, and large requests are
parsed in another process (`reading.py`).

Not covered: TLS, and several tokens.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
import socket
from collections.abc import Sequence
from http import HTTPStatus

from sebench.base.errors import ConfigError, first_problem
from sebench.base.http_server import (
    JSON,
    LOOPBACK,
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
    """Return the token, or raise an error if it cannot be sent in a header or is too easy to guess."""
    problems = {
        " is not set or empty; set it to a token, for instance from 'openssl rand -hex 24'": not token,
        ": a token must be one word of printable ASCII characters": (
            not token.isascii() or not token.isprintable() or " " in token
        ),
        f": a token must have at least {SHORTEST_TOKEN} characters, but this one has {len(token)}": (
            len(token) < SHORTEST_TOKEN
        ),
    }
    if problem := first_problem(problems):
        raise ConfigError(f"{source}{problem}")
    return token


def is_loopback(host: str) -> bool:
    """Whether an address can be reached only from this machine."""
    try:
        addresses = {str(info[4][0]) for info in socket.getaddrinfo(host or None, 0, flags=socket.AI_PASSIVE)}
    except (OSError, UnicodeError):
        raise ConfigError(
            f"--host {host!r} cannot be resolved on this machine; use an address such as {LOOPBACK}"
        ) from None
    return all(ipaddress.ip_address(address.partition("%")[0]).is_loopback for address in addresses)


def check_place(place: ListenAddress, token: str) -> None:
    """Raise an error if other machines could reach a judge without a token."""
    if place.socket is None and not token and not is_loopback(place.host):
        raise ConfigError(f"--host {place.host!r} can be reached from other machines; add --token-env NAME")


class JudgeServer(HttpServer):
    """Serves one judge."""

    def __init__(self, service: JudgeService, token: str = "") -> None:
        super().__init__()
        self.service, self._token = service, token.encode()
        self.statuses = service.statuses
        self._hosts: Sequence[str] = ()  # Host headers allowed without a token; () for any

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
                raise RequestRefused(HTTPStatus.METHOD_NOT_ALLOWED, f"{path} only accepts {right}", {"Allow": right})
        raise RequestRefused(HTTPStatus.NOT_FOUND, "unknown path; use POST /judge, GET /health or GET /metrics")

    async def _judge(self, request: HttpRequest) -> HttpReply | None:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise RequestRefused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"send JSON, with Content-Type: {JSON}")
        async with request.body(LONGEST_BODY) as body:
            self.service.room()
            judge_request = await self.service.read(body)
        verdicts = await self.service.answer(judge_request, request.gone)
        return None if verdicts is None else HttpReply(HTTPStatus.OK, json.dumps(verdicts).encode())

    def _admit(self, request: HttpRequest) -> None:
        """Refuse unauthorized clients before the body is read."""
        if "origin" in request.headers or (self._hosts and request.headers.get("host", "").lower() not in self._hosts):
            raise RequestRefused(
                HTTPStatus.FORBIDDEN, "requests from browsers, or with an unexpected Host header, are not allowed"
            )
        if request.path != "/health" and not self._known(request):
            message = "the token is missing or wrong; send the one that the server was started with (--token-env)"
            raise RequestRefused(HTTPStatus.UNAUTHORIZED, message, {"WWW-Authenticate": "Bearer"})
        if self.stopping and request.path == "/judge":
            raise RequestRefused(
                HTTPStatus.SERVICE_UNAVAILABLE, "this judge is stopping; use another one", {"Retry-After": "5"}
            )

    def _known(self, request: HttpRequest) -> bool:
        scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
        token = credentials.strip().encode("latin-1") if scheme.lower() == "bearer" else b""
        return not self._token or hmac.compare_digest(token, self._token)

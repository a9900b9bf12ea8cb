"""As much of HTTP/1.1 as the served judge needs: a request is read from a stream, a reply is made of bytes.

Covered: GET and POST with a Content-Length, kept connections, `Expect: 100-continue`, limits on the size of everything that is read.

Not covered, and refused with a status: chunked bodies, several lengths, HTTP/2, TLS (that is a proxy's work).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

LONGEST_HEAD = 16 << 10  # bytes
LONGEST_BODY = 8 << 20
IDLE_S = 120.0  # a kept connection on which nothing comes is closed
HEAD_S = 10.0  # for a head, once its first byte has come
BODY_S = 60.0  # for a body, once its head has come
CONTROL = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f]"
)  # a proxy may read a bare line feed as the end of a line, and we do not
JSON, TEXT = "application/json", "text/plain; version=0.0.4; charset=utf-8"


class Refused(Exception):
    """A request that gets no verdict: the status, and a line that says why and what to do."""

    def __init__(self, status: HTTPStatus, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers or {}


@dataclass(frozen=True)
class Head:
    """A request without its body."""

    method: str
    path: str
    headers: Mapping[str, str]  # names in lower case
    length: int
    keep: bool  # whether the connection stays open


@dataclass(frozen=True)
class Reply:
    """What goes back."""

    status: HTTPStatus
    body: bytes
    kind: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_bytes(self, keep: bool) -> bytes:
        lines = [
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            f"Content-Type: {self.kind}",
            f"Content-Length: {len(self.body)}",
            f"Connection: {'keep-alive' if keep else 'close'}",
            "Cache-Control: no-store",
            "X-Content-Type-Options: nosniff",
            *(f"{name}: {value}" for name, value in self.headers.items()),
        ]
        return "\r\n".join([*lines, "", ""]).encode("ascii") + self.body


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """The next request; None where the other side has closed the connection, or says nothing any more."""
    try:
        async with asyncio.timeout(IDLE_S):
            begun = await reader.readexactly(1)
        async with asyncio.timeout(HEAD_S):
            raw = begun + await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        raise Refused(status, f"the head of a request has at most {LONGEST_HEAD:,} bytes") from None
    except (asyncio.IncompleteReadError, TimeoutError, ConnectionError):
        return None
    lines = raw.decode("latin-1").split("\r\n")[:-2]
    words = lines[0].split(" ")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0") or CONTROL.search("".join(lines)):
        raise Refused(HTTPStatus.BAD_REQUEST, "this is not a request in HTTP/1.1")
    headers = _headers(lines[1:])
    if "transfer-encoding" in headers:
        raise Refused(HTTPStatus.NOT_IMPLEMENTED, "a body must have a Content-Length, and none in chunks is read")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise Refused(HTTPStatus.BAD_REQUEST, f"Content-Length {length[:40]!r} is not a number")
    if len(length) > 12 or int(length) > LONGEST_BODY:
        message = f"a body has at most {LONGEST_BODY:,} bytes; send fewer answers at a time"
        raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
    said = headers.get("connection", "").lower()
    keep = said != "close" and (words[2] == "HTTP/1.1" or said == "keep-alive")
    return Head(words[0], words[1].partition("?")[0], headers, int(length), keep)


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        name = name.lower()
        if not colon or not name or name.strip() != name or (name in headers and name in ("content-length", "host")):
            raise Refused(HTTPStatus.BAD_REQUEST, f"the header {line[:40]!r} cannot be read")
        headers[name] = value.strip()
    return headers


async def read_body(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: Head) -> bytes:
    """The body of a request."""
    if head.headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        await writer.drain()
    try:
        async with asyncio.timeout(BODY_S):
            return await reader.readexactly(head.length)
    except TimeoutError:
        raise Refused(HTTPStatus.REQUEST_TIMEOUT, f"the body did not come within {BODY_S:g} s") from None

"""The inspection: a person reads a random sample of a bank folder's kept drafts on a local page, and marks each keep, fix or drop.

    with decisions.opened(decisions.file_of(folder, "anna")) as ledger:
        server = InspectionServer(Inspection(folder.name, "anna", drawn, decided, ledger), secrets.token_urlsafe(16))
        await server.listen(Place(port=0))
        print(server.address)

The sample comes from a seed and the drafts' names alone: two readers get the same one, a larger share contains the smaller, and a bank
that grows keeps most of it. A reader never sees what another decided.

The page is served on the loopback interface. Its address holds a token, without which the server answers 404, whatever is asked; a
request that was sent to another host name (a foreign page that had its name point here) or from a foreign page is refused. The page loads
nothing from elsewhere, and puts what models wrote there as text only.

Not covered: readers on other machines (forward the port with ssh), and more than one reader at a time in one server.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from importlib import resources
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from sebench.author.decisions import LONGEST_NOTE, Decision, Mark
from sebench.author.sheets import Sheet
from sebench.base.errors import ConfigError
from sebench.base.http_server import LOOPBACK, HttpReply, HttpRequest, HttpServer
from sebench.base.ledger import Ledger

HOSTS = (LOOPBACK, "localhost")  # the second for a port that ssh forwards
LONGEST_BODY = 64 << 10  # bytes
PAGES = {  # what is served below the token: file and type
    "": ("inspect.html", "text/html"),
    "inspect.css": ("inspect.css", "text/css"),
    "inspect.js": ("inspect.js", "text/javascript"),
}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


def sample(sheets: Sequence[Sheet], share: float, seed: int) -> list[Sheet]:
    """A share of the sheets, at least one, in the order in which they are to be read."""
    ranked = sorted(sheets, key=lambda sheet: hashlib.sha256(f"{seed}:{sheet.id}".encode()).digest())
    wanted = ceil(round(share * len(ranked), 6))  # 0.07 x 100 is a little more than 7
    return ranked[: max(wanted, 1)]


def now() -> str:
    """The time of a decision."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Inspection:
    """What one reader sees, and what they have decided so far."""

    def __init__(
        self,
        bank: str,
        reader: str,
        drawn: Sequence[Sheet],
        decided: Mapping[str, Decision],
        ledger: Ledger,
        clock: Callable[[], str] = now,
    ) -> None:
        self.bank, self.reader, self.ledger, self.clock = bank, reader, ledger, clock
        self._lock = threading.Lock()
        self.drawn = {sheet.id: sheet for sheet in drawn}
        self.decided = {name: one for name, one in decided.items() if name in self.drawn}

    @property
    def read(self) -> int:
        """How many drafts of the sample have a mark."""
        return sum(1 for one in self.decided.values() if one.mark)

    def to_json(self) -> dict[str, Any]:
        """All that the page shows."""
        return {
            "bank": self.bank,
            "reader": self.reader,
            "longest_note": LONGEST_NOTE,
            "sheets": [sheet.to_json() for sheet in self.drawn.values()],
            "decisions": {name: {"mark": one.mark, "note": one.note} for name, one in self.decided.items()},
        }

    def decide(self, data: Any) -> Decision:
        """Keep a decision that came from the page; ValueError says why it is none."""
        if not isinstance(data, dict) or data.keys() != {"id", "mark", "note"}:
            raise ValueError("a decision has id, mark and note")
        if not isinstance(data["id"], str) or data["id"] not in self.drawn:
            raise ValueError(f"there is no draft {data['id']!r} in this sample")
        if data["mark"] not in list(Mark):
            raise ValueError(f"mark {data['mark']!r}: there are keep, fix and drop")
        if not isinstance(data["note"], str) or len(data["note"]) > LONGEST_NOTE:
            raise ValueError(f"a note has at most {LONGEST_NOTE:,} characters")
        sheet = self.drawn[data["id"]]
        made = Decision(sheet.id, sheet.digest, Mark(data["mark"]), data["note"], self.reader, self.clock())
        with self._lock:  # the file and what the page shows have the same order
            self.ledger.add(made.to_json())
            self.decided = {**self.decided, sheet.id: made}
        return made


class InspectionServer(HttpServer):
    """Serves one inspection on the loopback interface."""

    def __init__(self, inspection: Inspection, token: str) -> None:
        super().__init__()
        self.inspection, self.token = inspection, token

    @property
    def address(self) -> str:
        """What a reader opens."""
        return f"http://{LOOPBACK}:{self.port}/{self.token}/"

    async def reply(self, request: HttpRequest) -> HttpReply:
        match request.method, self._name(request):
            case "GET", str(name) if name in PAGES:
                file, type_ = PAGES[name]
                return _reply(HTTPStatus.OK, asset(file), type_)
            case "GET", "sample.json":
                return _data(self.inspection.to_json())
            case "POST", "decisions":
                async with request.body(LONGEST_BODY) as body:
                    return self._decide(body)
        return _text(HTTPStatus.NOT_FOUND, "not found")

    def _decide(self, body: bytearray) -> HttpReply:
        try:
            self.inspection.decide(json.loads(body))
        except (ValueError, RecursionError) as error:  # JSON that cannot be read among it
            return _text(HTTPStatus.BAD_REQUEST, str(error))
        except ConfigError as error:
            return _text(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
        return _data({"read": self.inspection.read})

    def _name(self, request: HttpRequest) -> str | None:
        """What is asked for below the token; None for whoever does not know it, or comes from elsewhere."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if _host(f"//{host}") not in HOSTS or origin not in (None, f"http://{host}"):
            return None
        match = re.fullmatch(r"/([^/?#]+)/([a-z.]*)", request.target)
        known = match and secrets.compare_digest(match[1].encode(), self.token.encode())
        return match[2] if match and known else None


def _reply(status: HTTPStatus, body: bytes, type_: str) -> HttpReply:
    return HttpReply(status, body, f"{type_}; charset=utf-8", HEADERS)


def _text(status: HTTPStatus, text: str) -> HttpReply:
    return _reply(status, text.encode("utf-8", "backslashreplace"), "text/plain")


def _data(data: Any) -> HttpReply:
    return _reply(HTTPStatus.OK, json.dumps(data).encode(), "application/json")


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:  # an open bracket, for instance
        return None


@cache
def asset(name: str) -> bytes:
    """A file of the page; a style begins with the colours that all pages share."""
    shared = (resources.files("sebench.base") / "colours.css").read_bytes() if name.endswith(".css") else b""
    return shared + (resources.files(__package__) / name).read_bytes()

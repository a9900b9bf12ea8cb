"""Serves a local web page on which a person reads a random sample of a bank folder's kept drafts, and marks each as
keep, fix or drop.

    with decisions.open_ledger(decisions.file_of(folder, "anna")) as ledger:
        server = InspectionServer(Inspection(folder.name, "anna", cards, decided, ledger), secrets.token_urlsafe(16))
        await server.listen(ListenAddress(port=0))
        print(server.address)

The sample depends only on a seed and the drafts' names: two readers get the same sample, a larger sample contains every
smaller one, and most of it stays the same as the bank grows. Readers never see each other's decisions.

The page is served on the loopback interface. Its URL contains a token; without it the server always replies 404.
Requests addressed to another host name (DNS rebinding) or sent from another site's page are refused. The page loads
nothing from other sites, and inserts text from models without interpreting it as HTML.

Not covered: readers on other machines (forward the port with ssh), and several readers sharing one server.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from importlib import resources
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from sebench.author.decisions import LONGEST_NOTE, Decision, Mark
from sebench.author.review_cards import ReviewCard
from sebench.base.errors import ConfigError
from sebench.base.http_server import LOOPBACK, HttpReply, HttpRequest, HttpServer
from sebench.base.ledger import Ledger

HOSTS = (LOOPBACK, "localhost")  # "localhost" for a port forwarded by ssh
LONGEST_BODY = 64 << 10  # bytes
PAGES = {  # paths below the token: file and content type
    "": ("inspect.html", "text/html"),
    "inspect.css": ("inspect.css", "text/css"),
    "inspect.js": ("inspect.js", "text/javascript"),
}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
}


def sample(cards: Sequence[ReviewCard], share: float, seed: int) -> list[ReviewCard]:
    """Return a share of the review cards (at least one), in reading order."""
    ranked = sorted(cards, key=lambda card: hashlib.sha256(f"{seed}:{card.id}".encode()).digest())
    count = ceil(round(share * len(ranked), 6))  # rounded first, because 0.07 * 100 > 7 in floating point
    return ranked[: max(count, 1)]


class Inspection:
    """The sample that one reader sees, and their decisions so far."""

    def __init__(
        self,
        bank: str,
        reader: str,
        sample: Sequence[ReviewCard],
        decisions: Mapping[str, Decision],
        ledger: Ledger,
        clock: Callable[[], str] = lambda: datetime.now(UTC).isoformat(timespec="seconds"),
    ) -> None:
        self.bank, self.reader, self.ledger, self.clock = bank, reader, ledger, clock
        self._lock = threading.Lock()
        self.sample = {card.id: card for card in sample}
        self.decisions = {name: one for name, one in decisions.items() if name in self.sample}

    @property
    def read(self) -> int:
        """The number of drafts in the sample that have a mark."""
        return sum(1 for one in self.decisions.values() if one.mark)

    def to_json(self) -> dict[str, Any]:
        """Return everything that the page shows."""
        return {
            "bank": self.bank,
            "reader": self.reader,
            "longest_note": LONGEST_NOTE,
            "sheets": [card.to_json() for card in self.sample.values()],
            "decisions": {name: {"mark": one.mark, "note": one.note} for name, one in self.decisions.items()},
        }

    def decide(self, data: Any) -> Decision:
        """Store a decision sent by the page. Raises ValueError if it is malformed."""
        if not isinstance(data, dict) or data.keys() != {"id", "mark", "note"}:
            raise ValueError("a decision must have id, mark and note")
        if not isinstance(data["id"], str) or data["id"] not in self.sample:
            raise ValueError(f"there is no draft {data['id']!r} in this sample")
        if data["mark"] not in list(Mark):
            raise ValueError(f"mark {data['mark']!r} is unknown; choose keep, fix or drop")
        if not isinstance(data["note"], str) or len(data["note"]) > LONGEST_NOTE:
            raise ValueError(f"a note may have at most {LONGEST_NOTE:,} characters")
        card = self.sample[data["id"]]
        decision = Decision(card.id, card.digest, Mark(data["mark"]), data["note"], self.reader, self.clock())
        with self._lock:  # so that file and page see decisions in the same order
            self.ledger.add(asdict(decision))
            self.decisions = {**self.decisions, card.id: decision}
        return decision


class InspectionServer(HttpServer):
    """Serves one inspection on the loopback interface."""

    def __init__(self, inspection: Inspection, token: str) -> None:
        super().__init__()
        self.inspection, self.token = inspection, token

    @property
    def address(self) -> str:
        """The URL for the reader to open."""
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
        except (ValueError, RecursionError) as error:  # including unreadable JSON
            return _text(HTTPStatus.BAD_REQUEST, str(error))
        except ConfigError as error:
            return _text(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))
        return _data({"read": self.inspection.read})

    def _name(self, request: HttpRequest) -> str | None:
        """Return the path below the token, or None if the token is wrong or the request comes from another site."""
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
    except ValueError:  # because of an unclosed bracket, for instance
        return None


@cache
def asset(name: str) -> bytes:
    """Return one of the page's files. The stylesheet starts with the colours that all our pages share."""
    shared = (resources.files("sebench.base") / "colours.css").read_bytes() if name.endswith(".css") else b""
    return shared + (resources.files(__package__) / name).read_bytes()

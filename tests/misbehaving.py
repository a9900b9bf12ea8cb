"""An OpenAI-compatible server that misbehaves on purpose: a real server on loopback that needs only the standard
library.

Every request may have its own fault (`FAULTS`), chosen by its number. The server counts the requests and the answers
that it really sent, so that a test can tell what was lost or asked twice. `python -m tests.misbehaving --help` runs it
in a separate process (for benchmarks/rollout.py), where command-line options set the rate of faults and the answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from email.utils import formatdate
from pathlib import Path
from typing import Any

FIXED = "```python\ndef nothing():\n    return None\n```"
KEY = "sk-right-0123456789"


def reply(status: int, body: bytes | str, *headers: str, kind: str = "application/json") -> bytes:
    data = body.encode() if isinstance(body, str) else body
    lines = (f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(data)}", *headers)
    return "\r\n".join((*lines, "", "")).encode() + data


def completion(text: str | None, finish: str = "stop", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return {"model": "served", "choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 20}}


def refusal(status: int, message: str, *headers: str) -> bytes:
    return reply(status, json.dumps({"error": {"message": message}}), *headers)


def good(text: str) -> bytes:
    return reply(200, json.dumps(completion(text)))


def _strange(text: str, **changes: Any) -> bytes:
    return reply(200, json.dumps({**completion(text), **changes}))


# What becomes of a request. Bytes are sent as they are; what is no whole reply is followed by the end of the
# connection.
FAULTS: Mapping[str, Callable[[str], bytes]] = {
    "wrong_key": lambda text: refusal(401, f"Incorrect API key provided: {KEY}."),
    "no_model": lambda text: refusal(404, "The model `x` does not exist"),
    "too_long": lambda text: refusal(400, "maximum context length is 4096 tokens"),
    "no_quota": lambda text: reply(
        429,
        json.dumps({"error": {"message": "You exceeded your quota", "type": "insufficient_quota"}}),
        "Retry-After: 1",
    ),
    "other_limit": lambda text: refusal(400, "Unsupported parameter: use 'max_completion_tokens' instead"),
    "temperature": lambda text: reply(
        400, json.dumps({"error": {"message": "Only the default (1) value is supported", "param": "temperature"}})
    ),
    "no_seed": lambda text: refusal(400, "Unsupported parameter: 'seed' is not supported with this model"),
    "no_seed_google": lambda text: refusal(
        400, 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
    ),
    "no_seed_pydantic": lambda text: reply(
        422,
        json.dumps(
            {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}
        ),
    ),
    "no_seed_argument": lambda text: refusal(400, "Unrecognized request argument supplied: seed"),
    "unpaid": lambda text: refusal(402, "Insufficient credits"),
    "unsupported_limit": lambda text: refusal(400, "Unsupported parameter: 'max_tokens'"),
    "events": lambda text: reply(
        200, f"data: {json.dumps(completion(text))}\n\ndata: [DONE]\n", kind="text/event-stream"
    ),
    "both_limits": lambda text: refusal(
        400, "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context length is 4096"
    ),
    "filtered": lambda text: reply(200, json.dumps(completion("", finish="content_filter"))),
    "rate": lambda text: refusal(429, "slow down"),
    "rate_seconds": lambda text: refusal(429, "slow down", "Retry-After: 0.2"),
    "rate_date": lambda text: refusal(429, "slow down", f"Retry-After: {formatdate(time.time() + 1, usegmt=True)}"),
    "overloaded": lambda text: refusal(503, "overloaded", "Retry-After: 0"),
    "broken": lambda text: reply(500, "<html>oops \x1b[31m\x00</html>", kind="text/html"),
    "gateway": lambda text: reply(502, ""),
    "nothing": lambda text: reply(204, ""),
    "moved": lambda text: reply(301, "", "Location: https://127.0.0.1:9/v1/chat/completions"),
    "detour": lambda text: reply(302, "", "Location: http://127.0.0.1:9/elsewhere"),
    "hung_up": lambda text: b"",
    "headers_only": lambda text: b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n",
    "cut": lambda text: good(text)[:-30],
    "no_http": lambda text: b"220 mail.example.org ESMTP\r\n",
    "malformed": lambda text: reply(200, '{"choices": [{"message": '),
    "deep": lambda text: reply(200, "[" * 100_000),
    "no_json": lambda text: reply(200, "<html>welcome to the hotel network</html>", kind="text/html"),
    "error_in_200": lambda text: reply(200, json.dumps({"error": {"message": "upstream failed", "code": 502}})),
    "no_choices": lambda text: _strange(text, choices=[]),
    "null_content": lambda text: reply(200, json.dumps(completion(None))),
    "number_content": lambda text: reply(200, json.dumps(completion(7))),  # type: ignore[arg-type]
    "a_list": lambda text: reply(200, "[]"),
    "stall": lambda text: b"STALL",
    "endless": lambda text: b"ENDLESS",
}
# Odd, but a response all the same.
ODD: Mapping[str, Callable[[str], bytes]] = {
    "plain_text": lambda text: reply(200, json.dumps(completion(text)), kind="text/plain; charset=latin-1"),
    "no_usage": lambda text: _strange(text, usage=None),
    "odd_usage": lambda text: _strange(text, usage={"prompt_tokens": "many", "completion_tokens": float("inf")}),
    "reasoning": lambda text: reply(200, json.dumps(completion(text, reasoning_content="Let me see ```python x```"))),
    "surrogate": lambda text: reply(200, json.dumps(completion(f"half \ud83d of it\n{text}"))),
    "null_byte": lambda text: reply(200, json.dumps(completion(f"nothing \x00 here\n{text}"))),
    "unicode": lambda text: reply(200, json.dumps(completion(f"žluťoučký \u2028 🐎\n{text}"), ensure_ascii=False)),
    "huge": lambda text: reply(200, json.dumps(completion(f"{'so ' * 700_000}\n{text}"))),
    "parts": lambda text: _in_parts(text),
    "chunked": lambda text: _chunked(json.dumps(completion(text)).encode()),
}
NO_SEED = ("no_seed", "no_seed_google", "no_seed_pydantic", "no_seed_argument")
PERMANENT = ("wrong_key", "no_model", "no_quota", "unpaid", "temperature", *NO_SEED, "events", "moved")
THIS_PROMPT = ("too_long", "both_limits", "filtered")
OTHER_LIMIT = ("other_limit", "unsupported_limit")  # pass once the other field is used
PASSING = tuple(name for name in FAULTS if name not in (*PERMANENT, *THIS_PROMPT, *OTHER_LIMIT, "stall", "endless"))


def _in_parts(text: str) -> bytes:
    parts = [{"type": "text", "text": text[:5]}, {"type": "image"}, {"type": "text", "text": text[5:]}]
    made: Any = completion(text)
    made["choices"][0]["message"]["content"] = parts
    return reply(200, json.dumps(made))


def _chunked(body: bytes) -> bytes:
    parts = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:]))
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + parts + b"0\r\n\r\n"


Choose = Callable[[int], str]  # from the number of a request to its fault, "" for none


def never(number: int) -> str:
    return ""


def first(count: int, *faults: str) -> Choose:
    """The faults in turn for so many requests, then none."""
    return lambda number: faults[number % len(faults)] if number < count else ""


def some(rate: float, *faults: str, seed: int = 0) -> Choose:
    """A random one of the faults for this part of all requests."""
    rng = random.Random(seed)
    return lambda number: rng.choice(faults) if rng.random() < rate else ""


class Server:
    """The server, in a thread of its own: `with Server(...) as server: ... server.url`."""

    def __init__(
        self, choose: Choose = never, answers: Mapping[str, str] | None = None, key: str = "", delay_s: float = 0.0
    ) -> None:
        self.choose, self.answers, self.key, self.delay_s = choose, answers or {}, key, delay_s
        self.asked: Counter[tuple[str, int]] = Counter()  # by prompt and seed
        self.answered: Counter[tuple[str, int]] = Counter()
        self.requests = self.open = self.most_open = 0
        self.most_answers: int | None = None  # after so many, nothing is answered any more
        self.last: dict[str, Any] = {}  # the body of the last request
        self.port = 0
        self.loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._connections: set[_Connection] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await self.loop.create_server(lambda: _Connection(self), "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for connection in list(self._connections):
            connection.transport.abort()

    def run(self) -> None:
        self.loop.run_until_complete(self._serve())
        self.loop.close()

    def __enter__(self) -> Server:
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *error: object) -> None:
        self.loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def respond(self, head: bytes, body: bytes) -> bytes:
        number = self.requests
        self.requests += 1
        if self.key and f"authorization: bearer {self.key}".encode() not in head.lower():
            return FAULTS["wrong_key"]("")
        self.last = asked = json.loads(body)
        prompt = asked["messages"][-1]["content"]
        what = prompt, asked.get("seed", 0)
        self.asked[what] += 1
        text = self.answers.get(prompt, FIXED)
        fault = self.choose(number)
        if self.most_answers is not None and self.answered.total() >= self.most_answers:
            fault = "stall"
        if fault in FAULTS:
            return FAULTS[fault](text)
        self.answered[what] += 1
        return ODD[fault](text) if fault else good(text)


class _Connection(asyncio.Protocol):
    """One connection: requests one after the other."""

    transport: asyncio.Transport

    def __init__(self, server: Server) -> None:
        self.server, self.data = server, bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server._connections.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.server._connections.discard(self)

    def data_received(self, data: bytes) -> None:
        self.data += data
        end = self.data.find(b"\r\n\r\n")
        if end < 0:
            return
        head = bytes(self.data[:end])
        size = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(self.data) < end + 4 + size:
            return
        body = bytes(self.data[end + 4 : end + 4 + size])
        del self.data[: end + 4 + size]
        server = self.server
        server.open += 1
        server.most_open = max(server.most_open, server.open)
        answer = server.respond(head, body)
        if server.delay_s:
            server.loop.call_later(server.delay_s, self._send, answer)
        else:
            self._send(answer)

    def _send(self, answer: bytes) -> None:
        self.server.open -= 1
        if answer == b"STALL":
            return
        if answer == b"ENDLESS":
            self.transport.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            self._drip()
            return
        self.transport.write(answer)
        if not _whole(answer):
            self.transport.close()

    def _drip(self) -> None:
        """A byte now and then, forever: no silence that a read timeout would notice."""
        if not self.transport.is_closing():
            self.transport.write(b"1\r\n \r\n")
            self.server.loop.call_later(0.05, self._drip)


def _whole(answer: bytes) -> bool:
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"chunked" in head:
        return body.endswith(b"0\r\n\r\n")
    length = head.partition(b"Content-Length: ")[2].split(b"\r\n", 1)[0]
    return bool(length) and int(length) == len(body)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument(
        "--faults", type=float, default=0.0, help="the part of requests that fail without a wish to wait"
    )
    parser.add_argument("--answers", type=Path, help="JSON: from prompt to answer")
    parser.add_argument("--delay", type=float, default=0.0)
    options = parser.parse_args()
    answers = json.loads(options.answers.read_text()) if options.answers else {}
    faults = [name for name in PASSING if name not in ("rate", "rate_seconds", "rate_date", "overloaded", "deep")]
    server = Server(some(options.faults, *faults) if options.faults else never, answers, delay_s=options.delay)
    server.port = options.port
    threading.Thread(target=lambda: server._ready.wait() and print(server.url, flush=True), daemon=True).start()
    server.run()


if __name__ == "__main__":
    main()

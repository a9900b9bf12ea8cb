"""A client of a served judge, for any process: a trainer, a notebook, another machine.

    with JudgeClient("http://127.0.0.1:8100", token, world=world.manifest.fingerprint) as client:
        verdict = client.judge("task_id", response)
        for verdict in client.judge_many(pairs): ...
        rewards = client.rewards(pairs)

If the judge is busy, a request is retried after the pause that the judge asks for; if the judge cannot be reached, the
request is retried with exponential backoff. After `patience_s` seconds, `JudgeUnavailable` is raised. Judging an answer
twice does no harm. A fault is never turned into a verdict.

The client is thread-safe; after a fork or unpickling, it opens its own connections. It loads neither NumPy nor a world.
"""

from __future__ import annotations

import itertools
import json
import os
import socket
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

from sebench.base import retry
from sebench.base.errors import ConfigError, JudgeUnavailable
from sebench.base.records import Task, Verdict

BATCH = 32  # answers per request of `judge_many`
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.1, 10.0
AGAIN = (408, 429, 500, 502, 503, 504)

TaskReference = Task | str | Mapping[str, Any]  # a task, its id, or a row of an exported data set


class JudgeClient:
    """A client of a served judge."""

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        world: str = "",
        connections: int = 8,
        timeout_s: float = 300.0,
        patience_s: float = 300.0,
    ) -> None:
        """`url`: "http://HOST:PORT", "https://..." or "unix:PATH". `world`: the fingerprint of the expected world; a
        judge of another world refuses the request. `patience_s`: for how many seconds to retry a request."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https", "unix") or not (parts.hostname or parts.path):
            raise ConfigError(f"judge {url!r}: use http://HOST:PORT, https://HOST or unix:PATH")
        if not token.isascii() or not token.isprintable():
            raise ConfigError("the token of a judge must consist of printable ASCII characters")
        self.url, self.world, self.connections = url, world, connections
        self.timeout_s, self.patience_s, self._token = timeout_s, patience_s, token
        self._begin()

    def _begin(self) -> None:
        parts = urlsplit(self.url)
        transport = httpx.HTTPTransport(uds=parts.path if parts.scheme == "unix" else None)
        self._http = httpx.Client(
            base_url="http://localhost" if parts.scheme == "unix" else self.url,
            headers={"Authorization": f"Bearer {self._token}"} if self._token else {},
            timeout=self.timeout_s,
            transport=transport,  # no proxy: the token goes to the judge alone
        )
        self._process = os.getpid()

    def judge(self, task: TaskReference, response: str, *, native: bool = False) -> Verdict:
        """Return the verdict on one response. `native`: whether the response is written in NumPy."""
        return self.judge_batch([(task, response)], native=native)[0]

    def judge_batch(self, pairs: Sequence[tuple[TaskReference, str]], *, native: bool = False) -> list[Verdict]:
        """Return the verdicts from one request, which must not have more answers than the server's queue holds."""
        return [Verdict.from_json(data) for data in self._post(pairs, native, "")]

    def judge_many(self, pairs: Iterable[tuple[TaskReference, str]], *, native: bool = False) -> Iterator[Verdict]:
        """Yield the verdicts in the order of the pairs, using several concurrent requests; only a few pairs are read
        ahead."""
        for batch in self._many(pairs, native, ""):
            yield from map(Verdict.from_json, batch)

    def rewards(self, pairs: Iterable[tuple[TaskReference, str]], credit: str = "targeted") -> list[float | None]:
        """Return the rewards in order: 1.0, 0.0, or None for a fault that is not the candidate's."""
        return [one["reward"] for batch in self._many(pairs, False, credit) for one in batch]

    def health(self) -> dict[str, Any]:
        """Return the server's status: world, version and number of waiting answers, even while it is stopping or
        failing."""
        return self._ask("GET", "/health", None)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in ("_http", "_process")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    # ---- requests -----------------------------------------------------------------------------------------------

    def _many(
        self, pairs: Iterable[tuple[TaskReference, str]], native: bool, credit: str
    ) -> Iterator[list[dict[str, Any]]]:
        ahead: deque[Future[list[dict[str, Any]]]] = deque()
        source = iter(pairs)
        enough = threading.Event()  # set when nobody is waiting for the rest
        with ThreadPoolExecutor(self.connections, thread_name_prefix="ask-judge") as threads:
            try:
                while batch := list(itertools.islice(source, BATCH)):
                    ahead.append(threads.submit(self._post, batch, native, credit, enough))
                    if len(ahead) >= 2 * self.connections:
                        yield ahead.popleft().result()
                while ahead:
                    yield ahead.popleft().result()
            finally:
                enough.set()
                threads.shutdown(cancel_futures=True)

    def _post(
        self,
        pairs: Sequence[tuple[TaskReference, str]],
        native: bool,
        credit: str,
        enough: threading.Event | None = None,
    ) -> list[dict[str, Any]]:
        body: dict[str, Any] = {"answers": [_answer(task, response, native) for task, response in pairs]}
        body |= {key: value for key, value in (("world", self.world), ("credit", credit)) if value}
        try:
            verdicts: list[dict[str, Any]] = self._ask(
                "POST", "/judge", json.dumps(body).encode(), len(pairs), enough or threading.Event()
            )["verdicts"]
        except _TooLarge:
            if len(pairs) == 1:
                raise
            half = len(pairs) // 2
            return [one for part in (pairs[:half], pairs[half:]) for one in self._post(part, native, credit, enough)]
        return verdicts

    def _ask(
        self, method: str, path: str, body: bytes | None, expected: int = -1, enough: threading.Event | None = None
    ) -> dict[str, Any]:
        """Send a request, with retries, and return a valid reply. `expected`: how many verdicts it must contain;
        `enough`: set to stop retrying."""
        retries = retry.Retries(within_s=self.patience_s, first_s=FIRST_PAUSE_S, longest_s=LONGEST_PAUSE_S)
        enough = enough or threading.Event()
        while True:
            asked_s = 0.0
            try:
                status, after, data = self._once(method, path, body)
                if (status == 200 and (expected < 0 or len(data["verdicts"]) == expected)) or (
                    method == "GET" and "status" in data
                ):
                    return data
                why = str(data.get("error", f"status {status}"))
                if status not in AGAIN and status != 200:
                    raise (_TooLarge if status == 413 else ConfigError)(f"judge {self.url}: {why}")
                asked_s = retry.retry_after_s(after, 0.0)
            except (httpx.HTTPError, OSError, ValueError, KeyError, TypeError) as error:
                why = f"{type(error).__name__}: {error}"
            pause_s = retries.pause_s(asked_s)
            if pause_s is None:
                raise JudgeUnavailable(f"judge {self.url} gave no valid reply within {self.patience_s:g} s ({why})")
            if enough.wait(pause_s):
                raise JudgeUnavailable(
                    f"judge {self.url} gave no valid reply before the caller stopped waiting ({why})"
                )

    def _once(self, method: str, path: str, body: bytes | None) -> tuple[int, str, dict[str, Any]]:
        if self._process != os.getpid():
            self._begin()  # open connections belong to the parent
        if self.url.startswith("unix:"):
            with socket.socket(socket.AF_UNIX) as probe:  # httpcore would leave the socket of a failed connection open
                probe.settimeout(self.timeout_s)
                probe.connect(urlsplit(self.url).path)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        reply = self._http.request(method, path, content=body, headers=headers)
        return reply.status_code, reply.headers.get("Retry-After", ""), _object(reply.content, reply.status_code)


class _TooLarge(ConfigError):
    """The request was too large for this server; two smaller ones may work."""


def _object(text: bytes, status: int) -> dict[str, Any]:
    """Return the JSON object in a reply; {} for an error page that is not from the judge (but from a proxy, say)."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if isinstance(data, dict):
        return data
    if status == 200:
        raise ValueError("the reply is not a JSON object")
    return {}


def _answer(task: TaskReference, response: str, native: bool) -> dict[str, Any]:
    named = {"task": task} if isinstance(task, Mapping) else {"task_id": task.id if isinstance(task, Task) else task}
    return {**named, "response": response, **({"book": "native"} if native else {})}

"""The client of a served judge against servers that are busy, broken or hostile: no token is sent elsewhere, and no
verdict is made up."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

import pytest

from sebench import JudgeClient
from sebench.base.errors import ConfigError, JudgeUnavailable
from sebench.base.records import Kind, Verdict
from sebench.remote.http.server import LONGEST_BODY
from sebench.world.world import World
from tests.serving import Hesitant, served


@contextmanager
def replying(reply: Callable[[bytes], bytes]) -> Iterator[tuple[str, list[bytes]]]:
    """A server that answers each request by a rule: its address, and the requests that it got."""
    seen: list[bytes] = []

    def serve(listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as stream:
                head = b"".join(iter(stream.readline, b"\r\n"))
                length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0] or 0)
                seen.append(head + stream.read(length))
                connection.sendall(reply(seen[-1]))

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", seen
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(30)


def message(status_line: str, body: bytes = b"{}", more: str = "") -> bytes:
    return f"HTTP/1.1 {status_line}\r\nContent-Length: {len(body)}\r\n{more}Connection: close\r\n\r\n".encode() + body


def test_a_token_is_sent_to_nobody_but_the_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    with replying(lambda request: message("200 OK")) as (elsewhere, stolen):
        monkeypatch.setenv("http_proxy", elsewhere)
        monkeypatch.setenv("ALL_PROXY", elsewhere)
        moved = message("307 Temporary Redirect", b"moved", f"Location: {elsewhere}/judge\r\n")
        with (
            replying(lambda request: moved) as (address, seen),
            JudgeClient(address, "a-token-of-24-characters") as client,
            pytest.raises(ConfigError, match="status 307"),
        ):
            client.judge("task", "answer")
        assert len(seen) == 1 and not stolen


def test_a_page_of_a_proxy_is_an_error_at_once() -> None:
    with (
        replying(lambda request: message("404 Not Found", b"<html>no</html>")) as (address, seen),
        JudgeClient(address) as client,
        pytest.raises(ConfigError, match="status 404"),
    ):
        client.judge("task", "answer")
    assert len(seen) == 1


def test_a_server_that_says_at_once_is_not_asked_without_a_pause() -> None:
    with replying(lambda request: message("429 Too Many", more="Retry-After: 0\r\n")) as (address, seen):
        with JudgeClient(address, patience_s=0.5) as client, pytest.raises(JudgeUnavailable):
            client.judge("task", "answer")
        assert len(seen) <= 11  # one each 0.05 s at the most


def test_who_no_longer_wants_verdicts_does_not_wait_for_them() -> None:
    """One batch is judged; the others are refused until the client's patience ends, which nobody waits for."""
    verdict = json.dumps(Verdict(Kind.NO_CODE).to_json())
    first = f'{{"verdicts": [{", ".join([verdict] * 32)}]}}'.encode()

    def reply(text: bytes) -> bytes:
        return message("200 OK", first) if b"first" in text else message("503 Busy", more="Retry-After: 60\r\n")

    with replying(reply) as (address, _), JudgeClient(address, connections=2, patience_s=600) as client:
        found = client.judge_many([("task", "first")] * 32 + [("task", "later")] * 320)
        assert next(found).kind is Kind.NO_CODE
        ending = threading.Thread(target=found.close, daemon=True)
        ending.start()
        ending.join(30)
        assert not ending.is_alive()


def test_what_is_too_much_for_one_request_is_sent_in_several(small: World) -> None:
    judge = Hesitant(small)
    judge.submit = lambda task, response, native=False: _settled(response)  # type: ignore[method-assign]
    long = "é" * (LONGEST_BODY // 24)  # a quarter of what a request may hold, in JSON
    task = small.tasks("train")[0].id
    with served(judge, queue=5) as running, JudgeClient(running.address, connections=1) as client:
        assert [v.detail for v in client.judge_many([(task, str(n)) for n in range(40)])] == [str(n) for n in range(40)]
        assert [v.detail for v in client.judge_batch([(task, long)] * 5)] == [long[:9]] * 5
        with pytest.raises(ConfigError, match="a body may have at most"):
            client.judge(task, long * 5)


def _settled(response: str) -> Future[Verdict]:
    future: Future[Verdict] = Future()
    future.set_result(Verdict(Kind.NO_CODE, detail=response[:9]))
    return future

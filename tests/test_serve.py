"""The served judge: the same verdicts as in process, a bounded queue, no access without permission, and an orderly
stop."""

from __future__ import annotations

import http.client
import json
import os
import pickle
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sebench import JudgeClient
from sebench.base import retry
from sebench.base.errors import ConfigError, JudgeUnavailable
from sebench.base.http_server import ListenAddress
from sebench.base.records import Blame, Kind, Task, Verdict
from sebench.base.retry import Retries
from sebench.judge.judge import Judge
from sebench.remote.http.server import LONGEST_BODY, check_token
from sebench.tasks import dataset
from sebench.world.world import World
from tests import corpora
from tests.conftest import EVERYTHING, hear_interrupts
from tests.serving import Hesitant, Served, served

TOKEN = "a-token-of-24-characters"


@pytest.fixture(scope="module")
def judge(small: World) -> Iterator[Judge]:
    with Judge(small, workers=2) as judge:
        yield judge


@pytest.fixture
def hesitant(small: World) -> Iterator[Hesitant]:
    judge = Hesitant(small)
    yield judge
    judge.decide()


def said(verdict: Verdict) -> Verdict:
    """A verdict without what no two runs have in common."""
    return replace(verdict, cpu_s=0.0, wall_s=0.0)


def ask(running: Served, body: Any, method: str = "POST", path: str = "/judge", **headers: str) -> tuple[int, Any]:
    """Status and reply to one request."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    sent = {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.request(method, path, body if isinstance(body, bytes | None) else json.dumps(body), sent)
    reply = connection.getresponse()
    text = reply.read()
    connection.close()
    return reply.status, {**json.loads(text), "after": reply.headers.get("Retry-After")}


def raw(running: Served, request: bytes) -> bytes:
    """What comes back for bytes that need not be a request."""
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def answers(world: World) -> list[tuple[Task, str]]:
    """Right, wrong, hostile and odd ones."""
    tasks = [*world.tasks("single_test"), *world.tasks("train")]
    right = [(task, task.gold) for task in tasks]
    wrong = [(task, tasks[n - k].gold) for n, task in enumerate(tasks) for k in (1, 2)]
    texts = ("", "no code", "```python\nimport numpy\n```", "\ud800 half", "\0", "é" * 300_000)
    odd = [(tasks[0], text) for text in texts]
    specimens = [*corpora.attacks(world).specimens, *corpora.honest(world).specimens]
    there = world.names.functions.keys()
    hostile = [(s.task, s.response) for s in specimens if s.family != "resources" and there >= set(s.task.functions)]
    return [*right, *wrong, *odd, *hostile]


# ---- verdicts ---------------------------------------------------------------------------------------------------


def test_verdicts_over_http_are_those_in_process(judge: Judge, small: World) -> None:
    """All of them in `make test-all`, every second in `make test`."""
    pairs = answers(small)
    assert len(pairs) >= 200
    pairs = pairs[:: 1 if EVERYTHING else 2]
    rows = [(dataset.to_json(task, small.names), response) for task, response in pairs]
    with served(judge) as running, JudgeClient(running.address, world=small.manifest.fingerprint) as client:
        there = [said(verdict) for verdict in client.judge_many(rows)]
    here = [said(verdict) for verdict in judge.judge_many(pairs)]
    assert there == here
    assert {Kind.PASSED, Kind.NO_CODE, Kind.NUMPY, Kind.NOT_FROM_LIBRARY} <= {verdict.kind for verdict in here}


def test_64_clients_get_each_their_own_verdict(judge: Judge, small: World) -> None:
    tasks = small.tasks("train")[:16]
    given = [(task, task.gold if right else "pass") for task in tasks for right in (True, False)] * 4
    with served(judge, queue=24) as running, JudgeClient(running.address) as client, ThreadPoolExecutor(64) as threads:
        found = list(threads.map(lambda pair: client.judge(pair[0].id, pair[1]).passed, given[:64]))
    assert found == [response != "pass" for _, response in given[:64]]


def test_a_task_is_named_by_its_id_or_carried_as_a_row_without_the_world(judge: Judge, small: World) -> None:
    task = small.tasks("train")[0]
    row = dataset.to_json(task, small.names)
    bare = {key: value for key, value in row.items() if key not in ("question", "examples", "signature", "card")}
    with served(judge) as running, JudgeClient(running.address) as client:
        found = [said(client.judge(asked, task.gold)) for asked in (task, task.id, row, bare)]
        assert client.rewards([(task.id, task.gold), (row, "pass")]) == [1.0, 0.0]
        native = client.judge(task.id, "import numpy as np", native=True)
        without_gold = client.judge({key: value for key, value in bare.items() if key != "gold"}, task.gold)
    assert (without_gold.passed, without_gold.targeted) == (True, None)  # credit is by comparison with gold
    assert found == [said(judge.judge(task, task.gold))] * 4
    assert native.kind is judge.judge_native(task, "import numpy as np").kind


# ---- what cannot be judged --------------------------------------------------------------------------------------


def test_a_request_that_cannot_be_judged_is_one_line_and_never_a_verdict(hesitant: Hesitant, small: World) -> None:
    task = small.tasks("train")[0]
    row = dataset.to_json(task, small.names)
    bad: list[tuple[Any, str]] = [
        (b"{", "not JSON"),
        (b"[1]", "not an object"),
        (b"[" * 100_000, "nested 100,000 levels deep; the limit is 60"),
        ({"task_id": task.id}, "'response' is missing"),
        ({"task_id": task.id, "response": 3}, "'response'"),
        ({"task_id": "nobody", "response": ""}, "no task 'nobody'"),
        ({"task_id": ["x"], "response": ""}, "no task"),
        ({"task_id": task.id, "task": row, "response": ""}, "send either"),
        ({"response": ""}, "send either"),
        ({"task": {**row, "core": [{"function": "mean", "alternatives": []}]}, "response": ""}, "'mean'"),
        ({"task": {"id": "x"}, "response": ""}, "'task' has no 'split'"),
        ({"task": {**row, "cases": [{"input": "a=open(1)", "output": "1"}]}, "response": ""}, ""),
        ({"task": {**row, "core": []}, "response": "", "credit": "targeted"}, "credit 'passed'"),
        ({"answers": [{"task_id": task.id, "response": ""}, 7]}, "answers[1]"),
        ({"answers": 7}, "not a list"),
        ({"task_id": task.id, "response": "", "credit": "all"}, "'credit'"),
        ({"task_id": task.id, "response": "", "book": "shut"}, "'book'"),
    ]
    with served(hesitant) as running:
        for body, wanted in bad:
            status, told = ask(running, body)
            assert (status, "\n" in told["error"]) == (400, False), body
            assert wanted in told["error"], told["error"]
    assert not hesitant.asked


def test_a_judge_of_another_world_refuses(hesitant: Hesitant) -> None:
    refused = pytest.raises(ConfigError, match="use a judge of that world")
    with served(hesitant) as running, JudgeClient(running.address, world="0" * 64) as client, refused:
        client.judge("anything", "")


def test_what_is_too_large_is_refused_before_it_is_read(hesitant: Hesitant) -> None:
    with served(hesitant, queue=3) as running:
        assert ask(running, b" " * (LONGEST_BODY + 1))[0] == 413
        assert ask(running, {"answers": [{}] * 4})[0] == 413
        assert raw(running, b"GET /health HTTP/1.1\r\nX: " + b"x" * 20_000).startswith(b"HTTP/1.1 431")


@pytest.mark.parametrize(
    ("request_text", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"POST /judge HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        (b"POST /judge HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST /judge HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400),
        (b"POST /judge HTTP/1.1\r\nHost: HOST\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415),
        (b"GET /judge HTTP/1.1\r\nHost: HOST\r\n\r\n", 405),
        (b"GET /nothing HTTP/1.1\r\nHost: HOST\r\n\r\n", 404),
        (b"GET /health HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", 403),
        (b"GET /health HTTP/1.1\r\nHost: HOST\r\nOrigin: http://elsewhere.example\r\n\r\n", 403),
    ],
)
def test_requests_out_of_the_ordinary_get_a_status(hesitant: Hesitant, request_text: bytes, status: int) -> None:
    with served(hesitant) as running:
        host = f"127.0.0.1:{running.port}".encode()
        assert raw(running, request_text.replace(b"HOST", host)).startswith(b"HTTP/1.1 %d" % status)


# ---- who may ask ------------------------------------------------------------------------------------------------


def test_without_the_token_nothing_but_the_status_is_told(hesitant: Hesitant, small: World) -> None:
    large = {"task_id": "x", "response": "x" * 4_000_000}
    with served(hesitant, token=TOKEN) as running:
        for headers in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": TOKEN}):
            assert ask(running, large, **headers)[0] == 401
            assert ask(running, None, "GET", "/metrics", **headers)[0] == 401
            assert ask(running, None, "GET", "/health", **headers)[1] == {"status": "ok", "after": None}
        with JudgeClient(running.address, "wrong") as stranger, pytest.raises(ConfigError, match="token"):
            stranger.judge("x", "x" * 4_000_000)
        with JudgeClient(running.address, TOKEN) as client:
            assert client.health()["world"]["fingerprint"] == small.manifest.fingerprint
    assert not hesitant.asked


@pytest.mark.parametrize("host", ["0.0.0.0", "", "::"])
def test_beyond_loopback_it_listens_only_with_a_token(hesitant: Hesitant, host: str) -> None:
    with pytest.raises(ConfigError, match="--token-env"), served(hesitant, place=ListenAddress(host=host)):
        pass


def test_a_token_that_is_missing_short_or_no_word_is_refused() -> None:
    for token in ("", "short", "two words of a long token", "ü" * 20):
        with pytest.raises(ConfigError, match="--token-env JUDGE"):
            check_token(token, "--token-env JUDGE")


def test_a_socket_is_for_its_user_alone_and_is_not_taken_from_a_running_server(
    hesitant: Hesitant, tmp_path: Path
) -> None:
    place = ListenAddress(socket=tmp_path / "judge.sock")
    with served(hesitant, place=place) as running, JudgeClient(running.address) as client:
        assert stat.S_IMODE((tmp_path / "judge.sock").stat().st_mode) == 0o600
        assert client.health()["status"] == "ok"
        with pytest.raises(ConfigError, match="another server is listening"), served(hesitant, place=place):
            pass
        assert client.health()["status"] == "ok"
    assert not (tmp_path / "judge.sock").exists()
    with socket.socket(socket.AF_UNIX) as left:  # a server that was killed
        left.bind(str(tmp_path / "judge.sock"))
    with served(hesitant, place=place):
        pass
    (tmp_path / "file").write_text("mine")
    with (
        pytest.raises(ConfigError, match="is not a socket"),
        served(hesitant, place=ListenAddress(socket=tmp_path / "file")),
    ):
        pass
    assert (tmp_path / "file").read_text() == "mine"


# ---- too much, and the end --------------------------------------------------------------------------------------


def test_a_full_queue_sends_away_and_the_client_comes_again(hesitant: Hesitant, small: World) -> None:
    task = small.tasks("train")[0].id
    one = {"task_id": task, "response": ""}
    with served(hesitant, queue=2) as running, ThreadPoolExecutor(2) as threads, JudgeClient(running.address) as client:
        first = threads.submit(ask, running, {"answers": [one, one]})
        hesitant.came.acquire(), hesitant.came.acquire()
        status, told = ask(running, one)
        assert (status, told["after"]) == (429, "1")
        again = threads.submit(client.judge, task, "")
        time.sleep(0.2)
        hesitant.decide()
        assert first.result()[0] == 200
        assert hesitant.came.acquire(timeout=30)  # the client has come again
        hesitant.decide()
        assert again.result().passed
        assert running.server.service.pending == 0


def test_a_stop_answers_what_was_taken_and_takes_nothing_more(hesitant: Hesitant, small: World) -> None:
    task = small.tasks("train")[0].id
    with served(hesitant) as running, ThreadPoolExecutor(1) as threads:
        idle = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
        idle.request("GET", "/health")
        idle.getresponse().read()
        taken = threads.submit(ask, running, {"task_id": task, "response": ""})
        hesitant.came.acquire()
        stopped = running.stop()
        while not running.server.stopping:
            time.sleep(0.01)
        with (
            JudgeClient(running.address, patience_s=0.5) as late,
            pytest.raises(JudgeUnavailable, match="no valid reply"),
        ):
            late.judge(task, "")
        assert not stopped.done()
        hesitant.decide()
        assert taken.result()[1]["passed"]
        stopped.result(30)
        idle.close()


def test_an_answer_that_nobody_waits_for_any_more_is_given_up(hesitant: Hesitant, small: World) -> None:
    body = json.dumps({"task_id": small.tasks("train")[0].id, "response": ""}).encode()
    with served(hesitant) as running:
        head = f"POST /judge HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nContent-Type: application/json\r\n"
        with socket.create_connection(("127.0.0.1", running.port)) as connection:
            connection.sendall(head.encode() + b"Content-Length: %d\r\n\r\n" % len(body) + body)
            hesitant.came.acquire()
        ended = threading.Event()
        hesitant.asked[0].add_done_callback(lambda future: ended.set())
        assert ended.wait(30)
        assert hesitant.asked[0].cancelled()


def test_the_command_ends_with_a_signal_after_what_it_has_is_answered(small: World, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sebench", "serve-judge", str(small.path), "--socket", str(tmp_path / "s")]
    loop = "def {}({}):\n    for _ in range(10**6):\n        pass\n"
    task = small.tasks("train")[0]
    slow = loop.format(task.entry, ", ".join(task.parameters))
    with subprocess.Popen(
        [*command, "--workers", "1"], stdout=subprocess.PIPE, text=True, preexec_fn=hear_interrupts
    ) as process:
        assert process.stdout
        address = re.search(r"judging at (\S+)", process.stdout.readline())
        assert address
        with JudgeClient(address[1], patience_s=1) as client, ThreadPoolExecutor(1) as threads:
            taken = threads.submit(client.judge, task.id, slow)
            while not client.health()["pending"]:
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            assert taken.result().blame is Blame.CANDIDATE
        assert "1 verdict" in process.stdout.read()
    assert process.returncode == 0


# ---- a fault is never a verdict ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"verdicts": []}',
        b"HTTP/1.1 500 Oh\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 502 Bad\r\nContent-Length: 4\r\n\r\nBad!",
    ],
)
def test_a_reply_that_is_none_is_never_a_verdict(reply: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    three_tries = Retries(tries=3, first_s=0.0)
    monkeypatch.setattr(retry, "Retries", lambda **_: three_tries)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        seen = []

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    seen.append(connection.recv(65536))
                    connection.sendall(reply)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with JudgeClient(url) as client, pytest.raises(JudgeUnavailable):
            list(client.judge_many([("task", "answer")]))
        listening.shutdown(socket.SHUT_RDWR)
    thread.join(30)
    assert len(seen) > 1  # it tried again


def test_a_fault_of_the_sandbox_stays_one(small: World) -> None:
    judge = Hesitant(small)
    judge.decide = lambda: judge.asked[-1].set_result(Verdict(Kind.FAULT, Blame.SANDBOX, detail="no memory"))  # type: ignore[method-assign]
    with served(judge) as running, JudgeClient(running.address) as client, ThreadPoolExecutor(1) as threads:
        reward = threads.submit(client.rewards, [(small.tasks("train")[0].id, "")])
        judge.came.acquire()
        judge.decide()
        assert reward.result() == [None]
        metrics = raw(running, f"GET /metrics HTTP/1.1\r\nHost: localhost:{running.port}\r\n\r\n".encode()).decode()
    assert "sebench_judge_faults_total 1" in metrics
    assert 'sebench_judge_verdicts_total{kind="fault",blame="sandbox"} 1' in metrics
    assert 'sebench_judge_seconds_bucket{le="+Inf"} 1' in metrics


def test_a_client_can_be_pickled_and_used_after_a_fork(hesitant: Hesitant) -> None:
    with served(hesitant) as running, JudgeClient(running.address) as client:
        assert client.health()["status"] == "ok"  # a connection is open
        child = os.fork()
        if not child:
            os._exit(0 if client.health()["status"] == "ok" else 1)
        assert os.waitpid(child, 0)[1] == 0
        with pickle.loads(pickle.dumps(client)) as copy:
            assert copy.health()["status"] == "ok"


def test_a_judge_is_given_by_an_address() -> None:
    for url in ("", "judge", "ftp://judge", "http://"):
        with pytest.raises(ConfigError, match="use http://HOST:PORT"):
            JudgeClient(url)

"""The served judge against clients that are slow, broken or hostile."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sebench import JudgeClient
from sebench.base import http_server
from sebench.base.errors import ConfigError
from sebench.base.http_server import ListenAddress, ShortestFirstTurns
from sebench.base.records import Blame, Kind, Verdict
from sebench.judge.judge import LARGEST, Judge
from sebench.remote.http import reading as reading_process
from sebench.remote.http import service
from sebench.tasks import dataset
from sebench.world.world import World
from tests.conftest import hear_interrupts
from tests.serving import Hesitant, Served, served


@pytest.fixture
def hesitant(small: World) -> Iterator[Hesitant]:
    judge = Hesitant(small)
    yield judge
    judge.decide()


@pytest.fixture(scope="module")
def refusing(small: World) -> Iterator[Served]:
    """A server for requests that must not reach its judge. It is one for all of them: what reads their rows is a
    process of its own."""
    judge = Hesitant(small)
    with served(judge) as running:
        yield running
    assert not judge.asked


def connect(running: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", running.port), timeout=30)


def request(running: Served, method: str, path: str, body: Any = None, more: str = "") -> bytes:
    text = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nContent-Type: application/json\r\n{more}"
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text


def status(connection: socket.socket) -> int:
    """The status of the next reply; 0 where the server has closed the connection."""
    try:
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        reply.read()
        return reply.status
    except (ConnectionError, http.client.BadStatusLine):
        return 0


def post(running: Served, body: Any) -> tuple[int, dict[str, Any]]:
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    text = body if isinstance(body, bytes) else json.dumps(body)
    connection.request("POST", "/judge", text, {"Content-Type": "application/json"})
    reply = connection.getresponse()
    told = json.loads(reply.read())
    connection.close()
    return reply.status, told


# ---- slow and silent clients ------------------------------------------------------------------------------------


def test_connections_that_say_nothing_do_not_keep_others_out(hesitant: Hesitant) -> None:
    with served(hesitant, connections=4) as running:
        silent = [connect(running) for _ in range(8)]
        silent[-1].sendall(b"GET /health HT")  # half a head
        with JudgeClient(running.address, patience_s=0) as client:
            assert client.health()["status"] == "ok"
        for connection in silent:
            connection.close()


def test_clients_that_are_being_answered_are_not_cut_off_for_others(hesitant: Hesitant, small: World) -> None:
    body = {"task_id": small.tasks("train")[0].id, "response": ""}
    with served(hesitant, connections=2) as running, connect(running) as first, connect(running) as second:
        for connection in (first, second):
            connection.sendall(request(running, "POST", "/judge", body))
            hesitant.came.acquire()
        with connect(running) as third:
            third.sendall(request(running, "POST", "/judge", body))
            assert status(third) == 503
        hesitant.decide()
        assert (status(first), status(second)) == (200, 200)


def test_there_are_fewer_connections_than_files_that_may_be_open(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for files, connections in ((256, 128), (20_000, 1024), (-1, 1024)):
        monkeypatch.setattr(resource, "getrlimit", lambda what, files=files: (files, files))
        assert http_server.connection_limit(1024) == connections


def test_half_a_head_is_not_waited_for_as_long_as_an_idle_client(
    hesitant: Hesitant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "HEAD_S", 0.1)
    with served(hesitant) as running, connect(running) as slow, connect(running) as idle:
        slow.sendall(b"GET /health HTTP/1.1\r\nX: ")
        assert slow.recv(1) == b""  # closed
        idle.sendall(request(running, "GET", "/health"))
        assert status(idle) == 200


def test_a_client_that_does_not_read_its_reply_does_not_hold_up_the_end(
    hesitant: Hesitant, small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "SEND_S", 0.2)
    body = {"answers": [{"task_id": small.tasks("train")[0].id, "response": ""}] * 64}
    with served(hesitant) as running, connect(running) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        monkeypatch.setattr(service, "_verdict", lambda verdict, credit: {"kind": "x" * 1_000_000})
        deaf.sendall(request(running, "POST", "/judge", body))
        for _ in range(64):
            hesitant.came.acquire()
        hesitant.decide()
        running.stop().result(30)


def test_a_client_that_resets_its_connection_frees_its_places(hesitant: Hesitant, small: World) -> None:
    body = {"answers": [{"task_id": small.tasks("train")[0].id, "response": ""}] * 3}
    with served(hesitant, queue=3) as running:
        connection = connect(running)
        connection.sendall(request(running, "POST", "/judge", body))
        for _ in range(3):
            hesitant.came.acquire()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()  # a reset, not an end
        given_up = [threading.Event() for _ in range(3)]
        for future, event in zip(hesitant.asked, given_up, strict=True):
            future.add_done_callback(lambda future, event=event: event.set())
        assert all(event.wait(30) for event in given_up)
        with JudgeClient(running.address) as client:
            while client.health()["pending"]:
                time.sleep(0.01)


def test_a_second_signal_ends_the_command_at_once_whatever_a_client_does(small: World, tmp_path: Path) -> None:
    task = small.tasks("train")[0]
    endless = f"def {task.entry}({', '.join(task.parameters)}):\n    while True:\n        pass\n"
    command = [sys.executable, "-m", "sebench", "serve-judge", str(small.path), "--socket", str(tmp_path / "s")]
    with subprocess.Popen(
        [*command, "--workers", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_interrupts,
    ) as process:
        assert process.stdout and process.stderr
        assert "judging at" in process.stdout.readline()
        with JudgeClient(f"unix:{tmp_path / 's'}") as client, socket.socket(socket.AF_UNIX) as waiting:
            waiting.connect(str(tmp_path / "s"))
            body = json.dumps({"answers": [{"task_id": task.id, "response": endless}] * 50}).encode()
            head = (
                "POST /judge HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
                f"{len(body)}\r\n\r\n"
            )
            waiting.sendall(head.encode() + body)
            while not client.health()["pending"]:
                time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            assert "press Ctrl-C again to stop immediately" in process.stderr.readline()
            process.send_signal(signal.SIGTERM)
            assert "Traceback" not in process.stderr.read()
        assert process.wait(60) != 0
    assert not (tmp_path / "s").exists()


def test_a_silent_connection_is_closed_after_a_while(hesitant: Hesitant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "IDLE_S", 0.1)
    with served(hesitant) as running, connect(running) as silent:
        assert silent.recv(1) == b""


@pytest.mark.parametrize(("sent", "length"), [(10, 100), (10, 1 << 20), (100_000, 1 << 20)])
def test_a_body_that_does_not_go_on_is_refused(
    hesitant: Hesitant, monkeypatch: pytest.MonkeyPatch, sent: int, length: int
) -> None:
    monkeypatch.setattr(http_server, "BODY_S", 0.1)
    monkeypatch.setattr(http_server, "LARGE_BODY_S", 0.1)
    with served(hesitant) as running, connect(running) as slow:
        head = request(running, "POST", "/judge").replace(b"Content-Length: 0", b"Content-Length: %d" % length)
        slow.sendall(head + b" " * sent)
        text = slow.recv(65536)
        assert text.startswith(b"HTTP/1.1 408") and b"the body is incomplete" in text


def test_a_client_that_is_still_sending_makes_room_for_others(hesitant: Hesitant) -> None:
    with served(hesitant, connections=2) as running:
        slow = [connect(running) for _ in range(2)]
        for one in slow:
            one.sendall(request(running, "POST", "/judge").replace(b"Content-Length: 0", b"Content-Length: 9") + b"{")
        with JudgeClient(running.address, patience_s=0) as client:
            assert client.health()["status"] == "ok"
        assert status(slow[0]) == 0
        for one in slow:
            one.close()


def test_a_half_closed_client_gets_no_verdict_and_keeps_no_place(hesitant: Hesitant, small: World) -> None:
    body = {"task_id": small.tasks("train")[0].id, "response": ""}
    whole, half = (f"{json.dumps(body)}"[:size].encode() for size in (None, 10))
    with served(hesitant, queue=1) as running, JudgeClient(running.address) as client:
        head = request(running, "POST", "/judge").replace(b"Content-Length: 0", b"Content-Length: %d" % len(whole))
        for sent in (whole, half):
            with connect(running) as connection:
                connection.sendall(head + sent)
                connection.shutdown(socket.SHUT_WR)
                assert connection.recv(65536) == b""
            while client.health()["pending"]:
                time.sleep(0.01)
    assert all(future.cancelled() for future in hesitant.asked)


def test_pipelined_requests_get_their_replies_in_order(hesitant: Hesitant) -> None:
    with served(hesitant) as running, connect(running) as connection:
        requests = [request(running, "POST", "/judge", {"task_id": f"n{n}", "response": ""}) for n in range(50)]
        last = request(running, "GET", "/health", more="Connection: close\r\n")
        connection.sendall(b"".join(requests) + last)
        text = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    assert re.findall(r"no task 'n(\d+)'", text) == [str(n) for n in range(50)]
    assert text.count("HTTP/1.1 400") == 50 and text.count("HTTP/1.1 200") == 1


# ---- broken requests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "more", "expected"),
    [
        ("GET", "/health", "X: a\nContent-Length: 5\r\n", 400),
        ("GET", "/health", "X: a\0b\r\n", 400),
        ("GET", "/health", " folded: x\r\n", 200),  # belongs to the line before, as RFC 9112 has it
        ("GET", "/health", "X : x\r\n", 400),
        ("GET", "http://127.0.0.1/health", "", 404),
        ("GET", "//health", "", 404),
        ("GET", "/health/..", "", 404),
        ("GET", "/%68ealth", "", 404),
        ("GET", "/health?token=x", "", 200),
        ("PUT", "/judge", "", 405),
        ("TRACE", "/health", "", 405),
        ("get", "/health", "", 405),
    ],
)
def test_odd_requests_get_their_status(hesitant: Hesitant, method: str, path: str, more: str, expected: int) -> None:
    with served(hesitant) as running, connect(running) as connection:
        connection.sendall(request(running, method, path, None, more))
        assert status(connection) == expected


@pytest.mark.parametrize("length", ["+1", "1_0", "0x10", "9" * 400, "\u0661", "1, 1", " ", "1.0"])
def test_a_length_that_is_none_is_refused(hesitant: Hesitant, length: str) -> None:
    head = f"POST /judge HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    with served(hesitant) as running, connect(running) as connection:
        connection.sendall(head.replace("HOST", f"127.0.0.1:{running.port}").encode() + b"{}")
        assert status(connection) in (400, 413)


def test_a_reply_to_head_has_no_body_that_could_be_taken_for_the_next_reply(hesitant: Hesitant) -> None:
    with served(hesitant) as running, connect(running) as connection:
        last = request(running, "GET", "/health", more="Connection: close\r\n")
        connection.sendall(request(running, "HEAD", "/health") + last)
        text = b"".join(iter(lambda: connection.recv(65536), b""))
    first, second, body = text.split(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 405") and second.startswith(b"HTTP/1.1 200") and body


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rtol": "x"}, "'rtol'"),
        ({"rtol": float("nan")}, "'rtol'"),
        ({"atol": None}, "'atol'"),
        ({"entry": "f(\nimport os"}, "not a valid name for a function"),
        ({"entry": 5}, "not a valid name for a function"),
        ({"parameters": ["no_such"]}, "no argument 'no_such'"),
        ({"id": ["x"]}, "'id'"),
        ({"cases": []}, "no cases"),
        ({"world": "0" * 64}, "use a judge of that world"),
        ({"world": None}, "use a judge of that world"),
    ],
    ids=str,
)
def test_a_row_that_no_judge_can_use_disturbs_nobody(
    refusing: Served, small: World, change: dict[str, Any], named: str
) -> None:
    """What is wrong with a row must come out before it is judged together with the answers of others."""
    row = dataset.to_json(small.tasks("train")[0], small.names) | change
    code, told = post(refusing, {"task": row, "response": ""})
    assert code in (400, 409) and named in told["error"]


@pytest.mark.parametrize(
    "change",
    [
        {"cases": 7},
        {"cases": [[]]},
        {"cases": [{"input": 1, "output": 2}]},
        {"cases": {"input": "a=1"}},
        {"examples": "abc"},
        {"parameters": None},
        {"core": [3]},
        {"core": [{"function": [], "alternatives": [], "everywhere": True}]},
        {"functions": [[]]},
        {"gold": []},
        {"card": 3},
        {"id": {}},
        {"rtol": []},
    ],
    ids=str,
)
def test_a_row_of_wrong_types_is_one_line(refusing: Served, small: World, change: dict[str, Any]) -> None:
    row = dataset.to_json(small.tasks("train")[0], small.names) | change
    code, told = post(refusing, {"task": row, "response": ""})
    assert code == 400 and "\n" not in told["error"]


def test_a_row_without_cases_and_world_is_not_judged_by_its_id(refusing: Served, small: World) -> None:
    named = small.tasks("train")[0].id
    for row in ({"id": named}, {"id": named, "world": None}, {"id": named, "world": ""}):
        assert post(refusing, {"task": row, "response": ""})[0] in (400, 409)


def test_kept_rows_have_a_bound_in_bytes(hesitant: Hesitant, small: World) -> None:
    row = dataset.to_json(small.tasks("train")[0], small.names)
    with served(hesitant) as running:
        judged = running.server.service
        body = json.dumps({"task": row, "response": ""}).encode()
        size = asyncio.run_coroutine_threadsafe(judged.read(body), running.loop).result(30).memory
        judged._rows.most_bytes = 4 * size + 100
        for number in range(20):
            body = json.dumps({"task": {**row, "id": f"x{number}"}, "response": ""}).encode()
            asyncio.run_coroutine_threadsafe(judged.read(body), running.loop).result(30)
        assert 1 <= len(judged._rows) <= 4 and judged._rows.bytes <= judged._rows.most_bytes


# ---- limits -----------------------------------------------------------------------------------------------------


def with_output(world: World, output: str) -> dict[str, Any]:
    row = dataset.to_json(world.tasks("train")[0], world.names)
    return {**row, "cases": [{**row["cases"][0], "output": output}]}


def parts_of(row: dict[str, Any]) -> int:
    return sum(map(json.dumps(row).count, ",[({"))


@pytest.mark.parametrize(
    ("output", "named"),
    [
        (f"[{'[],' * 60_000}]", "commas and opening brackets; at most 50,000"),
        (f"[{'[],' * 2_000_000}]", "bytes; at most 1,048,576"),
        (f"'{'x' * 1_100_000}'", "bytes; at most 1,048,576"),
        ("[" * 900 + "]" * 900, "'output': nested 900 levels deep; the limit is 60"),
        ("(" * 900 + "1," + "),(" * 900, "'output': nested"),
        ("{1: " * 100 + "1" + "}" * 100, "nested 100 levels deep; the limit is 60"),
        ("['['," * 100 + "]" * 100, "nested"),
        ("[']'," * 100 + "]" * 100, "nested"),  # the closing brackets of the strings hide the lists from a count
        ("-" * 5_000 + "1", ""),
        ("1" + "+1" * 20_000, ""),
        ("9" * 5_000, ""),
        ("np.zeros(100000)", "not a plain value"),
        ("np.zeros((100000, 1)) + np.zeros(100000)", ""),
        ("open('x')", "not a plain value"),
    ],
    ids=lambda text: text[:20],
)
def test_a_row_that_is_too_much_is_refused_with_the_limit(
    refusing: Served, small: World, output: str, named: str
) -> None:
    code, told = post(refusing, {"task": with_output(small, output), "response": ""})
    assert code == 400 and named in told["error"] and len(told["error"]) < 400


def test_the_limit_of_parts_can_be_set(hesitant: Hesitant, small: World) -> None:
    row = dataset.to_json(small.tasks("train")[0], small.names)
    parts = parts_of(row)
    with served(hesitant, row_parts=parts - 1) as running:
        code, told = post(running, {"task": row, "response": ""})
    assert code == 400 and f"{parts:,} commas and opening brackets; at most {parts - 1:,} are allowed" in told["error"]


@pytest.mark.parametrize(
    ("body", "code", "named"),
    [
        (b'{"answers": [' + b"[]," * 300_000 + b"[]]}", 413, "opening brackets; at most 250,000"),
        (b'{"answers": [' + b'"",' * 300_000 + b'""]}', 413, "strings; at most 250,000"),
        (b'{"x": ' + b'{"x":' * 100 + b"1" + b"}" * 101, 400, "nested 101 levels deep; the limit is 60"),
        (b"[" * 7_000_000, 413, "opening brackets; at most 250,000"),
        (b'{"response": "' + rb"\"," * 300_000 + b'"}', 400, "send either"),  # in a text they are no parts
        (b'{"response": "' + rb"\\" * 300_000 + b'"}', 400, "send either"),
        ('{"response": "x"}'.encode("utf-16"), 400, "not JSON in UTF-8"),
        (b"\xff" * 100_000, 400, "not JSON in UTF-8"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_body_that_is_too_much_is_refused_before_it_is_built(
    refusing: Served, body: bytes, code: int, named: str
) -> None:
    found, told = post(refusing, body)
    assert found == code and named in told["error"]


def test_rows_that_are_too_many_for_one_request_are_sent_in_several(hesitant: Hesitant, small: World) -> None:
    hesitant.submit = lambda task, response, native=False: settled()  # type: ignore[method-assign]
    row = dataset.to_json(small.tasks("train")[0], small.names)
    rows = [{**row, "id": f"x{n}"} for n in range(16)]
    with served(hesitant, row_parts=parts_of(row)) as running, JudgeClient(running.address) as client:
        assert post(running, {"answers": [{"task": row, "response": ""} for row in rows]})[0] == 413
        assert [verdict.passed for verdict in client.judge_batch([(row, "") for row in rows])] == [True] * 16


def settled() -> Future[Verdict]:
    future: Future[Verdict] = Future()
    future.set_result(Verdict(Kind.PASSED, Blame.NONE))
    return future


def test_what_waits_has_a_bound_in_bytes(hesitant: Hesitant, small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "PENDING_BYTES", 1_000)
    body = {"task_id": small.tasks("train")[0].id, "response": "x" * 2_000}
    with served(hesitant) as running, ThreadPoolExecutor(1) as threads:
        first = threads.submit(post, running, body)  # alone it may be as large as a request
        hesitant.came.acquire()
        code, told = post(running, body)
        assert code == 429 and "MiB; try again" in told["error"]
        hesitant.decide()
        assert first.result()[0] == 200
        assert running.server.service.pending_bytes == 0


def test_prepared_tasks_have_a_bound_in_bytes(small: World) -> None:
    tasks = small.tasks("train")
    with Judge(small, workers=1) as judge:
        sizes = [judge._prepare(task).held_bytes for task in tasks]
    most = LARGEST * max(sizes)
    many = [replace(task, id=f"{task.id}{n}") for n in range(2 * most // sum(sizes) + 1) for task in tasks]
    with Judge(small, workers=1, keep_bytes=most) as judge:
        for task in many:
            judge._prepare(task)
            assert sum(one.held_bytes for one in judge._prepared_tasks.values()) <= most
        assert judge._prepare(many[-1]) is judge._prepare(many[-1])  # the last ones are kept
        case = replace(tasks[0].cases[0], expected=[[]] * 100_000)
        judge._prepare(huge := replace(tasks[0], cases=(case,)))
        assert id(huge) not in judge._prepared_tasks and judge._prepare(many[-1]) is judge._prepare(many[-1])


def test_what_a_task_has_learned_of_its_references_counts_too(small: World) -> None:
    task = small.tasks("train")[0]
    with Judge(small, workers=1) as judge:
        before = judge._prepare(task).held_bytes
        assert judge.judge(task, task.gold).passed
        assert judge._prepare(task).held_bytes > before


def test_a_reader_that_ends_or_hangs_costs_one_request_alone(
    hesitant: Hesitant, small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = ({"task": with_output(small, text), "response": ""} for text in ("1", "["))
    with served(hesitant) as running:
        reader = running.server.service._reader
        assert post(running, bad)[0] == 400
        assert reader.pid
        os.kill(reader.pid, signal.SIGSTOP)
        monkeypatch.setattr(reading_process, "READ_S", 0.2)
        code, told = post(running, good)
        assert code == 503 and "too busy" in told["error"]
        monkeypatch.undo()
        assert "too much memory or time" not in post(running, bad)[1]["error"]  # another one was started
        os.kill(reader.pid, signal.SIGKILL)
        assert "too much memory or time" in post(running, good)[1]["error"]
        with ThreadPoolExecutor(1) as threads:
            asked = threads.submit(post, running, good)
            hesitant.came.acquire()
            hesitant.decide()
            assert asked.result()[0] == 200


def test_large_bodies_have_turns_the_shortest_first() -> None:
    order: list[int] = []

    async def body(turns: ShortestFirstTurns, length: int, leave: asyncio.Event) -> None:
        async with turns.take(length):
            order.append(length)
            await leave.wait()

    async def main() -> None:
        turns, leave, never = ShortestFirstTurns(2), asyncio.Event(), asyncio.Event()
        waiting = [asyncio.ensure_future(body(turns, length, leave)) for length in (9, 8, 7, 1, 3)]
        given_up = asyncio.ensure_future(body(turns, 2, never))
        await asyncio.sleep(0)
        assert order == [9, 8]
        given_up.cancel()
        leave.set()
        await asyncio.gather(*waiting)
        assert order == [9, 8, 1, 3, 7] and turns._free == 2

    asyncio.run(main())


def test_malformed_requests_wait_for_their_reply_and_others_do_not(hesitant: Hesitant, small: World) -> None:
    one = {"task_id": small.tasks("train")[0].id, "response": ""}
    with served(hesitant, queue=2) as running, connect(running) as malformed:
        running.server.penalty_s = 3600.0
        malformed.sendall(request(running, "POST", "/judge", {"task_id": 3}))
        assert post(running, {"answers": [one] * 3})[0] == 413
        assert post(running, {**one, "world": "x"})[0] == 409
        malformed.setblocking(False)
        with pytest.raises(BlockingIOError):
            malformed.recv(1)


# ---- sockets, and how it does -----------------------------------------------------------------------------------


def test_of_two_servers_that_find_a_socket_left_behind_one_gets_it(hesitant: Hesitant, tmp_path: Path) -> None:
    place = ListenAddress(socket=tmp_path / "judge.sock")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(place.socket))

    def serve(_: int) -> str:
        try:
            with served(hesitant, place=place) as running, JudgeClient(running.address) as client:
                together.wait(30)
                return str(client.health()["status"])
        except ConfigError:
            together.wait(30)
            return "refused"

    together = threading.Barrier(2)  # none ends before the other has begun
    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(serve, range(2))) == ["ok", "refused"]
    assert not (tmp_path / "judge.sock").exists()


def test_a_judge_whose_sandboxes_fail_says_so(small: World) -> None:
    judged = service.JudgeService(Hesitant(small), queue=8)
    fault, fine = Verdict(Kind.FAULT, Blame.SANDBOX), Verdict(Kind.NO_CODE)
    judged._count([fine] + [fault] * service.FAULTS, 0.1)
    assert judged.health(stopping=False)["status"] == "failing"
    judged._count([fine], 0.1)
    assert judged.health(stopping=False)["status"] == "ok"


def test_a_judge_that_stops_or_fails_still_says_what_it_is(hesitant: Hesitant) -> None:
    with served(hesitant) as running, JudgeClient(running.address, patience_s=0) as client:
        running.server.service._faults = service.FAULTS
        assert client.health()["status"] == "failing"


def test_metrics_count_every_reply_and_every_answer_once(hesitant: Hesitant, small: World) -> None:
    named = small.tasks("train")[0].id
    with served(hesitant) as running, ThreadPoolExecutor(1) as threads:
        asked = threads.submit(post, running, {"answers": [{"task_id": named, "response": ""}] * 3})
        for _ in range(3):
            hesitant.came.acquire()
        hesitant.decide()
        assert asked.result()[0] == 200
        assert post(running, {"task_id": "none", "response": ""})[0] == 400
        told = running.server.service.metrics().splitlines()
    numbers = {name: float(value) for name, _, value in (line.rpartition(" ") for line in told if line[0] != "#")}
    assert numbers['sebench_judge_replies_total{status="200"}'] == 1
    assert numbers['sebench_judge_replies_total{status="400"}'] == 1
    assert numbers['sebench_judge_verdicts_total{kind="passed",blame="none"}'] == 3
    assert numbers["sebench_judge_seconds_count"] == numbers['sebench_judge_seconds_bucket{le="+Inf"}'] == 3
    buckets = [value for name, value in numbers.items() if "bucket" in name]
    assert buckets == sorted(buckets) and numbers["sebench_judge_pending"] == 0

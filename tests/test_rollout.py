"""Rollouts against a server that misbehaves: nothing is lost or asked twice, and no fault of the provider counts as a
wrong answer."""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from sebench.base import ledger, retry
from sebench.base.errors import ConfigError, ProviderError
from sebench.base.records import Blame, Kind
from sebench.models import endpoint
from sebench.models.endpoint import Endpoint
from sebench.models.model import Sampling
from sebench.rollout import models, pipeline
from sebench.rollout.config import RunConfig
from sebench.rollout.requester import Pace, RequestLimiter
from sebench.rollout.runner import RolloutPlan, rollout
from sebench.rollout.store import MANIFEST, ROLLOUTS, VERDICTS, Run, RunManifest, RunWriter
from sebench.world.world import World
from tests import command_line
from tests.conftest import EVERYTHING, hear_interrupts, slow
from tests.misbehaving import KEY, NO_SEED, ODD, OTHER_LIMIT, PASSING, THIS_PROMPT, Choose, Server, first, some

EACH = RunManifest({}, {}, {})  # for runs whose settings do not matter

INTERRUPTED = "sebench: interrupted; finished work is kept; run the same command again to resume"


@pytest.fixture(scope="session")
def gold(small: World) -> dict[str, str]:
    """The right answer to every prompt."""
    plan = pipeline.plan(RunConfig(model="m"), small)
    return {prompt.text: f"```python\n{task.gold}```" for task, prompt, _ in plan.items()}


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(endpoint, "FIRST_REST_S", 0.001)
    monkeypatch.setattr(endpoint, "SHORT_WAIT_S", 0.01)
    monkeypatch.setattr(endpoint, "MOST_BYTES", 4 << 20)


@dataclass(frozen=True)
class Rolled:
    total: int
    given_up: int


def roll(world: World, out: Path, *servers: Server | str, **given: Any) -> Rolled:
    """A run without judge against servers."""
    urls = tuple(server if isinstance(server, str) else server.url for server in servers)
    config = RunConfig(**{"model": "m", "base_url": urls, "timeout_s": 5.0, "tries": 8, "key_env": "NO_KEY", **given})
    plan = pipeline.plan(config, world)
    with RunWriter(out, EACH, [{"id": task.id} for task in plan.tasks]) as writer:
        before = failures(out)
        asyncio.run(rolled(config, world, plan, writer))
    return Rolled(plan.requests, failures(out) - before)


def failures(out: Path) -> int:
    return sum(bool(data["error"]) for _, data in ledger.lines(out / ROLLOUTS))


async def rolled(config: RunConfig, world: World, plan: RolloutPlan, writer: RunWriter) -> None:
    model = models.load(config, world)
    try:
        sampling, pace = Sampling(max_tokens=config.max_tokens), Pace(config.workers, config.tries)
        await rollout(plan, model, writer, sampling=sampling, seed=config.seed, pace=pace)
    finally:
        await model.close()


def counted(out: Path, name: str = ROLLOUTS) -> Counter[str]:
    """How often each key has a response (not an error) or a verdict."""
    lines = [json.loads(line) for line in (out / name).read_bytes().splitlines()]
    return Counter(line["key"] for line in lines if not line.get("error"))


def complete(world: World, out: Path, samples: int = 1, name: str = ROLLOUTS, **given: Any) -> bool:
    """Whether every response is there, once."""
    plan = pipeline.plan(RunConfig(model="m", samples=samples, **given), world)
    keys = [f"{prompt.book}/{task.id}/{index}/{prompt.digest}" for task, prompt, index in plan.items()]
    return counted(out, name) == Counter(keys) and len(set(keys)) == len(keys)


@pytest.fixture
def closed_port() -> Iterator[str]:
    """An address that refuses connections. It stays bound: a free one could go to the server of another test
    process."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


# What becomes of a request


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_costs_nothing(small: World, tmp_path: Path, fault: str) -> None:
    with Server(first(9, fault)) as server:
        run = roll(small, tmp_path, server, limit=3)
    assert complete(small, tmp_path, limit=3) and run.given_up == 0
    assert set(server.answered.values()) == {1}  # and no answer was thrown away


@pytest.mark.parametrize("fault", ["stall", "endless"])
def test_a_server_that_stalls_is_left_after_the_timeout(small: World, tmp_path: Path, fault: str) -> None:
    with Server(first(3, fault)) as server:
        run = roll(small, tmp_path, server, limit=3, timeout_s=1.0)
    assert complete(small, tmp_path, limit=3) and run.given_up == 0


@pytest.mark.parametrize("fault", ODD)
def test_an_odd_response_is_a_response(small: World, tmp_path: Path, fault: str) -> None:
    with Server(lambda number: fault) as server:
        roll(small, tmp_path, server, limit=2, workers=2)
    assert set(server.asked.values()) == {1}
    for row in Run.load(tmp_path).rows():
        assert row.rollout.response.endswith("return None\n```") and not row.rollout.error
        row.rollout.response.encode("utf-8")
    assert complete(small, tmp_path, limit=2)


@pytest.mark.parametrize(
    "message, finish, text",
    [
        ({"content": "a", "reasoning_content": "b"}, "stop", "<think>b</think>\na"),
        ({"content": "a", "reasoning": "b"}, "stop", "<think>b</think>\na"),
        ({"content": None, "reasoning_content": "b"}, "length", "<think>b</think>\n"),
        ({"content": None}, "length", ""),
        ({"content": None, "refusal": "I will not."}, "stop", "I will not."),
        ({"content": "a", "reasoning_content": ""}, "stop", "a"),
        ({"content": ""}, "stop", ""),
        ({"content": None, "tool_calls": [{"function": {"name": "search"}}]}, "tool_calls", ""),
    ],
)
def test_thoughts_and_refusals_are_what_the_model_said(message: dict[str, Any], finish: str, text: str) -> None:
    said = endpoint._completion({"choices": [{"message": message, "finish_reason": finish}]})
    assert (said.text, said.finish) == (text, finish)


@pytest.mark.parametrize("fault", sorted({*PASSING, *THIS_PROMPT, "stall"} - {"rate_date"}))
def test_what_is_given_up_is_the_providers_fault(small: World, tmp_path: Path, fault: str) -> None:
    with Server(lambda number: fault) as server:
        # a busy machine may need long to send a request, and one that was not sent in time is not asked
        run = roll(small, tmp_path, server, limit=2, tries=2, timeout_s=1.0 if fault == "stall" else 5.0)
    rows = list(Run.load(tmp_path).rows())
    assert len(rows) == run.given_up == 8  # two tasks, two splits, two books
    for row in rows:
        assert row.verdict is not None and (row.verdict.kind, row.verdict.blame) == (Kind.FAULT, Blame.PROVIDER)
        assert row.rollout.error.startswith("http://127.0.0.1:") and row.rollout.error.isprintable()
        assert len(row.rollout.error) < 400
    assert set(server.asked.values()) == {1 if fault in THIS_PROMPT else 2}
    with Server() as server:
        roll(small, tmp_path, server, limit=2)
    assert complete(small, tmp_path, limit=2)


@pytest.mark.parametrize(
    "fault, said",
    [
        (
            "wrong_key",
            "refuses requests without a key, and none is set in the environment variable NO_KEY .*[^.]; see --key-env",
        ),
        ("no_model", "/v1/chat/completions: this address is wrong, or has no model 'm' .* see --model and --base-url"),
        ("moved", "this address has moved .status 301.; use https://127.0.0.1:9/v1 in --base-url"),
        ("no_quota", "no quota left: You exceeded your quota; top it up, or use another key, see --key-env"),
        ("temperature", "does not accept this temperature .status 400.: Only the default .*; set --temperature 1"),
        *((one, "does not accept this seed .*; add --no-send-seed") for one in NO_SEED),
        ("unpaid", "no quota left: Insufficient credits; top it up, or use another key"),
        ("events", "the reply is a stream of events; turn streaming off"),
    ],
)
def test_what_will_never_work_ends_the_run_at_once(small: World, tmp_path: Path, fault: str, said: str) -> None:
    with Server(lambda number: fault) as server, pytest.raises(ProviderError, match=said):
        roll(small, tmp_path, server, workers=4)
    assert server.requests <= 4
    assert not tmp_path.exists()


@pytest.mark.parametrize(
    "location, moved_to",
    [
        ("https://user:secret@host/v1/chat/completions?key=secret", "https://host/v1"),
        ("/v2/chat/completions/", "http://old/v2"),
        ("//host:8000/v1/chat/completions", "http://host:8000/v1"),
        ("https://host/login?next=/v1/chat/completions", ""),
        ("https://host/", ""),
        ("mailto:me@host", ""),
        ("http://[", ""),
        ("", ""),
    ],
)
def test_only_an_address_for_completions_is_one_that_has_moved(location: str, moved_to: str) -> None:
    assert endpoint._base_url(httpx.URL("http://old/v1/models"), location) == moved_to


def test_an_address_that_has_answered_has_not_moved(small: World, tmp_path: Path) -> None:
    with Server(lambda number: "moved" if number == 3 else "") as server:
        run = roll(small, tmp_path, server, limit=2, workers=1)
    assert run.given_up == 0 and complete(small, tmp_path, limit=2)


def test_a_base_url_that_ends_with_the_path_of_the_endpoint_is_told(small: World, tmp_path: Path) -> None:
    said = r"/chat/completions/chat/completions: this address is wrong.*\(leave /chat/completions out of --base-url\)"
    with Server(lambda number: "no_model") as server, pytest.raises(ProviderError, match=said):
        roll(small, tmp_path, f"{server.url}/chat/completions", workers=1)


@pytest.mark.parametrize("fault", OTHER_LIMIT)
def test_a_server_that_asks_for_the_other_token_field_gets_it(small: World, tmp_path: Path, fault: str) -> None:
    with Server(first(1, fault)) as server:
        run = roll(small, tmp_path, server, limit=2, workers=1)
        assert run.given_up == 0 and server.requests == run.total + 1
        assert "max_completion_tokens" in server.last and "max_tokens" not in server.last
    assert complete(small, tmp_path, limit=2)


def test_a_server_that_likes_neither_field_is_given_up(small: World, tmp_path: Path) -> None:
    with Server(lambda number: OTHER_LIMIT[0]) as server:
        run = roll(small, tmp_path, server, limit=2, workers=1)
    assert run.given_up == run.total and server.requests == run.total + 1


def test_a_provider_that_is_down_ends_the_run_with_its_last_words(
    small: World, tmp_path: Path, closed_port: str
) -> None:
    with pytest.raises(ProviderError, match=r"20 requests in a row failed .last error: .*ConnectError"):
        roll(small, tmp_path, closed_port, tries=2)
    with Server() as server:
        roll(small, tmp_path, server)
    assert complete(small, tmp_path)


def unresolvable(*arguments: Any) -> Any:
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


def test_a_host_that_cannot_be_found_ends_the_run_at_once(
    small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", unresolvable)
    with pytest.raises(ProviderError, match="the host 'no-such-host' cannot be found; check --base-url") as caught:
        roll(small, tmp_path, "http://no-such-host/v1")
    assert "\n" not in str(caught.value) and not tmp_path.exists()


class PlainHttp(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        self.request.recv(1 << 16)
        self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


def test_https_to_a_server_of_plain_http_ends_the_run_at_once(small: World, tmp_path: Path) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), PlainHttp) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(ProviderError, match=r"does not speak https; use http:// in --base-url$"):
            roll(small, tmp_path, f"https://127.0.0.1:{server.server_address[1]}/v1", workers=1)
        server.shutdown()


def test_a_host_that_cannot_be_found_later_is_tried_again(
    small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve, lookups = socket.getaddrinfo, iter(range(10**9))

    def now_and_then(*arguments: Any, **more: Any) -> Any:
        return unresolvable() if next(lookups) in (1, 2) else resolve(*arguments, **more)

    monkeypatch.setattr(socket, "getaddrinfo", now_and_then)
    with Server(lambda number: "cut" if number == 2 else "") as server:  # then a new connection is needed
        run = roll(small, tmp_path, server.url.replace("127.0.0.1", "localhost"), limit=2, workers=1)
    assert next(lookups) > 2 and run.given_up == 0 and complete(small, tmp_path, limit=2)


def test_one_prompt_that_is_too_long_does_not_end_the_run(small: World, tmp_path: Path) -> None:
    with Server(first(3, "too_long")) as server:
        run = roll(small, tmp_path, server)
        assert run.given_up == 3 and server.requests == run.total
        roll(small, tmp_path, server)
    assert complete(small, tmp_path)


@pytest.mark.parametrize(
    "said, least, most",
    [
        ("2", 2, 2), ("0", 0.01, 0.01), ("-5", 0.01, 0.01), ("1e9", 600, 600), ("nan", 0.01, 0.01), ("inf", 0.01, 0.01),
        ("", 0.01, 0.01), ("soon", 0.01, 0.01), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.01, 0.01),
        ("Wed, 21 Oct 2099 07:28:00 GMT", 600, 600), ("Wed, 99 Oct 2099", 0.01, 0.01),
    ],
)  # fmt: skip
def test_any_retry_after_is_a_pause_of_reasonable_length(said: str, least: float, most: float) -> None:
    assert least <= retry.retry_after_s(said, endpoint.SHORT_WAIT_S) <= most


def test_a_pause_that_is_shorter_than_what_the_server_asks_for_says_both() -> None:
    said = retry.describe_longer("3600")
    assert said == " (it asks to wait 3,600 s; sebench tries again after 600 s)"
    assert retry.describe_longer("600") == retry.describe_longer("") == retry.describe_longer("inf") == ""
    model = endpoint.Endpoint("m", ["http://127.0.0.1:9/v1"], key_env="NO_KEY")
    error = model._failure("there", endpoint.Reply(429, "3600", "", b"{}"), "slow down")
    assert str(error) == f"there: status 429: slow down{said}" and error.wait_s == 600


def test_a_long_pause_is_announced_once(
    small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for least_s, lines in ((30.0, 0), (0.15, 1)):
        monkeypatch.setattr(endpoint, "LONG_WAIT_S", least_s)
        with Server(first(3, "rate_seconds")) as server:
            roll(small, tmp_path / str(lines), server, limit=3, workers=3)
        written = capsys.readouterr().err
        assert written.count("status 429: slow down; the server asks for a pause: the next request is") == lines


# Storms, rate limits, replicas


def test_a_storm_of_everything_ends_with_every_response_there(small: World, tmp_path: Path) -> None:
    with Server(some(0.5, *PASSING, *sorted(ODD.keys() - {"huge"}))) as server:
        run = roll(small, tmp_path, server, samples=4, tries=40)
    assert run.given_up == 0 and complete(small, tmp_path, samples=4)
    assert set(server.answered.values()) == {1} and server.requests > run.total


class Limited:
    """A provider that allows so many requests at a time, and says so."""

    def __init__(self, most: int) -> None:
        self.most, self.refused = most, 0
        self.server: Server | None = None

    def __call__(self, number: int) -> str:
        assert self.server is not None
        if self.server.open > self.most:
            self.refused += 1
            return "overloaded"
        return ""


def test_a_rate_limit_is_met_with_fewer_requests_at_a_time(small: World, tmp_path: Path) -> None:
    limited = Limited(4)
    with Server(limited, delay_s=0.005) as server:
        limited.server = server
        run = roll(small, tmp_path, server, samples=4, workers=32, tries=40)
    assert complete(small, tmp_path, samples=4) and run.given_up == 0
    assert 0 < limited.refused < run.total / 2  # 32 at a time would be refused most of the time


def test_concurrency_goes_down_once_a_complaint_and_up_again() -> None:
    async def go() -> None:
        gate = RequestLimiter(16)
        started = [await gate.enter() for _ in range(16)]
        blocked = asyncio.create_task(gate.enter())
        for start in started:  # all were under way together: one complaint
            gate.leave()
            gate.slow_down(start, 0.001)
        assert gate.allowed == 8
        await blocked
        gate.slow_down(time.monotonic(), 0.001)
        gate.slow_down(time.monotonic(), 0.001)
        assert gate.allowed == 2
        for _ in range(10):
            gate.slow_down(time.monotonic(), 0.001)
        assert gate.allowed == 1
        for _ in range(1000):
            gate.speed_up()
        assert gate.allowed == 16

    asyncio.run(go())


def test_no_more_are_under_way_than_allowed_and_nobody_waits_forever() -> None:
    async def go() -> None:
        gate, rng = RequestLimiter(8), random.Random(1)
        done = 0

        async def work() -> None:
            nonlocal done
            for _ in range(50):
                start = await gate.enter()
                try:
                    assert gate.busy <= 8
                    await asyncio.sleep(rng.random() * 0.002)
                    gate.slow_down(start, 0.001) if rng.random() < 0.1 else gate.speed_up()
                finally:
                    gate.leave()
                done += 1

        workers = [asyncio.create_task(work()) for _ in range(30)]
        for worker in rng.sample(workers, 20):
            await asyncio.sleep(0.005)
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        assert done >= 10 * 50 and gate.busy == 0

    asyncio.run(go())


def test_replicas_share_the_work(small: World, tmp_path: Path) -> None:
    """What is asked at once goes to all in equal parts, however fast each of them is; what comes later, to those that
    are done."""
    with Server() as one, Server() as two, Server() as three:
        at_once = roll(small, tmp_path / "once", one, two, three, limit=3, workers=12, timeout_s=60.0)
        assert at_once.total == 12
        assert [one.requests, two.requests, three.requests] == [4, 4, 4]
        roll(small, tmp_path / "all", one, two, three, samples=3, workers=12, timeout_s=60.0)
    assert complete(small, tmp_path / "once", limit=3) and complete(small, tmp_path / "all", samples=3)
    assert min(one.requests, two.requests, three.requests) >= 8


@pytest.mark.parametrize("choose", [lambda number: "broken", lambda number: "rate_seconds", lambda number: "hung_up"])
def test_a_bad_replica_loses_no_answers(
    small: World, tmp_path: Path, choose: Choose, closed_port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "FIRST_REST_S", 3600.0)  # not a millisecond, which is over at once
    monkeypatch.setattr(endpoint, "LONGEST_REST_S", 3600.0)
    with Server() as well, Server(choose) as bad:
        run = roll(small, tmp_path, bad, well, closed_port, samples=3, tries=100)
    assert run.given_up == 0 and complete(small, tmp_path, samples=3)


# The key


@pytest.mark.parametrize("source", ["key_env", "key_file"])
def test_the_key_is_sent_and_is_in_no_file_and_no_message(
    small: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(f"{KEY}\n")
    monkeypatch.setenv("SECRET", KEY)
    given = {"key_env": "SECRET"} if source == "key_env" else {"key_file": str(secret)}
    out = tmp_path / "run"
    with Server(some(0.3, *PASSING, seed=2), key=KEY) as server:
        roll(small, out, server, tries=30, **given)
        assert complete(small, out) and server.answered
        server.choose = lambda number: "wrong_key"  # which quotes the key
        with pytest.raises(ProviderError) as raised:
            roll(small, tmp_path / "other", server, **given)
    assert KEY not in str(raised.value) and "[key]" in str(raised.value)
    for file in out.rglob("*"):
        assert KEY.encode() not in file.read_bytes()


def test_an_address_with_a_password_is_shown_without_it(small: World, tmp_path: Path) -> None:
    with Server(lambda number: "broken") as server:
        url = server.url.replace("http://", "http://me:hunter22@") + "?token=hunter33"
        roll(small, tmp_path, url, limit=1, tries=1)
    assert server.requests and b"hunter" not in (tmp_path / ROLLOUTS).read_bytes()
    with pytest.raises(ConfigError) as raised:
        Endpoint("m", ("ftp://me:hunter22@host/v1?token=hunter33",))
    assert "hunter" not in str(raised.value) and "--base-url host/v1" in str(raised.value)


def test_a_key_in_place_of_the_name_of_a_variable_is_not_shown() -> None:
    with pytest.raises(ConfigError, match="--key-env takes the name") as caught:
        Endpoint("m", ("http://x/v1",), key_env="sk-secret")
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-two\nlines", "sk-žluť", "sk-\x00"])
def test_a_key_that_cannot_be_sent_is_one_line_without_it(tmp_path: Path, key: str) -> None:
    (tmp_path / "key").write_text(key)
    with pytest.raises(ConfigError, match="a key must be one line") as raised:
        Endpoint("m", ("http://x/v1",), key_file=str(tmp_path / "key"))
    assert "sk-" not in str(raised.value)


# The whole pipeline, and the command


def test_gold_answers_from_an_endpoint_score_all(small: World, tmp_path: Path, gold: dict[str, str]) -> None:
    with Server(some(0.2, "broken", "cut", "reasoning", "null_byte"), gold) as server:
        config = RunConfig(model="m", base_url=(server.url,), tries=30, workers=8)
        run = pipeline.run(config, small, tmp_path)
        requests = server.requests
        again = pipeline.run(config, small, tmp_path)
        assert server.requests == requests
    verdicts = [row.verdict for row in run.rows()]
    assert len(verdicts) == len(gold) and all(verdict and verdict.passed for verdict in verdicts)
    assert [row.verdict for row in again.rows()] == verdicts
    assert complete(small, tmp_path) and complete(small, tmp_path, name=VERDICTS)


def test_responses_without_verdicts_are_judged_later(small: World, tmp_path: Path) -> None:
    config = RunConfig(model="gold")
    pipeline.run(config, small, tmp_path, judged=False)
    assert complete(small, tmp_path) and not counted(tmp_path, VERDICTS)
    run = pipeline.run(config, small, tmp_path)
    assert complete(small, tmp_path) and complete(small, tmp_path, name=VERDICTS)
    assert all(row.verdict and row.verdict.passed for row in run.rows())


def command(world: World, out: Path, server: str, *more: str) -> list[str]:
    settings = ("--model", "m", "--base-url", server, str(world.path), "--out", str(out), *more)
    return [sys.executable, "-m", "sebench", "run", *settings]


def sebench(world: World, out: Path, server: str, *more: str) -> subprocess.CompletedProcess[str]:
    return command_line.sebench(*command(world, out, server, *more)[3:])


def problems(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines on stderr after the one that shows that the run is at work."""
    progress, *rest = done.stderr.splitlines()
    assert ": responses " in progress
    return rest


@pytest.mark.parametrize(
    "fault, said", [("wrong_key", "refuses requests without a key"), ("no_model", "has no model 'm'")]
)
def test_a_fatal_error_is_one_line_and_status_1(small: World, tmp_path: Path, fault: str, said: str) -> None:
    with Server(lambda number: fault) as server:
        done = sebench(small, tmp_path / "run", server.url)
    assert done.returncode == 1 and len(problems(done)) == 1 and said in done.stderr and not done.stdout
    assert not (tmp_path / "run").exists()


def test_a_run_in_which_every_request_fails_is_one_line_and_leaves_no_folder(
    small: World, tmp_path: Path, closed_port: str
) -> None:
    done = sebench(small, tmp_path / "run", closed_port, "--limit", "1", "--tries", "1")
    assert done.returncode == 1 and len(problems(done)) == 1 and not done.stdout
    assert "no response came: 4 failed requests (last error: " in done.stderr and "again to retry" in done.stderr
    assert not (tmp_path / "run").exists()
    done = sebench(small, tmp_path / "run", closed_port, "--limit", "1", "--tries", "2")
    retrying, last = problems(done)
    assert retrying.startswith("note: ") and retrying.endswith("; retrying") and last.startswith("sebench: no response")


def test_progress_is_shown_before_the_first_request(small: World, tmp_path: Path) -> None:
    reported: list[tuple[int, int, int]] = []
    with Server() as server:

        def note(what: str, done: int, total: int) -> None:
            reported.append((server.requests, done, total))

        config = RunConfig(model="m", base_url=(server.url,), limit=1, split=("single_test",))
        pipeline.run(config, small, tmp_path / "run", judged=False, progress=note)
    assert reported[0] == (0, 0, 2)


def test_progress_never_counts_backwards(small: World, tmp_path: Path) -> None:
    reported: list[tuple[str, int, int]] = []

    def note(what: str, done: int, total: int) -> None:
        reported.append((what, done, total))

    config = RunConfig(model="gold", limit=3, split=("single_test",))
    pipeline.run(config, small, tmp_path / "run", judged=False, progress=note)
    assert [done for _, done, _ in reported] == [*range(7)]
    shutil.copytree(tmp_path / "run", tmp_path / "answered")
    stored = (tmp_path / "run" / ROLLOUTS).read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "run" / ROLLOUTS).write_text("".join(stored[1:]), "utf-8")
    reported.clear()
    pipeline.run(config, small, tmp_path / "run", progress=note)
    counts = [done for _, done, _ in reported]
    assert counts[0] == 5 and counts[-1] == 6 and counts == sorted(counts)
    assert {total for _, _, total in reported} == {6} and any("being judged" in what for what, _, _ in reported)
    assert reported[-1][0] == "responses"
    reported.clear()
    pipeline.run(config, small, tmp_path / "answered", progress=note)  # has nothing to do but judge
    assert reported.pop(0) == ("responses", 6, 6) and {what for what, _, _ in reported} == {"verdicts"}
    counts = [done for _, done, _ in reported]
    assert counts[0] == 0 and counts[-1] == 6 and counts == sorted(counts)


def test_a_server_that_always_fails_and_at_times_asks_for_a_pause_is_given_up_soon(
    small: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        Server(lambda number: "rate_seconds" if number < 6 or number % 10 == 0 else "broken") as server,
        pytest.raises(ProviderError, match=r"20 requests in a row failed .last error: .*status 500"),
    ):
        roll(small, tmp_path, server, samples=50, temperature=1.0, workers=4, tries=3)
    assert server.requests < 200  # of at least 800 for all answers: those that failed are tried first
    assert "status 500" in capsys.readouterr().err.partition("; retrying")[0]


def test_a_pause_is_as_long_as_the_server_asks_for() -> None:
    replica = Endpoint("m", ["http://localhost:1/v1"]).replicas[0]
    for _ in range(20):
        replica.rests_until = 0.0
        replica.pause(0)  # after failures
    assert replica.pause_s() > 20
    replica.pause(2.0)
    assert replica.pause_s() <= 2


def test_nobody_is_told_to_try_again_what_the_server_refuses(small: World, tmp_path: Path) -> None:
    with Server(first(2, "too_long")) as server:
        done = sebench(small, tmp_path / "run", server.url)
    assert done.returncode == 1 and "2 failed requests" in done.stderr
    assert "another attempt is unlikely to help" in done.stderr and "again to retry" not in done.stderr


def test_given_up_responses_are_named_at_the_end_and_asked_for_again(
    small: World, tmp_path: Path, gold: dict[str, str]
) -> None:
    out, more = tmp_path / "run", ("--tries", "1", "--workers", "2")
    with Server(first(5, "broken"), gold) as server:
        done = sebench(small, out, server.url, *more)
        assert done.returncode == 1 and len(problems(done)) == 1
        assert "the scores leave out 5 failed requests" in done.stderr and "status 500" in done.stderr
        done = sebench(small, out, server.url, *more)
    assert done.returncode == 0 and complete(small, out) and complete(small, out, name=VERDICTS)
    assert all(row.verdict and row.verdict.passed for row in Run.load(out).rows())


@pytest.fixture
def interrupted(small: World, tmp_path: Path, gold: dict[str, str]) -> Iterator[Callable[[int, int], int]]:
    """Begins or continues a run, and sends it a signal when so many responses are there; its exit status.

    The server then answers only a few more: a run cannot end before the signal comes, however busy the machine is."""
    out = tmp_path / "run"
    with Server(some(0.05, "broken", "cut"), gold, delay_s=0.01) as server:

        def go(sent: int, when: int) -> int:
            args = command(small, out, server.url, "--samples", "3", "--workers", "4")
            least = max(when, lines(out) + 1)  # it is at work, not still starting
            server.most_answers = server.answered.total() + least - lines(out) + 8 if sent else None
            running = subprocess.Popen(
                args,
                stderr=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=hear_interrupts,
            )
            while running.poll() is None and (not sent or lines(out) < least):
                time.sleep(0.01)
            if running.returncode is None:
                os.killpg(running.pid, sent) if sent == signal.SIGINT else os.kill(running.pid, sent)
            said = running.communicate(timeout=60)[1].decode()
            assert sent != signal.SIGINT or running.returncode != 130 or said.splitlines()[-1] == INTERRUPTED
            return running.returncode

        yield go


def lines(out: Path) -> int:
    return (out / ROLLOUTS).read_bytes().count(b"\n") if (out / ROLLOUTS).exists() else 0


@pytest.mark.parametrize("sent", [pytest.param(signal.SIGINT, marks=slow), signal.SIGKILL])
def test_an_interrupted_run_goes_on_where_it_was(
    small: World, tmp_path: Path, interrupted: Callable[[int, int], int], sent: int
) -> None:
    rng = random.Random(sent)
    for when in sorted(rng.sample(range(1, 70), 2 if EVERYTHING else 1)):
        assert interrupted(sent, when) == (130 if sent == signal.SIGINT else -signal.SIGKILL)
    assert not complete(small, tmp_path / "run", samples=3)
    assert interrupted(0, 0) == 0
    assert complete(small, tmp_path / "run", samples=3) and complete(small, tmp_path / "run", 3, VERDICTS)


def test_two_processes_on_one_folder_do_no_harm(small: World, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with Server(delay_s=0.5) as server:
        more = ("--samples", "3", "--temperature", "0.5", "--no-judge")
        args = command(small, out, server.url, *more, "--workers", "2")
        running = subprocess.Popen(args, stdout=subprocess.DEVNULL)
        while running.poll() is None and not lines(out):
            time.sleep(0.01)
        second = sebench(small, out, server.url, *more)
        server.delay_s = 0
        assert running.wait(60) == 0
    assert second.returncode == 1 and second.stderr.count("\n") == 1 and "another process is writing" in second.stderr
    assert complete(small, out, samples=3) and set(server.asked.values()) == {1}


def test_a_full_disk_ends_the_run_with_one_line_and_loses_nothing(small: World, tmp_path: Path) -> None:
    out, limit = tmp_path / "run", 40_000
    with Server(delay_s=0.002) as server:
        more = ("--samples", "24", "--temperature", "0.5", "--limit", "2", "--no-judge")
        done = subprocess.run(
            command(small, out, server.url, *more),
            capture_output=True,
            text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        assert done.returncode == 1 and len(problems(done)) == 1 and "cannot be written" in done.stderr
        assert lines(out) and (out / ROLLOUTS).read_bytes().endswith(b"\n")
        assert sebench(small, out, server.url, *more).returncode == 0
    assert complete(small, out, samples=24, limit=2)


def test_another_setting_or_version_is_refused_and_named(small: World, tmp_path: Path) -> None:
    out = tmp_path / "run"
    with Server() as server:
        assert sebench(small, out, server.url, "--limit", "1", "--no-judge").returncode == 0
        done = sebench(small, out, server.url, "--limit", "1", "--top-p", "0.5", "--no-judge")
        assert (
            done.returncode == 1
            and done.stderr.count("\n") == 1
            and "started with top_p = 1.0, but now it is 0.5" in done.stderr
        )
        assert sebench(small, out, server.url, "--limit", "1", "--workers", "3", "--no-judge").returncode == 0
        manifest = json.loads((out / MANIFEST).read_text())
        (out / MANIFEST).write_text(json.dumps({**manifest, "format": 99}))
        done = sebench(small, out, server.url, "--limit", "1", "--no-judge")
    assert done.returncode == 1 and "has format 99, but this version of sebench reads format 1" in done.stderr


def test_dry_run_says_what_would_be_asked_and_asks_nothing(small: World, tmp_path: Path) -> None:
    with Server() as server:
        done = sebench(
            small,
            tmp_path / "run",
            server.url,
            "--dry-run",
            "--json",
            "--samples",
            "3",
            "--limit",
            "4",
            "--price",
            "1e6,0",
        )
    said = json.loads(done.stdout)
    assert (said["tasks"], said["requests"], said["samples"]) == (8, 48, 3)
    assert said["estimated_most_cost"] == said["prompt_tokens"]  # one unit for each prompt token
    assert said["most_completion_tokens"] == 48 * 1024 and said["prompt_tokens"] > 48 * 100
    assert server.requests == 0 and not (tmp_path / "run").exists()


def test_a_dry_run_on_several_worlds_is_a_short_table(small: World, tiny: World, tmp_path: Path) -> None:
    given = (
        "--model",
        "hf:m",
        "--limit",
        "2",
        "--samples",
        "3",
        "--temperature",
        "0.5",
        "--out",
        str(tmp_path / "run"),
    )
    done = command_line.sebench("run", f"{small.path},{tiny.path}", *given, "--dry-run")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0 and len(rows) < 15 and max(map(len, done.stdout.splitlines())) < 140
    requests = {row[0]: row[-3] for row in rows if row and row[0] in ("small", "tiny", "total")}
    assert requests == {"small": "24", "tiny": "24", "total": "48"}, done.stdout
    assert "samples 3, temperature 0.5, " in done.stdout and "limit 2" in done.stdout


def test_a_run_with_a_price_ends_with_its_cost(small: World, tmp_path: Path) -> None:
    with Server() as server:  # every reply has 100 prompt and 20 completion tokens
        done = sebench(
            small, tmp_path / "run", server.url, "--limit", "1", "--no-judge", "--price", "9,9", "--price", "m=1e4,1e5"
        )
    assert "run: 4 calls, 400 prompt and 80 completion tokens, cost 12.0000\n" in done.stdout


def test_a_dry_run_counts_what_is_answered_already(small: World, tmp_path: Path) -> None:
    settings = ("--samples", "2", "--temperature", "0.5", "--no-judge")
    with Server() as server:
        done = sebench(small, tmp_path / "run", server.url, "--limit", "1", *settings)
        assert done.returncode == 0, done.stderr
        answered = server.requests
        done = sebench(
            small, tmp_path / "run", server.url, "--limit", "4", *settings, "--dry-run", "--json", "--price", "1e6,0"
        )
    said = json.loads(done.stdout)
    assert said["answered_already"] == answered == 8 and said["requests"] == 24
    assert said["most_completion_tokens"] == 24 * 1024 and said["estimated_most_cost"] == said["prompt_tokens"]

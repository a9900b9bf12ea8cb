"""Verdicts and credit do not depend on how busy the machine is, and these tests do not depend on its speed."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sebench.base.errors import SandboxFault
from sebench.base.records import Blame, Kind, Task, Verdict
from sebench.judge.executor import Executor
from sebench.judge.judge import Judge, Limits
from sebench.judge.sandbox import activity, pool
from sebench.judge.sandbox.pool import BLOCKED_LOOKS, SandboxSession, ZygoteDied
from sebench.world.world import World
from tests.conftest import slow

BUSY = "sum(range(2 * 10**7))"  # some tenths of a second
LOCKED = "import threading\n    lock = threading.Lock()\n    lock.acquire(), lock.acquire()"


def until(condition: Callable[[], Any]) -> Any:
    """What a condition gives when it gives something; however long that takes."""
    while not (found := condition()):
        time.sleep(0.02)
    return found


def busy_gold(task: Task, times: int = 1) -> str:
    return f"```python\nfor _ in range({times}): {BUSY}\n{task.gold}```"


def beginning_with(task: Task, first: str) -> str:
    """Gold, which does something else first, in every case."""
    head, _, body = task.gold.partition(f"{task.signature}\n")
    return f"```python\n{head}{task.signature}\n    {first}\n{body}```"


# ---- processes that wait, compute, or are stopped -------------------------------------------------------------------


@pytest.fixture
def child() -> Iterator[Callable[[str], subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def start(program: str) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_only_processes_that_all_sleep_are_blocked(child: Callable[[str], subprocess.Popen[bytes]]) -> None:
    waiting, computing = child("print(flush=True); input()"), child("print(flush=True)\nwhile True: pass")
    for process in (waiting, computing):
        assert process.stdout is not None and process.stdout.readline()
    until(lambda: activity.blocked([waiting.pid]))
    assert not any(activity.blocked([waiting.pid, computing.pid]) for _ in range(20))
    assert not activity.blocked([]) and not activity.blocked([2**22 + 1])
    waiting.send_signal(signal.SIGSTOP)
    until(lambda: not activity.blocked([waiting.pid]))
    assert not any(activity.blocked([waiting.pid]) for _ in range(20))


def computing_candidate(judge: Judge) -> int:
    """The process behind the wall in which a program has begun to compute; 0 if there is none yet. Never a zygote, even
    if the candidates' zygote has yet to start: to stop one delays the verdict, by GRACE_S for every look."""
    office = judge._pool
    for sandbox in office.pool.sandboxes if office else []:
        zygote = sandbox._zygotes.get("candidate")
        processes = [zygote.process.pid] if zygote else []
        for _ in range(3):  # keeper, zygote, template, candidate
            processes = [child for pid in processes for child in activity.children(pid)]
        if processes and (activity.cpu_s(processes[0]) or 0.0) > 0.1:
            return processes[0]
    return 0


def state_of(pid: int) -> str:
    """The letter of the kernel; none if the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def stop_in_the_middle(judge: Judge, task: Task) -> tuple[int, Future[Verdict]]:
    """Begin a verdict, and stop the process in which the program computes. If each of its processes ends before the
    signal comes, as when this one has to wait for a processor, another program computes for longer."""
    for times in (2**n for n in itertools.count()):
        verdict = judge.submit(task, busy_gold(task, times))
        while not verdict.done():
            if pid := computing_candidate(judge):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
                while (state := state_of(pid)) not in ("", "T"):
                    time.sleep(0.02)
                if state == "T":
                    return pid, verdict
            time.sleep(0.02)
    raise AssertionError


def test_a_program_that_is_stopped_for_a_while_is_waited_for(small: World, monkeypatch: pytest.MonkeyPatch) -> None:
    task, looks, blocked = small.tasks("single_test")[0], [], activity.blocked
    monkeypatch.setattr(activity, "blocked", lambda roots: looks.append(blocked(roots)) or looks[-1])
    with Judge(small, workers=1, walled=True, limits=Limits(cpu_s=50)) as judge:
        stopped, verdict = stop_in_the_middle(judge, task)
        seen = len(looks)
        until(lambda: len(looks) > seen + 2 * BLOCKED_LOOKS)
        while_stopped = looks[seen:]
        os.kill(stopped, signal.SIGCONT)
        found = verdict.result()
    assert found.targeted, found
    assert not any(while_stopped)  # later, all processes may sleep for a moment


def test_a_program_that_somebody_kills_runs_again(small: World) -> None:
    with Judge(small, workers=1, walled=True, limits=Limits(cpu_s=50)) as judge:
        stopped, verdict = stop_in_the_middle(judge, small.tasks("single_test")[0])
        os.kill(stopped, signal.SIGKILL)
        assert verdict.result().targeted, verdict.result()


def test_a_program_that_waits_is_blocked_and_not_credited(small: World) -> None:
    task = small.tasks("single_test")[0]
    with Judge(small, workers=1) as judge:
        found = judge.judge(task, beginning_with(task, LOCKED))
    assert (found.kind, found.blame) == (Kind.TIME, Blame.CANDIDATE)
    assert found.detail.startswith("blocked: ")


@slow
def test_a_run_that_gets_no_processor_in_time_is_a_fault_of_the_sandbox(
    small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "LOOK_S", 0.05)
    task = small.tasks("single_test")[0]
    with Judge(small, workers=1, walled=True, limits=Limits(cpu_s=50, wall_s=1)) as judge:
        verdict = judge.submit(task, beginning_with(task, "while True: pass"))
        while not verdict.done():
            if stopped := computing_candidate(judge):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(stopped, signal.SIGSTOP)
            time.sleep(0.02)
    found = verdict.result()
    assert (found.kind, found.blame) == (Kind.FAULT, Blame.SANDBOX)
    assert "no answer within" in found.detail


def test_a_run_that_computes_is_never_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    now, used_s = [0.0], [1.0, 1.1, 1.2, 1.2]
    monkeypatch.setattr(pool, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(activity, "blocked", lambda roots: False)
    monkeypatch.setattr(activity, "cpu_in_all_s", lambda roots: used_s.pop(0))
    session: Any = SandboxSession.__new__(SandboxSession)
    session.sandbox, session.zygote = SimpleNamespace(processes=list), SimpleNamespace(give_up=lambda: None)
    session.wall_limit_s, session.blocked = 10.0, False
    session.begin()
    for now[0] in (9.0, 11.0, 20.0, 22.0, 33.0):
        assert not session._is_blocked()
    now[0] = 44.0
    with pytest.raises(ZygoteDied, match="no answer within 10 s"):
        session._is_blocked()
    assert used_s == [] and session.given_up


# ---- what fails is done again, and costs no credit -------------------------------------------------------------------


@pytest.mark.parametrize("walled", [False, True])
@pytest.mark.parametrize("at", [3, *(pytest.param(at, marks=slow) for at in (0, 6, 9))])
def test_no_credit_is_lost_when_a_run_fails_in_the_middle(
    at: int, walled: bool, small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks, real, calls = small.tasks("single_test")[:4], SandboxSession.receive, iter(range(10**6))

    def receive_or_fail(self: SandboxSession, *arguments: Any) -> Any:
        if next(calls) == at:
            raise ZygoteDied("a test wants it")
        return real(self, *arguments)

    with Judge(small, workers=1, walled=walled) as judge:
        monkeypatch.setattr(SandboxSession, "receive", receive_or_fail)
        found = list(judge.judge_many((task, task.gold) for task in tasks))
    assert [verdict.detail for verdict in found if not verdict.targeted] == []
    assert next(calls) > at


def test_references_that_cannot_be_run_are_a_fault_and_are_run_for_the_next_answer(
    small: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise SandboxFault("a test wants it")

    task = small.tasks("single_test")[0]
    with Judge(small, workers=1) as judge:
        with monkeypatch.context() as patch:
            patch.setattr(Executor, "_run_references", fail)
            found = judge.judge(task, task.gold)
        assert (found.kind, found.blame) == (Kind.FAULT, Blame.SANDBOX)
        assert judge.judge(task, task.gold).targeted

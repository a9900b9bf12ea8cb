"""A judge works in any host process: with forks, process pools, pickles, threads, asyncio and trio, and with verdicts
that are no longer wanted."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sebench.base import kernel_memory
from sebench.base.errors import ConfigError, SandboxFault
from sebench.base.records import Blame, Kind, Task, Verdict
from sebench.cli import cli, doctor
from sebench.judge.judge import Judge, Limits
from sebench.judge.sandbox import interpreter
from sebench.judge.sandbox.pool import SandboxSession
from sebench.judge.sandbox.wire import Status
from sebench.world.world import World
from tests.conftest import slow
from tests.corpora import fill
from tests.judge_tasks import task

RIGHT, WRONG = "return LIB.F[mean](a)", "return LIB.F[sum](a)"
WALLED_RIGHT, WALLED_WRONG = "return globals() and LIB.F[mean](a)", "return globals() and LIB.F[sum](a)"
BODIES = (RIGHT, WRONG, WALLED_RIGHT, WALLED_WRONG)


def pair(world: World, body: str) -> tuple[Task, str]:
    code = fill(f"import LIB\ndef average(a):\n    {body}\n", world.names)
    return task("mean", names=world.names), f"```python\n{code}```"


def work(judge: Judge, rounds: int = 4) -> int:
    """How many verdicts are not as they should be."""
    pairs = [pair(judge.world, body) for body in BODIES] * rounds
    wrong = [v for i, v in enumerate(judge.judge_many(pairs)) if v.passed != (i % 2 == 0)]
    print(*wrong, sep="\n")
    return len(wrong)


@pytest.fixture
def judge(basic: World) -> Iterator[Judge]:
    with Judge(basic, workers=2, limits=Limits(wall_s=30)) as made:
        yield made


def in_children(count: int, act: Callable[[], int]) -> list[int]:
    """What forked children return, all at work at once."""
    pids = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            code = 99
            try:
                code = act()
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        pids.append(pid)
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]


def test_children_forked_before_the_first_verdict(judge: Judge) -> None:
    assert in_children(2, lambda: work(judge)) == [0, 0]
    assert work(judge) == 0


@slow
def test_children_forked_after_verdicts_work_beside_the_parent(judge: Judge) -> None:
    assert work(judge) == 0
    found: list[int] = []
    beside = threading.Thread(target=lambda: found.append(work(judge, 16)))
    beside.start()
    assert in_children(4, lambda: work(judge)) == [0, 0, 0, 0]
    beside.join()
    assert found == [0]


@slow
def test_children_forked_during_verdicts(judge: Judge) -> None:
    """Zygotes are lent out and threads hold locks at that moment."""
    stop = threading.Event()
    wrong: list[int] = []

    def busy() -> None:
        while not stop.is_set():
            wrong.append(work(judge, 3))

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        time.sleep(0.3)
        for _ in range(2):
            assert in_children(2, lambda: work(judge, 4)) == [0, 0]
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert sum(wrong) == 0


def test_a_pending_future_raises_in_the_child_and_comes_in_the_parent(judge: Judge) -> None:
    slow = judge.submit(*pair(judge.world, "print(1)\n    for _ in range(3000000): pass\n    return LIB.F[mean](a)"))

    def child() -> int:
        try:
            slow.result(timeout=600)
        except SandboxFault:
            return work(judge, 3)
        return 1

    assert in_children(1, child) == [0]
    assert slow.result(timeout=600).passed


def test_no_process_is_left_behind(basic: World, own_zygotes: None) -> None:
    def ours() -> set[int]:
        found = set()
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                text = status.read_text()
            except OSError:
                continue
            if f"PPid:\t{os.getpid()}\n" in text:
                found.add(int(status.parent.name))
        return found

    before = ours()
    with Judge(basic, workers=2) as judge:
        assert work(judge, 4) == 0
        assert in_children(2, lambda: work(judge, 4)) == [0, 0]
        assert 2 <= len(ours() - before) <= 4  # two zygotes for each worker; one worker may have done it all
    assert ours() <= before


@slow
def test_a_pool_of_forked_processes(judge: Judge) -> None:
    assert work(judge, 3) == 0
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(work, [judge] * 4)) == [0] * 4


def test_a_judge_pickles_as_its_configuration(judge: Judge) -> None:
    assert work(judge, 3) == 0
    data = pickle.dumps(judge)
    assert len(data) < 4000
    again = pickle.loads(data)
    assert (again.workers, again.limits, again.world.path) == (judge.workers, judge.limits, judge.world.path)
    with again:
        assert work(again, 3) == 0


def test_a_spawned_process(judge: Judge) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert pool.submit(work, judge, 3).result() == 0


def test_threads_share_processes(judge: Judge) -> None:
    wrong: list[int] = []

    def one(i: int) -> None:
        for body in BODIES:
            wrong.append(judge.judge(*pair(judge.world, body)).passed != (body in (RIGHT, WALLED_RIGHT)))

    threads = [threading.Thread(target=one, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(wrong), sum(wrong)) == (64, 0)


@slow  # tests of credit and of sharing use asyncio too
def test_two_event_loops(judge: Judge) -> None:
    async def gather() -> list[Verdict]:
        pairs = [pair(judge.world, body) for body in BODIES] * 5
        verdicts = await asyncio.gather(*(judge.judge_async(*p) for p in pairs))
        return [v for i, v in enumerate(verdicts) if v.passed != (i % 2 == 0)]

    assert asyncio.run(gather()) == asyncio.run(gather()) == []


def test_trio(judge: Judge) -> None:
    trio = pytest.importorskip("trio")
    wrong: list[bool] = []

    async def one(i: int) -> None:
        body = BODIES[i % 4]
        done, token = trio.Event(), trio.lowlevel.current_trio_token()
        future = judge.submit(*pair(judge.world, body))
        future.add_done_callback(lambda _: token.run_sync_soon(done.set))
        await done.wait()
        wrong.append(future.result().passed != (i % 2 == 0))

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for i in range(40):
                nursery.start_soon(one, i)

    trio.run(main)
    assert (len(wrong), sum(wrong)) == (40, 0)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("while True: pass", marks=slow),  # the test below has it
        "print(1)\n    while True: pass",
        pytest.param("print(1)\n    while True: LIB.F[mean](a)", marks=slow),
    ],
)
def test_a_cancelled_verdict_ends_its_program(body: str, basic: World) -> None:
    with Judge(basic, workers=1, limits=Limits(cpu_s=3600, wall_s=3600)) as judge:
        assert work(judge, 1) == 0
        endless = judge.submit(*pair(basic, body))
        time.sleep(0.7)
        assert endless.cancel()
        assert judge.submit(*pair(basic, RIGHT)).result(timeout=600).passed


def test_a_cancelled_task_of_asyncio_ends_its_program(basic: World) -> None:
    async def impatient(judge: Judge) -> bool:
        endless = asyncio.ensure_future(judge.judge_async(*pair(basic, "while True: pass")))
        await asyncio.sleep(0.5)
        endless.cancel()
        return (await asyncio.wait_for(judge.judge_async(*pair(basic, RIGHT)), 600)).passed

    with Judge(basic, workers=1, limits=Limits(cpu_s=3600, wall_s=3600)) as judge:
        assert asyncio.run(impatient(judge))


def test_a_closed_judge_says_so(basic: World) -> None:
    judge = Judge(basic)
    judge.close()
    judge.close()
    with pytest.raises(ConfigError, match="closed"):
        judge.judge(*pair(basic, RIGHT))


def test_nothing_runs_before_the_first_verdict(basic: World) -> None:
    judge = Judge(basic)
    assert judge._pool is None
    judge.close()


@pytest.mark.parametrize("role", ["library", "candidate"])
def test_a_zygote_that_dies_is_replaced_and_the_run_repeated(role: str, basic: World, own_zygotes: None) -> None:
    with Judge(basic, workers=1, walled=role == "candidate") as judge:
        assert work(judge, 1) == 0
        office = judge._pool
        assert office is not None
        zygote = office.pool.sandboxes[0]._zygotes[role]
        os.kill(zygote.process.pid, signal.SIGKILL)
        zygote.process.wait()
        assert work(judge, 2) == 0


class Killer:
    """Has the kernel kill children: the first `kills` that say anything after `after` messages. `counts`: whether it
    says why."""

    def __init__(self, patch: pytest.MonkeyPatch, kills: int, after: int, counts: bool = True) -> None:
        self.kills, self.after, self.counted = kills, after, 0
        received, closed = SandboxSession.receive, SandboxSession.close
        dying: dict[SandboxSession, int] = {}

        def receive(session: SandboxSession, *most: int) -> Any:
            said = received(session, *most)
            dying[session] = dying.get(session, 0) + 1
            if self.kills and dying[session] > self.after and said is not None:
                self.kills, self.counted = self.kills - 1, self.counted + counts
                dying[session] = -1
            return None if dying[session] < 0 else said

        def close(session: SandboxSession) -> Status:
            status = closed(session)
            return Status(-1, signal.SIGKILL, 0.1) if dying.pop(session, 0) < 0 else status

        patch.setattr(SandboxSession, "receive", receive)
        patch.setattr(SandboxSession, "close", close)
        patch.setattr(kernel_memory, "kernel_kills", lambda: self.counted)


@pytest.mark.parametrize("walled", [False, True])
@pytest.mark.parametrize("after", [pytest.param(0, marks=slow), 1, pytest.param(3, marks=slow)])
def test_what_the_kernel_kills_for_lack_of_memory_is_judged_again(
    walled: bool, after: int, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [one for one in tiny.tasks("train") if one.gold][:6]
    pairs = [(one, f"```python\n{one.gold if number % 3 else 'import'}\n```") for number, one in enumerate(tasks)]
    with Judge(tiny, workers=1, walled=walled) as judge:
        expected = [(v.kind, v.targeted) for v in judge.judge_many(pairs)]
    killer = Killer(monkeypatch, 2, after)
    with Judge(tiny, workers=1, walled=walled) as judge:
        assert [(v.kind, v.targeted) for v in judge.judge_many(pairs)] == expected
    assert killer.counted


@pytest.mark.parametrize("walled", [False, True])
def test_a_kill_from_outside_is_a_fault_of_the_sandbox(
    walled: bool, tiny: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = next(one for one in tiny.tasks("train") if one.gold)
    response = f"```python\n{asked.gold}\n```"
    with monkeypatch.context() as patch, Judge(tiny, workers=1, walled=walled) as judge:
        Killer(patch, 1000, 0)
        verdict = judge.judge(asked, response)
        assert (verdict.kind, verdict.blame) == (Kind.FAULT, Blame.SANDBOX)
        assert "killed by the kernel for lack of memory; free some" in verdict.detail
    with monkeypatch.context() as patch, Judge(tiny, workers=1, walled=walled) as judge:
        Killer(patch, 1000, 0, counts=False)
        verdict = judge.judge(asked, response)
        assert (verdict.kind, verdict.blame) == (Kind.FAULT, Blame.SANDBOX)
        assert "a run was killed from outside by SIGKILL" in verdict.detail


# ---- a kernel without isolation -------------------------------------------------------------------------------------

# Has the kernel refuse namespaces, landlock and further filters, as some containers do.
REFUSE_ISOLATION = """
import ctypes, platform, struct
from sebench.judge.sandbox.limits import call, no_new_privileges
from sebench.judge.sandbox.seccomp import ALLOW, ERRNO, JEQ, LD, RET
unshare, prctl = {"x86_64": (272, 157), "aarch64": (97, 167)}[platform.machine()]
steps = [(LD, 0, 0, 0), (JEQ, 5, 0, unshare), (JEQ, 4, 0, 444), (JEQ, 0, 2, prctl), (LD, 0, 0, 16), (JEQ, 1, 0, 22)]
steps += [(RET, 0, 0, ALLOW), (RET, 0, 0, ERRNO | 1)]
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
assert no_new_privileges() and call("prctl", 22, 2, ctypes.addressof(program), 0, 0) == 0
"""


@pytest.fixture
def open_kernel(own_zygotes: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Zygotes of this test can isolate nothing."""

    def start(role: str, module: str, call: str, *arguments: Any) -> Any:
        return real(role, module, f"__name__; exec({REFUSE_ISOLATION!r}); {module}.{call}", *arguments)

    real = interpreter.start
    monkeypatch.setattr(interpreter, "start", start)


@pytest.mark.parametrize("walled", [False, True])
def test_a_judge_without_isolation_judges_the_same_and_says_so(walled: bool, tiny: World, open_kernel: None) -> None:
    asked = next(one for one in tiny.tasks("train") if one.gold)
    with Judge(tiny, workers=1, walled=walled) as judge:
        verdict = judge.judge(asked, asked.gold)
        endless = judge.judge(asked, f"```python\n{asked.signature}\n    while True: pass\n```")
        missing = judge.missing_layers()
        with pytest.raises(ConfigError, match=r"do not work: user, net, .*see 'sebench doctor'"):
            judge.missing_layers(required=True)
    assert verdict.targeted and endless.kind == Kind.TIME, (verdict, endless)
    isolation = {"user", "net", "ipc", "uts", "mount", "pid", "landlock", "seccomp"}
    assert isolation | {"wall: isolation", "wall: system calls", "wall: clock"} <= set(missing)
    assert "work" not in missing  # what honest programs do


def test_the_doctor_says_what_a_kernel_without_isolation_lacks(
    tiny: World, open_kernel: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "VERDICTS", 2)
    done = CliRunner().invoke(cli, ["doctor", str(tiny.path), "--json"])
    assert done.exit_code == 1, done.output
    details = {row["name"]: row["detail"] for row in json.loads(done.stdout)["layers"] if not row["holds"]}
    assert details["pid"] == "EPERM (Operation not permitted)"
    assert details["seccomp"].startswith("not available: no system-call filters in this kernel, or no table")


def test_a_program_that_could_kill_itself_has_crashed(tiny: World, open_kernel: None) -> None:
    asked = next(one for one in tiny.tasks("train") if one.gold)
    with Judge(tiny, workers=1) as judge:
        verdict = judge.judge(asked, f"```python\nimport os\nos.kill(os.getpid(), 9)\n{asked.gold}\n```")
    assert (verdict.kind, verdict.blame) == (Kind.CRASH, Blame.CANDIDATE), verdict

"""Stateless programs that share a process: each gets the same verdict as alone, whatever programs run beside it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
import time
import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from sebench.base.errors import ConfigError, SandboxFault
from sebench.base.records import Case, Kind, Task, Verdict
from sebench.judge.executor import Executor
from sebench.judge.judge import Judge, Limits
from sebench.judge.submission import Submission
from sebench.world.world import World
from tests import corpora
from tests.conftest import EVERYTHING, Forged
from tests.judge_tasks import task

Pair = tuple[Task, str]

# Stateless programs that try to leave something behind, use up what others need, or end the process.
NEIGHBOURS = {
    "changes its inputs": "import LIB\ndef average(a):\n    a[:] = [0.0] * len(a)\n    return LIB.F[mean](a)",
    "hides a name": "import LIB\nlen = None\nsum = None\ndef average(a):\n    return LIB.F[sum](a) / 2",
    "hides the library": "import LIB\nLIB = None\ndef average(a):\n    return 0.0",
    "changes what the library "
    "returns": "import LIB\ndef average(a):\n    x = LIB.F[array](a)\n    x[:] = 0\n    return LIB.F[mean](x)",
    "sorts in place": "import LIB\ndef average(a):\n    a.sort()\n    a.clear()\n    return 1.0",
    "stores into a function": "import LIB\ndef average(a):\n    LIB.F[mean][0] = 1\n    return 1.0",
    "stores into the library": "import LIB\ndef average(a):\n    LIB['F'] = 1\n    return 1.0",
    "deletes a hidden way": "import LIB, math\ndef g(delattr):\n    return 0\ndef average(a):\n    delattr(math, "
    "'sqrt')\n    return 1.0",
    "fills the caches of typing": "import LIB\nfrom typing import Union\ndef average(a):\n    return LIB.F[mean](a) * "
    "Union[True]",
    "leaves memory in cycles": "import LIB\ndef average(a):\n    x = [LIB.F[zeros](119000000 // 8)]\n    x.append(x)\n"
    "    return LIB.F[mean](a)",
    "raises": "import LIB\ndef average(a):\n    raise ValueError('no')",
    "has no entry": "import LIB\ndef other(a):\n    return LIB.F[mean](a)",
    "loops for ever": "import LIB\ndef average(a):\n    while True:\n        pass",
    "wants all memory": "import LIB\ndef average(a):\n    return [0] * 10**11",
    "uses much memory": "import LIB\ndef average(a):\n    b = [0] * 10**8\n    return LIB.F[mean](a) + b[0]",
    "calls itself for ever": "import LIB\ndef average(a):\n    return average(a)",
    "calls itself nearly too often": "import LIB\ndef deep(n):\n    return n and deep(n - 1)\n"
    "def average(a):\n    return LIB.F[mean](a) + deep(980)",
    "returns too much": "import LIB\ndef average(a):\n    return [0] * 10**6",
    "returns much": "import LIB\ndef average(a):\n    return ['x' * 60] * 10**4",
    "an iterator that never ends": "import LIB\ndef average(a):\n    return list(iter(int, 1))",
}


# A right answer that notices missing names, and missing memory: it needs two thirds of what it may have. Nothing is
# written there, so that takes no time.
SENSITIVE = """import LIB, math
def average(a):
    much = [LIB.F[zeros](119000000 // 8) for _ in range(3)]
    return LIB.F[mean](a) * math.sqrt(1) if len(much) == 3 else 0.0"""


@pytest.fixture(scope="module")
def alone(world: World) -> Iterator[Judge]:
    with Judge(world, workers=1, share=1, limits=Limits(cpu_s=2, wall_s=30)) as made:
        yield made


@pytest.fixture(scope="module")
def sharing(world: World) -> Iterator[Judge]:
    with Judge(world, workers=1, limits=Limits(cpu_s=2, wall_s=30)) as made:
        yield made


def pair(world: World, code: str, name: str = "mean") -> Pair:
    text = corpora.fill(code, world.names)
    assert text is not None
    return task(name, names=world.names), f"```python\n{text}\n```"


def good(world: World) -> Pair:
    return pair(world, "import LIB\ndef average(a):\n    return LIB.F[mean](a)")


def essence(judge: Judge, pairs: list[Pair]) -> list[Any]:
    """All of the verdicts but their times, which a text may tell too."""
    return [
        (v.kind, v.blame, v.case, "" if v.kind is Kind.TIME else v.detail, v.functions, v.stdout)
        for v in judge.judge_many(pairs)
    ]


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_a_neighbour_changes_nothing(name: str, alone: Judge, sharing: Judge) -> None:
    right = good(sharing.world)
    neighbour = pair(sharing.world, NEIGHBOURS[name])
    sensitive = pair(sharing.world, SENSITIVE)
    pairs = [right, neighbour, right, sensitive, right]
    assert essence(sharing, pairs) == essence(alone, pairs)
    assert [v.kind for v in sharing.judge_many(pairs[2:])] == [Kind.PASSED] * 3


def test_specimens_get_the_verdicts_that_they_get_alone(alone: Judge, sharing: Judge) -> None:
    """Some of both corpora in random order, so that each stands beside others."""
    world = sharing.world
    found = (*corpora.honest(world).specimens, *corpora.attacks(world).specimens)
    specimens = [s for s in found if s.family != "resources" and "coin" not in s.name]
    random.Random(0).shuffle(specimens)
    specimens = specimens[: len(specimens) // (10 if EVERYTHING else 40)]
    pairs = [(s.task, s.response) for s in specimens]
    for specimen, apart, together in zip(specimens, essence(alone, pairs), essence(sharing, pairs), strict=True):
        assert together[:3] == apart[:3], specimen.name
        assert set(together[4]) == set(apart[4]), specimen.name


def processes(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the sandbox is asked for, from here on."""
    asked: list[str] = []
    [sandbox] = judge._worker_pool().pool.sandboxes

    def noted(name: str, real: Any) -> Any:
        return lambda *args: (asked.append(name), real(*args))[1]

    monkeypatch.setattr(sandbox, "template", noted("template", sandbox.template))
    library = sandbox.library
    monkeypatch.setattr(sandbox, "library", lambda request, s: noted(request.decode(), library)(request, s))
    return asked


def decide(judge: Judge, pairs: list[Pair]) -> list[Kind]:
    pool = judge._worker_pool()
    submissions = [judge._submission(*p) for p in pairs]
    return [v.kind for v in pool._verdicts(submissions) if isinstance(v, Verdict)]


def test_stateless_programs_share_a_process_and_others_do_not(sharing: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = processes(sharing, monkeypatch)
    right = good(sharing.world)
    wrong = pair(sharing.world, "import LIB\ndef average(a):\n    return LIB.F[sum](a)")
    other = pair(sharing.world, "import LIB, json\ndef average(a):\n    return LIB.F[mean](json.loads(json.dumps(a)))")
    kinds = decide(sharing, [right, wrong, other, right, other])
    assert kinds == [Kind.PASSED, Kind.WRONG_VALUE, Kind.PASSED, Kind.PASSED, Kind.PASSED]
    assert asked == [
        *("programs", "serve", "template", "template"),
        "references",
        *("proofs", "serve", "template", "template"),
    ]


def test_a_program_that_comes_to_show_the_process_is_judged_behind_the_wall(
    sharing: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks harmless until it makes text of a function: in the truthful run, or only when the library lies."""
    asked = processes(sharing, monkeypatch)
    code = (
        "import LIB\ndef average(a):\n    m = LIB.F[mean](a)\n    what = average if {test} else 1\n    return m + "
        "0 * len(str(what))"
    )
    always, lying = (pair(sharing.world, code.format(test=test)) for test in ("m", "abs(m - sum(a) / len(a)) > 1e-9"))
    assert decide(sharing, [always]) == [Kind.PASSED]
    assert asked[0] == "programs" and set(asked[1:]) - {"references"} == {"serve", "template"}
    asked.clear()
    assert decide(sharing, [lying]) == [Kind.PASSED]
    assert set(asked[asked.index("proofs") + 1 :]) - {"references"} == {"serve", "template"}
    assert [v.targeted for v in sharing.judge_many([always, lying])] == [True, True]


def test_one_that_ends_the_process_is_asked_alone_and_the_rest_together(
    sharing: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = processes(sharing, monkeypatch)
    right, looping = good(sharing.world), pair(sharing.world, NEIGHBOURS["loops for ever"])
    kinds = decide(sharing, [right, right, looping, right, right])
    assert kinds == [Kind.PASSED, Kind.PASSED, Kind.TIME, Kind.PASSED, Kind.PASSED]
    assert asked[:2] == ["programs", "programs"]
    assert len(asked) <= 8


def test_a_verdict_that_nobody_wants_any_more_is_not_in_the_way(sharing: Judge) -> None:
    async def impatient() -> list[Kind]:
        wanted = [asyncio.ensure_future(sharing.judge_async(*good(sharing.world))) for _ in range(40)]
        await asyncio.sleep(0)
        for future in wanted[1::2]:
            future.cancel()
        return [v.kind for v in await asyncio.gather(*wanted[::2])]

    assert asyncio.run(impatient()) == [Kind.PASSED] * 20


def test_a_mistake_with_one_task_is_not_the_others(sharing: Judge) -> None:
    broken = replace(task("mean"), cases=(Case({"a": [1.0]}, object()),))
    right = good(sharing.world)
    first = sharing.submit(*right)
    with pytest.raises(TypeError):
        sharing.submit(broken, right[1])
    assert [first.result().kind, sharing.judge(*right).kind] == [Kind.PASSED] * 2


def test_a_response_of_any_length_is_its_own_misfortune(sharing: Judge) -> None:
    pairs = [good(sharing.world)] * 20
    pairs.insert(7, (pairs[0][0], "x" * 40_000_000))
    verdicts = list(sharing.judge_many(pairs))
    assert [v.kind for v in verdicts] == [Kind.PASSED] * 7 + [Kind.NO_CODE] + [Kind.PASSED] * 13


def test_a_fault_is_blamed_on_one(sharing: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends in a fault of ours, the neighbours get their verdicts."""
    real = Executor._read_and_run

    def faulty(self: Executor, submissions: list[Submission]) -> list[Submission]:
        if any("unlucky" in submission.response for submission in submissions):
            raise SandboxFault("a fault of ours")
        return real(self, submissions)

    monkeypatch.setattr(Executor, "_read_and_run", faulty)
    pairs = [good(sharing.world)] * 9
    pairs.insert(4, (pairs[0][0], "unlucky"))
    verdicts = list(sharing.judge_many(pairs))
    assert [v.kind for v in verdicts] == [Kind.PASSED] * 4 + [Kind.FAULT] + [Kind.PASSED] * 5
    assert verdicts[4].reward() is None


def test_nothing_waits_for_ever_when_the_judge_closes(basic: World) -> None:
    judge, answer = Judge(basic, workers=2), good(basic)
    futures = []

    def feed() -> None:
        with contextlib.suppress(RuntimeError, ConfigError):  # once it is closed, nothing is taken
            while True:
                futures.append(judge.submit(*answer))
                time.sleep(0.001)

    feeders = [threading.Thread(target=feed) for _ in range(3)]
    for feeder in feeders:
        feeder.start()
    while not any(future.done() for future in list(futures)):
        time.sleep(0.01)
    judge.close()
    for feeder in feeders:
        feeder.join()
    judge.close()
    assert futures
    assert all(future.done() for future in futures)


def test_the_package_has_nothing_to_write_on(forged: Forged) -> None:
    """What a plain program can reach by name is a function, the array type, a module of these, or a value that cannot
    change."""
    package = forged.library.__name__
    fixed = (types.FunctionType, types.BuiltinFunctionType, type, str, int, float, bool, complex, types.NoneType)
    modules = [forged.library]
    for module in modules:
        for name, value in vars(module).items():
            if name.startswith("_"):
                continue
            if isinstance(value, types.ModuleType):
                assert value.__name__.partition(".")[0] == package, name
                modules.append(value)
            else:
                assert isinstance(value, fixed), (module.__name__, name, type(value))
    assert len(modules) > 1
    for name, value in vars(forged.type).items():
        assert name.startswith("_") or isinstance(value, (*fixed, property, classmethod, staticmethod)), name

"""Behind the wall, honest programs behave as they do beside the library, and dishonest ones learn nothing from names,
time or random numbers."""

from __future__ import annotations

import marshal
import socket
from collections.abc import Iterator

import pytest

from sebench.base.records import Blame, Kind, Verdict
from sebench.judge.judge import Judge, Limits
from sebench.judge.sandbox import pool
from sebench.judge.sandbox.codec import encode
from sebench.judge.sandbox.server import CandidateService
from sebench.judge.sandbox.wire import CaseCalls, send
from sebench.world.world import World
from tests.conftest import EVERYTHING
from tests.corpora import fill
from tests.judge_tasks import SAMPLES, task
from tests.wall import client_of, observer_of


@pytest.fixture(scope="module")
def judge(world: World) -> Iterator[Judge]:
    with Judge(world, workers=1, limits=Limits(cpu_s=2, wall_s=20), walled=True) as made:
        yield made


@pytest.fixture(scope="module")
def hasty(world: World) -> Iterator[Judge]:
    """For programs that use up all their CPU time."""
    with Judge(world, workers=1, limits=Limits(cpu_s=0.5, wall_s=20), walled=True) as made:
        yield made


def verdict(judge: Judge, body: str, name: str = "mean", lead: str = "import LIB") -> Verdict:
    sample = SAMPLES[name]
    indented = body.replace("\n", "\n    ")
    code = f"{lead}\n\ndef {sample.entry}({', '.join(sample.parameters)}):\n    {indented}\n"
    text = fill(code, judge.world.names)
    assert text is not None
    return judge.judge(task(name, names=judge.world.names), f"```python\n{text}```\n")


HONEST = {
    "a class": ("return C().go(a)", "import LIB\nclass C:\n    def go(self, a):\n        return LIB.F[mean](a)"),
    "unittest": ("unittest.TestCase().assertTrue(a)\nreturn LIB.F[mean](a)", "import unittest, LIB"),
    "traceback": ("try:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\nreturn "
                  "LIB.F[mean](a)", "import traceback, LIB"),
    "logging": ("logging.getLogger(__name__).warning('at %s', a)\nreturn "
                "LIB.F[mean](a)", "import logging, LIB\nlogging.basicConfig()"),
    "warnings": ("warnings.warn('careful')\nreturn LIB.F[mean](a)", "import warnings, LIB"),
    "argparse": ("p = argparse.ArgumentParser()\np.add_argument('--x', default=1)\nreturn "
                 "LIB.F[mean](a)", "import argparse, LIB"),
    "asyncio": (
        "async def go():\n    await asyncio.sleep(0.1)\n    return LIB.F[mean](a)\nreturn asyncio.run(go())",
        "import asyncio, LIB",
    ),
    "gathered": (
        "async def one(v):\n    await asyncio.sleep(v)\n    return LIB.F[sum](a)\n"
        "async def go():\n    return (await asyncio.gather(one(1), one(2)))[0] / len(a)\nreturn asyncio.run(go())",
        "import asyncio, LIB",
    ),
    "an argument parser that is used": (
        "p = argparse.ArgumentParser(description='x')\np.add_argument('n', type=int)\nassert p.parse_args(['3']).n == "
        "3\n"
        "p.format_help()\nreturn LIB.F[mean](a)",
        "import argparse, LIB",
    ),
    "a parsed date": ("assert datetime.datetime.strptime('2020', '%Y').year == 2020\nreturn "
                      "LIB.F[mean](a)", "import datetime, LIB"),
    "a digest": ("assert hashlib.sha256(b'x').hexdigest()[:2] == '2d'\nreturn LIB.F[mean](a)", "import hashlib, LIB"),
    "decimals": ("assert decimal.Decimal('0.1') + 1 == decimal.Decimal('1.1')\nreturn "
                 "LIB.F[mean](a)", "import decimal, LIB"),
    "statistics": ("assert statistics.mean([1, 3]) == 2\nreturn LIB.F[mean](a)", "import statistics, LIB"),
    "a profile of memory": ("tracemalloc.start()\nreturn LIB.F[mean](a)", "import tracemalloc, LIB"),
    "sleep": ("time.sleep(0.5)\nreturn LIB.F[mean](a)", "import time, LIB"),
    "timing": ("t = time.perf_counter()\nm = LIB.F[mean](a)\nassert time.perf_counter() > t\nreturn m", "import time, "
                                                                                                        "LIB"),
    "a date": ("assert datetime.datetime.now().year > 2000\nreturn LIB.F[mean](a)", "import datetime, LIB"),
    "random numbers": ("random.seed(3)\nx = random.random()\nreturn LIB.F[mean](a) + x - x", "import random, LIB"),
    "an identity": ("return LIB.F[mean](a) if uuid.uuid4() else 0", "import uuid, LIB"),
    "a lock": ("with threading.Lock():\n    return LIB.F[mean](a)", "import threading, LIB"),
    "a cached property": (
        "return C(a).mean",
        "import functools, LIB\nclass C:\n    def __init__(self, a):\n        self.a = a\n    "
        "@functools.cached_property\n"
        "    def mean(self):\n        return LIB.F[mean](self.a)",
    ),
    "eval": ("return eval('LIB.F[mean](a)')", "import LIB\nLIB.F[mean]"),
    "a generator as argument": ("return LIB.F[mean](v for v in a)", "import LIB"),
    "an iterator of its own": (
        "return LIB.F[mean](Walk(a))",
        "import LIB\nclass Walk:\n    def __init__(self, a):\n        self.a = a\n    def __iter__(self):\n        "
        "return iter(self.a)",
    ),
    "numbers of its own": (
        "return LIB.F[mean]([N(v) for v in a])",
        "import LIB\nclass N(float):\n    def __add__(self, other):\n        return 0",
    ),
    "isinstance of the array "
    "type": ("x = LIB.F[array](a)\nassert isinstance(x, LIB.ARRAY)\nreturn LIB.F[mean](x)", "import LIB"),
    "a library function as callback": ("return LIB.F[apply_along_axis](LIB.F[mean], 0, a)", "import LIB"),
    "a lambda as callback": ("return LIB.F[apply_along_axis](lambda v: LIB.F[mean](v), 0, a)", "import LIB"),
    "a nested callback": (
        "inner = lambda v: LIB.F[apply_along_axis](lambda u: LIB.F[mean](u), 0, v)\nreturn "
        "LIB.F[apply_along_axis](inner, 0, a)",
        "import LIB",
    ),
    "recursion": ("def down(n):\n    return LIB.F[mean](a) if n == 0 else down(n - 1)\nreturn down(200)", "import LIB"),
    "many reads": (
        "x = LIB.F[array](a)\ntotal = 0.0\nfor _ in range(2000):\n    for i in range(len(x)):\n        total += x[i]\n"
        "return LIB.F[mean]([total / (2000 * len(x))] * 2 + [0 * total]) * 1.5 if False else LIB.F[mean](a)",
        "import LIB",
    ),
    "reads after writes": (
        "x = LIB.F[array](a)\nkeep = x[0]\nx[0] = 99\nassert x[0] == 99 and list(x)[0] == 99 and x.tolist()[0] == 99\n"
        "x[0] = keep\nreturn LIB.F[mean](x)",
        "import LIB",
    ),
    "a view": ("x = LIB.F[array]([a, a])\nx[1][...] = 0\nreturn LIB.F[mean](x) * 2", "import LIB"),
    "iteration over rows": ("return sum(LIB.F[mean](row) for row in LIB.F[array]([a, a])) / 2", "import LIB"),
    "an output array": (
        "x = LIB.F[array]([0.0] * len(a))\ny = LIB.F[cumsum](a, out=x)\nassert y is x\nreturn x[len(a) - 1] / len(a)",
        "import LIB",
    ),
    "copies": ("x = copy.deepcopy(LIB.F[array](a))\nreturn "
               "LIB.F[mean](pickle.loads(pickle.dumps(x)))", "import copy, pickle, LIB"),
    "printing": ("print(LIB.F[array](a))\nreturn LIB.F[mean](a)", "import LIB"),
    "a star import": ("return B[mean](a)", "from LIB import *"),
    "a named result": (
        "s = LIB.F[linalg.slogdet]([[2.0, 0.0], [0.0, 1.0]])\nassert s[0] == 1.0 and len(s) == 2\nreturn "
        "LIB.F[mean](a)",
        "import LIB",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_pass(name: str, judge: Judge) -> None:
    body, lead = HONEST[name]
    found = verdict(judge, body, lead=lead)
    assert found.passed, found


FAILS: dict[str, tuple[str, str, Kind]] = {
    "NumPy from its module table": ("import sys\nreturn sys.modules['num' + 'py'].mean(a)", "import LIB", Kind.RAISED),
    "NumPy by import": ("m = __import__('num' + 'py')\nreturn m.mean(a)", "import LIB", Kind.NUMPY),
    "NumPy by path": (
        "import sys, importlib\nsys.path += ['/usr/lib/python3/dist-packages', "
        "'/usr/local/lib/python3.11/site-packages']\n"
        "return importlib.import_module('num' + 'py').mean(a)",
        "import LIB",
        Kind.NUMPY,
    ),
    "our own modules": (
        "import sys\nreturn len([m for m in sys.modules if 'sebench' in m]) * 1000",
        "import LIB",
        Kind.WRONG_VALUE,
    ),
    "a file": ("return open('/etc/passwd').read()", "import LIB", Kind.POLICY),
    "a thread": (
        "import threading\nthreading.Thread(target=print).start()\nreturn LIB.F[mean](a)",
        "import LIB",
        Kind.RAISED,
    ),
    "a process": ("import os\nos.fork()\nreturn LIB.F[mean](a)", "import LIB", Kind.POLICY),
    "a command": ("import subprocess\nsubprocess.run(['true'])\nreturn LIB.F[mean](a)", "import LIB", Kind.POLICY),
    "a socket": ("import socket\nsocket.socket()\nreturn LIB.F[mean](a)", "import LIB", Kind.POLICY),
    "a signal handler": (
        "import signal\nsignal.signal(signal.SIGXCPU, print)\nreturn LIB.F[mean](a)",
        "import LIB",
        Kind.POLICY,
    ),
    "waiting for itself": (
        "import threading\nx = threading.Lock()\nx.acquire()\nx.acquire()\nreturn 1.0",
        "import LIB",
        Kind.TIME,
    ),
    "sleeping for ever": ("import time\ntime.sleep(10**9)\nreturn LIB.F[mean](a)", "import LIB", Kind.TIME),
    "an endless loop": ("while True: pass", "import LIB", Kind.TIME),
    "endless calls": ("while True: LIB.F[mean](a)", "import LIB", Kind.TIME),
    "too much memory": ("x = [0] * 10**10", "import LIB", Kind.MEMORY),
    "too much memory of the library": ("return LIB.F[zeros](10**10)", "import LIB", Kind.MEMORY),
    "too many arrays": ("x = []\nwhile True: x.append(LIB.F[zeros](10**6))", "import LIB", Kind.MEMORY),
    "a long computation of the library": (
        "x = LIB.F[ones]((1200, 1200))\nfor _ in range(100):\n    x = LIB.F[matmul](x, x)",
        "import LIB",
        Kind.TIME,
    ),
    "leaving": ("import os\nos._exit(0)", "import LIB", Kind.CRASH),
    "garbage on the line": ("import os\nos.write(3, b'x' * 1000)", "import LIB", Kind.OUTPUT),
    "a forged answer": (
        "import os, struct\nos.write(3, struct.pack('<I', 3) + b'abc')\nos.read(3, 1)\nreturn 1.0",
        "import LIB",
        Kind.CRASH,
    ),
    "closing the line": ("import os\nos.close(3)\nreturn LIB.F[mean](a)", "import LIB", Kind.CRASH),
    "an unknown function": ("return LIB.mean(a)", "import LIB", Kind.FUNCTION_HALLUCINATION),
    "an unknown method": ("return LIB.F[array](a).mean()", "import LIB", Kind.ATTRIBUTE_HALLUCINATION),
    "an unknown keyword": ("return LIB.F[mean](a, dim=0)", "import LIB", Kind.PARAMETER_ERROR),
    "an argument that does not fit": ("return LIB.F[mean]({'a': 1})", "import LIB", Kind.PARAMETER_ERROR),
    "the truth of an array": ("return 1 if LIB.F[cumsum](a) else 0", "import LIB", Kind.NATIVE_INCOMPATIBILITY),
    "a number that is unpacked": ("m, s = LIB.F[mean](a); return m", "import LIB", Kind.MISREAD_RESULT),
    "too much returned": ("return [0] * 10**6", "import LIB", Kind.OUTPUT),
    "a name that is only text": ("return getattr(LIB, 'B[me' + 'an]')(a)", "import LIB", Kind.FUNCTION_HALLUCINATION),
    "another exception": ("return [][1]", "import LIB", Kind.RAISED),
}


@pytest.mark.parametrize("name", FAILS)
def test_the_rest_fails_as_it_should(name: str, judge: Judge, hasty: Judge) -> None:
    body, lead, kind = FAILS[name]
    body = body.replace("B[me' + 'an]", "' + '".join(("ab", "cd"))) if "only text" in name else body
    found = verdict(hasty if kind is Kind.TIME else judge, body, lead=lead)
    assert (found.kind, found.blame) == (kind, Blame.CANDIDATE), found


def test_an_exception_passes_through_a_callback_unchanged(judge: Judge) -> None:
    lead = "import LIB\nclass Own(Exception):\n    def __init__(self, value):\n        self.value = value"
    body = (
        "mine = Own(LIB.F[mean](a))\ndef fails(v):\n    raise mine\n"
        "try:\n    LIB.F[apply_along_axis](fails, 0, a)\nexcept Own as error:\n    assert error is mine\n    return "
        "error.value"
    )
    assert verdict(judge, body, lead=lead).passed


def test_only_names_that_stand_in_the_program_are_there(judge: Judge) -> None:
    names = judge.world.names
    body = "print(sorted(n for n in dir(LIB) if n[0] != '_'))\nprint(LIB.__all__)\nreturn LIB.F[mean](a)"
    found = verdict(judge, body)
    assert found.passed
    assert found.stdout.splitlines()[:2] == [str([names.functions["mean"]])] * 2
    hidden = verdict(judge, "# LIB.F[sum]\ntext = 'F[sum]'\nreturn getattr(LIB, text)(a)")
    assert hidden.kind is Kind.FUNCTION_HALLUCINATION


WAYS_TO_TIME_AND_CHANCE = {
    "time": "import time\nprint(time.time(), time.monotonic_ns(), time.clock_gettime(0), time.localtime(), "
            "time.ctime())",
    "a fresh time module": "import sys\nsys.modules.pop('time')\ntry:\n    import time\n    print(time.time())\n"
                           "except OSError:\n    pass",
    "datetime": "import datetime\nprint(datetime.datetime.now(), datetime.date.today())",
    "random": "import random\nprint(random.random(), random.Random().random(), random.SystemRandom().random())",
    "the generator behind random": "import random\ntry:\n    print(random.Random.mro()[2]().random())\nexcept "
                                   "(OSError, TypeError):\n    pass",
    "secrets": "import secrets, uuid, os\nprint(secrets.token_hex(), uuid.uuid4(), os.urandom(8))",
    "addresses": "print(id(a), id(object()), hash(object()), [x for x in {print, len, id}], object())",
    "hashes": "print(hash('text'), hash(b'x'), {'a', 'b', 'c'}, hash(float('nan')))",
    "processes": "import os\nprint(os.getpid(), os.getppid())\nimport threading\nprint(threading.get_ident(), "
                 "threading.get_native_id())",
    "frames": "import sys\nf = sys._getframe()\nwhile f:\n    print([repr(f.f_locals[k]) for k in f.f_locals if k != "
              "'out'])\n    f = f.f_back",
    "buffers": "import gc\ngc.unfreeze()\nfor o in gc.get_objects():\n    if hasattr(type(o), '_objects'):\n        "
               "print(bytes(memoryview(o)))",
    "timers": "import signal, resource as r\ntry:\n    print(signal.getitimer(2), r.getrlimit(0), r.getrusage(0))\n"
              "except OSError:\n    pass",
    "usage": "import gc, sys\nprint(gc.get_count(), sys.getallocatedblocks(), len(gc.get_objects()))",
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS_TO_TIME_AND_CHANCE)
def test_time_and_chance_are_the_same_in_every_run(name: str, judge: Judge) -> None:
    """What a program sees, it tells the library: if that changed from one run to the next, before any lie, the run
    would show nothing, and nobody would know that the library mattered."""
    indented = WAYS_TO_TIME_AND_CHANCE[name].replace("\n", "\n    ")
    body = (
        "import io, contextlib\nout = io.StringIO()\nwith contextlib.redirect_stdout(out):\n    " + indented + "\n"
        "seen = out.getvalue()\nassert seen or 'except' in CODE\nLIB.F[size]([float(ord(c)) for c in seen[:2000]])\n"
        "LIB.F[size]([float(hash(seen) % 2**32)])\nown = sum(a) / len(a)\n"
        "return own if abs(LIB.F[mean](a) - own) < 1e-9 else None"
    ).replace("CODE", repr(indented))
    found = verdict(judge, body)
    assert (found.passed, found.targeted) == (True, False), found


@pytest.mark.parametrize(("expected", "answered"), [(None, True), ([0], False)])
def test_a_candidate_that_says_something_else_before_any_lie_is_not_served(
    expected: list[int] | None, answered: bool, world: World
) -> None:
    ours, theirs = socket.socketpair()
    with world.library() as library, ours, theirs:
        send(ours.fileno(), encode(("begin", []), lambda value: value))
        ours.shutdown(socket.SHUT_WR)
        desk = CandidateService(theirs.fileno(), observer_of(world, library), frozenset(), expected)
        assert desk.serve(CaseCalls("f", ("a",), (marshal.dumps((1.0,)),)), [0]).ended
        theirs.shutdown(socket.SHUT_WR)
        assert bool(ours.recv(100)) is answered


def test_the_same_program_sees_the_same_memory_in_runs_of_the_same_order(judge: Judge) -> None:
    """A program that is right or wrong by the address of its arguments gives the same, lie or no lie."""
    body = "LIB.F[mean](a)\n    return sum(a) / len(a) if (id(a) >> 4) % 40 else None"
    code = fill(f"import LIB\n\ndef average(a):\n    {body}\n", judge.world.names)
    answers = [(task("mean"), f"```python\n{code}```")] * (200 if EVERYTHING else 50)
    kinds = {verdict.kind for verdict in judge.judge_many(answers)}
    assert kinds <= {Kind.NOT_FROM_LIBRARY, Kind.WRONG_TYPE}


def test_both_sides_give_the_same_for_every_documented_example(world: World) -> None:
    with world.library() as library:
        observer = observer_of(world, library)
        with client_of(world, observer) as client:
            differing = []
            for page in world.pages:
                for example in page.examples:
                    texts = []
                    for module in (library, client):
                        space = {world.names.package: module}
                        try:
                            texts.append(repr(eval(example.code, space)))
                        except SyntaxError:
                            texts.append("a statement")
                        except Exception as error:
                            texts.append(f"{type(error).__name__}: {error}")
                    if texts[0] != texts[1]:
                        differing.append((page.path, example.code, texts))
    assert differing == []


def test_work_without_a_word_is_not_taken_for_waiting(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "LOOK_S", 0.02)
    with Judge(world, workers=1, limits=Limits(cpu_s=30, wall_s=60), walled=True) as judge:
        lead = "import LIB\nn = 0\nfor i in range(4_000_000):\n    n += i"
        found = verdict(judge, "return n + LIB.F[mean](a)", lead=lead)
    assert found.kind is Kind.WRONG_VALUE, found


def test_gold_is_credited_behind_the_wall(judge: Judge) -> None:
    tasks = [t for split in ("single_test", "multi_test") for t in judge.world.tasks(split)][:: 9 if EVERYTHING else 36]
    verdicts = list(judge.judge_many((t, t.gold) for t in tasks))
    assert [t.id for t, v in zip(tasks, verdicts, strict=True) if not v.targeted] == []

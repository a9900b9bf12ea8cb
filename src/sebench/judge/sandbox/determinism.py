"""Makes time and randomness deterministic for candidates: the same in every run, however they are accessed.

A program that could toss a coin would sometimes be right with the truthful library and wrong with a falsified one
(which returns deliberately wrong values). So the candidate's zygote replaces every source of time and randomness, in
the real modules and before anything else imports them: clocks tick when they are read, `sleep` advances them, and
generators without a seed get a fixed one. In addition, a run cannot ask the kernel (`seccomp.py`), and the vDSO clock
is disabled (`clock.py`): code that still finds a real clock or generator gets an error or a constant. Hashes have a
fixed seed, and addresses are the same in all runs of a program (`candidate.py`).
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

START_NS = 1_700_000_000_000_000_000
TICK_NS = 1_000
MOST_SLEEP_NS = 60_000_000_000


def make_deterministic() -> None:
    """Replace clocks and sources of randomness in this process. Nothing that uses them may have been imported
    before."""
    import time

    _time(time)
    _entropy()
    _random()
    _datetime()
    _memory()
    sys.breakpointhook = _no_debugger


def _no_debugger(*_: Any, **__: Any) -> None:
    raise RuntimeError("there is no debugger here")


class _Clock:
    """A clock that advances when it is read."""

    def __init__(self) -> None:
        self.now_ns = START_NS

    def read_ns(self, *_: Any) -> int:
        self.now_ns += TICK_NS
        return self.now_ns

    def read(self, *_: Any) -> float:
        return self.read_ns() / 1e9

    def sleep(self, seconds: float) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.now_ns += int(seconds * 1e9)
        if self.now_ns > START_NS + MOST_SLEEP_NS:
            raise TimeoutError("a program may sleep for a minute at most")


clock = _Clock()


def _time(time: ModuleType) -> None:
    real = {name: getattr(time, name) for name in ("localtime", "gmtime", "ctime", "asctime", "strftime")}
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time", "clock_gettime"):
        setattr(time, name, clock.read)
        setattr(time, f"{name}_ns", clock.read_ns)
    time.sleep = clock.sleep  # type: ignore[attr-defined]
    facts = type(
        "clock_info", (), {"implementation": "", "monotonic": True, "adjustable": False, "resolution": TICK_NS / 1e9}
    )
    time.get_clock_info = lambda name: facts()  # type: ignore[attr-defined]
    time.clock_getres = lambda clock_id: TICK_NS / 1e9  # type: ignore[attr-defined]
    for name in ("pthread_getcpuclockid", "clock_settime", "clock_settime_ns"):
        if hasattr(time, name):
            delattr(time, name)

    def at(name: str, own: int) -> Any:
        """Return the function with the clock's time as the default argument."""
        function = real[name]

        def with_clock_time(*args: Any) -> Any:
            if len(args) > own and args[own] is not None:
                return function(*args)
            now = clock.read()
            return function(*args[:own], now if own == 0 and name != "asctime" else real["localtime"](now))

        return with_clock_time

    for name, own in (("localtime", 0), ("gmtime", 0), ("ctime", 0), ("asctime", 0), ("strftime", 1)):
        setattr(time, name, at(name, own))


def _entropy() -> None:
    """Replace random bytes from the kernel with a fixed sequence."""
    import posix  # noqa: F401
    from _blake2 import blake2b

    drawn = 0

    def urandom(size: int) -> bytes:
        nonlocal drawn
        out = bytearray()
        while len(out) < size:
            drawn += 1
            out += blake2b(drawn.to_bytes(8, "little")).digest()
        return bytes(out[:size])

    for name in ("posix", "os"):
        module: Any = sys.modules.get(name)
        if module is not None:
            module.urandom = urandom
            if hasattr(module, "getrandom"):
                module.getrandom = lambda size, flags=0: urandom(size)


def _random() -> None:
    """Give random generators without a seed the seed 0."""
    import _random

    real = _random.Random

    class Random(real):  # type: ignore[misc, valid-type]
        def __new__(cls, *args: Any, **options: Any) -> Any:
            return real.__new__(cls, 0)  # type: ignore[call-arg]

        def __init__(self, x: Any = None) -> None:
            self.seed(x)

        def seed(self, a: Any = None, *rest: Any) -> None:
            real.seed(self, 0 if a is None else a)

    Random.__module__, Random.__qualname__ = "_random", "Random"
    _random.Random = Random  # type: ignore[misc]


def _datetime() -> None:
    """Use the pure-Python `datetime`, which reads the `time` module; the C version asks the kernel."""
    sys.modules["_datetime"] = None  # type: ignore[assignment]


def _memory() -> None:
    """Report constants for the numbers of objects and blocks in memory, which depend on what the zygote did before."""
    import gc

    gc.get_count = lambda: (0, 0, 0)
    gc.get_stats = lambda: [{"collections": 0, "collected": 0, "uncollectable": 0} for _ in range(3)]
    for name in ("getallocatedblocks", "getunicodeinternedsize", "gettotalrefcount"):
        if hasattr(sys, name):
            setattr(sys, name, lambda *_, **__: 0)


def make_asyncio_deterministic() -> None:
    """Install an event loop without sockets: it waits only for time, which advances when nothing else is ready to
    run."""
    sys.modules.setdefault("ssl", None)  # type: ignore[arg-type]
    import asyncio

    class Selector:
        def select(self, timeout: float | None = None) -> list[Any]:
            clock.sleep(max(timeout or 0.0, 0.0))
            return []

        def close(self) -> None:
            pass

    class Loop(asyncio.BaseEventLoop):
        def __init__(self) -> None:
            super().__init__()
            self._selector = Selector()

        def _process_events(self, events: Any) -> None:
            pass

        def _write_to_self(self) -> None:
            pass

    class Policy(asyncio.DefaultEventLoopPolicy):
        _loop_factory = Loop

    asyncio.set_event_loop_policy(Policy())

"""The guard in the child: what a candidate's code finds when it looks for builtins and modules, and what ends the run.

The candidate's globals have builtins of our own: import gives copies of harmless modules, `getattr` looks at the name, `eval` and its
like end the run. An audit hook sees what CPython reports (imports, `open`, `exec`, reads of `__globals__`, frames) and ends the run
when the frame that caused it is the candidate's. Everything is made once in the zygote; only `arm` is called in the child.
"""

from __future__ import annotations

import builtins
import enum
import functools
import importlib
import sys
import typing
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

from sebench.judge.rules import (
    ANSWER_FILE,
    EVENTS,
    FORBIDDEN_BUILTINS,
    FORMAT_GUARD,
    FORMATS,
    MODULES,
    ONLY,
    READY,
    WITHOUT,
    reflective,
)
from sebench.judge.sandbox import formats

Stop = Callable[[str], NoReturn]  # ends the run with a policy verdict


class Guard:
    """Builtins and modules for candidates of one package."""

    def __init__(self, package: str, library: ModuleType) -> None:
        self.package = package
        self.library = library
        self.stop: Stop = _unarmed
        self.copies = _copies(lambda reason: self.stop(reason))
        self.builtins = self._builtins()

    def watch(self) -> None:
        """Have CPython report to the guard, for good."""
        sys.addaudithook(_hook(lambda reason: self.stop(reason)))

    def arm(self, stop: Stop) -> None:
        """From now on a violation ends this process."""
        self.stop = stop

    def _builtins(self) -> dict[str, Any]:
        given = dict(vars(builtins))
        for name in FORBIDDEN_BUILTINS:
            given[name] = self._forbidden(name)
        for name in ("__loader__", "__spec__", "copyright", "credits", "license"):
            given.pop(name, None)
        given["__import__"] = self._import
        given["getattr"] = self._getattr
        given["setattr"] = self._setattr
        given["delattr"] = self._delattr
        given[FORMAT_GUARD] = lambda value, name: formats.of(value, name, self.stop)
        return given

    def _forbidden(self, name: str) -> Callable[..., Any]:
        def refused(*args: Any, **options: Any) -> Any:
            self.stop(f"{name}()")

        refused.__name__ = refused.__qualname__ = name
        return refused

    def _import(self, name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        root = name.partition(".")[0]
        if root == self.package:
            for part in (name, root):
                if part not in sys.modules:
                    raise ModuleNotFoundError(f"No module named '{name}'", name=name)
            return sys.modules[name if fromlist else root]
        if name in MODULES:
            for part in dict.fromkeys((root, name)):
                if part not in self.copies:
                    _copy(part, self.copies)
            return self.copies[name if fromlist else root]
        self.stop(f"import of {name}")

    def _getattr(self, value: Any, name: Any, *default: Any) -> Any:
        if type(name) is str and reflective(name):
            self.stop(f"getattr with the name {name!r}")
        if isinstance(value, ModuleType) and value.__name__.partition(".")[0] == self.package:
            self.stop("getattr on the library with a computed name")
        if type(name) is str and name in FORMATS and isinstance(value, str | type):
            return formats.of(value, name, self.stop)
        return getattr(value, name, *default)

    def _setattr(self, target: Any, name: Any, value: Any) -> None:
        if isinstance(target, ModuleType):
            self.stop("a module is changed")
        setattr(target, name, value)

    def _delattr(self, target: Any, name: Any) -> None:
        if isinstance(target, ModuleType):
            self.stop("a module is changed")
        delattr(target, name)


def _unarmed(reason: str) -> NoReturn:
    raise RuntimeError(f"the guard is not armed: {reason}")


def _copies(stop: Stop) -> dict[str, ModuleType]:
    """Copies of the harmless modules: public names, and no modules but their own."""
    made: dict[str, ModuleType] = {}
    for name in sorted(READY):
        _copy(name, made)
    _without_chance(made)
    made["operator"].attrgetter = _by_name(stop, "attrgetter")  # type: ignore[attr-defined]
    made["operator"].methodcaller = _by_name(stop, "methodcaller")  # type: ignore[attr-defined]
    made["functools"].update_wrapper = lambda wrapper, wrapped, *_, **__: functools.update_wrapper(wrapper, wrapped)  # type: ignore[attr-defined]
    made["functools"].wraps = lambda wrapped, *_, **__: functools.wraps(wrapped)  # type: ignore[attr-defined]
    made["logging"] = _quiet_logging()
    typing.ForwardRef._evaluate = lambda *_, **__: stop("a forward reference is evaluated")  # type: ignore[method-assign]
    enum.EnumMeta._convert_ = lambda *_, **__: stop("an enum is made from a module")  # type: ignore[attr-defined]
    return made


class _Quiet:
    """Stands for loggers, handlers and formatters: takes every call and says nothing. The real ones lead to frames and other modules."""

    name, level, disabled, propagate = "", 0, False, False

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def nothing(self, *args: Any, **options: Any) -> None:
        pass

    debug = info = warning = warn = error = critical = exception = log = nothing
    addHandler = removeHandler = addFilter = setLevel = setFormatter = flush = close = nothing

    def isEnabledFor(self, level: int) -> bool:
        return False

    def getChild(self, suffix: str) -> _Quiet:
        return self

    def hasHandlers(self) -> bool:
        return False


def _quiet_logging() -> ModuleType:
    """`logging` that logs nowhere."""
    quiet, module = _Quiet(), ModuleType("logging")
    for number, name in enumerate(("NOTSET", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")):
        setattr(module, name, 10 * number)
    for name in ("Logger", "Handler", "NullHandler", "StreamHandler", "Formatter", "Filter"):
        setattr(module, name, _Quiet)
    for name in ("debug", "info", "warning", "error", "critical", "exception", "log", "basicConfig", "disable"):
        setattr(module, name, quiet.nothing)
    module.getLogger = lambda name=None: quiet  # type: ignore[attr-defined]
    module.getLevelName = lambda level: f"Level {level}"  # type: ignore[attr-defined]
    return module


def _copy(name: str, made: dict[str, ModuleType]) -> None:
    """Add the copy of one module."""
    real = importlib.import_module(name)
    copy = made[name] = ModuleType(name)
    public = [n for n in dir(real) if not n.startswith("_")] if name != "__future__" else dir(real)
    for key in public:
        value = getattr(real, key)
        if isinstance(value, ModuleType) or key in WITHOUT.get(name, ()) or key not in ONLY.get(name, (key,)):
            continue
        setattr(copy, key, value)
    parent, _, child = name.rpartition(".")
    if parent in made:
        setattr(made[parent], child, copy)


def _without_chance(made: dict[str, ModuleType]) -> None:
    """Clocks that tick by themselves and generators with a fixed seed: two runs of a program see the same."""
    import datetime
    import random

    ticks = 1_700_000_000_000_000_000

    def tick() -> int:
        nonlocal ticks
        ticks += 1_000
        return ticks

    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
        setattr(made["time"], name, lambda: tick() / 1e9)
        setattr(made["time"], f"{name}_ns", tick)
    made["timeit"].default_timer = lambda: tick() / 1e9  # type: ignore[attr-defined]

    class Random(random.Random):
        def __init__(self, x: Any = 0) -> None:
            super().__init__(0 if x is None else x)

        def seed(self, a: Any = 0, version: int = 2) -> None:
            super().seed(0 if a is None else a, version)

    class Datetime(datetime.datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls.fromtimestamp(tick() / 1e9, tz or datetime.UTC).replace(tzinfo=tz)

        today = utcnow = now

    class Date(datetime.date):
        @classmethod
        def today(cls) -> Any:
            return cls.fromtimestamp(1_700_000_000)

    Datetime.min, Datetime.max = Datetime(1, 1, 1), Datetime(9999, 12, 31, 23, 59, 59, 999999)
    Date.min, Date.max = Date(1, 1, 1), Date(9999, 12, 31)
    made["random"].Random = Random  # type: ignore[attr-defined]
    made["random"].seed = lambda a=0, version=2: random.seed(0 if a is None else a, version)  # type: ignore[attr-defined]
    random.seed(0)
    made["datetime"].datetime, made["datetime"].date = Datetime, Date  # type: ignore[attr-defined]
    for name in ("localtime", "gmtime", "ctime", "asctime", "strftime"):
        if hasattr(made["time"], name):
            delattr(made["time"], name)


def _by_name(stop: Stop, function: str) -> Callable[..., Any]:
    import operator

    real = getattr(operator, function)

    def guarded(*names: Any, **options: Any) -> Any:
        checked = names if function == "attrgetter" else names[:1]
        for name in checked:
            if type(name) is not str or any(reflective(part) or part in FORMATS for part in name.split(".")):
                stop(f"{function} with the name {name!r}")
        return real(*names, **options)

    guarded.__name__ = guarded.__qualname__ = function
    return guarded


def _hook(stop: Stop) -> Callable[[str, Any], None]:
    frame_of = sys._getframe
    busy = False

    def hook(event: str, args: Any) -> None:
        nonlocal busy
        if busy or not event.startswith(EVENTS):
            return
        busy = True
        try:
            caller = frame_of(1)
            name = caller.f_code.co_filename
        finally:
            busy = False
        if name == ANSWER_FILE:
            shown = args[1] if event.startswith("object.") and len(args) > 1 else event
            stop(f"the run-time guard saw {event} ({shown})")

    return hook

"""Calls the backend without warnings, on lowered values; cleans its errors and lifts its results.

The order matters. First the arguments are lowered, which may run code of the caller. Then the backend runs. Then,
outside every exception handler, an error is cleaned or a result lifted, so that no backend error is chained to what the
caller sees. The stack below a callback still shows the frames of the call that led to it (docs/forge.md).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from .kinds import word
from .messages import cleaned
from .plain import PLAIN, Carried, Prepared, Refused, name_of
from .silence import Silence

Hush = Callable[[], Silence]
Speak = Callable[[Silence], None]
Clean = Callable[[BaseException, str, tuple[Any, ...]], BaseException]


def given(value: Any, default: Any) -> bool:
    """Whether an option differs from its default. Never calls a caller's `__eq__`."""
    if value is default:
        return False
    if type(value) is not type(default) or type(value) not in (int, float, str) or value != default:
        return True
    return type(value) is float and math.copysign(1.0, value) != math.copysign(1.0, default)  # -0.0 is not 0.0


def describing(Made: Any, read: Callable[[Any], Any]) -> Callable[[Any], str]:
    """Return `describe`, which describes an argument for an error message."""

    def describe(value: Any) -> str:
        if type(value) is Made:
            held = read(value)
            return f"{Made.__name__} of shape {tuple(held.shape)} and kind {word(held.dtype)}"
        if type(value) is Prepared:
            return str(value.shown)
        return repr(value) if type(value) in PLAIN and len(repr(value)) < 40 else name_of(type(value))

    return describe


def cleaning(origin: str, describe: Callable[[Any], str]) -> Clean:
    """Return `clean`, which turns a backend error into the one that the caller sees; `origin` is the backend's name."""

    def clean(error: BaseException, where: str, shown: tuple[Any, ...]) -> BaseException:
        if type(error) is Carried:
            own: BaseException = error.args[0]
            return own
        home = type(error).__module__.partition(".")[0]
        if isinstance(error, Exception) and home in ("builtins", origin):
            return cleaned(error, where, [describe(v) for v in shown])
        error.__context__ = error.__cause__ = None  # from the program's own signal handler, or a request to exit
        return error.with_traceback(None)

    return clean


def guarding(hush: Hush, speak: Speak, clean: Clean) -> Callable[..., Any]:
    """Return `guarded`, which runs the backend on values that are already lowered, and does not lift the result."""

    def guarded(function: Any, where: str, arguments: tuple[Any, ...], shown: tuple[Any, ...]) -> Any:
        silence = hush()
        try:
            return function(*arguments)
        except BaseException as error:
            failure = error
        finally:
            speak(silence)
        failure = clean(failure, where, shown)
        raise failure

    return guarded


def handing_back(Made: Any, read: Callable[[Any], Any], lift: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Return `handed_back`, which returns the result of a call with `out=`: the caller's own arrays if they are it."""

    def handed_back(result: Any, target: Any) -> Any:
        if isinstance(target, tuple) and isinstance(result, tuple):
            return tuple(handed_back(r, t) for r, t in zip(result, target, strict=True))
        if isinstance(target, tuple) and len(target) == 1:
            target = target[0]
        return target if type(target) is Made and read(target) is result else lift(result)

    return handed_back


def running(
    package: str,
    lower: Callable[[Any], Any],
    lift: Callable[..., Any],
    handed_back: Callable[[Any, Any], Any],
    quiet: tuple[Hush, Speak],
    clean: Clean,
) -> Callable[..., Callable[..., Any]]:
    """Return `runner`, which makes the implementation of one forged function."""
    hush, speak = quiet

    def runner(function: Any, where: str, defaults: dict[str, Any], named: Any) -> Callable[..., Any]:
        # An option that has its default value is not passed on, since for some backend functions an explicit default
        # means something else than no value.
        def run(*args: Any, **options: Any) -> Any:
            try:
                arguments = [lower(a) for a in args]
                wanted = {k: lower(v) for k, v in options.items() if given(v, defaults.get(k, run))}
            except Refused as refused:
                reason = f"{where} cannot work on an object of type {refused}"
            else:
                reason = ""
            if reason:
                raise TypeError(reason)
            silence = hush()
            try:
                result, failure = function(*arguments, **wanted), None
            except BaseException as error:
                result, failure = None, error
            finally:
                speak(silence)
            if failure is not None:
                failure = clean(failure, where, (*args, *options.values()))
                raise failure
            target = options.get("out")
            return lift(result, named) if target is None else handed_back(result, target)

        run.__name__ = run.__qualname__ = where.rpartition(".")[2]
        run.__module__ = package
        return run

    return runner


def calling_back(
    package: str, Made: Any, lower: Callable[[Any], Any], lift: Callable[..., Any], quiet: tuple[Hush, Speak]
) -> Callable[[Any], Any]:
    """Return `callback`, which wraps a function of the program for the backend; other values are left as they are."""
    hush, speak = quiet

    def callback(function: Any) -> Any:
        if type(function) is list or type(function) is tuple:
            return [callback(f) for f in function]
        if type(function) is Made or not callable(function):
            return function

        def called(*args: Any, **options: Any) -> Any:
            lifted, named = [lift(a) for a in args], {k: lift(v) for k, v in options.items()}
            silence: Any = warnings.filters
            ours = hasattr(silence, "saved")
            if ours:
                speak(silence)
            try:
                result, failure = function(*lifted, **named), None
            except BaseException as error:
                result, failure = None, error
            finally:
                if ours:
                    hush()
            if failure is None:
                try:
                    return lower(result)
                except Refused as refused:
                    failure = TypeError(f"{package} cannot use a result of type {refused}")
            raise Carried(failure)

        return Prepared(called, "a function")

    return callback

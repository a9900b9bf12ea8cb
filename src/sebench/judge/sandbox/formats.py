"""`str.format` for candidates: its fields can follow attributes, in C, where neither the policy nor `getattr` sees it.

The policy turns every `x.format` and `x.format_map` into a call of `of`, which looks at the fields before they are filled in.
"""

from __future__ import annotations

from _string import formatter_field_name_split, formatter_parser  # type: ignore[import-not-found]
from collections.abc import Callable
from types import BuiltinMethodType, MethodDescriptorType
from typing import Any, NoReturn

from sebench.judge.rules import reflective


def of(value: Any, name: str, stop: Callable[[str], NoReturn]) -> Any:
    """The attribute `name` of a value; guarded if it is a method of text."""
    method = getattr(value, name)
    if type(method) is BuiltinMethodType and isinstance(method.__self__, str):
        text = method.__self__

        def bound(*args: Any, **options: Any) -> str:
            _check(text, stop)
            return str(method(*args, **options))

        return bound
    if type(method) is MethodDescriptorType and method.__objclass__ is str:

        def unbound(text: str, *args: Any, **options: Any) -> str:
            _check(text, stop)
            return str(method(text, *args, **options))

        return unbound
    return method


def _check(text: Any, stop: Callable[[str], NoReturn]) -> None:
    if not isinstance(text, str):
        return  # the method will refuse it
    for _, field, spec, _ in formatter_parser(text):
        if field:
            for by_name, part in formatter_field_name_split(field)[1]:
                if by_name and (part.startswith("_") or reflective(part)):
                    stop(f"a format string with the attribute {part}")
        if spec:
            _check(spec, stop)

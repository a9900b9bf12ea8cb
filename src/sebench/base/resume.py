"""Resumes earlier work, but only with the same settings; otherwise the error names the changed setting.

    before = resume.read(folder / "selfplay.json")
    resume.refuse_changes(folder, before, now, allowed=lambda key, was, is_now: key == "rounds")

Used by runs, training runs, memories, self-play, experiments, task drafts and rephrased pages.

Covered: nested settings ("learn.epochs"), settings that only one side has, tuples (which JSON turns into lists), and
folders that contain something else.
Not covered: which settings matter (callers pass those that determine the outcome), and locks (`files`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from sebench.base import files
from sebench.base.errors import ConfigError
from sebench.base.wording import describe_error

ELSEWHERE = "choose another --out"
SAME = f"{ELSEWHERE}, or pass the same settings"
LONGEST = 160  # characters of a value in a message; a list of functions may have thousands

Change = tuple[str, Any, Any]  # name of a setting, before, now


def read(file: Path, step: str = ELSEWHERE) -> dict[str, Any]:
    """Return the settings in a file; `step` is the advice in the error message if the file cannot be read."""
    try:
        data = json.loads(file.read_text("utf-8"))
        if not isinstance(data, dict):
            raise ValueError("it is not a JSON object")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{file} cannot be read: {describe_error(error)}; {step}") from None
    return data


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """Yield the settings that differ, in the order of `now`."""
    now = json.loads(json.dumps(now))
    for key in [*now, *(key for key in before if key not in now)]:
        was, is_now = before.get(key), now.get(key)
        if isinstance(was, dict) and isinstance(is_now, dict):
            yield from ((f"{key}.{inner}", *values) for inner, *values in changes(was, is_now))
        elif was != is_now:
            yield key, was, is_now


def refuse_changes(
    place: Path,
    before: Mapping[str, Any],
    now: Mapping[str, Any],
    *,
    allowed: Callable[[str, Any, Any], bool] = lambda key, was, is_now: False,
    step: str = SAME,
) -> None:
    """Raise ConfigError for the first change that is not allowed."""
    for key, was, is_now in changes(before, now):
        if not allowed(key, was, is_now):
            old, new = _shorten(repr(was), repr(is_now))
            name = key.removeprefix("config.")
            raise ConfigError(f"{place} was started with {name} = {old}, but now it is {new}; {step}")


def _shorten(*values: str) -> list[str]:
    """Shorten long values for a message, omitting the beginning that they share."""
    start = 0
    if max(map(len, values)) > LONGEST:
        start = next((at for at, (a, b) in enumerate(zip(*values, strict=False)) if a != b), 0)
    cut = [f"...{value[start:]}" if start else value for value in values]
    return [value if len(value) <= LONGEST else f"{value[:LONGEST]}..." for value in cut]


def refuse_foreign(folder: Path, manifest: str, what: str, earlier: Collection[str] = ()) -> None:
    """Raise ConfigError if a folder is not empty and lacks this manifest, since it must not be written to. `earlier`
    has the names of what may be written before the manifest."""
    there = {place.name for place in folder.iterdir()} if folder.is_dir() else set[str]()
    left = {files.LOCK, *earlier}  # by a killed process
    held = {name for name in there if name not in left and not name.endswith(".partial")}
    if folder.exists() and (not folder.is_dir() or (held and manifest not in held)):
        raise ConfigError(f"{folder} already exists and contains no {f'{what} run'.strip()}; {ELSEWHERE}")

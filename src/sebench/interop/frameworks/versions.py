"""The versions of each framework that were tried. A package that is missing, or another version, is one line that says what to install.

Who calls it: each integration, when it is imported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata

from sebench import SebenchError


@dataclass(frozen=True)
class Tried:
    """A range of versions: `lowest` is in it, `below` is not."""

    package: str  # as pip knows it
    lowest: str
    below: str
    extra: str  # of sebench

    @property
    def install(self) -> str:
        return f"pip install 'sebench[{self.extra}]'"


INSPECT = Tried("inspect-ai", "0.3.285", "0.4", "inspect")
LM_EVAL = Tried("lm-eval", "0.4.13", "0.5", "lm-eval")
DATASETS = Tried("datasets", "4", "6", "trl")
TRL = Tried("trl", "1.16", "1.17", "trl")
VERL = Tried("verl", "0.9", "0.10", "verl")


def require(tried: Tried) -> None:
    """An error where the package is not there, or in a version that was not tried."""
    found = installed(tried)
    if found is None:
        raise SebenchError(f"this needs the package {tried.package}, which is not installed: {tried.install}")
    check(tried, found)


def check_installed(tried: Tried) -> None:
    """An error for a version that was not tried; the package may be missing, where nothing of it is needed."""
    if found := installed(tried):
        check(tried, found)


def check(tried: Tried, found: str) -> None:
    """An error for a version that was not tried."""
    if not _numbers(tried.lowest) <= _numbers(found) < _numbers(tried.below):
        wanted = f"{tried.package}>={tried.lowest},<{tried.below}"
        raise SebenchError(
            f"{tried.package} {found} is here, and {wanted} is what this sebench was tried with: pip install '{wanted}'"
        )


def installed(tried: Tried) -> str | None:
    """The version that is installed."""
    try:
        return metadata.version(tried.package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, to compare by; what stands behind them (rc1, .dev0, +cpu) does not count."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, found[0].split("."))) if found else ()

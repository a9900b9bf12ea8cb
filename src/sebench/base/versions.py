"""The tested versions of Ray and of each framework. If a package is missing or has another version, a one-line error
says what to install.

Who calls it: each integration when it is imported, `--backend ray`, and `--trainer trl`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata

from sebench.base import extras
from sebench.base.errors import ConfigError


@dataclass(frozen=True)
class TestedVersions:
    """A range of versions, from `lowest` (included) to `below` (excluded)."""

    package: str  # its name on PyPI
    lowest: str
    below: str
    extra: str  # of sebench

    @property
    def install(self) -> str:
        return extras.install(self.extra)


INSPECT = TestedVersions("inspect-ai", "0.3.285", "0.4", "inspect")
LM_EVAL = TestedVersions("lm-eval", "0.4.13", "0.5", "lm-eval")
DATASETS = TestedVersions("datasets", "4", "6", "trl")
TRL = TestedVersions("trl", "1.16", "1.17", "trl")  # `--trainer trl` uses its private hooks
VERL = TestedVersions("verl", "0.9", "0.10", "verl")
RAY = TestedVersions("ray", "2.60", "2.61", "ray")


def require(tested: TestedVersions, what: str = "this", optional: bool = False) -> None:
    """Raise an error if the version of the package is untested, or if it is missing and not `optional`; `what` needs
    it."""
    version = installed_version(tested)
    if version is not None:
        check(tested, version)
    elif not optional:
        raise ConfigError(f"{what} needs the package {tested.package}, which is not installed: {tested.install}")


def check(tested: TestedVersions, version: str) -> None:
    """Raise an error for an untested version."""
    if not _numbers(tested.lowest) <= _numbers(version) < _numbers(tested.below):
        requirement = f"{tested.package}>={tested.lowest},<{tested.below}"
        raise ConfigError(
            f"{tested.package} {version} is installed, but this version of sebench was tested with {requirement}: "
            f"pip install '{requirement}'"
        )


def installed_version(tested: TestedVersions) -> str | None:
    """Return the installed version, or None."""
    try:
        return metadata.version(tested.package)
    except metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers of a version, for comparison; suffixes (rc1, .dev0, +cpu) do not count."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, match[0].split("."))) if match else ()

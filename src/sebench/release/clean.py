"""Keeps keys, paths and machine names out of a release.

Paths in settings become labels (the last part of the path; different paths get different labels), and addresses are
removed. Anything that looks like a key is refused, and so is a release that still contains traces of this machine or
its environment.

Not covered: text that models wrote. Responses are published unchanged, although they too are searched for the secrets
of this environment.
"""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError

SECRET_NAME = re.compile(
    r"(api|access|private)[_-]?key|token$|secret|passw|authorization|(^|[_-])auth$|cookie|credential", re.IGNORECASE
)
SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)
SECRET_VALUE = re.compile(
    r"\b(sk-[\w-]{16,}|hf_\w{20,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|AKIA\w{16}|AIza[\w-]{30,}"
    r"|xox[bp]-[\w-]{10,})"
    r"|\bbearer\s+[\w.~+/-]{16,}|-----BEGIN [A-Z ]*PRIVATE KEY",
    re.IGNORECASE,
)
PATH = re.compile(r"(?<![\w./~-])(~?/|\.{1,2}/|[A-Za-z]:\\|file://)[^\s\"'`,;:()<>]+")
PREFIXED = re.compile(r"^(\w+:)(?=~?/(?!/))")  # hf:/models/x
ADDRESS = re.compile(r"\b\w+://[^\s\"',;]+")
PATHS = ("/", "~", "./", "../")  # values that begin like this are file names, not secrets
LOOKS_SECRET = "looks like a secret; remove it from the run's settings before you release it"
SHORTEST = 8  # characters: shorter values of environment variables do not count as secrets


class Labels:
    """Replaces paths in settings with labels, removes addresses and refuses secrets. A release uses one instance, so
    that a path has the same label everywhere."""

    def __init__(self, labels: Mapping[str, str]) -> None:
        """`labels` holds the labels that are already chosen, by path."""
        self._labels = dict(labels)

    def clean(self, value: Any, where: str) -> Any:
        """Return a setting as it may be published; raise an error if it looks like a secret. `where` names the setting
        in messages."""
        if isinstance(value, Mapping):
            for key, one in value.items():
                if SECRET_NAME.search(key) and isinstance(one, str) and one:
                    raise ConfigError(f"{where}.{key} {LOOKS_SECRET}")
            return {self.clean(key, where): self.clean(one, f"{where}.{key}") for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self.clean(one, where) for one in value]
        if not isinstance(value, str):
            return value
        if value in self._labels:
            return self._labels[value]
        if SECRET_VALUE.search(value):
            raise ConfigError(f"{where} {LOOKS_SECRET}")
        prefix = match[1] if (match := PREFIXED.match(value)) else ""
        text = ADDRESS.sub("(address)", value.removeprefix(prefix))
        return prefix + PATH.sub(lambda match: self._label(match[0]), text)

    def _label(self, path: str) -> str:
        if path not in self._labels:
            name = re.split(r"[\\/]", path.rstrip("\\/"))[-1].lstrip("~.") or "folder"
            candidates = (name, *(f"{name}-{number}" for number in range(2, len(self._labels) + 3)))
            used = set(self._labels.values())
            self._labels[path] = next(label for label in candidates if label not in used)
        return self._labels[path]


def secrets() -> Iterator[tuple[str, str]]:
    """Yield a description and the text of each secret in this environment; none may appear in any file."""
    for name, value in os.environ.items():
        if (
            SECRET_VARIABLE.search(name)
            and len(value) >= SHORTEST
            and not value.isdigit()
            and not value.startswith(PATHS)
        ):
            yield f"the value of ${name}", value


def of_this_machine(source: Path) -> Iterator[tuple[str, str]]:
    """Yield a description and the text of each trace of this machine that must not be in any file that sebench
    writes."""
    yield "the path of the run", str(source.resolve())
    yield "the path of your home folder", str(Path.home())
    yield "the path of the working folder", str(Path.cwd())
    if len(host := socket.gethostname()) > 3 and host != "localhost":
        yield "the name of this machine", host


def check(name: str, text: str, sources: Sequence[Path], ours: bool) -> None:
    """Raise an error if a file in a release contains forbidden text. `ours` is true if sebench, not a model, wrote
    it."""
    of_machine = [detail for source in sources for detail in of_this_machine(source)] if ours else []
    for description, forbidden in [*secrets(), *of_machine]:
        # The text may also occur in its JSON form.
        forms = {forbidden, json.dumps(forbidden)[1:-1], json.dumps(forbidden, ensure_ascii=False)[1:-1]}
        if len(forbidden) > 3 and any(re.search(rf"(?<![\w]){re.escape(form)}(?![\w-])", text) for form in forms):
            raise ConfigError(
                f"{name} would contain {description}, but a release is public; remove it from the run first"
            )

"""The prompts of a study: templates in this package, each with its own fields.

    texts.made("ace_curate", package="vok", playbook="...", ...)
    texts.digest()                      # of all of them, for the manifest: other texts make another study

A field that a template does not know, or lacks, is a bug and raises an error.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template

_FOLDER = resources.files("sebench.memory.methods").joinpath("templates")
EMPTY = "(nothing)"


def fill(name: str, **fields: object) -> str:
    """A template with its fields filled in."""
    template = _template(name)
    if unknown := fields.keys() - set(template.get_identifiers()):
        raise ValueError(f"template {name} has no field {min(unknown)}")
    return template.substitute({key: str(value) for key, value in fields.items()})


def title(name: str) -> str:
    """The first line of a template, which identifies its prompts."""
    return _template(name).template.partition("\n")[0]


@cache
def digest() -> str:
    templates = sorted((one.name, one.read_text("utf-8")) for one in _FOLDER.iterdir() if one.name.endswith(".md"))
    return sha256("\0".join(part for pair in templates for part in pair).encode()).hexdigest()[:16]


@cache
def _template(name: str) -> Template:
    return Template(_FOLDER.joinpath(f"{name}.md").read_text("utf-8"))

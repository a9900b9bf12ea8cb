"""The prompts of a study: templates in this package, each with its own fields.

    texts.fill("ace_curate", package="vok", playbook="...", ...)
    texts.digest()                      # digest of all templates for the manifest: other prompts make another study

An unknown or missing field is a bug and raises an error.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib import resources
from string import Template

_FOLDER = resources.files("sebench.memory.methods").joinpath("templates")
EMPTY = "(nothing)"


def fill(name: str, **fields: object) -> str:
    """Fill in the fields of a template."""
    template = _template(name)
    if unknown := fields.keys() - set(template.get_identifiers()):
        raise ValueError(f"template {name} has no field {min(unknown)}")
    return template.substitute({key: str(value) for key, value in fields.items()})


def title(name: str) -> str:
    """Return the first line of a template, which identifies its prompts."""
    return _template(name).template.partition("\n")[0]


@cache
def digest() -> str:
    templates = sorted((one.name, one.read_text("utf-8")) for one in _FOLDER.iterdir() if one.name.endswith(".md"))
    return sha256("\0".join(part for pair in templates for part in pair).encode()).hexdigest()[:16]


@cache
def _template(name: str) -> Template:
    return Template(_FOLDER.joinpath(f"{name}.md").read_text("utf-8"))

"""Prompts: the question with the book closed, or open at the pages that it needs.

The texts are templates (`templates/*.md`, or a folder of the user's) with $package, $array, $question, $examples, $signature and
$documentation.
The open prompt is the documentation followed by the closed prompt, so the two differ in the book alone.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import resources
from pathlib import Path
from string import Template

from sebench.errors import ConfigError
from sebench.forge.naming import Names
from sebench.records import ApiDoc, Task

OPEN, CLOSED = BOOKS = ("open", "closed")
WHOLE_LIBRARY = -1  # as a number of distractors: every page
FIELDS = {"closed": {"package", "question", "examples", "signature"}, "open": {"package", "array", "documentation"}}
NEEDED = {"closed": "question", "open": "documentation"}


@dataclass(frozen=True)
class Prompt:
    """What a model is asked. It does not hold the answer: what a model is given, it may read."""

    text: str
    task_id: str
    book: str

    @cached_property
    def digest(self) -> str:
        return sha256(self.text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Prompter:
    """Makes the prompts of one world."""

    names: Names
    docs: Sequence[ApiDoc]
    templates: Mapping[str, Template]
    distractors: int = 0  # further pages in an open book; WHOLE_LIBRARY for all
    seed: int = 0

    @classmethod
    def load(
        cls, names: Names, docs: Sequence[ApiDoc], folder: Path | None = None, distractors: int = 0, seed: int = 0
    ) -> Prompter:
        templates = {name: Template(_text(name, folder)) for name in ("closed", "open")}
        for name, template in templates.items():
            if not template.is_valid():
                raise ConfigError(f"template {name}.md has a $ that begins no field; write $$ for a dollar")
            used = set(template.get_identifiers())
            if unknown := used - FIELDS[name]:
                known = ", ".join(f"${field}" for field in sorted(FIELDS[name]))
                raise ConfigError(f"template {name}.md uses ${min(unknown)}; there are {known}")
            if NEEDED[name] not in used:
                raise ConfigError(f"template {name}.md does not use ${NEEDED[name]}: all its prompts would be the same")
        return cls(names, docs, templates, distractors, seed)

    @property
    def digest(self) -> str:
        """One hash over the templates, for the manifest."""
        text = "\0".join(f"{name}\0{template.template}" for name, template in sorted(self.templates.items()))
        return sha256(text.encode()).hexdigest()[:16]

    def prompt(self, task: Task, book: str) -> Prompt:
        """The prompt of a task."""
        if book not in BOOKS:
            raise ConfigError(f"no book '{book}'; there are {', '.join(BOOKS)}")
        package = self.names.package
        examples = "\n\n".join(
            f"```python\n{task.entry}({', '.join(f'{k}={v!r}' for k, v in case.inputs.items())})\n# {case.expected!r}\n```"
            for case in task.examples
        )
        text = self.templates["closed"].substitute(
            package=package, question=task.question, examples=examples, signature=task.signature
        )
        if book == OPEN:
            told = {"package": package, "array": self.names.array, "documentation": self.pages(task)}
            text = self.templates["open"].substitute(told) + text
        return Prompt(text, task.id, book)

    def pages(self, task: Task) -> str:
        """The pages that an open book shows: those that the task needs among the distractors, in an order of their own."""
        needed = [self.names.functions[path] for path in task.functions]
        if not self.distractors:
            return "\n\n".join(self._pages[path].strip() for path in needed)
        others = [path for path in self._pages if path not in needed]
        rng = random.Random(f"pages:{self.seed}:{task.id}")
        extra = others if self.distractors == WHOLE_LIBRARY else rng.sample(others, min(self.distractors, len(others)))
        chosen = [*needed, *extra]
        if extra:
            chosen = (
                [p for p in self._pages if p in set(chosen)] if extra is others else rng.sample(chosen, len(chosen))
            )
        return "\n\n".join(self._pages[path].strip() for path in chosen)

    @cached_property
    def _pages(self) -> dict[str, str]:
        return {page.path: page.text for page in self.docs}


def _text(name: str, folder: Path | None) -> str:
    if folder is None:
        return resources.files("sebench").joinpath("templates", f"{name}.md").read_text("utf-8")
    if not any((folder / f"{template}.md").is_file() for template in FIELDS):
        raise ConfigError(f"--prompts {folder}: there is no closed.md and no open.md")
    file = folder / f"{name}.md"
    if not file.exists():
        return _text(name, None)
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"--prompts: {file} cannot be read: {error}") from None

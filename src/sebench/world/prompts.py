"""Builds prompts. The "book" is the documentation setting: closed (none), open (pages in the prompt) or native (NumPy
itself).

The texts are templates (`templates/*.md`, or the user's own folder) with the fields listed in `FIELDS`. The open prompt
is the documentation (`open_book.py`) followed by the closed prompt, so the two differ only in the documentation. The
native prompt is the closed question with NumPy instead of the forged library. If a run lets models decline, every
closed and open prompt ends with the same paragraph on how to do so; only the question distinguishes a task that can be
solved from one that cannot. If a run has a memory, what it recalls comes before the closed prompt, which is otherwise
unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib import resources
from pathlib import Path
from string import Template
from typing import Any

from sebench.base.errors import ConfigError
from sebench.base.extract import DECLINE
from sebench.base.records import ApiDoc, Task
from sebench.base.wording import describe_error
from sebench.forge.names.naming import Names
from sebench.world.open_book import BookSettings, OpenBook

OPEN, CLOSED, NATIVE = BOOKS = ("open", "closed", "native")
FIELDS = {
    "closed": {"package", "question", "examples", "signature"},
    "native": {"question", "examples", "signature"},
    "open": {"package", "array", "documentation"},
    "decline": {"package", "line"},
    "memory": {"package", "memory"},
    "operations": {"package", "question", "most"},
    "lookup": {"package", "preface", "left", "found"},
    "repair": {"answer", "said"},
}
# the others are read only if a run uses them, since its digest covers only those it uses
USUAL = (
    "closed",
    "native",
    "open",
)
SHORT = "short"  # built-in templates with only question and signature, for small models
PUBLISHED = "published"  # built-in templates with the contents of the published prompts
NEEDED = {"closed": "question", "native": "question", "open": "documentation", "decline": "line", "memory": "memory"}
NEEDED |= {"operations": "question", "lookup": "found", "repair": "said"}


@dataclass(frozen=True)
class Prompt:
    """A prompt for a model. It must not contain the answer, because a model may read everything in it."""

    text: str
    task_id: str
    book: str

    @cached_property
    def digest(self) -> str:
        return sha256(self.text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Prompter:
    """Builds the prompts of one world."""

    names: Names
    book: OpenBook
    templates: Mapping[str, Template]
    names_given: bool = False  # whether a prompt says which functions the task needs
    edition: int = 0  # the edition that a prompt names, if above 0

    @classmethod
    def load(
        cls,
        names: Names,
        docs: Sequence[ApiDoc],
        folder: Path | None = None,
        settings: BookSettings | None = None,
        names_given: bool = False,
        decline: bool = False,
        more: Sequence[str] = (),
        changelog: str = "",
        edition: int = 1,
    ) -> Prompter:
        """Read and check the templates; `more` names additional ones, for memories and self-repair. `changelog` and
        `edition` are those of the world."""
        settings = settings or BookSettings()
        if settings.changelog and not changelog:
            raise ConfigError(
                "--changelog: this world is not a new edition of another; see 'sebench build --edition-of'"
            )
        used_here = [*USUAL, *(["decline"] if decline else []), *more]
        templates = {name: Template(template_text(name, folder)) for name in used_here}
        for name, template in templates.items():
            if not template.is_valid():
                raise ConfigError(f"template {name}.md has a $ that does not begin a field; write $$ for a dollar sign")
            used = set(template.get_identifiers())
            if unknown := used - FIELDS[name]:
                known = ", ".join(f"${field}" for field in sorted(FIELDS[name]))
                raise ConfigError(f"template {name}.md uses the unknown field ${min(unknown)}; the fields are {known}")
            if NEEDED[name] not in used:
                why = "no answer could decline" if name == "decline" else "all its prompts would be the same"
                raise ConfigError(f"template {name}.md does not use ${NEEDED[name]}: {why}")
        named = edition if settings.name_edition else 0
        return cls(names, OpenBook(names, docs, settings, changelog), templates, names_given, named)

    @property
    def digest(self) -> str:
        """A hash of the templates, for the manifest of a run."""
        text = "\0".join(f"{name}\0{template.template}" for name, template in sorted(self.templates.items()))
        return sha256(text.encode()).hexdigest()[:16]

    def fill(self, name: str, **fields: Any) -> str:
        """Return a template with its fields filled in."""
        return self.templates[name].substitute(fields)

    def prompt(self, task: Task, book: str, memory: str = "") -> Prompt:
        """Return the prompt for a task, preceded by what a memory recalls."""
        if book not in BOOKS:
            raise ConfigError(f"unknown book '{book}'; choose from {', '.join(BOOKS)}")
        package = self.names.package
        examples = "\n\n".join(
            f"```python\n{task.entry}({', '.join(f'{k}={v!r}' for k, v in case.inputs.items())})\n# "
            f"{case.expected!r}\n```"
            for case in task.examples
        )
        question = f"{task.question}\n\n{self._needed_names(task, book)}" if self.names_given else task.question
        if self.edition and book != NATIVE:
            question += f"\n\nThis is about edition {self.edition} of `{package}`."
        fields = {"question": question, "examples": examples, "signature": task.signature}
        if book == NATIVE:
            return Prompt(self.templates["native"].substitute(fields), task.id, book)
        text = self.templates["closed"].substitute(fields, package=package)
        if book == OPEN:
            book_fields = {"package": package, "array": self.names.array, "documentation": self.book.pages(task)}
            text = self.templates["open"].substitute(book_fields) + text
        if memory:
            text = self.fill("memory", package=package, memory=memory) + text
        if "decline" in self.templates:
            text += self.templates["decline"].substitute(package=package, line=DECLINE)
        return Prompt(text, task.id, book)

    def _needed_names(self, task: Task, book: str) -> str:
        """Return the sentence that names the functions that a task needs."""
        if task.boundary:
            raise ConfigError(
                f"task '{task.id}' needs a function that the library lacks, so the prompt cannot name what it needs; "
                "leave out --give-names"
            )
        names = [f"numpy.{path}" if book == NATIVE else self.names.forged(path) for path in task.functions]
        return f"The library has what is needed: {', '.join(f'`{name}`' for name in sorted(names))}."


def templates_folder(chosen: str) -> Path | None:
    """Return the template folder for the setting `prompts`: "short" and "published" are built in, "" means the default
    templates, and anything else is a user's folder.
    """
    if chosen in (SHORT, PUBLISHED):
        return Path(str(resources.files("sebench.world").joinpath("templates", chosen)))
    return Path(chosen) if chosen else None


def check_templates(chosen: str) -> None:
    """Raise an error if the setting `prompts` names a folder without templates, before a world is built for it."""
    template_text(CLOSED, templates_folder(chosen))


def template_text(name: str, folder: Path | None) -> str:
    """Return a template of a folder, or the default one if the folder is None or lacks it."""
    if folder is None:
        return resources.files("sebench.world").joinpath("templates", f"{name}.md").read_text("utf-8")
    if not any((folder / f"{template}.md").is_file() for template in FIELDS):
        raise ConfigError(
            f"--prompts {folder}: it contains no closed.md, open.md, native.md or decline.md, and no memory template"
        )
    file = folder / f"{name}.md"
    if not file.exists():
        return template_text(name, None)
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"--prompts: {file} cannot be read: {describe_error(error)}") from None

"""The settings of a run: one record for flags, TOML files and manifests, which all use the same names."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from sebench.base.errors import ConfigError, first_problem
from sebench.base.records import SCRIPTED
from sebench.base.settings import check, option, to_json
from sebench.base.wording import describe_error
from sebench.memory.folder import Memory
from sebench.models.model import TOKEN_LIMITS
from sebench.tasks import splits
from sebench.world.open_book import CHANGELOGS, DISTRACTORS, BookSettings
from sebench.world.page_cuts import PARTS
from sebench.world.prompts import BOOKS, CLOSED, NATIVE, OPEN

DEFAULT_SPLITS = (splits.SINGLE_TEST, splits.MULTI_TEST)

# These determine where and how fast a run works, not its result, so it may be resumed with other values. (For prompts,
# the text counts, not the folder.)
NOT_COMPARED = frozenset(
    {"base_url", "key_env", "key_file", "prompts", "workers", "timeout_s", "tries", "batch", "device"}
    | {"embed_url", "embed_key_env"}
)
OMITTED = ("memory", "repair", "changelog", "name_edition")  # from the manifest of a run that does not use them
# These apply only to chat-completions endpoints.
OF_ENDPOINTS = ("token_limit", "send_seed", "reasoning_effort", "extra")
THINKING = ("on", "off", "")


@dataclass(frozen=True)
class RunConfig:
    """The settings of a run."""

    model: str = option(
        "smollm2",
        f"smollm2, {', '.join(SCRIPTED)}, a .gguf file, hf:NAME or a folder, release:FOLDER for a released run's "
        "answers, or the name of a model at an endpoint (--base-url).",
        heading="The model",
    )
    base_url: tuple[str, ...] = option(
        (), "Address of an OpenAI-compatible endpoint, such as http://host:8000/v1; repeat it for replicas."
    )
    key_env: str = option("OPENAI_API_KEY", "Environment variable that contains the endpoint's key.")
    key_file: str = option("", "File that contains the endpoint's key; takes precedence over --key-env.")
    split: tuple[str, ...] = option(
        DEFAULT_SPLITS,
        f"Splits to test on, separated by commas: {', '.join(splits.SPLITS)}.",
        heading="The tasks",
        words=True,
    )
    tasks: str = option("", "File of tasks to use instead of the world's own, written by 'sebench tasks import'.")
    book: tuple[str, ...] = option(
        ("closed", "open"),
        "Documentation in the prompt: closed (none), open, native (the same tasks in NumPy), or several separated by "
        "commas.",
        heading="The prompt",
        words=True,
    )
    distractors: int = option(
        DISTRACTORS,
        "Pages of other functions shown along with the needed ones in an open book; -1 shows the whole library.",
        least=-1,
    )
    retrieve: int = option(
        0,
        (
            "If above 0, an open book shows this many pages found by searching for the question, instead of the "
            "needed ones."
        ),
        least=0,
    )
    pages: tuple[str, ...] = option(
        PARTS, "Parts of each page to show in an open book, separated by commas.", words=True
    )
    hide_usage: bool = option(
        False, "Omit from the pages the usage that a transfer task needs and that no training task shows."
    )
    give_names: bool = option(False, "Say in every prompt which functions of the library the task needs.")
    decline: bool = option(
        False, "Explain in every prompt how to decline a task that the library cannot do; required for boundary_test."
    )
    changelog: str = option(
        "",
        "For a new edition of a world: show the list of changes in an open book, with the pages or alone.",
        choices=CHANGELOGS,
    )
    name_edition: bool = option(False, "Say in every prompt which edition of the library it is about.")
    memory: str = option(
        "",
        "Folder of a memory, created by 'sebench memory'; what it recalls is put before the closed-book prompt.",
        heading="Memory and self-repair",
    )
    repair: int = option(
        0,
        "How many times to ask again, showing the error, if an answer fails on the examples in its prompt.",
        least=0,
    )
    embed_url: str = option(
        "", "Address of the embeddings endpoint for a dense memory, if it has changed since the memory was created."
    )
    embed_key_env: str = option("OPENAI_API_KEY", "Environment variable that contains the embeddings endpoint's key.")
    prompts: str = option(
        "",
        "Prompt templates: 'short' (without examples), 'published' (the published prompts), or a folder with your own "
        "closed.md, open.md, native.md or decline.md.",
        heading="The prompt",
    )
    system: str = option("", "System message; @FILE reads it from a file.")
    samples: int = option(1, "Responses per prompt.", heading="The answers", least=1)
    temperature: float = option(0.0, "Sampling temperature; 0 always picks the most likely token.", least=0, most=5)
    top_p: float = option(1.0, "Nucleus sampling probability.")
    max_tokens: int = option(1024, "Maximum tokens per response.", least=1)
    stop: tuple[str, ...] = option((), "Stop sequence that ends a response; repeat the option for several.")
    token_limit: str = option(
        "max_tokens",
        "Name of the request field for --max-tokens: max_tokens, or max_completion_tokens.",
        heading="Endpoints",
        choices=TOKEN_LIMITS,
    )
    send_seed: bool = option(True, "Send a seed with each request; some providers reject it.")
    reasoning_effort: str = option("", "Reasoning effort, passed to endpoints of reasoning models: low, medium, high.")
    extra: str = option("", "Additional request fields: a JSON object, or @FILE.")
    profile: str = option(
        "strict",
        "How values are compared: strict, or paper for the published tolerances.",
        heading="Judging",
        choices=("strict", "paper"),
    )
    seed: int = option(
        0,
        "Random seed for sampling, distractors and --limit; unrelated to the seed of WORLD.",
        heading="The tasks",
    )
    limit: int = option(0, "Number of tasks per split, drawn with the seed; 0 uses all.", least=0)
    thinking: str = option(
        "",
        "Thinking mode, for chat templates that support enable_thinking: on or off.",
        heading="The answers",
        choices=THINKING,
    )
    workers: int = option(
        0,
        "Concurrent requests (the concurrency); 0 uses the default for this kind of model.",
        heading="Endpoints",
        least=0,
    )
    timeout_s: float = option(300.0, "Timeout of a request, in seconds.")
    tries: int = option(6, "Attempts per request before giving up.", least=1)
    batch: int = option(
        0, "Prompts that a local model decodes together; 0 means 8, or 512 on a GPU.", heading="Local models", least=0
    )
    device: str = option("", "Device for a local model: cpu or cuda; chosen automatically if not set.")

    def __post_init__(self) -> None:
        check(self)
        for name in ("system", "extra"):
            object.__setattr__(self, name, _text(name, getattr(self, name)))
        self.extra_fields()  # so that errors appear now rather than at the first request
        self.book_settings()
        for name, known in (("split", splits.SPLITS), ("book", BOOKS)):
            for value in getattr(self, name):
                if value not in known:
                    raise ConfigError(f"{name} = {value!r}: choose from {', '.join(known)}")
            if len(set(getattr(self, name))) < len(getattr(self, name)) or not getattr(self, name):
                raise ConfigError(f"{name} = {', '.join(getattr(self, name))!r}: list at least one, each only once")
        defaults = {field.name: field.default for field in fields(self)}
        unused = next((name for name in OF_ENDPOINTS if getattr(self, name) != defaults[name]), "")
        problems = {
            f"split = {splits.BOUNDARY_TEST!r}: add --decline, so that the prompts say how to decline": (
                splits.BOUNDARY_TEST in self.split and not self.decline
            ),
            "decline and give_names cannot be combined: naming the needed functions reveals that they exist; choose "
            "one": self.decline and self.give_names,
            "decline = true works only with the books closed and open, since NumPy lacks nothing; remove "
            f"{NATIVE}": self.decline and NATIVE in self.book,
            f"memory works only with the closed book, but book = {', '.join(self.book)!r}; use --book closed": (
                self.memory and self.book != (CLOSED,)
            ),
            f"changelog = {self.changelog!r} has no effect without an open book; use --book open": (
                self.changelog and OPEN not in self.book
            ),
            f"repair = {self.repair} works only with the books closed and open; remove {NATIVE}": (
                self.repair and NATIVE in self.book
            ),
            "stop = '': a stop sequence must have at least one character": "" in self.stop,
            f"{unused} = {getattr(self, unused, '')!r} works only with an endpoint; add --base-url": (
                unused and not self.base_url
            ),
            f"timeout_s = {self.timeout_s}: must be above 0": self.timeout_s <= 0,
            f"top_p = {self.top_p}: must be above 0 and at most 1": not 0 < self.top_p <= 1,
        }
        if problem := first_problem(problems):
            raise ConfigError(problem)

    def compared(self) -> dict[str, Any]:
        """Return the settings that determine the result: they are in the manifest, and a run resumes only with the same
        values.

        A task file and a memory are compared by content, not by name.
        """
        chosen = to_json(self, NOT_COMPARED) | {"extra": self.extra_fields(), "tasks": _digest(self.tasks)}
        if self.memory:
            chosen["memory"] = Memory.load(Path(self.memory)).digest
        # Omitted if unused, so that runs started before these settings existed can be resumed.
        return {key: value for key, value in chosen.items() if value or key not in OMITTED}

    def book_settings(self) -> BookSettings:
        """Return the settings of the open book: which pages and parts of pages it shows."""
        pages = (self.distractors, self.retrieve, self.pages, self.seed, self.hide_usage)
        return BookSettings(*pages, self.changelog, self.name_edition)

    def extra_fields(self) -> dict[str, Any]:
        """Return the additional request fields."""
        try:
            request_fields = json.loads(self.extra or "{}")
        except ValueError as error:
            raise ConfigError(f'extra is not JSON ({error}); write for example {{"top_k": 20}}') from None
        if not isinstance(request_fields, dict):
            raise ConfigError(f'extra = {self.extra[:60]!r}: it must be a JSON object, such as {{"top_k": 20}}')
        return request_fields


def _text(name: str, value: str) -> str:
    """Return a setting's text, read from a file if it is @FILE."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{name} = {value}: the file cannot be read: {describe_error(error)}") from None


def _digest(file: str) -> str:
    if not file:
        return ""
    try:
        return sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ConfigError(f"tasks = {file}: the file cannot be read: {error.strerror}") from None

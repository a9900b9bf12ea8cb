"""What a run is asked to do: one record that flags, TOML file and manifest share, under the same names."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from sebench.errors import ConfigError
from sebench.memory.folder import Memory
from sebench.open_book import DISTRACTORS, BookSettings
from sebench.page_cuts import PARTS
from sebench.prompts import BOOKS, CLOSED, NATIVE
from sebench.records import SCRIPTED
from sebench.tasks import splits

C = TypeVar("C")  # a dataclass of settings
DEFAULT_SPLITS = (splits.SINGLE_TEST, splits.MULTI_TEST)

# Where and how fast, not what: a run may go on with other values of these. (Of prompts the text counts, not the folder.)
NOT_COMPARED = frozenset(
    {"base_url", "key_env", "key_file", "prompts", "workers", "timeout_s", "tries", "batch", "device"}
    | {"embed_url", "embed_key_env"}
)
# What only a chat-completions endpoint understands.
OF_ENDPOINTS = ("token_limit", "send_seed", "reasoning_effort", "extra")
LISTS = ("split", "book", "pages")  # words that may be given with commas or one by one
TOKEN_LIMITS = ("max_tokens", "max_completion_tokens")

NAMES = {str: "text", int: "whole number", float: "number", tuple: "list of texts", bool: "true or false"}


def option(default: Any, help: str, heading: str = "") -> Any:
    """A setting with its default and what it means, as --help shows it; under a heading, which also stands above the settings that follow."""
    return field(default=default, metadata={"help": help, "heading": heading})


@dataclass(frozen=True)
class RunConfig:
    """The settings of a run."""

    model: str = option(
        "smollm2",
        f"smollm2, {', '.join(SCRIPTED)}, a .gguf file, hf:NAME or a folder, vllm:NAME, or an endpoint's name for it.",
        heading="The model",
    )
    base_url: tuple[str, ...] = option(
        (), "Address of an OpenAI-compatible endpoint, such as http://host:8000/v1; repeat it for replicas."
    )
    key_env: str = option("OPENAI_API_KEY", "Environment variable that holds the endpoint's key.")
    key_file: str = option("", "File that holds the endpoint's key; takes precedence over --key-env.")
    split: tuple[str, ...] = option(
        DEFAULT_SPLITS, f"Tasks to ask: {', '.join(splits.SPLITS)}; several with commas.", heading="What is asked"
    )
    tasks: str = option("", "File of tasks to ask instead of the world's own, made by 'sebench tasks import'.")
    book: tuple[str, ...] = option(
        ("closed", "open"),
        "Whether the documentation is in the prompt: closed, open; native asks the same about NumPy. Several with commas.",
        heading="The prompt",
    )
    distractors: int = option(
        DISTRACTORS, "Pages of other functions beside the needed ones in an open book; -1 shows the whole library."
    )
    retrieve: int = option(
        0, "If above 0, an open book shows this many pages that a search with the question finds, instead."
    )
    pages: tuple[str, ...] = option(PARTS, "Parts of the pages in an open book, with commas.")
    hide_usage: bool = option(
        False, "Leave out of the page what a transfer task needs to know and no training task shows."
    )
    give_names: bool = option(False, "Say in every prompt which functions of the library the task needs.")
    decline: bool = option(
        False, "Let every prompt say how to decline what the library cannot do; boundary_test needs it."
    )
    memory: str = option(
        "",
        "Folder of a memory, made by 'sebench learn': what it recalls stands before the closed prompt.",
        heading="Memory and self-repair",
    )
    repair: int = option(
        0, "Times that an answer which fails on the examples of its prompt is asked for again, with what went wrong."
    )
    embed_url: str = option(
        "", "Address of the embeddings that a dense memory needs, if it has changed since the study."
    )
    embed_key_env: str = option("OPENAI_API_KEY", "Environment variable that holds the key of that address.")
    prompts: str = option(
        "",
        "Folder with your own templates: closed.md, open.md, native.md, decline.md; short asks without examples.",
        heading="The prompt",
    )
    system: str = option("", "System message; @FILE reads it from a file.")
    samples: int = option(1, "Responses per prompt.", heading="The answers")
    temperature: float = option(0.0, "Sampling temperature; 0 always takes the most likely token.")
    top_p: float = option(1.0, "Nucleus sampling.")
    max_tokens: int = option(1024, "Maximum tokens per response.")
    stop: tuple[str, ...] = option((), "Sequence that ends a response; repeat it for several.")
    token_limit: str = option(
        "max_tokens",
        "Name of the request field for --max-tokens: max_tokens, or max_completion_tokens.",
        heading="Endpoints",
    )
    send_seed: bool = option(True, "Send a seed with each request; some providers refuse one.")
    reasoning_effort: str = option("", "Passed to endpoints of reasoning models: low, medium, high.")
    extra: str = option("", "Further request fields: a JSON object, or @FILE.")
    profile: str = option(
        "strict", "How values are compared: strict, or paper for the published tolerances.", heading="Judging"
    )
    seed: int = option(
        0, "Seed of sampling, of distractors and of --limit; the world has its own, WORLD.", heading="What is asked"
    )
    limit: int = option(0, "Number of tasks per split, drawn from the seed; 0 asks all.")
    thinking: str = option("", "on or off: passed to chat templates that know enable_thinking.", heading="The answers")
    workers: int = option(0, "Concurrent requests; 0 lets the model decide.", heading="Endpoints")
    timeout_s: float = option(300.0, "Seconds before a request is abandoned.")
    tries: int = option(6, "Attempts per request before it is given up.")
    batch: int = option(
        0, "Prompts decoded together by a local model; 0 takes 8, or 512 on a GPU.", heading="Local models"
    )
    device: str = option("", "Where a local model computes: cpu, cuda; it chooses by itself if not given.")

    def __post_init__(self) -> None:
        for name in LISTS:
            object.__setattr__(self, name, tuple(w.strip() for v in getattr(self, name) for w in v.split(",")))
        for name in ("system", "extra"):
            object.__setattr__(self, name, _text(name, getattr(self, name)))
        self.extra_fields()  # errors now rather than at the first request
        self.book_settings()
        for name, known in (("split", splits.SPLITS), ("book", BOOKS)):
            for value in getattr(self, name):
                if value not in known:
                    raise ConfigError(f"{name} = {value!r}: there are {', '.join(known)}")
            if len(set(getattr(self, name))) < len(getattr(self, name)) or not getattr(self, name):
                raise ConfigError(f"{name} = {', '.join(getattr(self, name))!r}: at least one, each once")
        if splits.BOUNDARY_TEST in self.split and not self.decline:
            raise ConfigError(
                f"split = {splits.BOUNDARY_TEST!r}: give --decline too, so that the prompts say how to decline"
            )
        if self.decline and self.give_names:
            raise ConfigError(
                "decline and give_names: a prompt that names the needed functions says that they are there; choose one"
            )
        if self.decline and NATIVE in self.book:
            raise ConfigError(
                f"decline = true is for the books closed and open: NumPy lacks nothing; leave {NATIVE} out"
            )
        if self.memory and self.book != (CLOSED,):
            raise ConfigError(
                f"memory is for the closed book alone, and book = {', '.join(self.book)!r}; give --book closed"
            )
        if self.repair and NATIVE in self.book:
            raise ConfigError(f"repair = {self.repair} is for the books closed and open; leave {NATIVE} out")
        if self.profile not in ("strict", "paper"):
            raise ConfigError(f"profile = {self.profile!r}: strict or paper")
        if self.thinking not in ("", "on", "off"):
            raise ConfigError(f"thinking = {self.thinking!r}: on, off or nothing")
        if "" in self.stop:
            raise ConfigError("stop = '': a sequence that ends a response has at least one character")
        if self.token_limit not in TOKEN_LIMITS:
            raise ConfigError(f"token_limit = {self.token_limit!r}: {' or '.join(TOKEN_LIMITS)}")
        if not self.base_url:
            default = {f.name: f.default for f in fields(self)}
            for name in OF_ENDPOINTS:
                if getattr(self, name) != default[name]:
                    raise ConfigError(f"{name} = {getattr(self, name)!r} is for endpoints only; give a --base-url too")
        least = {
            "samples": 1,
            "max_tokens": 1,
            "tries": 1,
            "batch": 0,
            "limit": 0,
            "workers": 0,
            "distractors": -1,
            "retrieve": 0,
            "repair": 0,
        }
        for name, value in least.items():
            if getattr(self, name) < value:
                raise ConfigError(f"{name} = {getattr(self, name)}: at least {value}")
        if not 0 < self.timeout_s < float("inf"):
            raise ConfigError(f"timeout_s = {self.timeout_s}: seconds, more than 0")
        if not 0 <= self.temperature <= 5 or not 0 < self.top_p <= 1:
            raise ConfigError(
                f"temperature = {self.temperature}, top_p = {self.top_p}: from 0 to 5, and above 0 up to 1"
            )

    def compared(self) -> dict[str, Any]:
        """The settings that decide what comes out: they stand in the manifest, and a run goes on only with the same.

        Of a file of tasks and of a memory the content counts, not the name.
        """
        chosen = {
            key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items() if key not in NOT_COMPARED
        }
        chosen |= {"extra": self.extra_fields(), "tasks": _digest(self.tasks)}
        if self.memory:
            chosen["memory"] = Memory.load(Path(self.memory)).digest
        # Left out where they are not used: runs that were begun before there were such settings go on.
        return {key: value for key, value in chosen.items() if value or key not in ("memory", "repair")}

    def book_settings(self) -> BookSettings:
        """What an open book shows."""
        return BookSettings(self.distractors, self.retrieve, self.pages, self.seed, self.hide_usage)

    def extra_fields(self) -> dict[str, Any]:
        """The further fields of a request."""
        try:
            found = json.loads(self.extra or "{}")
        except ValueError as error:
            raise ConfigError(f"extra is not JSON: {error}") from None
        if not isinstance(found, dict):
            raise ConfigError(f'extra = {self.extra[:60]!r}: it must be a JSON object, such as {{"top_k": 20}}')
        return found


def _text(name: str, value: str) -> str:
    """A setting's text, read from a file if it is @FILE."""
    if not value.startswith("@"):
        return value
    try:
        return Path(value[1:]).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{name} = {value}: the file cannot be read: {error}") from None


def _digest(file: str) -> str:
    if not file:
        return ""
    try:
        return sha256(Path(file).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise ConfigError(f"tasks = {file}: the file cannot be read: {error.strerror}") from None


def read(config: type[C], file: Path | None, given: Mapping[str, Any]) -> C:
    """The settings of a TOML file, overridden by those that were given on the command line."""
    data: dict[str, Any] = {}
    if file is not None:
        try:
            data = tomllib.loads(file.read_text("utf-8"))
        except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"{file} cannot be read: {error}") from None
    return config(**{**checked(config, data, str(file)), **given})


def checked(config: type[Any], data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The settings of a table of a TOML file, each known and of the right type."""
    known = {f.name: f for f in fields(config)}
    found: dict[str, Any] = {}
    for key, value in data.items():
        name = key.replace("-", "_")
        if name not in known:
            raise ConfigError(f"{where}: no setting '{key}'; there are {', '.join(known)}")
        wanted = type(known[name].default)
        if wanted is tuple and isinstance(value, str):
            found[name] = (value,)
        elif wanted is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
            found[name] = tuple(value)
        elif wanted is float and type(value) is int:
            found[name] = float(value)
        elif type(value) is not wanted:
            raise ConfigError(f"{where}: {key} = {value!r} is not a {NAMES[wanted]}")
        else:
            found[name] = value
    return found

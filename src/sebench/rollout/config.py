"""What a run is asked to do: one record that flags, TOML file and manifest share."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from sebench.errors import ConfigError
from sebench.prompts import BOOKS
from sebench.tasks import splits

TESTS = (splits.SINGLE_TEST, splits.MULTI_TEST)

# Where and how fast, not what: a run may go on with other values of these. (Of prompts the text counts, not the folder.)
NOT_COMPARED = frozenset(
    {"base_url", "key_env", "key_file", "prompts", "workers", "timeout_s", "tries", "batch", "device"}
)

NAMES = {str: "text", int: "whole number", float: "number", tuple: "list of texts"}


def option(default: Any, help: str) -> Any:
    """A setting with its default and what it means, which `sebench run --help` shows."""
    return field(default=default, metadata={"help": help})


@dataclass(frozen=True)
class RunConfig:
    """The settings of a run."""

    model: str = option(
        "smollm2",
        "smollm2, gold, numpy, guess, silent, a .gguf file, hf:NAME or a folder, vllm:NAME, or an endpoint's name for it.",
    )
    base_url: tuple[str, ...] = option(
        (), "An OpenAI-compatible endpoint, several times for replicas: http://host:8000/v1."
    )
    key_env: str = option("OPENAI_API_KEY", "The environment variable that holds the key of the endpoint.")
    key_file: str = option("", "A file that holds the key, instead.")
    split: tuple[str, ...] = option(TESTS, "Which tasks: train, single_test, multi_test; several times for more.")
    book: tuple[str, ...] = option(("closed", "open"), "With the documentation in the prompt or without: open, closed.")
    distractors: int = option(0, "Pages of other functions in an open book; -1 for the whole library.")
    prompts: str = option("", "A folder with templates of your own: closed.md, open.md.")
    samples: int = option(1, "Responses to each prompt.")
    temperature: float = option(0.0, "0 takes the likeliest token.")
    top_p: float = option(1.0, "Nucleus sampling.")
    max_tokens: int = option(1024, "Of a response.")
    profile: str = option("strict", "How values are compared: strict, or paper for the published tolerances.")
    seed: int = option(0, "Of sampling, of distractors and of --limit.")
    limit: int = option(0, "So many tasks of each split, drawn from the seed; 0 for all.")
    thinking: str = option("", "on or off: passed to chat templates that know enable_thinking.")
    workers: int = option(0, "Requests at a time; 0 lets the model say.")
    timeout_s: float = option(300.0, "For one request.")
    tries: int = option(6, "Of one request, before it is given up.")
    batch: int = option(8, "Prompts at a time in a local model.")
    device: str = option("", "Of a local model: cpu, cuda; empty lets it choose.")

    def __post_init__(self) -> None:
        for name, known in (("split", splits.SPLITS), ("book", BOOKS)):
            for value in getattr(self, name):
                if value not in known:
                    raise ConfigError(f"{name} = {value!r}: there are {', '.join(known)}")
            if len(set(getattr(self, name))) < len(getattr(self, name)) or not getattr(self, name):
                raise ConfigError(f"{name} = {', '.join(getattr(self, name))!r}: at least one, each once")
        if self.profile not in ("strict", "paper"):
            raise ConfigError(f"profile = {self.profile!r}: strict or paper")
        if self.thinking not in ("", "on", "off"):
            raise ConfigError(f"thinking = {self.thinking!r}: on, off or nothing")
        least = {"samples": 1, "max_tokens": 1, "tries": 1, "batch": 1, "limit": 0, "workers": 0, "distractors": -1}
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
        """The settings that decide what comes out: they stand in the manifest, and a run goes on only with the same."""
        return {
            key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items() if key not in NOT_COMPARED
        }


def read(file: Path | None, given: Mapping[str, Any]) -> RunConfig:
    """The settings of a TOML file, overridden by those that were given on the command line."""
    data: dict[str, Any] = {}
    if file is not None:
        try:
            data = tomllib.loads(file.read_text("utf-8"))
        except (OSError, UnicodeError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"{file} cannot be read: {error}") from None
    known = {f.name: f for f in fields(RunConfig)}
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"{file}: no setting '{key}'; there are {', '.join(known)}")
        wanted = type(known[key].default)
        if wanted is tuple and isinstance(value, str):
            data[key] = (value,)
        elif wanted is tuple and isinstance(value, list) and all(isinstance(item, str) for item in value):
            data[key] = tuple(value)
        elif wanted is float and type(value) is int:
            data[key] = float(value)
        elif type(value) is not wanted:
            raise ConfigError(f"{file}: {key} = {value!r} is no {NAMES[wanted]}")
    return RunConfig(**{**data, **given})
